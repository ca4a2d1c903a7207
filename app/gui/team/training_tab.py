"""The Training window: how close each annotator comes to the reference, and the owner's form for the round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QGridLayout,
    QListWidgetItem,
    QTabWidget,
    QWidget,
)

from annotate.agreement.annotator_lanes import Mark
from annotate.review.peer_review import TrainingComparison, compare_training
from annotate.team import assignments
from annotate.team.training_gate import FIGURES, Gate, TrainingResult, evaluate_training, list_trainees, read_gate
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from project.entities.study_records import Annotator
from project.queries.annotator_rows import all_annotators, annotator_names, completions
from project.queries.recording_rows import all_recordings
from project.session.session import Session, copy_owner
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.form.checklists import ROW_HEIGHT
from widgets.form.controls import check_box, push_button
from widgets.form.input_fields import DecimalBox
from widgets.form.layouts import make_column, make_row, make_tab_page
from widgets.form.wheel_guard import ComboBox
from widgets.table.lists import ShortList
from widgets.table.record_table import RecordTable, TableRow, text_columns
from widgets.text_labels import PlainLabel, describe, plain_tip

FIGURE_NAMES = {"boundaries": tr("Boundaries"), "labels": tr("Labels"), "attributes": tr("Attributes")}


def figure_text(trained: TrainingResult, gate: Gate, key: str) -> str:
    """Return a figure and what it comes to, such as `0.72, passes (needed 0.50)`."""
    value, least = trained.figures.get(key), gate.minimum.get(key)
    said = tr("nothing to compare") if value is None else f"{value:.2f}"
    if least is None:
        return said
    if not trained.done:
        return tr("\N{EN DASH} (needed {least:.2f})").format(least=least)
    state = tr("too low") if key in trained.short else "passes"
    return tr("{said}, {state} (needed {least:.2f})").format(said=said, state=state, least=least)


def result_text(trained: TrainingResult) -> str:
    """Return what it comes to as a whole."""
    if trained.passed:
        return tr("Passed: the work is open")
    if trained.done < trained.given:
        return tr("{done} of {given} recordings done").format(done=trained.done, given=trained.given)
    return tr("Not passed: go over the recordings again")


def round_text(gate: Gate, numbers: list[int], reference: str) -> str:
    """Return the round as one sentence."""
    count = tr("Recording") if len(numbers) == 1 else tr("Recordings")
    needed = ", ".join(
        f"{FIGURE_NAMES[key].lower()} {least:.2f}" for key, least in gate.minimum.items() if key in FIGURE_NAMES
    )
    listed = ", ".join(map(str, numbers))
    return tr("{count} {listed} against {reference}. {words}").format(
        count=count,
        listed=listed,
        reference=reference,
        words=tr("Needed: {needed}.").format(needed=needed) if needed else tr("No score is needed."),
    )


def segment_text(session: Session, mark: Mark | None) -> str:
    """Return a segment in a few words."""
    if mark is None:
        return "nothing"
    segment = mark.segment
    scheme = session.schemes.find(segment.scheme)
    label = scheme.label_name(segment.track, segment.label) if scheme is not None else segment.label
    if segment.is_point:
        return f"{label}  {format_time(segment.start_us)}"
    return tr("{words}  {start_us} to {end_us}").format(
        words=label, start_us=format_time(segment.start_us), end_us=format_time(segment.end_us)
    )


def difference_text(line: TrainingComparison) -> str:
    """Return what differs between the two."""
    if line.mine is None:
        return tr("Only the reference marked this")
    if line.reference is None:
        return tr("The reference marked nothing here")
    return ", ".join(line.difference_names) or tr("Nothing")


_ID_ROLE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class TrainingSetup:
    """What was filled in; `minimum` has only the figures that count."""

    recordings: tuple[str, ...]
    reference: str
    minimum: Mapping[str, float]


class SetupForm(QWidget):
    """For the owner of a study.

    Signals:
        set_requested (TrainingSetup)
        disable_requested
    """

    set_requested = Signal(object)
    disable_requested = Signal()

    def __init__(self, figures: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.recordings = ShortList()
        self.recordings.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.recordings.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        describe(self.recordings, tr("Recordings to train on"), tr("Tick the recordings that everybody trains on"))
        EmptyHint(self.recordings, tr("No recordings yet. Add some in the main window: Ctrl+O."))
        left = make_column(PlainLabel(tr("Recordings to train on")), self.recordings, 1)
        self.reference = ComboBox(placeholderText=tr("Nobody has worked on the study yet"))
        describe(self.reference, tr("Reference"), tr("The annotator whose segments the others are compared with"))
        grid = QGridLayout()
        grid.setSpacing(theme.GRID)
        self.minimum: dict[str, tuple[QCheckBox, QDoubleSpinBox]] = {}
        for place, (key, name) in enumerate(figures):
            tick = check_box(
                tr("{name} at least").format(name=name), tr("Whether {name} counts").format(name=name.lower())
            )
            least = DecimalBox(minimum=0, maximum=1, singleStep=0.05, decimals=2, value=0.5)
            describe(
                least,
                tr("Least {name}").format(name=name.lower()),
                tr("What {name} must reach, from 0 to 1").format(name=name.lower()),
            )
            least.setEnabled(False)
            tick.toggled.connect(least.setEnabled)
            grid.addWidget(tick, place, 0)
            grid.addWidget(least, place, 1)
            self.minimum[key] = (tick, least)
        grid.setColumnStretch(2, 1)
        self.start = push_button(
            tr("Set up training"),
            tr("Everybody in the plan gets these recordings to train on; Undo takes it back"),
            self._request_setup,
        )
        self.off = push_button(
            tr("End training"), tr("The work is open to everybody; Undo takes it back"), self.disable_requested
        )
        right = make_column(
            PlainLabel(tr("Reference: whose segments are compared with")),
            self.reference,
            grid,
            None,
            make_row(self.start, self.off, None),
        )
        self.setLayout(make_row(left, 1, right, 1, margin=(0, theme.GRID, 0, 0), spacing=theme.GRID * 2))

    def set_choices(self, recordings: Sequence[tuple[str, str]], people: Sequence[str]) -> None:
        """Offer recordings (id, text) and names of annotators; what was ticked and chosen stays."""
        ticked, chosen = set(self._ticked_recordings()), self.reference.currentText()
        self.recordings.clear()
        for key, text in recordings:
            item = QListWidgetItem(text)
            item.setData(_ID_ROLE, key)
            item.setSizeHint(QSize(0, theme.scaled(ROW_HEIGHT)))
            item.setToolTip(plain_tip(text))
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if key in ticked else Qt.CheckState.Unchecked)
            self.recordings.addItem(item)
        self.reference.clear()
        self.reference.addItems(list(people))
        self.reference.setCurrentIndex(max(0, self.reference.findText(chosen)))
        self.reference.setEnabled(bool(people))

    def show_round(self, wanted: TrainingSetup) -> None:
        """Show the round that there is."""
        for place in range(self.recordings.count()):
            item = self.recordings.item(place)
            there = item.data(_ID_ROLE) in wanted.recordings
            item.setCheckState(Qt.CheckState.Checked if there else Qt.CheckState.Unchecked)
        self.reference.setCurrentText(wanted.reference)
        for key, (tick, least) in self.minimum.items():
            tick.setChecked(key in wanted.minimum)
            least.setValue(wanted.minimum.get(key, least.value()))

    def _ticked_recordings(self) -> list[str]:
        items = [self.recordings.item(place) for place in range(self.recordings.count())]
        return [str(item.data(_ID_ROLE)) for item in items if item.checkState() is Qt.CheckState.Checked]

    def _request_setup(self) -> None:
        least = {key: spin.value() for key, (tick, spin) in self.minimum.items() if tick.isChecked()}
        self.set_requested.emit(TrainingSetup(tuple(self._ticked_recordings()), self.reference.currentText(), least))


_NO_TRAINING = tr("There is no training in this study.")
_NO_ROUND = tr("{none} Its owner sets one up.").format(none=_NO_TRAINING)
_NOT_YET_HINT = tr("The segments are compared once a recording to train on is marked as done (Ctrl+D).")


class TrainingTab(StudyView):
    """Who trains sees their own figures; the owner of the study sees everybody's, and sets the round up."""

    title = tr("Training")
    tables = frozenset(
        {"annotator", "recording", "property", "assignment", "completion", "segment", "segment_value", "review"}
    )
    preferred_size = (960, 640)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._gate: Gate | None = None
        self.heading = PlainLabel(wordWrap=True, font=theme.font(semibold=True))
        self.figures = RecordTable(
            tr("Figures"),
            text_columns([tr("Annotator"), *(FIGURE_NAMES[figure] for figure in FIGURES), tr("Result")]),
            empty=tr("The figures of each annotator appear here once a training is set up."),
        )
        self.recordings = RecordTable(
            tr("Recordings to train on"),
            text_columns([tr("Recording"), tr("State")]),
            empty=tr("The recordings to train on appear here, and who is done with them."),
        )
        self.lines = RecordTable(
            tr("Segments beside the reference"),
            text_columns([tr("Recording"), tr("Marked"), tr("Reference"), tr("What differs")]),
            empty=tr("Segments appear here beside those of the reference."),
        )
        self.note = PlainLabel(wordWrap=True)
        self.form = SetupForm(list(FIGURE_NAMES.items()))
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.addTab(make_tab_page(self.figures, self.recordings, self.note, self.lines, 1), tr("Measures"))
        self.tabs.addTab(self.form, tr("Set up"))
        self.lay_out(self.heading, self.tabs, 1)
        self.figures.chosen.connect(lambda _row: self._show_lines())
        self.recordings.chosen.connect(lambda row: context.look_at(row.key, 0))
        self.lines.chosen.connect(lambda row: context.look_at(row.key.split()[0], row.time_us))
        self.form.set_requested.connect(self._set_up)
        self.form.disable_requested.connect(lambda: self.edit(assignments.end_training))

    def reload(self, session: Session) -> None:
        self.tell("")
        gate = read_gate(session)
        self._fill_form(session, gate)
        people = self._shown_trainees(session)
        owner = session.annotator() not in list_trainees(session) and not copy_owner(session.study)
        self.tabs.setTabVisible(1, owner)
        self.tabs.tabBar().setVisible(owner)
        self.form.start.setEnabled(self._studio.writable)
        self.form.off.setEnabled(self._studio.writable and gate is not None)
        if gate is None:
            self.heading.setText(_NO_TRAINING if owner else _NO_ROUND)
            for table in (self.figures, self.recordings, self.lines):
                table.show_records([])
            self.note.setText(tr("Choose recordings and a reference under Set up.") if owner else "")
            self.note.setVisible(owner)
            return
        names = annotator_names(session.study)
        places = [recording for recording in all_recordings(session.study) if recording.id in gate.recordings]
        self.heading.setText(round_text(gate, [place.number for place in places], names.get(gate.reference, "")))
        found = [evaluate_training(session, who, gate) for who in people]
        self.figures.show_records(
            [
                TableRow(
                    trained.annotator.id,
                    (
                        trained.annotator.name,
                        *(figure_text(trained, gate, key) for key in FIGURES),
                        result_text(trained),
                    ),
                    "circle-check" if trained.passed else "circle-dashed",
                )
                for trained in found
            ]
        )
        if self.figures.current() is None and found:
            self.figures.selectRow(0)
        done = completions(session.study)
        self.recordings.show_records(
            [
                TableRow(
                    place.id,
                    (
                        f"{place.number}  {place.name}",
                        _state_text(people, [who for who in people if (place.id, who.id) in done]),
                    ),
                    "circle-check" if all((place.id, who.id) in done for who in people) else "circle-dashed",
                )
                for place in places
            ]
        )
        self.figures.fit_height(168)
        self.recordings.fit_height(136)
        self._show_lines()

    def _shown_trainees(self, session: Session) -> list[Annotator]:
        """Return whose figures are shown: who trains sees their own."""
        found = list_trainees(session)
        own = copy_owner(session.study) or session.annotator_name
        mine = [annotator for annotator in found if annotator.name == own]
        return mine or found

    def _show_lines(self) -> None:
        session = self._studio.session
        gate = read_gate(session) if session is not None else None
        if session is None or gate is None:
            return
        chosen = self.figures.current_key()
        who = next((person for person in self._shown_trainees(session) if person.id == chosen), None)
        found = compare_training(session, who, gate) if who is not None else []
        self.note.setText("" if found else _NOT_YET_HINT)
        self.note.setHidden(bool(found))
        self.lines.show_records(
            [
                TableRow(
                    f"{comparison.recording.id} {comparison.start_us}",
                    (
                        str(comparison.recording.number),
                        segment_text(session, comparison.mine),
                        segment_text(session, comparison.reference),
                        difference_text(comparison),
                    ),
                    "check"
                    if comparison.mine and comparison.reference and not comparison.difference_names
                    else "triangle-alert",
                    comparison.start_us,
                )
                for comparison in found
            ]
        )

    def _fill_form(self, session: Session, gate: Gate | None) -> None:
        people = [annotator for annotator in all_annotators(session.study) if annotator.kind == "person"]
        listed = [
            (recording.id, f"{recording.number}  {recording.name}") for recording in all_recordings(session.study)
        ]
        self.form.set_choices(listed, [person.name for person in people])
        if gate is not None and gate != self._gate:
            names = {person.id: person.name for person in people}
            self.form.show_round(TrainingSetup(gate.recordings, names.get(gate.reference, ""), gate.minimum))
        self._gate = gate

    def _set_up(self, wanted: TrainingSetup) -> None:
        done = self.edit(
            partial(
                assignments.set_training,
                recordings=wanted.recordings,
                reference=wanted.reference,
                minimum=wanted.minimum,
            )
        )
        if done:
            self.tell(tr("The training is set up. Who is planned next gets its recordings too."))
            self.tabs.setCurrentIndex(0)


def _state_text(people: list[Annotator], done: list[Annotator]) -> str:
    if len(people) == 1:
        return "done" if done else tr("to do")
    if not done:
        return tr("nobody is done")
    return tr("done by {list}").format(list=", ".join(annotator.name for annotator in done))
