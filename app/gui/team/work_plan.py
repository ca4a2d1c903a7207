"""The form that plans the work of a team, and the table of recordings by annotators with their progress."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from resources.translation import later, tr, trn
from widgets import theme
from widgets.form.controls import check_box, line_edit, push_button
from widgets.form.input_fields import IntegerBox
from widgets.form.layouts import make_column, make_row
from widgets.table.record_table import RecordColumn
from widgets.text_labels import PlainLabel, describe


@dataclass(frozen=True, slots=True)
class TeamPlanRequest:
    """What was filled in."""

    annotators: tuple[str, ...]
    per_recording: int
    seed: int
    keep: bool
    held_out: bool


class TeamPlanForm(QWidget):
    """The names and a button, and the options below them.

    Signals:
        plan_requested (TeamPlanRequest)
    """

    plan_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names = line_edit(
            tr("Annotators, separated by commas"),
            tr("Ada, Bo, Cy"),
            tr("Names of those who share the recordings, separated by commas"),
        )
        self.names.returnPressed.connect(self._request_plan)
        self.per_recording = IntegerBox(minimum=1, maximum=20, value=2)
        self.seed = IntegerBox(minimum=0, maximum=999_999)
        self.keep = check_box(
            tr("Keep current assignments"),
            tr("What somebody has begun always stays; this also keeps what nobody has begun"),
        )
        self.held_out = check_box(tr("Held-out ones too"), tr("Plan recordings that are held out as well"))
        self.make = push_button(
            tr("Make plan"), tr("Share the recordings out evenly; Undo takes it back"), self._request_plan
        )
        for spin, tip in (
            (self.per_recording, tr("How many annotate each recording")),
            (self.seed, tr("Another number gives another plan; the same one, the same plan")),
        ):
            describe(spin, tip, tip)
            spin.setFixedWidth(theme.scaled(56))
        head = make_row(PlainLabel(tr("Annotators")), self.names, 1, self.make)
        each = make_row(self.per_recording, PlainLabel(tr("for each recording")))
        options = (each, PlainLabel(tr("Seed")), self.seed, self.keep, self.held_out, None)
        self.setLayout(make_column(head, make_row(*options, spacing=theme.GRID * 2)))

    def set_names(self, names: tuple[str, ...]) -> None:
        """Fill in who is in the plan, unless somebody is typing."""
        if not self.names.hasFocus():
            self.names.setText(", ".join(names))

    def _request_plan(self) -> None:
        names = tuple(part.strip() for part in self.names.text().split(",") if part.strip())
        if not names:
            self.names.setFocus()
            return
        self.plan_requested.emit(
            TeamPlanRequest(
                names, self.per_recording.value(), self.seed.value(), self.keep.isChecked(), self.held_out.isChecked()
            )
        )


_ANNOTATOR_WIDTH = 216


class AssignmentState(StrEnum):
    """How far an annotator is with a recording."""

    GIVEN = later("to do")
    BEGUN = later("begun")
    DONE = later("done")


_ICONS = {AssignmentState.DONE: "circle-check", AssignmentState.BEGUN: "circle-dashed"}


@dataclass(frozen=True, slots=True)
class PlanCell:
    """One recording of one annotator; `is_planned` is false where they work on it without it being planned."""

    state: AssignmentState
    segments: int
    is_planned: bool = True
    is_training: bool = False

    @property
    def text(self) -> str:
        """What the cell shows."""
        count = "" if not self.segments else trn("{count} segment", "{count} segments", self.segments)
        words = ["training"] if self.is_training else [] if self.is_planned else [tr("not planned")]
        return ", ".join([*words, count or tr(self.state.value)])


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One recording; `cells` has one entry for each annotator, None where they have nothing to do with it."""

    id: str
    number: int
    name: str
    held_out: bool
    cells: tuple[PlanCell | None, ...]


@dataclass(frozen=True, slots=True)
class PlanColumn:
    """One annotator: the name, and their part in words."""

    name: str
    part: str


def plan_columns(annotators: Sequence[PlanColumn]) -> list[RecordColumn[PlanRow]]:
    """Return the columns of a plan: recordings down, annotators across."""
    recording = RecordColumn[PlanRow](
        tr("Recording"),
        _recording_name,
        stretch=True,
        icon=lambda row: "lock" if row.held_out else "",
        tip=_spoken_recording,
        spoken=_spoken_recording,
    )
    return [recording, *(_annotator_column(column, place) for place, column in enumerate(annotators))]


def _annotator_column(column: PlanColumn, place: int) -> RecordColumn[PlanRow]:
    def text(row: PlanRow) -> str:
        cell = row.cells[place]
        return "" if cell is None else cell.text

    def spoken(row: PlanRow) -> str:
        cell = row.cells[place]
        if cell is None:
            return ""
        return tr("{name}, recording {number}: {state}, {text}").format(
            name=column.name, number=row.number, state=tr(cell.state.value), text=cell.text
        )

    def sign(row: PlanRow) -> str | QPixmap:
        cell = row.cells[place]
        return "" if cell is None else _ICONS.get(cell.state) or _blank_icon()

    def colour(row: PlanRow) -> str:
        cell = row.cells[place]
        waits = cell is not None and (cell.state is AssignmentState.GIVEN or not cell.is_planned)
        return "muted" if waits else "text"

    return RecordColumn(
        f"{column.name}\n{column.part}",
        text,
        title_tip=column.part,
        width=_ANNOTATOR_WIDTH,
        number=False,
        icon=sign,
        colour=colour,
        tip=spoken,
        spoken=spoken,
    )


@cache
def _blank_icon() -> QPixmap:
    """Return a picture of nothing, so that words stand under each other with and without a sign."""
    nothing = QPixmap(16, 16)
    nothing.fill(Qt.GlobalColor.transparent)
    return nothing


def _recording_name(row: PlanRow) -> str:
    return f"{row.number}  {row.name}"


def _spoken_recording(row: PlanRow) -> str:
    name = _recording_name(row)
    return tr("{name}, held out: never exported").format(name=name) if row.held_out else name
