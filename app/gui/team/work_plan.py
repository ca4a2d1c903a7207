"""The form that plans the work of a team, and the table of recordings by annotators with their progress."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from resources.translation import later, tr, trn
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.form.input_fields import IntegerBox
from widgets.text_labels import PlainLabel, plain_tip
from widgets.theme import icon


@dataclass(frozen=True, slots=True)
class TeamPlanRequest:
    """What was filled in."""

    annotators: tuple[str, ...]
    per_recording: int
    seed: int
    keep: bool
    held_out: bool


class TeamPlanForm(QWidget):
    """One row of fields and a button.

    Signals:
        plan_requested (TeamPlanRequest)
    """

    plan_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        self.names = QLineEdit(placeholderText=tr("Ada, Bo, Cy"))
        self.names.setAccessibleName(tr("Annotators, separated by commas"))
        self.names.setToolTip(tr("Names of those who share the recordings, separated by commas"))
        self.names.returnPressed.connect(self._request_plan)
        self.per_recording = IntegerBox(minimum=1, maximum=20, value=2)
        self.per_recording.setToolTip(tr("How many annotate each recording"))
        self.seed = IntegerBox(minimum=0, maximum=999_999)
        self.seed.setToolTip(tr("Another number gives another plan; the same one, the same plan"))
        self.keep = QCheckBox(tr("Keep what is given out"))
        self.keep.setToolTip(tr("What somebody has begun always stays; this also keeps what nobody has begun"))
        self.held_out = QCheckBox(tr("Held-out ones too"))
        self.held_out.setToolTip(tr("Plan recordings that are held out as well"))
        self.make = QPushButton(tr("Make plan"))
        self.make.setToolTip(tr("Share the recordings out evenly; Undo takes it back"))
        self.make.clicked.connect(self._request_plan)
        row.addWidget(PlainLabel(tr("Annotators")))
        row.addWidget(self.names, 1)
        for text, spin in ((tr("for each recording"), self.per_recording), (tr("Seed"), self.seed)):
            spin.setAccessibleName(spin.toolTip())
            spin.lineEdit().setAccessibleName(spin.toolTip())
            spin.setFixedWidth(56)
            if text[0].isupper():
                row.addSpacing(theme.GRID)
                row.addWidget(PlainLabel(text))
                row.addWidget(spin)
            else:
                row.addWidget(spin)
                row.addWidget(PlainLabel(text))
        for box in (self.keep, self.held_out):
            row.addSpacing(theme.GRID)
            row.addWidget(box)
        row.addWidget(self.make)

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


Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
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


class PlanModel(QAbstractTableModel):
    """Recordings down, annotators across."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns: Sequence[PlanColumn] = ()
        self._rows: Sequence[PlanRow] = ()

    def show_plan(self, columns: Sequence[PlanColumn], rows: Sequence[PlanRow]) -> None:
        """Show another plan."""
        self.beginResetModel()
        self._columns, self._rows = columns, rows
        self.endResetModel()

    def row(self, place: int) -> PlanRow:
        """Return a recording."""
        return self._rows[place]

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else 1 + len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.ToolTipRole,
        ):
            return None
        if section == 0:
            return tr("Recording")
        column = self._columns[section - 1]
        return f"{column.name}\n{column.part}" if role == Qt.ItemDataRole.DisplayRole else plain_tip(column.part)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._rows[index.row()]
        if index.column() == 0:
            return _recording_data(row, role)
        cell = row.cells[index.column() - 1]
        if cell is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            told = tr("{name}, recording {number}: {state}, {text}").format(
                name=self._columns[index.column() - 1].name,
                number=row.number,
                state=tr(cell.state.value),
                text=cell.text,
            )
            return plain_tip(told) if role == Qt.ItemDataRole.ToolTipRole else told
        if role == Qt.ItemDataRole.DecorationRole:
            name = _ICONS.get(cell.state)
            return _blank_icon() if name is None else icon(name)
        if role == Qt.ItemDataRole.ForegroundRole:
            waits = cell.state is AssignmentState.GIVEN or not cell.is_planned
            return theme.palette().muted if waits else theme.palette().text
        return None


class PlanTable(QTableView):
    """Shows a plan.

    Signals:
        recording_chosen (str): a row was opened with a double click or Return.
    """

    recording_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plan = PlanModel(self)
        self.setModel(self.plan)
        self.setAccessibleName(tr("Who annotates what"))
        EmptyHint(self, tr("No recordings yet. Add some in the main window: Ctrl+O."))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setAlternatingRowColors(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(28)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setMinimumSectionSize(120)
        self.horizontalHeader().setHighlightSections(False)
        self.activated.connect(lambda index: self.recording_chosen.emit(self.plan.row(index.row()).id))

    def show_plan(self, columns: Sequence[PlanColumn], rows: Sequence[PlanRow]) -> None:
        """Show another plan."""
        self.plan.show_plan(columns, rows)
        header = self.horizontalHeader()
        for section in range(1 + len(columns)):
            header.setSectionResizeMode(
                section, QHeaderView.ResizeMode.Stretch if section == 0 else QHeaderView.ResizeMode.Fixed
            )
            self.setColumnWidth(section, _ANNOTATOR_WIDTH)


@cache
def _blank_icon() -> QPixmap:
    """Return a picture of nothing, so that words stand under each other with and without a sign."""
    nothing = QPixmap(16, 16)
    nothing.fill(Qt.GlobalColor.transparent)
    return nothing


def _recording_data(row: PlanRow, role: int) -> object:
    name = f"{row.number}  {row.name}"
    if role == Qt.ItemDataRole.DisplayRole:
        return name
    if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
        told = tr("{name}, held out: never exported").format(name=name) if row.held_out else name
        return plain_tip(told) if role == Qt.ItemDataRole.ToolTipRole else told
    if role == Qt.ItemDataRole.DecorationRole and row.held_out:
        return icon("lock")
    return None
