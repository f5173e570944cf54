"""FakePrompter: answers questions and file dialogs as a test says, and keeps what was told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gui.prompter import Question
from gui.toasts import Note


@dataclass
class FakePrompter:
    say_yes: bool = True
    path: str = ""
    questions: list[Question] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def ask(self, question: Question, on_yes: Callable[[], None]) -> None:
        self.questions.append(question)
        if self.say_yes:
            on_yes()

    def tell(self, note: Note) -> None:
        self.notes.append(note)

    def _choose(self, on_chosen: Callable[[str], None]) -> None:
        if self.path:
            on_chosen(self.path)

    def choose_folder(self, title: str, start: str, on_chosen: Callable[[str], None]) -> None:
        self._choose(on_chosen)

    def choose_file(
        self, title: str, start: str, pattern: str, on_chosen: Callable[[str], None]
    ) -> None:
        self._choose(on_chosen)

    def choose_new_file(
        self, title: str, start: str, pattern: str, on_chosen: Callable[[str], None]
    ) -> None:
        self._choose(on_chosen)

    @property
    def texts(self) -> list[str]:
        return [note.text for note in self.notes]
