"""The dialogs that ask for a file, a folder or a word; tests put others in their place."""

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from app.gui.starting import StartDialog, StudyPlan
from media.suffixes import RECORDINGS
from resources.translation import tr
from widgets.agree_dialog import AgreeDialog
from widgets.choice_dialog import ChoiceDialog
from widgets.own_window import owning_window
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

    @property
    def window(self) -> QWidget:
        """The main window."""
        return self._window

    def new_study(self, proposed: Path | None = None) -> Path | None:
        """Ask where a new study goes; a file that is there may be named, and is never overwritten."""
        begin = proposed or self._folder() / "study.greenroom"
        path, _ = QFileDialog.getSaveFileName(
            self._over(), tr("New study"), str(begin), STUDIES, options=QFileDialog.Option.DontConfirmOverwrite
        )
        return Path(path) if path else None

    def plan_study(self, dialog: Callable[[], StartDialog]) -> StudyPlan | None:
        """Ask for everything that a new study begins with."""
        asked = dialog()
        accepted = asked.exec() == QDialog.DialogCode.Accepted
        asked.deleteLater()
        return asked.plan() if accepted else None

    def study(self) -> Path | None:
        """Ask which study to open."""
        path, _ = QFileDialog.getOpenFileName(self._over(), tr("Open study"), str(self._folder()), STUDIES)
        return Path(path) if path else None

    def scheme(self) -> Path | None:
        """Ask which scheme file to read."""
        path, _ = QFileDialog.getOpenFileName(self._over(), tr("Open scheme"), str(self._folder()), SCHEMES)
        return Path(path) if path else None

    def videos(self) -> list[Path]:
        """Ask which recordings to add."""
        kinds = filter_of(tr("Video and sound"), RECORDINGS, tr("All files (*)"))
        paths, _ = QFileDialog.getOpenFileNames(self._over(), tr("Add recordings"), str(self._folder()), kinds)
        return [Path(path) for path in paths]

    def folder(self, title: str) -> Path | None:
        """Ask for a folder."""
        path = QFileDialog.getExistingDirectory(self._over(), title, str(self._folder()))
        return Path(path) if path else None

    def file(self, title: str, kinds: str = "") -> Path | None:
        """Ask for a file; `kinds` are filters as `filter_of` makes them."""
        path, _ = QFileDialog.getOpenFileName(self._over(), title, str(self._folder()), kinds)
        return Path(path) if path else None

    def annotations(self, window: QWidget | None = None) -> Path | None:
        """Ask for a file of another tool, over a window that may not be the one in use yet."""
        path, _ = QFileDialog.getOpenFileName(
            window or self._over(), tr("Import annotations"), str(self._folder()), annotation_filters()
        )
        return Path(path) if path else None

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        """Ask under which name to save a file of a kind; the dialog asks before it gives one that is there."""
        found, _ = QFileDialog.getSaveFileName(self._over(), title, str(path), f"{kind} (*{path.suffix})")
        return Path(found) if found else None

    def text(self, title: str, question: str, before: str) -> str | None:
        """Ask for a line of text."""
        return TextDialog(title, question, before, self._over()).text()

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        """Ask for a yes, on a button that says to what; Esc is a no, and Enter too where it has to be careful."""
        asked = AgreeDialog(title, question, button, self._over(), careful=careful)
        return asked.exec() == QDialog.DialogCode.Accepted

    def leave_jobs(self, question: str, more: str, *, quits: bool) -> str:
        """Ask what becomes of jobs that run: `keep`, `stop` or `cancel`."""
        stop = tr("Stop and quit") if quits else tr("Stop the jobs")
        return (
            ChoiceDialog(
                tr("Jobs are running"),
                question,
                more,
                (
                    ("stop", stop, tr("Stop them; they can be resumed when the study is opened again")),
                    ("keep", tr("Keep running in the background"), tr("Close the window and let them end (Enter)")),
                ),
                (tr("Cancel"), tr("Stay here (Esc)")),
                self._over(),
            ).ask()
            or "cancel"
        )

    def held_study(self, question: str, more: str) -> str:
        """Ask how to get to a study whose jobs run in the background: `show`, `stop`, `read` or `cancel`."""
        return (
            ChoiceDialog(
                tr("Study in use"),
                question,
                more,
                (
                    ("read", tr("Open to read"), tr("See it as it is now, while the jobs go on")),
                    ("stop", tr("Stop the jobs"), tr("Stop them and open the study here; they can be resumed")),
                    ("show", tr("Show that window"), tr("Go on in the window that was closed; the jobs go on (Enter)")),
                ),
                (tr("Cancel"), tr("Open nothing (Esc)")),
                self._over(),
            ).ask()
            or "cancel"
        )

    def release_place(self) -> Path | None:
        """Ask for the new folder of a release."""
        path, _ = QFileDialog.getSaveFileName(
            self._over(), tr("New folder for the release"), str(self._folder() / "release"), tr("Folder (*)")
        )
        return Path(path) if path else None

    def question_set_place(self) -> Path | None:
        """Ask for the new folder of a data set of questions."""
        path, _ = QFileDialog.getSaveFileName(
            self._over(), tr("New folder for the questions"), str(self._folder() / "questions"), tr("Folder (*)")
        )
        return Path(path) if path else None

    def copy_place(self, name: str) -> Path | None:
        """Ask where a copy of the study goes."""
        path, _ = QFileDialog.getSaveFileName(
            self._over(), tr("Copy for an annotator"), str(self._folder() / f"{name}.greenroom"), STUDIES
        )
        return Path(path) if path else None

    def copies(self) -> list[Path]:
        """Ask which copies of the study to merge."""
        paths, _ = QFileDialog.getOpenFileNames(self._over(), tr("Merge copies"), str(self._folder()), STUDIES)
        return [Path(path) for path in paths]

    def _over(self) -> QWidget:
        """Return the window that a dialog belongs to: the one that is used now."""
        return owning_window(self._window) or self._window

    def _folder(self) -> Path:
        return self.start or Path()
