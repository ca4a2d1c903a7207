"""In what groups the key frames go through the network, so that each group looks like the ones before."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Batch:
    """Key frames that are drawn together.

    Attributes:
        frames: which, those known from earlier batches first.
        known: how many of them were drawn before: none in the first batch; then the first key of the shot and the
            last key of the batch before, as far as the size of the batch has room for both and one new frame.
    """

    frames: tuple[int, ...]
    known: int

    @property
    def new(self) -> tuple[int, ...]:
        """The frames that this batch draws."""
        return self.frames[self.known :]


def batches(keys: Sequence[int], size: int) -> list[Batch]:
    """Group the key frames of a shot; every key is new in exactly one batch, in order.

    Args:
        keys: ascending.
        size: frames in a batch at most, 1 or more.
    """
    first = tuple(keys[:size])
    found = [Batch(first, 0)] if first else []
    done = len(first)
    while done < len(keys):
        known = tuple(dict.fromkeys((keys[0], keys[done - 1])))[: size - 1]
        new = tuple(keys[done : done + size - len(known)])
        found.append(Batch((*known, *new), len(known)))
        done += len(new)
    return found
