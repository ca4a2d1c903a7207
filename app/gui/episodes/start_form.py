"""Where an episode is put together: from a scenario, or from a moment of a recording."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.gui.episodes.words import RELATIONSHIPS
from project.episodes import MOST_TURNS, Relationship
from project.turns import Act, Turn
from resources.translation import tr
from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.episodes.seats_form import SeatChoice, SeatLine, SeatsForm
from widgets.number_boxes import IntegerBox
from widgets.plain_label import PlainLabel, add_row

_TALL = theme.GRID * 9


class StartForm(QWidget):
    """Parts, places, and what depends on what in it.

    Signals:
        scenario_chosen (str): another scenario, by its id.
        start_requested: it is to be started as it stands.
        given_up: it is not.
    """

    scenario_chosen = Signal(str)
    start_requested = Signal()
    given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = PlainLabel()
        self.title.setFont(theme.font(theme.POINTS + 2, semibold=True))
        self.scenario = QComboBox()
        self.scenario.setAccessibleName(tr("Scenario"))
        self.scenario.setToolTip(tr("What is played"))
        self.scenario.activated.connect(lambda: self.scenario_chosen.emit(str(self.scenario.currentData() or "")))
        self.context = QPlainTextEdit()
        self.context.setAccessibleName(tr("Situation"))
        self.context.setTabChangesFocus(True)
        self.context.setMaximumHeight(_TALL)
        self.relationship = QComboBox()
        self.relationship.setAccessibleName(tr("Relationship"))
        self.relationship.setToolTip(tr("It decides what each sees of the others"))
        for kind, name in RELATIONSHIPS.items():
            if kind is not Relationship.UNKNOWN:
                self.relationship.addItem(name, kind)
        self.instead = ElidedLabel()
        self.kind = QComboBox()
        self.kind.setAccessibleName(tr("Kind of turn"))
        self.kind.setToolTip(tr("Whether it is said or done"))
        for act, name in ((Act.SPEAK, tr("Says")), (Act.ACTION, tr("Does")), (Act.NONVERBAL, tr("Shows"))):
            self.kind.addItem(name, act)
        self.does = QPlainTextEdit()
        self.does.setAccessibleName(tr("What the agent does instead"))
        self.does.setTabChangesFocus(True)
        self.does.setMaximumHeight(_TALL)
        self.seats = SeatsForm()
        self.seats.changed.connect(self._show)
        self.limit = IntegerBox(minimum=1, maximum=1000, value=MOST_TURNS)
        self.limit.setAccessibleName(tr("Turns at most"))
        self.limit.lineEdit().setAccessibleName(tr("Turns at most"))
        self.agreed = QCheckBox(tr("Whoever types agrees that judges are sent it"))
        self.agreed.setToolTip(tr("Without it, no judge on another machine can be asked"))
        self.status = ElidedLabel()
        self.status.setAccessibleName(tr("State"))
        self.start = QPushButton(tr("Start"))
        self.start.setProperty("primary", True)
        self.start.setToolTip(tr("Start this episode"))
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.setToolTip(tr("Start nothing"))
        self.start.clicked.connect(self.start_requested)
        self.cancel.clicked.connect(self.given_up)
        self._lay_out()

    def show_scenario(
        self,
        scenarios: Mapping[str, str],
        chosen: str,
        context: str,
        relationship: Relationship,
        lines: Sequence[SeatLine],
        judges: Mapping[str, str],
    ) -> None:
        """Offer an episode from a scenario."""
        self._turn_to(from_moment=False)
        self.title.setText(tr("New episode"))
        self.scenario.clear()
        for key, name in scenarios.items():
            self.scenario.addItem(name, key)
        self.scenario.setCurrentIndex(max(0, self.scenario.findData(chosen)))
        self._fill(context, relationship, lines, judges, writable=False)

    def show_moment(
        self, about: str, turn: Turn | None, context: str, lines: Sequence[SeatLine], judges: Mapping[str, str]
    ) -> None:
        """Offer an episode that goes on from a moment; `turn` is what the agent does there."""
        self._turn_to(from_moment=True)
        self.title.setText(tr("What if…"))
        self.instead.set_text(about)
        self.kind.setCurrentIndex(max(0, self.kind.findData(turn.act if turn is not None else Act.SPEAK)))
        self.does.setPlainText(turn.text if turn is not None else "")
        self._fill(context, Relationship.ACQUAINTANCE, lines, judges, writable=True)

    def choices(self) -> list[SeatChoice]:
        """Return who takes part."""
        return self.seats.choices()

    def turn(self) -> Turn:
        """Return what the agent does in the place of what it did."""
        return Turn(Act(self.kind.currentData()), " ".join(self.does.toPlainText().split()))

    def kind_of_relationship(self) -> Relationship:
        """Return how they stand to each other."""
        return Relationship(self.relationship.currentData())

    def _fill(
        self,
        context: str,
        relationship: Relationship,
        lines: Sequence[SeatLine],
        judges: Mapping[str, str],
        *,
        writable: bool,
    ) -> None:
        self.context.setPlainText(context)
        self.context.setReadOnly(not writable)
        self.relationship.setCurrentIndex(max(0, self.relationship.findData(relationship)))
        self.relationship.setEnabled(writable)
        self.seats.show_lines(lines, judges)
        self.status.set_text("")
        self._show()

    def _show(self) -> None:
        players = {bool(one.judge) for one in self.choices()}
        self.agreed.setVisible(players == {True, False})

    def _turn_to(self, *, from_moment: bool) -> None:
        self._form.setRowVisible(self.scenario, not from_moment)
        self._form.setRowVisible(self.instead, from_moment)
        self._form.setRowVisible(self._does_row, from_moment)

    def _lay_out(self) -> None:
        self._does_row = QWidget()
        row = QHBoxLayout(self._does_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        row.addWidget(self.kind, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.does, 1)
        self._form = QFormLayout()
        self._form.setSpacing(theme.GRID)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        for name, part in (
            (tr("Scenario"), self.scenario),
            (tr("Moment"), self.instead),
            (tr("The agent"), self._does_row),
            (tr("Situation"), self.context),
            (tr("Relationship"), self.relationship),
            (tr("Who takes part"), self.seats),
            (tr("Turns at most"), self.limit),
        ):
            add_row(self._form, name, part)
        self.limit.setMaximumWidth(theme.GRID * 12)
        self._form.addRow("", self.agreed)
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        foot.addWidget(self.status, 1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.start)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self.title)
        column.addLayout(self._form)
        column.addStretch(1)
        column.addLayout(foot)
