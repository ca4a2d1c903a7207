"""All frames of a file or a stretch of it, one after the other, as fast as they decode."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from media.decoding import Decoded, Decoder
from media.index import FrameIndex, load_index
from media.picture import Frame, Picture

_LOOK_BACK = 16


def iterate(
    path: Path, index: FrameIndex | None = None, start_us: int | None = None, end_us: int | None = None
) -> Iterator[Frame]:
    """Yield every frame on screen between two times as RGB. See `pictures`."""
    for picture in pictures(path, index, start_us, end_us):
        yield picture.frame()


def pictures(
    path: Path, index: FrameIndex | None = None, start_us: int | None = None, end_us: int | None = None
) -> Iterator[Picture]:
    """Yield every frame on screen between two times without converting any.

    Exactly one picture comes for every position of the index from the one on screen at `start_us` to the last that
    begins before `end_us`. Positions that cannot be decoded come black, and these and all that may be built on them
    are marked damaged.

    Raises:
        UserError: the file cannot be read or has no picture.
    """
    index = index or load_index(path)
    first, stop = span(index, start_us, end_us)
    decoder = Decoder(path, index)
    try:
        decoder.restart(index.key_of(first))
        decoder.skip_to(first)
        for found in _marked_back(decoder, index):
            if found.index >= stop:
                return
            if found.index >= first:
                yield Picture(
                    found.index, index.times.time_of(found.index), found.frame, index.canvas, damaged=found.damaged
                )
    finally:
        decoder.close()


def span(index: FrameIndex, start_us: int | None, end_us: int | None) -> tuple[int, int]:
    """Return the first position on screen between two times, and the one after the last."""
    first = 0 if start_us is None else index.times.frame_at(start_us)
    stop = len(index) if end_us is None else index.times.frame_at(end_us - 1) + 1
    return first, stop


def _marked_back(decoder: Decoder, index: FrameIndex) -> Iterator[Decoded]:
    """Hold pictures back a little, because damage shows only after pictures that were already built on it."""
    held: deque[Decoded] = deque()
    before = False
    while (found := decoder.next()) is not None:
        if found.damaged and not before:
            key = int(index.keyframes[index.key_of(found.index)])
            held = deque(replace(one, damaged=True) if one.index >= key else one for one in held)
        before = found.damaged
        held.append(found)
        if len(held) > _LOOK_BACK:
            yield held.popleft()
    yield from held
