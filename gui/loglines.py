"""What a line of output is: its level and its source, read from its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from core.events import LogRecord


class Level(IntEnum):
    DEBUG = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


_ERROR = re.compile(
    r"\b(?:ERROR|CRITICAL|FATAL)\b|^E[0-9]{4} |: E |^Traceback \(most|^\w*(?:Error|Exception)\b: ?"
)
_WARNING = re.compile(r"\b(?:WARN|WARNING)\b|^W[0-9]{4} |: W |\w+Warning: ")
_DEBUG = re.compile(r"\b(?:DEBUG|TRACE)\b")


def level_of(text: str) -> Level:
    head = text[:200]
    if _ERROR.search(head):
        return Level.ERROR
    if _WARNING.search(head):
        return Level.WARNING
    return Level.DEBUG if _DEBUG.search(head) else Level.INFO


@dataclass(frozen=True, slots=True)
class LogLine:
    """``source``: host[slot], or "" for the driver's own output."""

    record: LogRecord
    source: str
    level: Level
    folded: str


def line_of(record: LogRecord) -> LogLine:
    source = f"{record.host}[{record.slot}]" if record.slot >= 0 else ""
    return LogLine(record, source, level_of(record.text), record.text.casefold())


@dataclass(frozen=True, slots=True)
class LogFilter:
    """``source`` None: all streams."""

    source: str | None = None
    level: Level = Level.DEBUG
    words: tuple[str, ...] = ()

    @property
    def all(self) -> bool:
        return self.source is None and self.level == Level.DEBUG and not self.words

    def takes(self, line: LogLine) -> bool:
        return (
            line.level >= self.level
            and (self.source is None or line.source == self.source)
            and all(word in line.folded for word in self.words)
        )
