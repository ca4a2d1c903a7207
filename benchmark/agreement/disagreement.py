"""Where in one recording annotators do not say the same: what the strip over the timeline shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from benchmark.agreement.overlap import Spans


class Kind(StrEnum):
    """How annotators differ over a stretch of time."""

    LABEL = "label"
    """Those who marked it gave different labels."""
    UNMARKED = "unmarked"
    """Some marked it and some did not; those who did agree."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A stretch in which annotators differ in one way throughout; microseconds."""

    start_us: int
    end_us: int
    kind: Kind


def disagreement_spans(lanes: Sequence[Spans]) -> list[Disagreement]:
    """Return the stretches in which not all lanes show the same set of labels, by start; neighbours of a kind are one.

    Args:
        lanes: one an annotator who worked on the recording, on one axis; an empty lane is somebody who marked nothing.
    """
    if len(lanes) < 2 or not any(len(lane) for lane in lanes):
        return []
    edges = [np.concatenate([lane.start_us, lane.end_us]) for lane in lanes]
    cuts = np.unique(np.concatenate(edges))
    stretches = len(cuts) - 1
    labels = np.unique(np.concatenate([lane.label for lane in lanes]))
    states = np.zeros((len(labels), len(lanes), stretches), bool)
    for number, label in enumerate(labels):
        for place, lane in enumerate(lanes):
            chosen = lane.label == label
            start, end = (np.searchsorted(cuts, edge[chosen]) for edge in (lane.start_us, lane.end_us))
            change = np.bincount(start, minlength=stretches + 1) - np.bincount(end, minlength=stretches + 1)
            states[number, place] = np.cumsum(change)[:stretches] > 0
    marked = states.any(0)
    somewhere, everywhere = states.any(1), (states | ~marked).all(1)
    differ = (somewhere & ~everywhere).any(0)
    unmarked = marked.any(0) & ~marked.all(0) & ~differ
    kind = np.where(differ, 2, np.where(unmarked, 1, 0))
    begins = np.flatnonzero(np.diff(kind, prepend=0))
    ends = np.append(begins, stretches)[1:]
    names = {1: Kind.UNMARKED, 2: Kind.LABEL}
    return [
        Disagreement(int(cuts[begin]), int(cuts[end]), names[int(kind[begin])])
        for begin, end in zip(begins, ends, strict=True)
        if kind[begin]
    ]
