"""What can go wrong while Horovod is provisioned; every message says what to do.

ProvisionError
+-- UnsuitablePython      not 3.8 .. 3.13, not runnable, or without pip
+-- NoTensorFlow          TensorFlow, or the tf-keras that goes with it, is missing
+-- NoBuildTool           no C++ compiler, CMake or make
+-- RequirementsFailed    pip could not install what the build needs
+-- NoSource              Horovod's sdist cannot be had, or is not the one we know
+-- CorrectionFailed      a correction did not find its place in the source
+-- BuildFailed           the wheel did not build; `.log` is the whole build log
+-- InstallFailed         pip would not install the wheel
+-- VerifyFailed          the installed Horovod cannot do a one-process allreduce
"""

from __future__ import annotations

from pathlib import Path


class ProvisionError(Exception):
    """Its text is meant for a person and may be shown as it is."""


class UnsuitablePython(ProvisionError):
    pass


class NoTensorFlow(ProvisionError):
    pass


class NoBuildTool(ProvisionError):
    pass


class RequirementsFailed(ProvisionError):
    pass


class NoSource(ProvisionError):
    pass


class CorrectionFailed(ProvisionError):
    pass


class BuildFailed(ProvisionError):
    def __init__(self, message: str, log: Path) -> None:
        super().__init__(message)
        self.log = log


class InstallFailed(ProvisionError):
    pass


class VerifyFailed(ProvisionError):
    pass
