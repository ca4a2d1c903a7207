"""The window in which one lane is made of what several annotators say."""

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from app.core.agreement.adjudication import Choices, Labels, Rule, Spans, Unsettled
from app.core.commands.adjudication import NAME, Made, make_lane
from app.core.session import Session
from app.gui.context import Context
from project.counted import counted
from project.errors import UserError
from project.types import Changes
from widgets.review.lane_form import Asked, LaneForm

_QUESTIONS = (
    Asked(
        "labels",
        "Label",
        (
            (Labels.MAJORITY, "More than half say it"),
            (Labels.UNANIMOUS, "All say it"),
            (Labels.MOST, "More say it than anything else"),
        ),
        "Who agreed with another's segment in review says what that one says",
    ),
    Asked(
        "spans",
        "Start and end",
        (
            (Spans.MAJORITY, "Where most of the segments are"),
            (Spans.INTERSECTION, "Where all of them are"),
            (Spans.UNION, "From the first start to the last end"),
        ),
        "Of the segments with the chosen label; with two, most of them are all of them",
    ),
    Asked(
        "choices",
        "Attributes",
        (
            (Choices.MAJORITY, "Those that most have"),
            (Choices.UNION, "Those that any has"),
            (Choices.INTERSECTION, "Those that all have"),
        ),
        "And whatever else has several choices",
    ),
    Asked(
        "unsettled",
        "No agreement",
        ((Unsettled.LEAVE_OUT, "Leave out"), (Unsettled.KEEP, "Keep each opinion, with a comment")),
        "The annotators' own lanes keep everything either way",
    ),
)


def make(context: Context) -> QWidget:
    """Make the window."""
    form = LaneForm(_QUESTIONS, NAME)
    form.setWindowTitle("Adjudicated lane")
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
        f"{made.lane.name}: {counted(counts.segments, 'segment')} in {counted(len(made.recordings), 'recording')}, "
        f"of {counted(counts.groups, 'moment')} that somebody marked.",
        f"{counts.disputed} stay in disagreement; {counts.undecided} were neither agreed on nor reviewed.",
    ]
    if made.skipped:
        lines.append(f"{counted(len(made.skipped), 'recording')} with fewer than two annotators left out.")
    return "\n".join(lines)
