"""What an agent of a role-played episode does next."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import LONGEST_TEXT, Asked, FormSpec
from benchmark.tasks.recordings import OfRecordings
from benchmark.tasks.worded import asked_text
from project.judging import Modality
from project.schemes.scheme import Choice, Field, FieldKind
from project.turns import Act, Turn
from project.types import Json

KEY = "act"
ACT, TEXT = "act", "text"
"""Keys of an answer: what kind of turn, and what of it is heard or seen."""
SELF = "episode self"
TOLD: Mapping[str, str] = {
    "episode scene": "The situation",
    SELF: "Who you are",
    "episode goal": "What you want",
    "episode others": "What you know of the others",
    "episode turn": "Where it stands",
}
"""Key of a piece of material -> what it is called where it is told."""
_CHOICES = (
    Choice(Act.SPEAK.value, "Speak", "You say something; give the words alone."),
    Choice(Act.NONVERBAL.value, "Non-verbal", "A gesture, a look or a face, such as a nod; in a few words."),
    Choice(Act.ACTION.value, "Action", "You do something with your body or a thing; in a few words."),
    Choice(Act.NONE.value, "Nothing", "You stay silent and let the others go on."),
    Choice(Act.LEAVE.value, "Leave", "You go, and the episode ends with that."),
)


def part_of(position: int, turn: int) -> str:
    """Return the part of a recording that is a turn of an agent: the agent's position, and the turn's number from 1."""
    return f"{position}.{turn}"


def position_in(part: str) -> int | None:
    """Return the position of the agent that a part names; None where it names none."""
    position = part.partition(".")[0]
    return int(position) if position.isascii() and position.isdecimal() else None


def turn_said(answer: Mapping[str, Json]) -> Turn:
    """Return the turn that an answer is; one that says or does nothing is `none`."""
    act = Act(str(answer.get(ACT, Act.NONE.value)))
    text = str(answer.get(TEXT, "") or "").strip()
    if act in (Act.SPEAK, Act.NONVERBAL, Act.ACTION) and not text:
        return Turn(Act.NONE)
    return Turn(act) if act is Act.NONE else Turn(act, text)


class ActTask(OfRecordings):
    """The next turn of one agent, who knows the situation, itself, and of the others what it may (SOTOPIA, section 2).

    Temperature is a setting of the judge; the paper's agents have 1.
    """

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Act"
    description: ClassVar[str] = "What an agent of a role-played episode does next."
    prompt: ClassVar[str] = KEY
    shows: ClassVar[Modality] = Modality.WORDS
    material: ClassVar[tuple[str, ...]] = tuple(TOLD)

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: the recording is no episode, or has no such agent."""
        return "" if item.material.get(SELF) else "This recording is no episode with such an agent. Start one first."

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return what kind of turn, and its words."""
        act = Field(ACT, FieldKind.CHOICE, "Kind", "What kind of turn it is.", _CHOICES)
        about = "What you say, or what is to be seen of it; empty for none and leave."
        return FormSpec(
            KEY, (Asked(act, required=True), asked_text(TEXT, "Words", LONGEST_TEXT, about, required=False))
        )

    def given(self, item: Item) -> Mapping[str, str]:
        """Return what the agent knows."""
        return {name: item.material[key] for key, name in TOLD.items() if item.material.get(key)}
