"""The adjudication window: merges the lanes of several annotators into one, by the chosen rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from annotate.agreement.adjudication import (
    DEFAULT_LANE_NAME,
    AdjudicationResult,
    AdjudicationRule,
    ChoiceRule,
    Labels,
    SpanRule,
    UnsettledRule,
    create_adjudicated_lane,
)
from app.gui.pages.context import Context
from project.entities.study_records import Changes
from project.errors import UserError
from project.session.session import Session
from resources.translation import tr, trn
from widgets import theme
from widgets.dialogs.dialog_windows import close_button
from widgets.form.input_fields import DecimalBox
from widgets.text_labels import PlainLabel, add_form_row, describe, plain_tip


@dataclass(frozen=True, slots=True)
class LaneQuestion:
    """One question with a few answers: (key, what stands in the box)."""

    key: str
    name: str
    answers: tuple[tuple[str, str], ...]
    hint: str = ""


class LaneForm(QWidget):
    """A box for each question, the least overlap, the name of the lane, and what came of it.

    Signals:
        make_requested (object, float, str): answers by question, minimum IoU, name of the lane.
    """

    make_requested = Signal(object, float, str)

    def __init__(self, questions: Sequence[LaneQuestion], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        intro = PlainLabel(
            tr(
                "One lane is made of what all people say, in every recording that two or more worked on. Making it "
                "again replaces it, undo brings the one before back, and the rule is kept with the study."
            ),
            wordWrap=True,
        )
        column.addWidget(intro)
        form = QFormLayout()
        form.setSpacing(theme.GRID)
        self.boxes: dict[str, QComboBox] = {}
        for asked in questions:
            box = QComboBox()
            for key, text in asked.answers:
                box.addItem(text, key)
            describe(box, asked.name, asked.hint)
            add_form_row(form, asked.name, box)
            self.boxes[asked.key] = box
        self.least = DecimalBox(minimum=0, maximum=1, singleStep=0.1, decimals=2)
        describe(
            self.least,
            tr("Minimum overlap (IoU)"),
            tr("Shared time over the time that either covers; 0 means any time in common"),
        )
        form.addRow(tr("Minimum overlap (IoU)"), self.least)
        self.name = QLineEdit(name)
        self.name.setAccessibleName(tr("Name of the lane"))
        form.addRow(tr("Name"), self.name)
        column.addLayout(form)
        self.make = QPushButton(tr("Make the lane"))
        self.make.setProperty("primary", True)
        self.make.setToolTip(tr("Make the lane, in place of the one of that name (Return)"))
        self.make.clicked.connect(self._ask)
        self.result = PlainLabel(wordWrap=True)
        self.result.setAccessibleName(tr("What came of it"))
        column.addWidget(self.result)
        column.addStretch()
        foot = QHBoxLayout()
        foot.addStretch()
        foot.addWidget(close_button(self))
        foot.addWidget(self.make)
        column.addLayout(foot)

    def answers(self) -> Mapping[str, str]:
        """Return question -> the answer that is chosen."""
        return {key: str(box.currentData()) for key, box in self.boxes.items()}

    def set_writable(self, reason: str) -> None:
        """Allow making the lane, or say why not."""
        self.make.setEnabled(not reason)
        self.make.setToolTip(plain_tip(reason or tr("Make the lane, in place of the one of that name (Return)")))

    def show_result(self, text: str) -> None:
        """Say what came of it."""
        self.result.setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._ask()
        else:
            super().keyPressEvent(event)

    def _ask(self) -> None:
        if self.make.isEnabled():
            self.make_requested.emit(self.answers(), self.least.value(), self.name.text())


_RULE_QUESTIONS = (
    LaneQuestion(
        "labels",
        tr("Label"),
        (
            (Labels.MAJORITY, tr("More than half say it")),
            (Labels.UNANIMOUS, tr("All say it")),
            (Labels.MOST, tr("More say it than anything else")),
        ),
        tr("Who agreed with another's segment in review says what that one says"),
    ),
    LaneQuestion(
        "spans",
        tr("Start and end"),
        (
            (SpanRule.MAJORITY, tr("Where most of the segments are")),
            (SpanRule.INTERSECTION, tr("Where all of them are")),
            (SpanRule.UNION, tr("From the first start to the last end")),
        ),
        tr("Of the segments with the chosen label; with two, most of them are all of them"),
    ),
    LaneQuestion(
        "choices",
        tr("Attributes"),
        (
            (ChoiceRule.MAJORITY, tr("Those that most have")),
            (ChoiceRule.UNION, tr("Those that any has")),
            (ChoiceRule.INTERSECTION, tr("Those that all have")),
        ),
        tr("And whatever else has several choices"),
    ),
    LaneQuestion(
        "unsettled",
        tr("No agreement"),
        ((UnsettledRule.LEAVE_OUT, tr("Leave out")), (UnsettledRule.KEEP, tr("Keep each opinion, with a comment"))),
        tr("The annotators' own lanes keep everything either way"),
    ),
)


def make_adjudication_window(context: Context) -> QWidget:
    """Make the window."""
    form = LaneForm(_RULE_QUESTIONS, DEFAULT_LANE_NAME)
    form.setWindowTitle(tr("Adjudicated lane"))
    form.resize(460, 420)
    session = context.studio.session
    form.set_writable(session.study.read_only_reason if session is not None else "")
    form.make_requested.connect(lambda answers, least, name: _make_lane(context, form, answers, least, name))
    return form


def _make_lane(context: Context, form: LaneForm, answers: Mapping[str, str], least: float, name: str) -> None:
    rule = AdjudicationRule(
        SpanRule(answers["spans"]),
        Labels(answers["labels"]),
        ChoiceRule(answers["choices"]),
        round(least, 2),
        UnsettledRule(answers["unsettled"]),
    )
    made: list[AdjudicationResult] = []
    problems: list[str] = []

    def do(session: Session) -> Changes:
        try:
            found, changes = create_adjudicated_lane(session, rule, name=name)
        except UserError as error:
            problems.append(f"{error.message} {error.hint}")
            raise
        made.append(found)
        return changes

    context.studio.edit(do)
    form.show_result(_result_text(made[0]) if made else problems[0] if problems else "")


def _result_text(made: AdjudicationResult) -> str:
    counts = made.counts
    lines = [
        tr("{lane}: {segments} in {recordings}, of {moments} that somebody marked.").format(
            lane=made.lane.name,
            segments=trn("{count} segment", "{count} segments", counts.segments),
            recordings=trn("{count} recording", "{count} recordings", len(made.recordings)),
            moments=trn("{count} moment", "{count} moments", counts.groups),
        ),
        tr("{disputed} stay in disagreement; {undecided} were neither agreed on nor reviewed.").format(
            disputed=counts.disputed, undecided=counts.undecided
        ),
    ]
    if made.skipped:
        lines.append(
            tr("{count} with fewer than two annotators left out.").format(
                count=trn("{count} recording", "{count} recordings", len(made.skipped))
            )
        )
    return "\n".join(lines)
