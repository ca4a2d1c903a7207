"""How the window of the funnel is laid out."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.gui.questions.funnel_words import ALL, NOT_KEPT
from app.gui.questions.rule_bar import RuleBar
from resources.translation import tr
from widgets import theme
from widgets.busy_line import busy_line
from widgets.close_button import close_button
from widgets.empty_hint import EmptyHint
from widgets.icons import icon
from widgets.judges.tick_menu import TickMenu
from widgets.plain_label import PlainLabel
from widgets.progress_bar import ProgressBar
from widgets.questions.funnel import FunnelView
from widgets.questions.proposal_view import ProposalView
from widgets.questions.verdicts_table import VerdictsTable


class FunnelLayout(QWidget):
    """The funnel on the left, what concerns the chosen step on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle(tr("Filter questions"))
        self.setAccessibleName(tr("Filter questions"))
        self.setAutoFillBackground(True)
        self.resize(1240, 780)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        self.going = _label(tr("How many questions survive"))
        self.going.setFont(theme.font(semibold=True))
        column.addWidget(self.going)
        self.busy = busy_line()
        column.addWidget(self.busy)
        self.funnel = FunnelView()
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self.funnel)
        scroll.setMinimumWidth(self.funnel.minimumSizeHint().width() + theme.GRID * 2)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(scroll)
        split.addWidget(self._right())
        split.setSizes([560, 660])
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        column.addWidget(split, 1)
        column.addLayout(self._foot())

    def show_asks(self, asks: bool, *, hardens: bool) -> None:
        """Show what belongs to a step that asks judges, and to the one that hardens."""
        for part in (self.ask_label, self.ask_judges, self.again, self.run):
            part.setVisible(asks)
        self.take_all.setVisible(hardens)
        at = self.show_which.findData(ALL if hardens else NOT_KEPT)
        if hardens or self.show_which.currentData() == ALL:
            self.show_which.setCurrentIndex(at)
        self.show_which.setVisible(not hardens)

    def say(self, text: str) -> None:
        """Say what is going on, or what came of it."""
        self.status.setText(text)

    def show_progress(self, done: int, total: int) -> None:
        """Show how far a run is; it is hidden where `total` is 0."""
        self.progress.setVisible(total > 0)
        self.progress.show_value(done, max(1, total))

    def _right(self) -> QWidget:
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(theme.GRID, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self.title = _label(tr("Step"))
        self.title.setFont(theme.font(theme.POINTS + 3, semibold=True))
        self.description = _label(tr("What the step does"))
        column.addWidget(self.title)
        column.addWidget(self.description)
        self.rule = RuleBar()
        column.addWidget(self.rule)
        column.addLayout(self._asks())
        self.told_leaving = _label(tr("What would leave this machine"))
        self.told_leaving.setProperty("quiet", True)
        self.told_leaving.hide()
        column.addWidget(self.told_leaving)
        row = QHBoxLayout()
        self.show_which = QComboBox()
        self.show_which.setAccessibleName(tr("Which questions are shown"))
        for text, key in (
            (tr("What is not kept"), NOT_KEPT),
            (tr("What fell"), "fell"),
            (tr("What is open"), "open"),
            (tr("What is kept"), "kept"),
            (tr("All that reach it"), ALL),
        ):
            self.show_which.addItem(text, key)
        row.addWidget(self.show_which)
        row.addStretch(1)
        column.addLayout(row)
        below = QSplitter(Qt.Orientation.Vertical)
        self.table = VerdictsTable()
        EmptyHint(self.table, tr("No question is listed here."))
        below.addWidget(self.table)
        below.addWidget(self._detail())
        below.setSizes([300, 180])
        below.setStretchFactor(0, 1)
        below.setChildrenCollapsible(False)
        column.addWidget(below, 1)
        return right

    def _asks(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.ask_label = PlainLabel(tr("Run this step &with"))
        self.ask_judges = TickMenu(tr("Judges that are asked"), tr("Choose judges"))
        self.ask_label.setBuddy(self.ask_judges)
        self.again = QCheckBox(tr("Also what was refused"))
        self.again.setToolTip(tr("Ask again what was refused or could not be read"))
        self.run = QPushButton(tr(" &Run step"))
        self.run.setIcon(icon("play"))
        self.run.setProperty("primary", True)
        self.cancel = QPushButton(tr("Cance&l"))
        self.cancel.setToolTip(tr("Stop asking; what was answered stays"))
        self.cancel.hide()
        self.take_all = QPushButton(tr("Take over &all"))
        self.take_all.setToolTip(
            tr("Give every question here the newest proposal that can be used; one undo takes it back")
        )
        row.addWidget(self.ask_label)
        row.addWidget(self.ask_judges, 1)
        for part in (self.again, self.run, self.cancel, self.take_all):
            row.addWidget(part)
        return row

    def _detail(self) -> QWidget:
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, theme.GRID // 2, theme.GRID, 0)
        self.question = _label(tr("Question"))
        self.question.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.proposals = ProposalView()
        self.proposals.hide()
        column.addWidget(self.question)
        column.addWidget(self.proposals)
        column.addStretch(1)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inner)
        return scroll

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.status = _label(tr("State"))
        self.progress = ProgressBar()
        self.progress.setAccessibleName(tr("Questions asked about"))
        self.progress.setMaximumWidth(220)
        self.progress.hide()
        row.addWidget(self.status, 1)
        row.addWidget(self.progress)
        row.addWidget(close_button(self))
        return row


def _label(name: str) -> QLabel:
    made = PlainLabel(wordWrap=True)
    made.setAccessibleName(name)
    return made
