"""Which segments of a study stand alone or are labelled differently by somebody else, for filters and lists."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from project.types import Segment

_Numbers = NDArray[np.int64]


def disputed(segments: Sequence[Segment], worked: Mapping[str, Collection[str]]) -> set[str]:
    """Return the ids of the segments that others do not overlap, or overlap with another label.

    Only where at least two people worked on the recording is anything compared, and only within a track. The boundaries
    need not be the same: that is for the figures of agreement.

    Args:
        segments: of any recordings, in any order.
        worked: recording id -> ids of the people who worked on it, also of who marked nothing.
    """
    kept = [
        one for one in segments if one.annotator_id in (people := worked.get(one.recording_id, ())) and len(people) > 1
    ]
    if not kept:
        return set()
    start = np.array([one.start_us for one in kept], np.int64)
    end = np.array([one.end_us for one in kept], np.int64)
    track = _codes((one.recording_id, one.scheme, one.track) for one in kept)
    person = _codes((one.recording_id, one.scheme, one.track, one.annotator_id) for one in kept)
    label = _codes((one.recording_id, one.scheme, one.track, one.label) for one in kept)
    both = _codes((one.recording_id, one.scheme, one.track, one.annotator_id, one.label) for one in kept)
    others = _touching(track, start, end) - _touching(person, start, end)
    alike = _touching(label, start, end) - _touching(both, start, end)
    return {one.id for one, differs in zip(kept, ((others == 0) | (alike < others)).tolist(), strict=True) if differs}


def _codes(keys: Iterable[tuple[str, ...]]) -> _Numbers:
    numbers: dict[tuple[str, ...], int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def _touching(group: _Numbers, start: _Numbers, end: _Numbers) -> _Numbers:
    """Return for each span how many of its group share time with it, itself too."""
    width = int(end.max()) + 1
    # One axis for all groups, each after the end of the one before.
    first, last = group * width + start, group * width + end
    return np.searchsorted(np.sort(first), last, "left") - np.searchsorted(np.sort(last), first, "right")
