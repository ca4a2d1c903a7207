"""The dialogs that ask for a file, a folder or a word; tests put others in their place."""

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget

from media.suffixes import RECORDINGS
from resources.translation import tr
from widgets.agree_dialog import AgreeDialog
from widgets.text_dialog import TextDialog

STUDIES = tr("Studies (*.greenroom)")
SCHEMES = tr("Schemes (*.toml);;All files (*)")


def filter_of(words: str, suffixes: Iterable[str], *more: str) -> str:
    """Return a filter of Qt's for names that end in one of some ways, and further filters after it."""
    endings = " ".join(f"*{suffix}" for suffix in dict.fromkeys(suffixes))
    return ";;".join([f"{words} ({endings})", *more])


def annotation_filters() -> str:
    """Return filters for the files that can be imported, from the list of formats: all of them, then each kind."""
    from app.core.interchange.registry import kinds_of_files, suffixes

    kinds = [filter_of(" / ".join(tools), endings) for endings, tools in kinds_of_files().items()]
    return filter_of(tr("All supported files"), suffixes(), *kinds)


class Questions:
    """Each returns None, or nothing, where the user gave up.

    Attributes:
        start: the folder in which dialogs begin; None for the one where the program was started.
    """

    start: Path | None = None

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def new_study(self) -> Path | None:
        """Ask where a new study goes."""
        path, _ = QFileDialog.getSaveFileName(
            self._window, tr("New study"), str(self._folder() / "study.greenroom"), STUDIES
        )
        return Path(path) if path else None

    def study(self) -> Path | None:
        """Ask which study to open."""
        path, _ = QFileDialog.getOpenFileName(self._window, tr("Open study"), str(self._folder()), STUDIES)
        return Path(path) if path else None

    def scheme(self) -> Path | None:
        """Ask which scheme file to read."""
        path, _ = QFileDialog.getOpenFileName(self._window, tr("Open scheme"), str(self._folder()), SCHEMES)
        return Path(path) if path else None

    def videos(self) -> list[Path]:
        """Ask which recordings to add."""
        kinds = filter_of(tr("Video and sound"), RECORDINGS, tr("All files (*)"))
        paths, _ = QFileDialog.getOpenFileNames(self._window, tr("Add recordings"), str(self._folder()), kinds)
        return [Path(path) for path in paths]

    def folder(self, title: str) -> Path | None:
        """Ask for a folder."""
        path = QFileDialog.getExistingDirectory(self._window, title, str(self._folder()))
        return Path(path) if path else None

    def file(self, title: str, kinds: str = "") -> Path | None:
        """Ask for a file; `kinds` are filters as `filter_of` makes them."""
        path, _ = QFileDialog.getOpenFileName(self._window, title, str(self._folder()), kinds)
        return Path(path) if path else None

    def annotations(self) -> Path | None:
        """Ask for a file of another tool."""
        path, _ = QFileDialog.getOpenFileName(
            self._window, tr("Import annotations"), str(self._folder()), annotation_filters()
        )
        return Path(path) if path else None

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        """Ask under which name to save a file of a kind; the dialog asks before it gives one that is there."""
        found, _ = QFileDialog.getSaveFileName(self._window, title, str(path), f"{kind} (*{path.suffix})")
        return Path(found) if found else None

    def text(self, title: str, question: str, before: str) -> str | None:
        """Ask for a line of text."""
        return TextDialog(title, question, before, self._window).text()

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        """Ask for a yes, on a button that says to what; Esc is a no, and Enter too where it has to be careful."""
        asked = AgreeDialog(title, question, button, QApplication.activeWindow() or self._window, careful=careful)
        return asked.exec() == QDialog.DialogCode.Accepted

    def release_place(self) -> Path | None:
        """Ask for the new folder of a release."""
        path, _ = QFileDialog.getSaveFileName(
            self._window, tr("New folder for the release"), str(self._folder() / "release"), tr("Folder (*)")
        )
        return Path(path) if path else None

    def question_set_place(self) -> Path | None:
        """Ask for the new folder of a data set of questions."""
        path, _ = QFileDialog.getSaveFileName(
            self._window, tr("New folder for the questions"), str(self._folder() / "questions"), tr("Folder (*)")
        )
        return Path(path) if path else None

    def copy_place(self, name: str) -> Path | None:
        """Ask where a copy of the study goes."""
        path, _ = QFileDialog.getSaveFileName(
            self._window, tr("Copy for an annotator"), str(self._folder() / f"{name}.greenroom"), STUDIES
        )
        return Path(path) if path else None

    def copies(self) -> list[Path]:
        """Ask which copies of the study to merge."""
        paths, _ = QFileDialog.getOpenFileNames(self._window, tr("Merge copies"), str(self._folder()), STUDIES)
        return [Path(path) for path in paths]

    def _folder(self) -> Path:
        return self.start or Path()
