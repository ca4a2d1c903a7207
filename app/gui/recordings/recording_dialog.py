"""The dialog with the details of a recording.

It edits name, collection, files with their offsets, and participants with roles and consent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from annotate.study import people as participants
from annotate.study import recording_edits, recording_files
from annotate.study.participant_variables import enter_variables, variable_kinds, variables_by_participant
from app.gui.jobs.job_center import JobCenter
from app.gui.recordings.participants_table import ParticipantRow, ParticipantsTable
from app.gui.study.background import BackgroundPool
from app.gui.study.dialogs import Dialogs
from app.gui.study.study_controller import StudyController
from project.entities.study_records import Changes, Json, Medium, MediumRole, ParticipantRole
from project.errors import UserError
from project.queries.recording_rows import all_collections, all_participants, consents, media_of, participants_in
from project.session.session import MediaState, Session
from project.timebase import SECOND_US, format_time
from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog
from widgets.form.controls import line_edit, push_button
from widgets.form.form import Form
from widgets.form.input_fields import ChoiceBox, DecimalBox
from widgets.form.layouts import make_column, make_row
from widgets.form.wheel_guard import ComboBox
from widgets.text_labels import PlainLabel, describe, plain_tip

_DAY_S = 86_400.0
_OFFSET_TOLERANCE_US = 500


@dataclass(frozen=True, slots=True)
class FileLine:
    """One file.

    Attributes:
        offset_us: where it begins on the recording's axis; None for the main file, which is the axis.
        has_sound: whether its sound can be compared with the main file's.
        is_searching: whether that is being done.
        search_result: what came of it, in a line.
        found_offset_us: where it begins by that; None where nothing stands out.
        sound_track: which of its sound tracks is used, from 1.
        sound_tracks: how many it has.
    """

    medium_id: str
    text: str
    offset_us: int | None = None
    has_sound: bool = False
    is_searching: bool = False
    search_result: str = ""
    found_offset_us: int | None = None
    sound_track: int = 0
    sound_tracks: int = 0


class FileLines(QWidget):
    """Shows the files of a recording.

    Signals:
        offset_entered (str, int): id of a medium and where it begins now, in microseconds.
        search_requested (str): find where a medium begins by its sound.
        sound_track_chosen (str, int): use another sound track of a medium.
    """

    offset_entered = Signal(str, object)
    search_requested = Signal(str)
    sound_track_chosen = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[FileLine] = []
        self.offsets: dict[str, QDoubleSpinBox] = {}
        self._labels: list[QLabel] = []
        self.answers: dict[str, QLabel] = {}
        self.searches: dict[str, QPushButton] = {}
        self.moves: dict[str, QPushButton] = {}
        self.sound_tracks: dict[str, QComboBox] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.GRID)
        self._grid.setColumnStretch(0, 1)
        self.show_lines([])

    def text(self) -> str:
        """Return what the lines say."""
        return "\n".join(label.text() for label in self._labels)

    def show_lines(self, lines: Sequence[FileLine]) -> None:
        """Show these files; a number that is being typed stays while the files are the same."""
        if [line.medium_id for line in lines] != [line.medium_id for line in self._lines] or not self._labels:
            self._make(lines)
        self._lines = list(lines)
        for label, line in zip(self._labels, lines, strict=False):
            label.setText(line.text)
        for line in lines:
            if line.medium_id in self.sound_tracks:
                self.sound_tracks[line.medium_id].setCurrentIndex(line.sound_track - 1)
            if line.offset_us is not None:
                self.offsets[line.medium_id].setValue(line.offset_us / SECOND_US)
                self._show_search(line)

    def _make(self, lines: Sequence[FileLine]) -> None:
        further = (self.offsets, self.answers, self.searches, self.moves, self.sound_tracks)
        for part in (*self._labels, *(widget for kind in further for widget in kind.values())):
            self._grid.removeWidget(part)
            part.deleteLater()
        self._labels = []
        for kind in further:
            kind.clear()
        for place, line in enumerate(lines or [FileLine("", tr("No file"))]):
            label = PlainLabel(line.text, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse)
            self._labels.append(label)
            row = 3 * place
            self._grid.addWidget(label, row, 0)
            if line.sound_tracks > 1:
                self._make_sound_tracks(line, row + 2)
            if line.offset_us is not None:
                self.offsets[line.medium_id] = field = make_offset_field(tr("this file"))
                field.setPrefix(tr("begins at "))
                field.editingFinished.connect(lambda medium_id=line.medium_id: self._on_offset_entered(medium_id))
                self._grid.addWidget(field, row, 1)
                self._make_search(line.medium_id, row)

    def _make_sound_tracks(self, line: FileLine, row: int) -> None:
        self.sound_tracks[line.medium_id] = box = ComboBox()
        text = tr("Sound track {number} of {count}")
        box.addItems([text.format(number=n, count=line.sound_tracks) for n in range(1, line.sound_tracks + 1)])
        describe(
            box,
            tr("Sound track of {file}").format(file=line.text),
            tr("What is played, transcribed and exported; can be undone"),
        )
        box.activated.connect(lambda place: self._on_sound_track_chosen(line.medium_id, place + 1))
        self._grid.addWidget(box, row, 0)

    def _on_sound_track_chosen(self, medium_id: str, track: int) -> None:
        if any(line.medium_id == medium_id and line.sound_track != track for line in self._lines):
            self.sound_track_chosen.emit(medium_id, track)

    def _make_search(self, medium_id: str, row: int) -> None:
        self.searches[medium_id] = search = push_button(
            tr("Find offset by sound"), do=lambda: self.search_requested.emit(medium_id), autoDefault=False
        )
        self._grid.addWidget(search, row, 2)
        self.answers[medium_id] = answer = PlainLabel(
            wordWrap=True, styleSheet=f"color: {theme.palette().muted.name()};"
        )
        self._grid.addWidget(answer, row + 1, 0, 1, 2)
        self.moves[medium_id] = move = push_button(
            tr("Move it there"),
            tr("Let the file begin where its sound fits; can be undone"),
            lambda: self._apply_found_offset(medium_id),
            autoDefault=False,
        )
        self._grid.addWidget(move, row + 1, 2)

    def _show_search(self, line: FileLine) -> None:
        search = self.searches[line.medium_id]
        search.setEnabled(line.has_sound and not line.is_searching)
        search.setText(tr("Comparing the sounds…") if line.is_searching else tr("Find offset by sound"))
        why_not = tr("One of the two files has no sound, or is missing")
        search.setToolTip(plain_tip(tr("Compare its sound with the main file's") if line.has_sound else why_not))
        answer, move = self.answers[line.medium_id], self.moves[line.medium_id]
        answer.setText(line.search_result)
        answer.setVisible(bool(line.search_result))
        move.setVisible(line.found_offset_us is not None)
        there = (
            line.found_offset_us is not None
            and abs(line.found_offset_us - (line.offset_us or 0)) < _OFFSET_TOLERANCE_US
        )
        move.setEnabled(not there)
        move.setText(tr("It is there") if there else tr("Move it there"))

    def _apply_found_offset(self, medium_id: str) -> None:
        line = next(line for line in self._lines if line.medium_id == medium_id)
        if line.found_offset_us is not None:
            self.offset_entered.emit(medium_id, line.found_offset_us)

    def _on_offset_entered(self, medium_id: str) -> None:
        offset_us = round(self.offsets[medium_id].value() * SECOND_US)
        before = next(line.offset_us for line in self._lines if line.medium_id == medium_id)
        if before is not None and round(before / 1000) != round(offset_us / 1000):
            self.offset_entered.emit(medium_id, offset_us)


def make_offset_field(of: str) -> QDoubleSpinBox:
    """Return a field for where a file begins, in seconds."""
    field = DecimalBox(decimals=3, suffix=" s", minimum=-_DAY_S, maximum=_DAY_S)
    describe(
        field,
        tr("Where {of} begins, in seconds").format(of=of),
        tr("Where the file begins on this recording's time axis; negative: before it"),
    )
    return field


_ADDABLE_FILE_ROLES = {
    MediumRole.CAMERA: tr("Second camera"),
    MediumRole.MICROPHONE: tr("Separate microphone"),
    MediumRole.CHAPTER: tr("Next chapter"),
}


@dataclass(frozen=True, slots=True)
class RecordingDetails:
    """What the dialog shows."""

    title: str
    name: str
    collection: str
    collections: Sequence[str]
    agent: str
    files: Sequence[FileLine]
    has_main_file: bool
    writable: bool


class RecordingDialog(OwnDialog):
    """Every change is saved at once, and is a step that can be undone.

    Signals:
        name_entered (str): another name.
        collection_entered (str): name of the collection it belongs to, which may be new.
        agent_entered (str): what the agent in this collection is.
        file_requested (MediumRole, int): add a file with this role; where its zero lies, in microseconds.
    """

    name_entered = Signal(str)
    collection_entered = Signal(str)
    agent_entered = Signal(str)
    file_requested = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Recording details"))
        self.setMinimumWidth(640)
        self.body = form = Form()
        self.name = form.text(tr("&Name"), "")
        self.name.editingFinished.connect(lambda: self._on_text_entered(self.name, self.name_entered))
        self.collection = ComboBox(editable=True)
        self.collection.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.collection.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        describe(self.collection, tr("Collection"), tr("Choose a collection, or type the name of a new one"))
        self._home = line_edit(tr("Collection"))
        self.collection.setLineEdit(self._home)
        self._home.editingFinished.connect(lambda: self._on_text_entered(self._home, self.collection_entered))
        self.collection.activated.connect(lambda: self._on_text_entered(self._home, self.collection_entered))
        form.add(tr("&Collection"), self.collection)
        self.agent = form.text(
            tr("&Agent"),
            tr("What the agent is in every recording of this collection"),
            placeholder=tr("What the agent is, such as wellness coach robot"),
        )
        self.agent.editingFinished.connect(lambda: self._on_text_entered(self.agent, self.agent_entered))
        self.files = FileLines()
        form.add(tr("Files"), self.files)
        form.add("", self._file_row())
        self.participants = ParticipantsTable()
        form.add(tr("People"), self.participants)
        self.setLayout(make_column(self.body, 1, self._foot(), margin=theme.GRID * 2, spacing=theme.GRID * 2))

    def show_details(self, known: RecordingDetails) -> None:
        """Show what is known; what is being typed stays."""
        self._shown = {
            self.name: known.name,
            self._home: known.collection,
            self.agent: known.agent,
        }
        self.setWindowTitle(known.title)
        self.collection.blockSignals(True)
        self.collection.clear()
        self.collection.addItems(list(known.collections))
        self.collection.setCurrentText(known.collection)
        self.collection.blockSignals(False)
        for field in (self.name, self.agent):
            field.setText(self._shown[field])
        self.files.show_lines(known.files)
        main = {} if known.has_main_file else {MediumRole.MAIN: tr("Main file")}
        self.role.offer({**main, **_ADDABLE_FILE_ROLES}, MediumRole.MAIN)
        self.body.setEnabled(known.writable)

    def _on_text_entered(self, field: QLineEdit, signal: object) -> None:
        text = field.text().strip()
        before, self._shown[field] = self._shown[field], text
        if text != before:
            signal.emit(text)  # type: ignore[attr-defined]

    def _file_row(self) -> QHBoxLayout:
        self.role = ChoiceBox(tr("What the file is"))
        self.offset = make_offset_field(tr("the added file"))
        self.add = add = push_button(
            tr("Add file…"),
            tr("Add a file of the same interaction to this recording"),
            self._ask_file,
            autoDefault=False,
        )
        return make_row(self.role, PlainLabel(tr("begins at")), self.offset, add, None)

    def _ask_file(self) -> None:
        self.file_requested.emit(MediumRole(self.role.currentData()), round(self.offset.value() * SECOND_US))

    def _foot(self) -> QHBoxLayout:
        note = PlainLabel(
            tr("Saved at once. Consent is denied until it is ticked."),
            styleSheet=f"color: {theme.palette().muted.name()};",
        )
        close = push_button(tr("Close"), tr("Close this (Esc)"), self.accept, autoDefault=False)
        return make_row(note, None, close)


_FILE_ROLE_NAMES = {
    MediumRole.MAIN: tr("main file"),
    MediumRole.CAMERA: tr("second camera"),
    MediumRole.MICROPHONE: tr("separate microphone"),
    MediumRole.CHAPTER: "chapter",
}


class RecordingDetailsController(QObject):
    """Belongs to the window; there is one dialog at most."""

    def __init__(
        self, studio: StudyController, background: BackgroundPool, jobs: JobCenter, questions: Dialogs, window: QWidget
    ) -> None:
        super().__init__(window)
        self._jobs = jobs
        self._studio = studio
        self._background = background
        self._questions = questions
        self._window = window
        self._recording_id = ""
        self.dialog: RecordingDialog | None = None
        # Not at once: the row that was ticked may be replaced.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._show)
        studio.bridge.changed.connect(lambda _changes, _initiator: self._soon.start())
        studio.leaving.connect(self._close)
        for signal in (jobs.started, jobs.done, jobs.stopped):
            signal.connect(lambda *_: self._soon.start())

    def open(self) -> None:
        """Show the details of the recording that is shown."""
        if self._studio.session is None or self._studio.recording is None:
            return
        self._close()
        self._recording_id = self._studio.recording.id
        self.dialog = dialog = RecordingDialog(self._window)
        dialog.finished.connect(lambda _code: self._forget())
        edit = self._edit
        dialog.name_entered.connect(
            lambda text: edit(lambda s: recording_edits.rename_recording(s, self._recording_id, text))
        )
        dialog.collection_entered.connect(
            lambda text: edit(lambda s: recording_edits.move_recording(s, self._recording_id, text))
        )
        dialog.agent_entered.connect(lambda text: edit(lambda s: self._set_agent(s, text)))
        dialog.file_requested.connect(self._ask_file)
        dialog.files.offset_entered.connect(
            lambda medium, at: edit(lambda s: recording_edits.move_medium(s, self._recording_id, medium, at))
        )
        dialog.files.search_requested.connect(self._start_search)
        dialog.files.sound_track_chosen.connect(self._choose_sound_track)
        people = dialog.participants
        people.add_requested.connect(
            lambda name: edit(
                lambda s: participants.add_participant(s, name, ParticipantRole.USER, self._recording_id)[1]
            )
        )
        people.role_changed.connect(lambda who, role: edit(lambda s: participants.change_role(s, who, role)))
        people.presence_changed.connect(
            lambda who, on: edit(lambda s: participants.set_appearance(s, self._recording_id, who, on))
        )
        people.consent_changed.connect(lambda who, use, on: edit(lambda s: participants.set_consent(s, who, use, on)))
        people.variable_entered.connect(
            lambda who, name, value, kind: edit(lambda s: enter_variables(s, who, {name: value}, kind))
        )
        self._show()
        dialog.open()

    def _edit(self, do: Callable[[Session], Changes]) -> None:
        if not self._studio.edit(do):
            self._soon.start()

    def _show(self) -> None:
        dialog, session = self.dialog, self._studio.session
        if dialog is None or session is None:
            return
        try:
            recording = session.recording(self._recording_id)
        except UserError:
            self._close()
            return
        study = session.study
        homes = all_collections(study)
        home = next((collection for collection in homes if collection.id == recording.collection_id), None)
        dialog.show_details(
            RecordingDetails(
                tr("Recording {number}").format(number=recording.number),
                recording.name,
                home.name if home else "",
                [collection.name for collection in homes],
                home.agent_context if home else "",
                self._file_lines(session),
                session.main_medium(recording.id) is not None,
                self._studio.writable,
            )
        )
        here = {participant.id for participant in participants_in(study, recording.id)}
        known = variables_by_participant(study)
        dialog.participants.set_people(
            [
                ParticipantRow(
                    participant, participant.id in here, consents(study, participant.id), known.get(participant.id, {})
                )
                for participant in sorted(all_participants(study), key=lambda participant: participant.id not in here)
            ],
            variable_kinds(study),
            writable=self._studio.writable,
        )

    def _file_lines(self, session: Session) -> list[FileLine]:
        lines = []
        media = media_of(session.study, self._recording_id)
        main_heard = any(m.role is MediumRole.MAIN and self._has_sound(session, m) for m in media)
        for medium in media:
            facts = [Path(medium.path).name, _FILE_ROLE_NAMES[medium.role], format_time(medium.facts.duration_us)]
            state = session.locate(medium).state
            if state is not MediaState.PRESENT:
                facts.append(state.value)
            offset_us = None if medium.role is MediumRole.MAIN else medium.offset_us
            audio = medium.facts.audio
            tracks = (audio.track, audio.tracks) if audio else (0, 0)
            line = FileLine(medium.id, ", ".join(facts), offset_us, sound_track=tracks[0], sound_tracks=tracks[1])
            lines.append(line if offset_us is None else self._with_search_state(session, medium, line, main_heard))
        return lines

    def _has_sound(self, session: Session, medium: Medium) -> bool:
        return medium.facts.audio is not None and session.locate(medium).state is MediaState.PRESENT

    def _with_search_state(self, session: Session, medium: Medium, line: FileLine, main_heard: bool) -> FileLine:
        found = recording_files.latest_sync_result(session, medium)
        return replace(
            line,
            has_sound=main_heard and self._has_sound(session, medium) and self._studio.writable,
            is_searching=medium.id in self._media_being_searched(),
            search_result=found.as_text() if found else "",
            found_offset_us=found.offset_us if found and found.sure else None,
        )

    def _media_being_searched(self) -> set[Json]:
        return {work.parameters.medium for work in self._jobs.jobs() if work.kind == recording_files.KIND}

    def _start_search(self, medium_id: str) -> None:
        session = self._studio.session
        if session is None or medium_id in self._media_being_searched():
            return
        try:
            session.study.require_writable()
            work = recording_files.prepare(session, self._recording_id, medium_id)
        except UserError as error:
            self._studio.failed.emit(error)
            return
        self._jobs.start(work)

    def _set_agent(self, session: Session, agent: str) -> Changes:
        recording = session.recording(self._recording_id)
        home = next(
            collection for collection in all_collections(session.study) if collection.id == recording.collection_id
        )
        return recording_edits.describe_collection(session, home.id, home.name, agent)

    def _ask_file(self, role: MediumRole, offset_us: int) -> None:
        chosen = self._questions.videos()
        if chosen:
            self.add_file(self._recording_id, chosen[0], role, offset_us)

    def add_file(self, recording_id: str, path: Path, role: MediumRole, offset_us: int) -> None:
        """Add a further file to a recording; it is read in the background."""
        self._probe(
            path, 0, lambda session, file: recording_edits.add_medium(session, recording_id, file, role, offset_us)
        )

    def _choose_sound_track(self, medium_id: str, track: int) -> None:
        session, recording_id = self._studio.session, self._recording_id
        media = media_of(session.study, recording_id) if session is not None else []
        medium = next((medium for medium in media if medium.id == medium_id), None)
        if session is None or medium is None:
            return
        try:
            path = recording_files.locate_sound(session, medium).path
        except UserError as error:
            self._studio.failed.emit(error)
            self._soon.start()
            return
        self._probe(
            path,
            track,
            lambda session, file: recording_edits.choose_sound_track(session, recording_id, medium_id, file),
        )

    def _probe(
        self, path: Path, sound_track: int, do: Callable[[Session, recording_edits.ProbedFile], Changes]
    ) -> None:
        """Read a file in the background, then do an edit with what was found."""

        def edit(found: object) -> None:
            assert isinstance(found, recording_edits.ProbedFile)
            self._edit(lambda session: do(session, found))

        def fail(error: Exception) -> None:
            if not isinstance(error, UserError):
                raise error
            self._studio.failed.emit(error)
            self._soon.start()

        self._background.run_confined(
            lambda progress: recording_edits.probe_file(path, progress, sound_track=sound_track), edit, fail
        )

    def _close(self) -> None:
        if self.dialog is not None:
            self.dialog.accept()

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None
