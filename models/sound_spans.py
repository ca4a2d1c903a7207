"""Cuts spans out of sound that comes in blocks."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]


def cut_spans(blocks: Iterable[Samples], spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, Samples]]:
    """Yield place in `spans` and samples of each span, as soon as it is over; those past the end are shorter.

    Blocks are (n,) samples each, one after the other; spans are in samples and in any order.
    """
    waiting = sorted(range(len(spans)), key=lambda at: spans[at][0], reverse=True)
    open_: dict[int, list[Samples]] = {}
    here = 0
    for block in blocks:
        end = here + len(block)
        while waiting and spans[waiting[-1]][0] < end:
            open_[waiting.pop()] = []
        for at in [*open_]:
            first, last = spans[at]
            open_[at].append(block[max(0, first - here) : max(0, last - here)])
            if last <= end:
                yield at, np.concatenate(open_.pop(at))
        here = end
    for at, parts in open_.items():
        yield at, np.concatenate(parts)
