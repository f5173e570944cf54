"""A long command in several lines, each flag on its own: easier to read, and the same to a shell."""

from __future__ import annotations

import shlex

_INDENT = "    "


def in_lines(command: str) -> str:
    """Breaks before every option, and before the worker's command. Words stay as they were quoted."""
    lines: list[list[str]] = [[]]
    for word in shlex.split(command):
        starts = word.startswith("-") and word != "--"
        ends = word.startswith("/") and len(lines[-1]) >= 2 and lines[-1][0].startswith("-")
        if (starts or ends) and not _of_worker(lines):
            lines.append([])
        lines[-1].append(word)
    return f" \\\n{_INDENT}".join(shlex.join(line) for line in lines)


def _of_worker(lines: list[list[str]]) -> bool:
    """The command that the workers run stays together; it begins with the path of a Python."""
    return len(lines) > 1 and lines[-1][:1] != [] and lines[-1][0].startswith("/")
