"""Dialogs that ask for a file, a folder, a word or a confirmation; tests replace them.

Also texts about edits of many rows.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from anonymize.egress import weights_download_job
from anonymize.egress.egress_authority import policy_in_force
from anonymize.egress.policy_edits import set_policy
from app.gui.study.study_controller import StudyController
from media.file_suffixes import RECORDING_SUFFIXES
from project.errors import UserError
from resources.translation import tr, trn
from widgets.dialogs.dialog_windows import AgreeDialog, ChoiceDialog, TextDialog, owning_window

D = TypeVar("D", bound=QDialog)
STUDY_FILTER = tr("Studies (*.greenroom)")
SCHEME_FILTER = tr("Schemes (*.toml);;All files (*)")


def file_filter(words: str, suffixes: Iterable[str], *more: str) -> str:
    """Return a filter of Qt's for names that end in one of some ways, and further filters after it."""
    endings = " ".join(f"*{suffix}" for suffix in dict.fromkeys(suffixes))
    return ";;".join([f"{words} ({endings})", *more])


def code_book_filter() -> str:
    """Return filters for the files that a scheme can be made from."""
    from annotate.interchange.code_book_files import CODE_BOOK_SUFFIXES

    return file_filter(tr("ELAN, BORIS, tables and schemes"), CODE_BOOK_SUFFIXES, tr("All files (*)"))


def annotation_filters() -> str:
    """Return filters for the files that can be imported, from the list of formats: all of them, then each kind."""
    from annotate.interchange.annotation_files import importable_file_types, importable_suffixes

    kinds = [file_filter(" / ".join(tools), endings) for endings, tools in importable_file_types().items()]
    return file_filter(tr("All supported files"), importable_suffixes(), *kinds)


class Dialogs:
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
        begin = proposed or self._start_folder() / "study.greenroom"
        path, _ = QFileDialog.getSaveFileName(
            self._parent_window(),
            tr("New study"),
            str(begin),
            STUDY_FILTER,
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        return Path(path) if path else None

    def ask(self, make: Callable[[], D]) -> D | None:
        """Make a dialog, show it and return it where it was accepted; it is gone when the event loop runs next."""
        dialog = make()
        accepted = dialog.exec() == QDialog.DialogCode.Accepted
        dialog.deleteLater()
        return dialog if accepted else None

    def study(self) -> Path | None:
        """Ask which study to open."""
        path, _ = QFileDialog.getOpenFileName(
            self._parent_window(), tr("Open study"), str(self._start_folder()), STUDY_FILTER
        )
        return Path(path) if path else None

    def scheme(self) -> Path | None:
        """Ask which scheme file to read."""
        path, _ = QFileDialog.getOpenFileName(
            self._parent_window(), tr("Open scheme"), str(self._start_folder()), SCHEME_FILTER
        )
        return Path(path) if path else None

    def videos(self) -> list[Path]:
        """Ask which recordings to add."""
        kinds = file_filter(tr("Video and sound"), RECORDING_SUFFIXES, tr("All files (*)"))
        paths, _ = QFileDialog.getOpenFileNames(
            self._parent_window(), tr("Add recordings"), str(self._start_folder()), kinds
        )
        return [Path(path) for path in paths]

    def folder(self, title: str) -> Path | None:
        """Ask for a folder."""
        path = QFileDialog.getExistingDirectory(self._parent_window(), title, str(self._start_folder()))
        return Path(path) if path else None

    def file(self, title: str, kinds: str = "") -> Path | None:
        """Ask for a file; `kinds` are filters as `file_filter` makes them."""
        path, _ = QFileDialog.getOpenFileName(self._parent_window(), title, str(self._start_folder()), kinds)
        return Path(path) if path else None

    def annotations(self, window: QWidget | None = None) -> list[Path]:
        """Ask for files of other tools, over a window that may not be the one in use yet."""
        paths, _ = QFileDialog.getOpenFileNames(
            window or self._parent_window(), tr("Import annotations"), str(self._start_folder()), annotation_filters()
        )
        return [Path(path) for path in paths]

    def save(self, title: str, path: Path, kind: str) -> Path | None:
        """Ask under which name to save a file of a kind; the dialog asks before it gives one that is there.

        A name without an ending gets that of `path`.
        """

        def make() -> QFileDialog:
            dialog = QFileDialog(self._parent_window(), title, str(path.parent), f"{kind} (*{path.suffix})")
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.setDefaultSuffix(path.suffix)
            dialog.selectFile(path.name)
            return dialog

        dialog = self.ask(make)
        return Path(dialog.selectedFiles()[0]) if dialog is not None else None

    def text(self, title: str, question: str, before: str) -> str | None:
        """Ask for a line of text."""
        return TextDialog(title, question, before, self._parent_window()).ask_text()

    def agree(self, title: str, question: str, button: str, *, careful: bool = True) -> bool:
        """Ask for a yes, on a button that says to what; Esc is a no, and Enter too where it has to be careful."""
        asked = AgreeDialog(title, question, button, self._parent_window(), careful=careful)
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
                self._parent_window(),
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
                self._parent_window(),
            ).ask()
            or "cancel"
        )

    def release_place(self) -> Path | None:
        """Ask for the new folder of a release."""
        path, _ = QFileDialog.getSaveFileName(
            self._parent_window(),
            tr("New folder for the release"),
            str(self._start_folder() / "release"),
            tr("Folder (*)"),
        )
        return Path(path) if path else None

    def question_set_place(self) -> Path | None:
        """Ask for the new folder of a data set of questions."""
        path, _ = QFileDialog.getSaveFileName(
            self._parent_window(),
            tr("New folder for the questions"),
            str(self._start_folder() / "questions"),
            tr("Folder (*)"),
        )
        return Path(path) if path else None

    def copy_place(self, name: str) -> Path | None:
        """Ask where a copy of the study goes."""
        return self.save(tr("Copy for an annotator"), self._start_folder() / f"{name}.greenroom", tr("Studies"))

    def copies(self) -> list[Path]:
        """Ask which copies of the study to merge."""
        paths, _ = QFileDialog.getOpenFileNames(
            self._parent_window(), tr("Merge copies"), str(self._start_folder()), STUDY_FILTER
        )
        return [Path(path) for path in paths]

    def _parent_window(self) -> QWidget:
        """Return the window that a dialog belongs to: the one that is used now."""
        return owning_window(self._window) or self._window

    def _start_folder(self) -> Path:
        return self.start or Path()


DOWNLOAD_DECLINED = tr("Nothing was downloaded: the policy of this study allows no downloads.")


def require_permission(studio: StudyController, questions: Dialogs, name: str, key: str = "") -> None:
    """Return quietly where weights may be fetched, also because the user just allowed it."""
    session = studio.session
    if session is None:
        return
    refusal = weights_download_job.download_refusal(session, name, key)
    if refusal is None:
        return
    wanted = replace(policy_in_force(session), downloads=True)
    # Nobody is asked to allow downloads that are refused for something else all the same.
    if (still := weights_download_job.download_refusal(session, name, key, wanted)) is not None:
        raise still
    session.study.require_writable()
    if not questions.agree(
        tr("Allow downloads"),
        tr(
            "The policy of this study allows no connection, not even to get {name}.\n\n"
            "Allow downloads of models? Nothing of the study is sent; the server learns which file is asked for, and "
            "from which address. Every request is written down in the study."
        ).format(name=name),
        tr("Allow downloads"),
    ):
        raise UserError(
            DOWNLOAD_DECLINED,
            tr("Allow downloads, or add it from a folder."),
        )
    studio.publish(set_policy(session, wanted))


class Rows(StrEnum):
    """What is edited."""

    SEGMENTS = "segments"
    UTTERANCES = "utterances"
    NODES = "nodes"
    PRELABELS = "prelabels"
    PLACES = "places"


_ROW_COUNT_TEXTS: dict[Rows, Callable[[int], str]] = {
    Rows.SEGMENTS: lambda number: trn("{count} segment", "{count} segments", number),
    Rows.UTTERANCES: lambda number: trn("{count} utterance", "{count} utterances", number),
    Rows.NODES: lambda number: trn("{count} node", "{count} nodes", number),
    Rows.PRELABELS: lambda number: trn("{count} pre-label", "{count} pre-labels", number),
    Rows.PLACES: lambda number: trn("{count} place", "{count} places", number),
}


def format_row_count(kind: Rows, number: int, recordings: int = 1) -> str:
    """Return `22 segments`, with ` in 2 recordings` where it is more than one."""
    rows = _ROW_COUNT_TEXTS[kind](number)
    if recordings < 2:
        return rows
    among = trn("{count} recording", "{count} recordings", recordings)
    return tr("{rows} in {recordings}").format(rows=rows, recordings=among)


def deleted_message(kind: Rows, number: int, recordings: int = 1) -> str:
    """Say what was deleted, and that undo brings it back."""
    text = tr("Deleted {rows}. Undo brings it back.") if number == 1 else tr("Deleted {rows}. Undo brings them back.")
    return text.format(rows=format_row_count(kind, number, recordings))


def changed_message(kind: Rows, number: int, recordings: int = 1) -> str:
    """Say what was changed, and that it was one step."""
    return tr("Changed {rows}. One undo takes it back.").format(rows=format_row_count(kind, number, recordings))


def confirm_delete(questions: Dialogs, kind: Rows, number: int, recordings: int) -> bool:
    """Ask whether to delete rows of more than one recording; those of one are deleted unasked, because of undo."""
    if recordings < 2:
        return True
    question = tr("Delete {rows}?").format(rows=format_row_count(kind, number, recordings))
    button = tr("Delete {rows}").format(rows=format_row_count(kind, number))
    return questions.agree(tr("Delete"), f"{question}\n\n{_undo_hint()}", button)


def confirm_change(questions: Dialogs, kind: Rows, number: int, recordings: int) -> bool:
    """Ask whether to change rows of more than one recording; those of one are changed unasked, because of undo."""
    if recordings < 2:
        return True
    question = tr("Change {rows}?").format(rows=format_row_count(kind, number, recordings))
    button = tr("Change {rows}").format(rows=format_row_count(kind, number))
    return questions.agree(tr("Change"), f"{question}\n\n{_undo_hint()}", button)


def _undo_hint() -> str:
    return tr("It is one step: one undo takes it back.")
