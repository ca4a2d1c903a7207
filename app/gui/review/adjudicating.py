"""The window in which one lane is made of what several annotators say."""

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from app.core.agreement.adjudication import Choices, Labels, Rule, Spans, Unsettled
from app.core.commands.adjudication import NAME, Made, make_lane
from app.core.session import Session
from app.gui.context import Context
from project.errors import UserError
from project.types import Changes
from resources.translation import tr, trn
from widgets.review.lane_form import Asked, LaneForm

_QUESTIONS = (
    Asked(
        "labels",
        tr("Label"),
        (
            (Labels.MAJORITY, tr("More than half say it")),
            (Labels.UNANIMOUS, tr("All say it")),
            (Labels.MOST, tr("More say it than anything else")),
        ),
        tr("Who agreed with another's segment in review says what that one says"),
    ),
    Asked(
        "spans",
        tr("Start and end"),
        (
            (Spans.MAJORITY, tr("Where most of the segments are")),
            (Spans.INTERSECTION, tr("Where all of them are")),
            (Spans.UNION, tr("From the first start to the last end")),
        ),
        tr("Of the segments with the chosen label; with two, most of them are all of them"),
    ),
    Asked(
        "choices",
        tr("Attributes"),
        (
            (Choices.MAJORITY, tr("Those that most have")),
            (Choices.UNION, tr("Those that any has")),
            (Choices.INTERSECTION, tr("Those that all have")),
        ),
        tr("And whatever else has several choices"),
    ),
    Asked(
        "unsettled",
        tr("No agreement"),
        ((Unsettled.LEAVE_OUT, tr("Leave out")), (Unsettled.KEEP, tr("Keep each opinion, with a comment"))),
        tr("The annotators' own lanes keep everything either way"),
    ),
)


def make(context: Context) -> QWidget:
    """Make the window."""
    form = LaneForm(_QUESTIONS, NAME)
    form.setWindowTitle(tr("Adjudicated lane"))
    form.resize(460, 420)
    session = context.studio.session
    form.set_writable(session.study.read_only_reason if session is not None else "")
    form.make_requested.connect(lambda answers, least, name: _make(context, form, answers, least, name))
    return form


def _make(context: Context, form: LaneForm, answers: Mapping[str, str], least: float, name: str) -> None:
    rule = Rule(
        Spans(answers["spans"]),
        Labels(answers["labels"]),
        Choices(answers["choices"]),
        round(least, 2),
        Unsettled(answers["unsettled"]),
    )
    made: list[Made] = []
    problems: list[str] = []

    def do(session: Session) -> Changes:
        try:
            found, changes = make_lane(session, rule, name=name)
        except UserError as error:
            problems.append(f"{error.message} {error.hint}")
            raise
        made.append(found)
        return changes

    context.studio.edit(do)
    form.show_result(_in_words(made[0]) if made else problems[0] if problems else "")


def _in_words(made: Made) -> str:
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
