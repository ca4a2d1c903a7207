"""When turns happen: nobody measured it, so times are invented, in order, by how long it takes to say them."""

from project.timebase import SECOND
from project.turns import Act, Turn

LEAST_US = SECOND
PAUSE_US = SECOND // 5
_LETTER_US = SECOND // 15
"""People speak some 15 letters a second."""
_OTHER_US = 2 * SECOND
"""Of anything that is not said."""


def span_of(turn: Turn, after_us: int) -> tuple[int, int]:
    """Return when a turn begins and ends, in microseconds on the recording's axis.

    Args:
        turn: what is done.
        after_us: when the one before ended; 0 where there is none.
    """
    start = after_us + PAUSE_US if after_us else 0
    length = _LETTER_US * len(turn.text) if turn.act is Act.SPEAK else _OTHER_US
    return start, start + max(LEAST_US, length)
