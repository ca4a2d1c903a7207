"""The adjudication tab: merges the lanes of several annotators into one, by the chosen rules."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

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
from app.gui.pages.study_view import StudyView
from project.entities.study_records import Changes
from project.session.session import Session
from resources.translation import tr, trn
from widgets.form.controls import push_button
from widgets.form.form import Form
from widgets.form.layouts import WIDE_MARGIN, make_column, make_row
from widgets.text_labels import PlainLabel, plain_tip


@dataclass(frozen=True, slots=True)
class LaneQuestion:
    """One question with a few answers: (key, what stands in the box)."""

    key: str
    name: str
    answers: tuple[tuple[str, str], ...]
    hint: str = ""


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


class AdjudicationTab(StudyView):
    """A box for each question, the least overlap, the name of the lane, and what came of it."""

    title = tr("Adjudicated lane")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        intro = PlainLabel(
            tr(
                "One lane is made of what all people say, in every recording that two or more worked on. Making it "
                "again replaces it, undo brings the one before back, and the rule is kept with the study."
            ),
            wordWrap=True,
        )
        form = Form()
        # The page is narrow: the names of the questions are not cut for the longest answer.
        self.boxes = {
            asked.key: form.choice(asked.name, asked.hint, dict(asked.answers), compact=True)
            for asked in _RULE_QUESTIONS
        }
        self.least = form.decimal(
            tr("Minimum overlap (IoU)"),
            tr("Shared time over the time that either covers; 0 means any time in common"),
            minimum=0,
            maximum=1,
            singleStep=0.1,
            decimals=2,
        )
        self.name = form.text(tr("Name"), tr("Name of the lane"), DEFAULT_LANE_NAME)
        self.make = push_button(tr("Make the lane"), do=self._make_lane, look="primary")
        self.setLayout(make_column(intro, form, make_row(None, self.make), self.status, None, margin=WIDE_MARGIN))

    def reload(self, session: Session) -> None:
        reason = session.study.read_only_reason
        self.make.setEnabled(not reason)
        self.make.setToolTip(plain_tip(reason or tr("Make the lane, in place of the one of that name (Return)")))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.make.click()
        else:
            super().keyPressEvent(event)

    def _make_lane(self) -> None:
        answers = {key: str(box.currentData()) for key, box in self.boxes.items()}
        rule = AdjudicationRule(
            SpanRule(answers["spans"]),
            Labels(answers["labels"]),
            ChoiceRule(answers["choices"]),
            round(self.least.value(), 2),
            UnsettledRule(answers["unsettled"]),
        )
        made: list[AdjudicationResult] = []

        def do(session: Session) -> Changes:
            found, changes = create_adjudicated_lane(session, rule, name=self.name.text())
            made.append(found)
            return changes

        if self.edit(do):
            self.tell(_result_text(made[0]))


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
