"""Dialogs that answer at once, and keep what they were asked."""

from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtWidgets import QWidget

from app.gui.study.dialogs import Dialogs


class AskedDialog(NamedTuple):
    """What a dialog was asked: its method in `Dialogs`, and its texts."""

    dialog: str
    title: str = ""
    question: str = ""
    button: str = ""


class Answers(Dialogs):
    """Gives the answer that a test named for a dialog; without one, the user gives up or says no.

    Attributes:
        answers: by the method's name in `Dialogs`; for `save`, a folder stands for the proposed name in it.
        asked: every dialog that was shown, in order.
    """

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[AskedDialog] = []

    def give(self, **answers: Any) -> None:
        """Give other answers from now on."""
        self.answers.update(answers)

    def _answer(self, dialog: str, otherwise: Any = None, title: str = "", question: str = "", button: str = "") -> Any:
        self.asked.append(AskedDialog(dialog, title, question, button))
        return self.answers.get(dialog, otherwise)

    def new_study(self, proposed: Path | None = None) -> Path | None:
        return self._answer("new_study")

    def study(self) -> Path | None:
        return self._answer("study")

    def scheme(self) -> Path | None:
        return self._answer("scheme")

    def videos(self) -> list[Path]:
        return self._answer("videos", [])

    def folder(self, title: str) -> Path | None:
        return self._answer("folder", title=title)

    def file(self, title: str, kinds: str = "") -> Path | None:
        return self._answer("file", title=title)

    def annotations(self, window: QWidget | None = None) -> list[Path]:
        return self._answer("annotations", [])

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        place = self._answer("save", title=title, question=path.name)
        return place / path.name if place is not None and place.is_dir() else place

    def text(self, title: str, question: str, before: str) -> str | None:
        return self._answer("text", title=title, question=question)

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        return self._answer("agree", False, title, question, button)

    def held_study(self, question: str, more: str) -> str:
        return self._answer("held_study", "cancel", question=question, button=more)

    def release_place(self) -> Path | None:
        return self._answer("release_place")

    def question_set_place(self) -> Path | None:
        return self._answer("question_set_place")

    def copy_place(self, name: str) -> Path | None:
        return self._answer("copy_place", question=name)

    def copies(self) -> list[Path]:
        return self._answer("copies", [])
