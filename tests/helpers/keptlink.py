"""A worker's session whose link keeps what it is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trainer.events import Event
from trainer.work.session import Session


class KeptLink:
    """Events are made when they are looked at."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def send(self, make: Any) -> None:
        self.made.append(make)

    def flush(self, _: float) -> bool:
        return True

    def close(self, _: float) -> None:
        pass

    @property
    def events(self) -> list[Event]:
        return [make() for make in self.made]


def linked_session(home: Path | None = None) -> tuple[Session, KeptLink]:
    session, link = Session("demo-1[0].abc", home), KeptLink()
    session.link = link
    return session, link
