"""The dialog that imports annotations of another tool as one step.

It shows what the file would bring, and maps its lanes, texts and values.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QTabWidget

from annotate.interchange.annotation_files import apply_import, guess_format, plan_import, read_file
from annotate.interchange.document import Document, InterchangeLane
from annotate.interchange.document_import import Plan
from annotate.interchange.lane_entries import guess_recordings
from annotate.interchange.lane_mapping import (
    COMMENT,
    EntryTarget,
    ImportMapping,
    LaneTarget,
    OutsideRule,
    build_track_target,
    guess_mapping,
)
from annotate.interchange.lossless_format import RowsPlan
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.recording_rows import all_recordings
from project.schemes.scheme import Track
from project.session.session import Session
from project.text_format import escape_unprintable
from resources.translation import tr, trn
from widgets import theme
from widgets.form.input_fields import IntegerBox
from widgets.form.layouts import make_row
from widgets.form.wheel_guard import ComboBox
from widgets.table.record_table import RecordColumn, RecordTable
from widgets.text_labels import PlainLabel, describe, plain_tip

Choices = tuple[tuple[str, str], ...]
_NOTHING, _SPEECH = "nothing", "utterances"
_KEY_SEPARATOR = "\x1f"
_MAX_TEXTS = 200


@dataclass(frozen=True, slots=True)
class Detail:
    """One text or value of a lane, and what it becomes; `key` is "" for nothing."""

    is_text: bool
    name: str
    count: int
    choices: Choices
    key: str


@dataclass(frozen=True, slots=True)
class LaneImportCounts:
    """What becomes of all lanes of one name, over all recordings; `notes` are one line each."""

    entries: int
    added: int
    known: int
    left_out: int
    notes: tuple[str, ...]


class ImportChoices:
    """One document on its way into a study."""

    def __init__(self, session: Session, document: Document) -> None:
        self._session = session
        self.document = document
        self.whole = bool(document.rows)
        self.mapping = guess_mapping(session, document)
        self.places = list(guess_recordings(session, document))
        self._lanes: dict[str, list[InterchangeLane]] = {}
        for part in document.recordings:
            for lane in part.lanes:
                self._lanes.setdefault(lane.name, []).append(lane)

    @property
    def names(self) -> list[str]:
        """The names of the lanes."""
        return list(self._lanes)

    def plan(self) -> Plan | RowsPlan:
        """Return what would be imported now."""
        return plan_import(self._session, self.document, self.mapping, self.places)

    def targets(self) -> Choices:
        """Return what a lane can become: (key, words)."""
        tracks = [
            (f"{scheme.key}{_KEY_SEPARATOR}{track.key}", f"{track.name} ({scheme.name})")
            for scheme in self._session.schemes
            for track in scheme.tracks
        ]
        return ((_NOTHING, tr("Nothing")), (_SPEECH, tr("Utterances")), *tracks)

    def target(self, name: str) -> str:
        """Return the key of what a lane becomes."""
        target = self.mapping.lanes[name]
        if target.becomes is EntryTarget.SEGMENTS:
            return f"{target.scheme}{_KEY_SEPARATOR}{target.track}"
        return _SPEECH if target.becomes is EntryTarget.UTTERANCES else _NOTHING

    def set_target(self, name: str, key: str) -> None:
        """Let a lane become something else; its labels and fields are guessed again."""
        first = self._lanes[name][0]
        if key == _NOTHING:
            self._set_lane_target(name, LaneTarget(EntryTarget.NOTHING))
        elif key == _SPEECH:
            self._set_lane_target(name, LaneTarget(EntryTarget.UTTERANCES, participant=first.participant))
        else:
            scheme_key, track_key = key.split(_KEY_SEPARATOR)
            scheme = self._session.schemes.get(scheme_key)
            self._set_lane_target(
                name, build_track_target(self._session, self._lanes[name], scheme, scheme.track(track_key))
            )

    def lane_author(self, name: str) -> str:
        """Return who made the segments of a lane, or who speaks."""
        target = self.mapping.lanes[name]
        return target.participant if target.becomes is EntryTarget.UTTERANCES else target.annotator

    def set_lane_author(self, name: str, who: str) -> None:
        """Say who made the segments of a lane, or who speaks."""
        target = self.mapping.lanes[name]
        if target.becomes is EntryTarget.UTTERANCES:
            self._set_lane_target(name, replace(target, participant=who.strip()))
        elif target.becomes is EntryTarget.SEGMENTS and who.strip():
            self._set_lane_target(name, replace(target, annotator=who.strip()))

    def recordings(self) -> Choices:
        """Return the recordings of the study: (id, words)."""
        present = all_recordings(self._session.study)
        return (("", tr("None")), *((recording.id, f"{recording.number}. {recording.name}") for recording in present))

    def set_outside_rule(self, outside: OutsideRule) -> None:
        """Say what is done with entries that reach outside the recording."""
        self.mapping = replace(self.mapping, outside=outside)

    def set_point_duration(self, point_us: int) -> None:
        """Say how long a point becomes; 0 leaves points out."""
        self.mapping = replace(self.mapping, point_us=point_us)

    def details(self, name: str) -> list[Detail]:
        """Return the texts of a lane, the most frequent first, and its values, where it becomes segments."""
        target = self.mapping.lanes[name]
        if target.becomes is not EntryTarget.SEGMENTS or self.whole:
            return []
        scheme = self._session.schemes.get(target.scheme)
        track = scheme.track(target.track)
        labels = (("", tr("Nothing")), *((label.key, label.name) for label in track.labels))
        fields = (
            ("", tr("Nothing")),
            *((field.key, field.name) for field in scheme.fields_of(track.key)),
            (COMMENT, tr("A comment")),
        )
        entries = [entry for lane in self._lanes[name] for entry in lane.entries]
        texts = Counter(entry.text for entry in entries)
        values = Counter(key for entry in entries for key in entry.values)
        found = [
            Detail(True, text, count, labels, _label_for_text(target, track, text))
            for text, count in texts.most_common(_MAX_TEXTS)
        ]
        return found + [
            Detail(False, key, count, fields, target.fields.get(key, "")) for key, count in values.most_common()
        ]

    def set_detail(self, name: str, detail: Detail, key: str) -> None:
        """Let a text become another label, or a value another field; "" for nothing."""
        target = self.mapping.lanes[name]
        if detail.is_text:
            self._set_lane_target(name, replace(target, labels={**target.labels, detail.name: key}))
        else:
            self._set_lane_target(name, replace(target, fields={**target.fields, detail.name: key}))

    def counts(self, plan: Plan | RowsPlan) -> dict[str, LaneImportCounts]:
        """Return what a plan says about each lane, over all recordings."""
        found: dict[str, LaneImportCounts] = {}
        for name in self._lanes:
            same = [lane for lane in plan.lanes if lane.lane == name]
            reasons: Counter[str] = Counter()
            for lane in same:
                reasons.update(lane.left_out)
            notes = [tr("{count} left out: {why}").format(count=count, why=why) for why, count in reasons.items()]
            notes += [remark for lane in same for remark in lane.remarks]
            found[name] = LaneImportCounts(
                sum(lane.entries for lane in same),
                sum(lane.added for lane in same),
                sum(lane.known for lane in same),
                reasons.total(),
                tuple(notes),
            )
        return found

    def _set_lane_target(self, name: str, target: LaneTarget) -> None:
        self.mapping = ImportMapping({**self.mapping.lanes, name: target}, self.mapping.outside, self.mapping.point_us)


def _label_for_text(target: LaneTarget, track: Track, text: str) -> str:
    if text in target.labels:
        return target.labels[text]
    plain = text.strip().casefold()
    fits = (label.key for label in track.labels if plain in (label.key.casefold(), label.name.casefold()))
    return next(fits, target.otherwise)


_MAX_TITLE_CHARS = 60


class ImportWindow(StudyView):
    """One file on its way into the study; it is asked for when the window is shown.

    Nothing is written before Import is pressed.
    """

    title = tr("Import annotations")
    preferred_size = (920, 640)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._choices: ImportChoices | None = None
        self._counts: dict[str, LaneImportCounts] = {}
        self._path: Path | None = None
        self._rows = 0
        self.status.setStyleSheet(f"color: {theme.palette().error.name()};")
        self.lanes = RecordTable(tr("What each lane becomes"), self._lane_columns(), key=str)
        self.parts = RecordTable(tr("Which recording each is"), self._part_columns(), key=str)
        self.details = RecordTable(
            tr("What the texts and values of the lane become"),
            self._detail_columns(),
            key=lambda detail: f"{detail.is_text} {detail.name}",
            empty=tr("Of a lane that becomes segments, each text and value stands here.\nChoose one under Lanes."),
        )
        self.tabs = QTabWidget()
        self.tabs.addTab(self.lanes, tr("&Lanes"))
        self.tabs.addTab(self.details, tr("&Texts and values"))
        self.tabs.addTab(self.parts, tr("&Recordings"))
        self.notes = QPlainTextEdit(readOnly=True)
        self.notes.setAccessibleName(tr("Remarks"))
        self.notes.setPlaceholderText(tr("Remarks about what is changed or left out appear here."))
        self.total = PlainLabel()
        self.apply = QPushButton(tr("&Import"))
        self.apply.setProperty("primary", True)
        self.apply.setToolTip(tr("Write what is new to the study; one undo takes it back"))
        self.apply.setEnabled(False)
        self.apply.clicked.connect(self.accept)
        parts = (self._file_row(), self.tabs, 3, self._rules(), self.notes, 1)
        self.lay_out(*parts, foot=(self.total, self.apply))
        self.lanes.selection_changed.connect(self._show_details)
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        if len(paths) == 1:
            self.load(paths[0])
        elif paths:
            self._forget()
            self.show_error(UserError(tr("Only one file can be imported at a time."), tr("Drop a single file.")))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._forget()
            QTimer.singleShot(0, self, self.choose)

    def choose(self) -> None:
        """Ask for a file and read it."""
        path = self._context.questions.annotations(self)
        if path is not None:
            self.load(path)

    def load(self, path: Path) -> None:
        """Read a file in the background and show what it would bring."""
        self._forget()
        self._path = path
        self.file.setText(path.name)
        self.file.setToolTip(plain_tip(str(path)))
        self.format.setText(tr("Reading…"))
        self._context.background.run(
            lambda _progress: (guess_format(path).name, read_file(path)),
            lambda found: self._show(path, *found),
            lambda error: self._on_failed(path, error),
        )

    def accept(self) -> None:
        """Import what is shown, as one step, and close."""
        choices, path = self._choices, self._path
        if choices is None or path is None:
            return
        said: list[str] = []

        def do(session: Session) -> Changes:
            plan = choices.plan()
            changes = apply_import(session, plan, path.name)
            known = tr(" {known} were in the study already.").format(known=plan.known) if plan.known else ""
            said.append(
                tr("Imported {count} from {name}.{known}").format(
                    count=trn("{count} annotation", "{count} annotations", plan.added), name=path.name, known=known
                )
            )
            return changes

        text = tr("Importing {name}…").format(name=escape_unprintable(path.name))
        if self._context.studio.edit_many(do, self._rows, text):
            self._context.studio.message.emit(said[0])
            self.window().close()

    def _forget(self) -> None:
        """Show no file."""
        self._path, self._choices = None, None
        self.file.setText(tr("No file chosen"))
        self.format.setText("")
        self.total.setText("")
        self.notes.clear()
        for table in (self.lanes, self.details, self.parts):
            table.show_records([])
        self.apply.setEnabled(False)
        self.tell("")

    def _show(self, path: Path, name: str, document: Document) -> None:
        session = self._context.studio.session
        if session is None or path != self._path:
            return
        self._choices = ImportChoices(session, document)
        here = self._context.studio.recording
        if here is not None and self._choices.places == [""]:
            self._choices.places = [here.id]
        self.format.setText(name)
        self.tabs.setTabVisible(1, not self._choices.whole)
        self.tabs.setTabVisible(2, not self._choices.whole)
        self._counts = {}
        self.parts.show_records(range(len(document.recordings)))
        self.lanes.show_records(self._choices.names)
        if self._choices.names:
            self.lanes.selectRow(0)
        self._update()
        if not self._choices.whole and not all(self._choices.places):
            self.tabs.setCurrentWidget(self.parts)

    def _on_failed(self, path: Path, error: Exception) -> None:
        if path != self._path:
            return
        if not isinstance(error, UserError):
            raise error
        self.format.setText("")
        self.show_error(error)

    def _update(self) -> None:
        """Plan again and show the counts."""
        choices = self._choices
        assert choices is not None
        try:
            plan = choices.plan()
        except UserError as error:
            self.show_error(error)
            self.apply.setEnabled(False)
            return
        self.tell("")
        self._rows = plan.added + plan.other_row_count
        self._counts = choices.counts(plan)
        self.lanes.show_records(choices.names)
        lines = [*plan.remarks]
        for name, found in self._counts.items():
            lines += [f"{name}: {note}" for note in found.notes]
        self.notes.setPlainText("\n".join(lines))
        known = tr(", {known} in the study already").format(known=plan.known) if plan.known else ""
        self.total.setText(
            tr("{added} new{known}, {left_out} left out").format(added=plan.added, known=known, left_out=plan.left_out)
        )
        self.apply.setEnabled(self._context.studio.writable and plan.added + plan.other_row_count > 0)
        self._show_details()

    def _show_details(self) -> None:
        name = self.lanes.current()
        if self._choices is None or name is None:
            self.details.show_records([])
            return
        self.details.show_records(self._choices.details(name))
        title = tr("&Texts and values of {name}").format(name=name.replace("&", "&&"))
        self.tabs.setTabText(1, title[:_MAX_TITLE_CHARS])

    def _lane_columns(self) -> list[RecordColumn[str]]:
        choices = self._chosen_mapping

        def count(title: str, value: Callable[[LaneImportCounts], int]) -> RecordColumn[str]:
            return RecordColumn(
                title,
                lambda name: str(value(self._counts[name])) if name in self._counts else "",
                width=90,
                number=True,
                tip=lambda name: "\n".join(self._counts[name].notes) if name in self._counts else "",
            )

        return [
            RecordColumn(tr("Tier or subject in the file"), str, stretch=True),
            RecordColumn(
                tr("Becomes"),
                lambda name: dict(choices().targets()).get(choices().target(name), tr("As it is")),
                width=210,
                choices=lambda _name: choices().targets(),
                choice=lambda name: choices().target(name),
                write=self._set_target,
                is_writable=lambda _name: not choices().whole,
            ),
            RecordColumn(
                tr("Annotator / speaker"),
                lambda name: choices().lane_author(name),
                width=120,
                write=self._set_author,
                is_writable=lambda _name: not choices().whole,
            ),
            count(tr("Entries"), lambda counts: counts.entries),
            count(tr("New"), lambda counts: counts.added),
            count(tr("In the study"), lambda counts: counts.known),
            count(tr("Left out"), lambda counts: counts.left_out),
        ]

    def _part_columns(self) -> list[RecordColumn[int]]:
        choices = self._chosen_mapping
        return [
            RecordColumn(
                tr("Recording in the file"), lambda place: choices().document.recordings[place].name, stretch=True
            ),
            RecordColumn(
                tr("Recording in the study"),
                lambda place: dict(choices().recordings())[choices().places[place]],
                width=380,
                choices=lambda _place: choices().recordings(),
                choice=lambda place: choices().places[place],
                write=self._set_part,
            ),
        ]

    def _detail_columns(self) -> list[RecordColumn[Detail]]:
        return [
            RecordColumn(
                tr("In the lane"),
                lambda detail: f"“{detail.name}”" if detail.is_text else tr("Value {name}").format(name=detail.name),
                stretch=True,
            ),
            RecordColumn(tr("Entries"), lambda detail: str(detail.count), width=80, number=True),
            RecordColumn(
                tr("Becomes"),
                lambda detail: dict(detail.choices).get(detail.key, ""),
                width=260,
                choices=lambda detail: detail.choices,
                choice=lambda detail: detail.key,
                write=self._set_detail,
            ),
        ]

    def _chosen_mapping(self) -> ImportChoices:
        assert self._choices is not None
        return self._choices

    def _set_target(self, name: str, key: str) -> None:
        self._chosen_mapping().set_target(name, key)
        self._update()

    def _set_author(self, name: str, who: str) -> None:
        self._chosen_mapping().set_lane_author(name, who)
        self._update()

    def _set_part(self, place: int, key: str) -> None:
        self._chosen_mapping().places[place] = key
        self._update()

    def _set_detail(self, detail: Detail, key: str) -> None:
        name = self.lanes.current()
        if name is not None:
            self._chosen_mapping().set_detail(name, detail, key)
            self._update()

    def _rules_changed(self) -> None:
        if self._choices is not None:
            self._choices.set_outside_rule(self.outside.currentData())
            self._choices.set_point_duration(self.point.value() * 1000)
            self._update()

    def _file_row(self) -> QHBoxLayout:
        self.file = PlainLabel(tr("No file chosen"))
        self.format = PlainLabel()
        self.format.setStyleSheet(f"color: {theme.palette().muted.name()};")
        browse = QPushButton(tr("&Choose…"))
        browse.setToolTip(tr("Choose the file to import"))
        browse.clicked.connect(self.choose)
        self.browse = browse
        return make_row(self.file, self.format, 1, browse)

    def _rules(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.outside = ComboBox()
        self.outside.addItem(tr("are cut off there"), OutsideRule.CLAMP)
        self.outside.addItem(tr("are left out"), OutsideRule.LEAVE_OUT)
        describe(
            self.outside,
            tr("Entries that reach outside the recording"),
            tr("What is done with entries that reach outside the recording"),
        )
        self.outside.currentIndexChanged.connect(self._rules_changed)
        self.point = IntegerBox()
        self.point.setRange(0, 3_600_000)
        self.point.setValue(100)
        self.point.setSingleStep(50)
        self.point.setSuffix(tr(" ms"))
        self.point.setSpecialValueText(tr("left out"))
        for widget in (self.point, self.point.lineEdit()):
            widget.setAccessibleName(tr("Length of points"))
        self.point.setToolTip(tr("How long an entry without duration becomes; 0 leaves it out"))
        self.point.valueChanged.connect(self._rules_changed)
        row.addWidget(PlainLabel(tr("Entries that reach outside the recording")))
        row.addWidget(self.outside)
        row.addSpacing(theme.GRID * 2)
        row.addWidget(PlainLabel(tr("Give point events a length of")))
        row.addWidget(self.point)
        row.addStretch()
        return row
