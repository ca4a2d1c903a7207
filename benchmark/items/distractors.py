"""Wrong options out of other segments, as they stand in a study."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmark.items.base import Candidate

WRONG = 4


@dataclass(frozen=True, slots=True)
class Choices:
    """Options to choose from.

    Attributes:
        options: in their order.
        place: of the right one, from 0.
        homes: recordings that the wrong ones were taken from.
    """

    options: tuple[str, ...]
    place: int
    homes: tuple[str, ...]


def same(text: str) -> str:
    """Return what is equal for texts that differ in nothing but case and white space."""
    return " ".join(text.casefold().split())


def choices(
    own: Candidate,
    text: Callable[[Candidate], str],
    others: Sequence[Candidate],
    chance: random.Random,
    fits: Callable[[Candidate], bool] = lambda _: True,
) -> Choices | None:
    """Return the right option among four wrong ones in a random place; None where there are not four.

    Source: SHREC, sections 3.3 and 3.4: what has the same text as the right one is removed, four others are drawn at
    random, the right one's place is random.

    Args:
        own: whose text is right.
        text: of a candidate; "" for none.
        others: to draw from, in a fixed order; `own` may be among them.
        chance: that decides.
        fits: whether another one's text may be a wrong option.
    """
    right = text(own)
    taken = {same(right)}
    wrong: list[Candidate] = []
    for one in shuffled(others, chance):
        said = same(text(one))
        if said and said not in taken and one.about != own.about and fits(one):
            taken.add(said)
            wrong.append(one)
            if len(wrong) == WRONG:
                break
    if len(wrong) < WRONG:
        return None
    place = chance.randrange(WRONG + 1)
    options = [text(one) for one in wrong]
    options.insert(place, right)
    homes = dict.fromkeys(one.recording_id for one in wrong)
    return Choices(tuple(options), place, tuple(one for one in homes if one != own.recording_id))


def shuffled(others: Sequence[Candidate], chance: random.Random) -> Iterator[Candidate]:
    """Yield all of them in a random order, which costs no more than what is taken of it."""
    moved: dict[int, int] = {}
    for left in range(len(others), 0, -1):
        place = chance.randrange(left)
        yield others[moved.get(place, place)]
        moved[place] = moved.get(left - 1, left - 1)
