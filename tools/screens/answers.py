"""Stands in for the dialogs of the desktop, which nobody is there to answer."""

from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from app.gui.study.dialogs import Dialogs

_CAPTIONS = "WEBVTT\n\n00:01.000 --> 00:03.000\n<v P99>I felt slow.\n\n00:04.000 --> 00:06.500\n<v Robot B>Great!\n"


class NobodyThere(Dialogs):
    """Chooses no file, but for an import, whose window is there for one only; words are asked for as always."""

    def __init__(self, folder: Path) -> None:
        super().__init__(QApplication.activeWindow())
        self.asks = False
        """Whether a yes is asked for in the window, to be photographed."""
        self._captions = folder / "sample.vtt"
        self._captions.write_text(_CAPTIONS, "utf-8")

    def annotations(self, window: QWidget | None = None) -> list[Path]:
        return [self._captions]

    def file(self, title: str, kinds: str = "") -> Path | None:
        return None

    def folder(self, title: str) -> Path | None:
        return None

    def videos(self) -> list[Path]:
        return []

    def copies(self) -> list[Path]:
        return []

    def release_place(self) -> Path | None:
        return None

    def question_set_place(self) -> Path | None:
        return None

    def copy_place(self, name: str) -> Path | None:
        return None

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        return None

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        return self.asks and super().agree(title, question, button, careful=careful)

    def leave_jobs(self, question: str, more: str, *, quits: bool) -> str:
        return super().leave_jobs(question, more, quits=quits) if self.asks else "stop"
