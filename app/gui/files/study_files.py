"""Creates and opens studies, adds recordings and relinks missing media. Files are read in the background."""

import os
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import platformdirs
from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from annotate.study.recording_edits import add_recordings, probe_file
from annotate.study.scheme_versions import use_only
from app.demo_study import sample_video
from app.gui.files.start_dialog import StartDialog, StudyPlan, default_study_folder, proposed_name
from app.gui.study.background import BackgroundPool, ModalTask
from app.gui.study.dialogs import Dialogs
from app.gui.study.study_controller import StudyController
from media.file_suffixes import FOLDER_SCAN_SUFFIXES, RECORDING_SUFFIXES
from project.entities.study_records import Changes
from project.errors import Cancelled, UserError
from project.files.filesystem import resolve_path
from project.progress import Progress, Silent
from project.queries.recording_rows import all_media
from project.schemes.scheme_file import shipped_text
from project.session.session import Session
from project.store.locking import LockHolder, background_holder, is_held
from project.store.study import Study
from project.text_format import escape_unprintable
from resources.translation import tr, trn

_LOCK_POLL_S = 0.1


class BusyStudyAction(StrEnum):
    """What is done about a study whose jobs run in the background."""

    SHOW = "show"
    STOP = "stop"
    READ = "read"
    CANCEL = "cancel"


def confirm_not_busy(path: Path, questions: Dialogs, apart: ModalTask) -> bool:
    """Tell whether a study can be opened here now, after asking where its jobs run in the background.

    The other process is asked to show its window (SIGUSR1), or to end (SIGTERM): then its jobs are noted as
    interrupted, and this returns once it has closed the study. It opens to read only while the other goes on.
    """
    holder = background_holder(path)
    if holder is None:
        return True
    way = BusyStudyAction(
        questions.held_study(
            tr("Jobs of “{name}” run in the background.").format(name=escape_unprintable(path.name)),
            tr(
                "They were started in a window that was closed since (process {process}). One process at a time "
                "writes to a study."
            ).format(process=holder.pid),
        )
    )
    if way is not BusyStudyAction.CANCEL and background_holder(path) != holder:
        # Its jobs ended meanwhile, and nothing is in the way any more.
        return True
    if way is BusyStudyAction.SHOW:
        _send_signal(path, holder, signal.SIGUSR1)
        return False
    if way is BusyStudyAction.STOP:
        _send_signal(path, holder, signal.SIGTERM)
        with suppress(Cancelled):
            text = tr("Stopping the jobs of {name}…").format(name=escape_unprintable(path.name))
            apart.run(lambda progress: _wait_until_released(path, progress), text, stoppable=True)
            return True
        return False
    return way is BusyStudyAction.READ


def _send_signal(path: Path, holder: LockHolder, number: signal.Signals) -> None:
    """Send a signal to a process that still is who it was: it holds the lock and says so in its file."""
    if background_holder(path) == holder:
        with suppress(OSError):
            os.kill(holder.pid, number)


def _wait_until_released(path: Path, progress: Progress) -> None:
    while is_held(path):
        progress.check_cancelled()
        time.sleep(_LOCK_POLL_S)


_SUFFIX = ".greenroom"


@dataclass(frozen=True, slots=True)
class _ProbedRecordings:
    files: Sequence[object]
    errors: Sequence[UserError]


class Files(QObject):
    """What the File menu does.

    Signals:
        message: (str) something worth a line happened.
        warning: (str, str) something did not work for some files: what, and what to do.
        recordings_added: (str) id of the first recording that was added.
        relinked: files were found again.
        reading: (bool) files are being read in the background.
    """

    message = Signal(str)
    warning = Signal(str, str)
    recordings_added = Signal(str)
    relinked = Signal()
    reading = Signal(bool)

    def __init__(
        self, studio: StudyController, background: BackgroundPool, questions: Dialogs, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._background = background
        self.questions = questions

    def new_study(self) -> None:
        """Ask where, by which scheme and with which recordings, make a study of that and open it."""
        self.new_study_with(())

    def new_study_with(self, recordings: Sequence[Path]) -> None:
        """Ask as `new_study` does, with recordings that somebody named or dropped already in the list."""
        dialog = self.questions.ask(lambda: self.make_start_dialog(recordings))
        if dialog is not None:
            self.create_study(dialog.plan())

    def make_start_dialog(self, recordings: Sequence[Path] = (), *, first: bool = False) -> StartDialog:
        """Return the dialog that asks for everything that a study begins with."""
        settings = self._studio.settings
        name = None if settings.welcomed else proposed_name() if first else settings.annotator
        folder = recordings[0].absolute().parent if recordings else self.questions.start or default_study_folder()
        return StartDialog(
            *(self.questions, folder, name),
            first=first,
            parent=self.questions.window,
            recordings=recordings,
            make=_make_study,
        )

    def create_study(self, plan: StudyPlan) -> None:
        """Make a study, open it, and add its first recordings."""
        if plan.annotator:
            self._studio.change_settings(lambda kept: replace(kept, annotator=plan.annotator, welcomed=True))
        if plan.path is None:
            return
        path = plan.path if plan.path.suffix == _SUFFIX else plan.path.with_name(plan.path.name + _SUFFIX)
        try:
            if not plan.is_created:
                _make_study(path)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        if self.open_study(path):
            text = plan.scheme_text or shipped_text(plan.scheme)
            self._studio.edit(lambda session: use_only(session, text, plan.scheme))
            if plan.recordings:
                self.add_recordings(plan.recordings)

    def open_study(self, path: Path | None = None) -> bool:
        """Open a study, asking which one if none is given; returns whether it is open now."""
        path = path or self.questions.study()
        if path is None:
            return False
        try:
            if not self.confirm_not_busy(path):
                return False
            self._studio.open(path)
        except UserError as error:
            self._studio.failed.emit(error)
            return False
        return self._studio.session is not None and self._studio.session.study.path == resolve_path(path)

    def confirm_not_busy(self, path: Path) -> bool:
        """Tell whether a study can be opened here now; where its jobs run without a window, somebody is asked."""
        return confirm_not_busy(path, self.questions, self._studio.apart)

    def open_sample(self) -> bool:
        """Open the sample, made where it is not there yet; returns whether it is open now."""
        try:
            return self.open_study(make_sample_study())
        except UserError as error:
            self._studio.failed.emit(error)
            return False

    def handle_dropped(self, paths: Sequence[Path]) -> None:
        """Do what somebody wants who drops files on the window: open a study, else add recordings, or make a study."""
        study = next((path for path in paths if path.suffix == _SUFFIX), None)
        recordings = [path for path in _expand_folders(paths) if path.suffix.lower() in RECORDING_SUFFIXES]
        others = [path for path in paths if path.is_file() and path.suffix.lower() not in RECORDING_SUFFIXES]
        if study is not None:
            self.open_study(study)
        elif others and (refused := _unsupported_error(others[0])) is not None:
            self._studio.failed.emit(refused)
        elif self._studio.session is not None:
            self.add_recordings(paths)
        elif recordings:
            # The program that things were dragged from waits until the drop is over.
            QTimer.singleShot(0, self, lambda: self.new_study_with(recordings))
        else:
            names = _list_names([escape_unprintable(path.name) for path in paths])
            message = tr("There is no study and no recording in {names}.").format(names=names)
            self._studio.failed.emit(UserError(message, tr("Drop a study, or video or sound files.")))

    def add_recordings(self, paths: Iterable[Path] | None = None) -> None:
        """Add recordings, asking which if none are given."""
        given = list(self.questions.videos() if paths is None else paths)
        wanted = _expand_folders(given)
        if not given or self._studio.session is None:
            return
        if not wanted:
            names = _list_names([path.name for path in given])
            self.warning.emit(
                tr("There is no video or sound in {names}.").format(names=names),
                tr("Add files one by one: File > Add recordings…"),
            )
            return
        if not self._studio.writable:
            reason = self._studio.session.study.read_only_reason
            self._studio.failed.emit(UserError(tr("This study is read-only."), reason))
            return
        self.message.emit(
            tr("Reading {name}…").format(name=wanted[0].name)
            if len(wanted) == 1
            else tr("Reading {wanted} files…").format(wanted=len(wanted))
        )
        self.reading.emit(True)
        session = self._studio.session

        def store(read: _ProbedRecordings) -> None:
            self.reading.emit(False)
            if self._studio.session is session:
                self._store_recordings(read)

        self._background.run_confined(
            lambda progress: _probe_files(wanted, progress),
            store,
            show=lambda done, total, name: self.message.emit(
                tr("Reading file {done} of {total}: {name}").format(done=done, total=total, name=name)
            ),
        )

    def locate_missing(self) -> None:
        """Ask for the folder that missing files were moved to, and link them all again."""
        folder = self.questions.folder(tr("Folder that the missing files are in"))
        if folder is None:
            return
        session = self._studio.session
        if session is None:
            return
        from annotate.study.recording_edits import find_missing_files

        self.message.emit(tr("Looking for the missing files…"))
        self._background.read(
            session,
            lambda second, progress: find_missing_files(second, folder, progress),
            lambda found: self._relink(found) if self._studio.session is session else None,
            self._on_failed,
            lambda done, total, name: self.message.emit(
                tr("Looking into file {done} of {total}: {name}").format(done=done + 1, total=total, name=name)
            ),
        )

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, UserError):
            raise error
        self._studio.failed.emit(error)

    def _relink(self, by_content: Mapping[str, Path]) -> None:
        from annotate.study.recording_edits import RelinkResult, relink_files

        found: list[RelinkResult] = []

        def do(session: Session) -> Changes:
            found.append(relink_files(session, by_content))
            return found[0].changes

        if not self._studio.edit(do):
            return
        result = found[0]
        if result.found:
            self.relinked.emit()
            self.message.emit(tr("Found again: {found}").format(found=_list_names(result.found)))
        if result.missing:
            hint = tr("Look in another folder: File > Locate missing media…")
            self.warning.emit(tr("Still missing: {missing}").format(missing=_list_names(result.missing)), hint)
        elif not result.found:
            self.message.emit(tr("No file is missing."))

    def _store_recordings(self, read: _ProbedRecordings) -> None:
        from annotate.study.recording_edits import ProbedFile, add_recordings, sound_track_note, truncation_warning

        session = self._studio.session
        assert session is not None
        known = {medium.fingerprint for medium in all_media(session.study)}
        fresh: list[ProbedFile] = []
        for file in read.files:
            assert isinstance(file, ProbedFile)
            if file.fingerprint not in known:
                known.add(file.fingerprint)
                fresh.append(file)
        made: list[str] = []

        def do(session: Session) -> Changes:
            ids, changes = add_recordings(session, fresh)
            made.extend(ids)
            return changes

        if fresh and self._studio.edit(do):
            what = (
                tr("Added {made} recordings.").format(made=len(made))
                if len(made) > 1
                else tr("Added {name}.").format(name=fresh[0].path.name)
            )
            notes = [note for file in fresh if (note := sound_track_note(file.facts))]
            if notes:
                what += " " + tr("{note}; File > Recording details… chooses another.").format(note=notes[0])
            again = len(read.files) - len(fresh)
            left_out = trn(
                " {count} file was left out: its content is in this study already.",
                " {count} files were left out: their content is in this study already.",
                again,
            )
            self.message.emit(what + (left_out if again else ""))
            self.recordings_added.emit(made[0])
            short = [line for file in fresh if (line := truncation_warning(file))]
            if short:
                more = tr(" So do {value} more of these files.").format(value=len(short) - 1) if len(short) > 1 else ""
                self.warning.emit(short[0] + more, tr("What is there can be used."))
        elif not fresh and not read.errors:
            self.message.emit(tr("Already in this study."))
        if len(read.errors) == 1:
            self._studio.failed.emit(read.errors[0])
        elif read.errors:
            self.warning.emit(
                tr("{errors} files were not added. {message}").format(
                    errors=len(read.errors), message=read.errors[0].message
                ),
                read.errors[0].hint,
            )


def _make_study(path: Path) -> None:
    Study.create(path, path.stem).close()


def _unsupported_error(path: Path) -> UserError | None:
    """Return what to say about a file that is no recording by its name; None where it may be one all the same."""
    from annotate.interchange.annotation_files import importable_suffixes

    name = escape_unprintable(path.name)
    if path.name.lower().endswith(importable_suffixes()):
        hint = tr("Bring it into an open study: File > Import annotations…")
        return UserError(tr("“{name}” contains annotations and is not a recording.").format(name=name), hint)
    return None


def _expand_folders(paths: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(p for p in path.rglob("*") if p.suffix.lower() in FOLDER_SCAN_SUFFIXES and p.is_file())
        else:
            found.append(path)
    return found


class _CancelOnly(Silent):
    def __init__(self, whole: Progress) -> None:
        self._whole = whole

    def check_cancelled(self) -> None:
        self._whole.check_cancelled()


def _probe_files(paths: Sequence[Path], progress: Progress) -> _ProbedRecordings:
    from annotate.study.recording_edits import probe_file

    files, errors = [], []
    for number, path in enumerate(paths, 1):
        progress.check_cancelled()
        if len(paths) > 1:
            progress.progress(number, len(paths), path.name)
        try:
            files.append(probe_file(path, _CancelOnly(progress)))
        except UserError as error:
            errors.append(error)
    return _ProbedRecordings(files, errors)


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (tr(" and {value} more").format(value=len(names) - 3) if len(names) > 3 else "")


_DROP_EVENTS = frozenset({QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop})


class DropFilter(QObject):
    """An event filter for the window; widgets that take drops themselves come first."""

    def __init__(self, window: QWidget, files: Files) -> None:
        super().__init__(window)
        self._files = files
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, _window: QObject, event: QEvent) -> bool:
        if event.type() not in _DROP_EVENTS or not isinstance(event, QDropEvent):
            return False
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if not paths:
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self._files.handle_dropped(paths)
        return True


def make_sample_study(folder: Path | None = None) -> Path:
    """Return the sample study, made if it is not there yet."""
    home = folder or platformdirs.user_data_path("greenroom", appauthor=False) / "sample"
    study = home / "sample.greenroom"
    if study.exists():
        return study
    try:
        video = sample_video(home)
    except UserError as error:
        raise UserError(error.message, tr("Make a new study instead.")) from None
    Study.create(study, "Sample").close()
    with Session.open(study) as session:
        add_recordings(session, [probe_file(video)])
    return study
