"""The words of questions that rules make: several wordings a kind, one of them chosen by a seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from benchmark.questions.base import BETWEEN, END, START, Wanted
from benchmark.questions.statements import Statement
from project.chains import NodeKind
from project.questions import QuestionKind

EVENTS = (
    "What happens {when}?",
    "Which of these takes place {when}?",
    "Look at what goes on {when}. Which option says what it is?",
)
EVENTS_WITH_PEOPLE = (
    "What happens {when}, with {who} taking part?",
    "Which of these, with {who} in it, takes place {when}?",
    "Look at {who} {when}. What goes on there?",
)
STATES = {
    NodeKind.BELIEF: (
        "What {do} {who} take to be true {when}?",
        "Which belief of {who} shows {when}?",
        "Going by what is seen and heard {when}, what {do} {who} believe?",
    ),
    NodeKind.INTENT: (
        "What {do} {who} mean to do, as can be told {when}?",
        "Which intention of {who} shows {when}?",
        "Going by what is seen and heard {when}, what {do} {who} intend?",
    ),
    NodeKind.DESIRE: (
        "What {do} {who} long for {when}?",
        "Which wish of {who} shows {when}?",
        "Going by what is seen and heard {when}, what {do} {who} want?",
    ),
    NodeKind.EMOTION: (
        "How {do} {who} feel {when}?",
        "Which feeling of {who} shows {when}?",
        "Going by what is seen and heard {when}, what {do} {who} feel?",
    ),
}
WHY = (
    "{When}: “{result}”. Why?",
    "What brings this about, {when}: “{result}”?",
    "Which option gives the reasons for this, {when}: “{result}”?",
)
HOW = (
    "{When}: “{reasons}”. What comes of it?",
    "What follows from this, {when}: “{reasons}”?",
    "Where does this lead, {when}: “{reasons}”?",
)
PATHS = {
    START: (
        "{When}: “{end}”. What set this off, {steps} steps before?",
        "Go {steps} steps back from this, {when}: “{end}”. What did it begin with?",
    ),
    END: (
        "{When}: “{start}”. What does this lead to, {steps} steps later?",
        "Follow what comes of this, {when}: “{start}”. Where has it led after {steps} steps?",
    ),
    BETWEEN: (
        "How does “{start}” ({start_at}) lead to “{end}” ({end_at})?",
        "Which steps lie between “{start}” ({start_at}) and “{end}” ({end_at})?",
    ),
}
_SOMEBODY = "somebody"


@dataclass(frozen=True, slots=True)
class Telling:
    """What a question can be told with.

    Attributes:
        zero_us: where what is shown begins, on the recording's axis: times are told from there.
        who: pseudonyms of those whose event or state it is; () for nobody in particular.
    """

    zero_us: int
    who: Sequence[str] = ()

    def when(self, span: tuple[int, int]) -> str:
        """Return a span in seconds, such as `between 3.0 s and 7.5 s`."""
        start, end = ((one - self.zero_us) / 1e6 for one in span)
        return f"between {start:.1f} s and {end:.1f} s" if f"{start:.1f}" != f"{end:.1f}" else f"at {start:.1f} s"


def worded(wanted: Wanted, answer: Statement, about: Sequence[Statement], telling: Telling, seed: str) -> str:
    """Return a question.

    Args:
        wanted: what it asks.
        answer: the right option.
        about: what is told in it: of CW the result, of CH/W the reasons; of a path, its start and its end.
        telling: times and people.
        seed: of the choice among wordings.
    """
    chance = random.Random(seed)
    match wanted.kind:
        case QuestionKind.EVENT:
            form = chance.choice(EVENTS_WITH_PEOPLE if telling.who else EVENTS)
            return form.format(when=telling.when(answer.span), who=listed(telling.who))
        case QuestionKind.STATE:
            who, do = listed(telling.who) or _SOMEBODY, "do" if len(telling.who) > 1 else "does"
            form = chance.choice(STATES[NodeKind(wanted.aspect)])
            return form.format(when=telling.when(answer.span), who=who, do=do)
        case QuestionKind.WHY:
            return _told(chance.choice(WHY), telling, about[0], result=about[0].text)
        case QuestionKind.HOW:
            return _told(chance.choice(HOW), telling, about[0], reasons=about[0].text)
    start, end = about
    first = end if wanted.aspect == START else start
    return _told(
        chance.choice(PATHS[wanted.aspect]),
        telling,
        first,
        start=start.text,
        end=end.text,
        start_at=telling.when(start.span),
        end_at=telling.when(end.span),
        steps=str(len(wanted.covers) - 1),
    )


def listed(names: Sequence[str]) -> str:
    """Return names as they are told, such as `Ada, Ben and Cleo`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def _told(form: str, telling: Telling, about: Statement, **texts: str) -> str:
    when = telling.when(about.span)
    return form.format(when=when, When=when[:1].upper() + when[1:], **texts)
