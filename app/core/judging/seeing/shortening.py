"""What is left out of a conversation that is too long for a judge, by stated rules, in this order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.core.judging.seeing.plan import Shortened

RULES: Mapping[str, str] = {
    "before": "Turns before the segment are left out, the oldest first.",
    "long": "A longer turn loses its middle.",
    "middle": "Turns in the middle of the segment are left out.",
    "frames": "Fewer frames are shown, evenly spaced, where a model says that its context is full.",
}
"""Every rule, in the order in which it is used; a later one only where the earlier ones do not suffice."""
LONGEST_TURN = 1_000
"""Characters that a turn keeps by the rule `long`."""
_LEFT_OUT = "[…]"


@dataclass(frozen=True, slots=True)
class Line:
    """One turn as it is told.

    Attributes:
        head: time and speaker.
        text: what is said.
        before: it leads up to the segment; else it is inside.
    """

    head: str
    text: str
    before: bool

    @property
    def size(self) -> int:
        """Characters, with the line's end."""
        return len(self.head) + len(self.text) + 1


def shortened(lines: Sequence[Line], longest: int) -> tuple[list[Line], tuple[Shortened, ...]]:
    """Return the turns that are told, with a line that says so where some are left out, and what was left out.

    Args:
        lines: all turns, by time.
        longest: characters of all together.
    """
    done: list[Shortened] = []
    kept, gone = _oldest_first(lines, longest)
    if gone:
        done.append(Shortened("before", len(gone), _size(gone)))
    if _size(kept) > longest:
        cut = [_without_middle(one) for one in kept]
        saved = _size(kept) - _size(cut)
        if saved > 0:
            done.append(Shortened("long", sum(a != b for a, b in zip(kept, cut, strict=True)), saved))
        kept = cut
    head = [_note(len(gone), before=True)] if gone else []
    if _size(kept) <= longest or len(kept) == 1:
        return head + kept, tuple(done)
    first, last = _ends(kept, longest)
    left = kept[first : len(kept) - last]
    done.append(Shortened("middle", len(left), _size(left)))
    return [*head, *kept[:first], _note(len(left), before=False), *kept[len(kept) - last :]], tuple(done)


def _oldest_first(lines: Sequence[Line], longest: int) -> tuple[list[Line], list[Line]]:
    """Return the turns that are left when the oldest before the segment go until the rest fits, and those that went."""
    size, count = _size(lines), 0
    while count < len(lines) and lines[count].before and size > longest:
        size -= lines[count].size
        count += 1
    return [*lines[count:]], [*lines[:count]]


def _without_middle(line: Line) -> Line:
    if len(line.text) <= LONGEST_TURN:
        return line
    half = (LONGEST_TURN - len(_LEFT_OUT)) // 2
    return replace(line, text=f"{line.text[:half].rstrip()} {_LEFT_OUT} {line.text[-half:].lstrip()}")


def _ends(lines: Sequence[Line], longest: int) -> tuple[int, int]:
    """Return how many turns stay at the beginning and at the end, taken in turns; the last one always does."""
    first, last, size = 0, 1, lines[-1].size
    while first + last < len(lines):
        at_end = last <= first
        following = lines[len(lines) - last - 1] if at_end else lines[first]
        if size + following.size > longest:
            break
        size += following.size
        first, last = (first, last + 1) if at_end else (first + 1, last)
    return first, last


def _note(count: int, *, before: bool) -> Line:
    return Line("", f"({count} {'turn' if count == 1 else 'turns'} left out here)", before)


def _size(lines: Sequence[Line]) -> int:
    return sum(one.size for one in lines)
