"""Every error that a person may see. The text of each says what to do next.

MaypoleError
+-- InvalidInput            a field of a form or file is wrong (``field`` names it)
|   +-- ProfileError        a profile or inventory file cannot be used
+-- MachineError            a machine could not do what it was asked
|   +-- CommandFailed       a command there ended with an error
|   +-- MachineUnreachable  it does not answer
+-- LaunchError             a run could not be started
+-- RunError                a run could not be attached to, or refused a command
+-- ExportError             a SavedModel could not be fetched or written
"""

from __future__ import annotations


class MaypoleError(Exception):
    """``text`` may be shown to a person as it is."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class InvalidInput(MaypoleError):
    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


class ProfileError(InvalidInput):
    pass


class MachineError(MaypoleError):
    pass


class CommandFailed(MachineError):
    """``status`` is the exit status; ``output`` the end of what it said, already cut to a few lines."""

    def __init__(self, text: str, status: int, output: str) -> None:
        super().__init__(text)
        self.status = status
        self.output = output


class MachineUnreachable(MachineError):
    pass


class LaunchError(MaypoleError):
    pass


class RunError(MaypoleError):
    pass


class ExportError(MaypoleError):
    pass
