"""Negatives out of stretches that nobody marked, as long as what people did mark."""

import random
from collections.abc import Sequence
from dataclasses import replace

from benchmark.items.base import Candidate


def cut(gaps: Sequence[Candidate], lengths: Sequence[int], number: int, chance: random.Random) -> list[Candidate]:
    """Return so many stretches out of gaps, each as long as one of `lengths`; no two share time.

    Every place in every gap that is long enough is as likely as any other.

    Args:
        gaps: stretches that nobody marked, in a fixed order; no two share time.
        lengths: of marked segments, in microseconds, to draw lengths from.
        number: how many; fewer come back where there is no more room.
        chance: that decides.
    """
    free = [*gaps]
    found: list[Candidate] = []
    wanted = sorted((chance.choice(lengths) for _ in range(number)), reverse=True) if lengths else []
    # The longest first: what is short still fits into what is left over.
    for length in wanted:
        room = [max(0, one.end_us - one.start_us - length + 1) for one in free]
        if not any(room):
            continue
        place = chance.choices(range(len(free)), room)[0]
        gap = free[place]
        start = gap.start_us + chance.randrange(room[place])
        found.append(replace(gap, start_us=start, end_us=start + length))
        free[place : place + 1] = [
            one
            for one in (replace(gap, end_us=start), replace(gap, start_us=start + length))
            if one.end_us > one.start_us
        ]
    chance.shuffle(found)
    return found
