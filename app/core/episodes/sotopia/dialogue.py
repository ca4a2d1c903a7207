"""One turn as SOTOPIA writes it: words in quotation marks, anything else after a name."""

import re
from collections.abc import Sequence

from project.turns import Act, Turn

_NUMBER = re.compile(r"\s*\bTurn #\d+\b[,.:]?\s*$")
"""What is sometimes left of the next turn's head."""
_DONE = {"non-verbal communication": Act.NONVERBAL, "action": Act.ACTION}
_MARK = re.compile(rf"^\[({'|'.join(_DONE)})\]\s*(.*)$", re.DOTALL)
_LEFT = re.compile(r"^left the conversation\.?\s*(.*)$", re.DOTALL)
_NOTHING = re.compile(r"^did nothing\.?$")
_QUOTED = re.compile(r'^"(.*)"$', re.DOTALL)


def read_turn(dialogue: str, names: Sequence[str]) -> Turn:
    """Return the turn that a line is.

    Args:
        dialogue: as it stands in the file.
        names: of all who take part; a line may begin with another name than its speaker's.
    """
    text = _NUMBER.sub("", dialogue).strip()
    # The longest first: one name may begin with another.
    for name in sorted(names, key=len, reverse=True):
        if text.startswith(f"{name} "):
            rest = text[len(name) :].strip()
            if found := _MARK.match(rest):
                return Turn(_DONE[found[1]], found[2].strip())
            if found := _LEFT.match(rest):
                return Turn(Act.LEAVE, found[1].strip())
            if _NOTHING.match(rest):
                return Turn(Act.NONE)
    quoted = _QUOTED.match(text)
    return Turn(Act.SPEAK, (quoted[1] if quoted else text).strip())


def written_dialogue(turn: Turn, name: str) -> str:
    """Return the line of a turn."""
    match turn.act:
        case Act.NONVERBAL:
            return f"{name} [non-verbal communication] {turn.text}"
        case Act.ACTION:
            return f"{name} [action] {turn.text}"
        case Act.LEAVE:
            return f"{name} left the conversation. {turn.text}".strip()
        case Act.NONE:
            return f"{name} did nothing."
        case Act.SPEAK:
            return f'"{turn.text}"'
