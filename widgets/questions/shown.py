"""What of questions is shown, as the views need it."""

from dataclasses import dataclass
from enum import StrEnum

from resources.translation import later


class RowState(StrEnum):
    """How far a question is, for whoever works here."""

    AGAIN = later("look again")
    WAITS = later("waits for you")
    DRAFT = later("draft")
    MINE = later("verified by you")
    VERIFIED = later("verified")
    DISPUTED = later("in dispute")
    DROPPED = later("dropped")
    FILTERED = later("left out by the filters")


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question of the list.

    Attributes:
        key: its id.
        kind: such as `CW`, or `MSE, belief`.
        maker: `rules`, `judge` or `person`.
        where: time, and the recording where those of all are listed.
    """

    key: str
    kind: str
    maker: str
    where: str
    text: str
    state: RowState


@dataclass(frozen=True, slots=True)
class Check:
    """One point of a checklist: its key, what it is called, and what it means."""

    key: str
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said before: checks that hold, label of difficulty, note, decision; what they see is theirs."""

    checks: tuple[str, ...] = ()
    difficulty: str = ""
    note: str = ""
    decision: str = ""


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """One question in full.

    Attributes:
        head: its kind, span and maker, in a line.
        notice: what whoever works here has to know first, such as that its chain was edited; "" for nothing.
        options: as they are shown.
        right: place of the right one.
        checklist: key of the list that is offered first.
        said: by whoever works here, about the question as it is now or as it was.
        others: what others say, a line each; () before one's own word.
        reason: why nothing can be said about it; "" where it can.
    """

    id: str
    head: str
    notice: str
    text: str
    answer: str
    wrong: tuple[str, ...]
    options: tuple[str, ...]
    right: int
    explanation: str
    checklist: str
    said: Said
    others: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What one judge answered: its name, the setting, the letter, and what came of it in words (`right`, `wrong`)."""

    key: str
    judge: str
    setting: str
    letter: str
    outcome: str
