"""A turn of an episode as the text of an utterance, and back: transcripts are edited and exported as plain text.

What is said stands there as it is. Anything else begins with what it is in square brackets: `[non-verbal] smiles`,
`[action] closes the door`, `[none]`, `[leaves]`. Words that would be taken for such a mark follow `[says]`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class Act(StrEnum):
    """What somebody does in a turn (SOTOPIA, section 2.2)."""

    SPEAK = "speak"
    NONVERBAL = "non-verbal"
    ACTION = "action"
    NONE = "none"
    LEAVE = "leave"


_SAYS = "says"
_MARKS = {Act.NONVERBAL: "non-verbal", Act.ACTION: "action", Act.NONE: "none", Act.LEAVE: "leaves"}
_ACTS = {mark: act for act, mark in _MARKS.items()} | {_SAYS: Act.SPEAK}
_MARKED = re.compile(rf"\s*\[({'|'.join(map(re.escape, _ACTS))})\]\s*(.*?)\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody does, and what of it is seen or heard; of `none` and `leave` usually "" ."""

    act: Act
    text: str = ""


def written_turn(turn: Turn) -> str:
    """Return a turn as the text of an utterance."""
    text = turn.text.strip()
    if turn.act is Act.SPEAK:
        return f"[{_SAYS}] {text}".rstrip() if not text or _MARKED.fullmatch(text) else text
    return f"[{_MARKS[turn.act]}] {text}".rstrip()


def turn_of(text: str) -> Turn:
    """Return the turn that the text of an utterance is; whatever bears no mark is said."""
    found = _MARKED.fullmatch(text)
    if found is None:
        return Turn(Act.SPEAK, text.strip())
    return Turn(_ACTS[found[1].lower()], found[2])
