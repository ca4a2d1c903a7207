"""What the figures of a study are computed from, as arrays."""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from benchmark.agreement.overlap import Spans
from benchmark.agreement.types import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Options:
    """What a report can be asked for; all of it is recorded in the report.

    Attributes:
        minimum_iou: two spans overlap when they share some time and have at least this IoU.
        step_us: between the instants of the time grid.
        bins: into how many bins ratings are cut for Randolph's kappa.
        samples: of the bootstrap; 0 leaves intervals out.
        seed: of the bootstrap.
    """

    minimum_iou: float = 0.0
    step_us: int = 100_000
    bins: int = 5
    samples: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Named:
    """Something a figure can be about: its key, and what people call it."""

    key: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class ChosenField:
    """A field with choices: (n, choices) which were made for each segment. An empty row is nothing filled in."""

    key: str
    name: str
    choices: tuple[Named, ...]
    chosen: Bools
    several: bool

    @property
    def filled(self) -> Bools:
        """Whether anything was chosen, (n,)."""
        filled: Bools = np.asarray(self.chosen.any(axis=1))
        return filled


@dataclass(frozen=True, slots=True, eq=False)
class RatedField:
    """A scale or slider: (n,) numbers, NaN where nothing was filled in."""

    key: str
    name: str
    numbers: Floats
    minimum: float
    maximum: float
    step: float = 1.0

    @property
    def filled(self) -> Bools:
        """Whether there is a number, (n,)."""
        return np.isfinite(self.numbers)


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The segments of one track by those who are compared.

    Attributes:
        recordings: key is the id, name the number and name that people see.
        annotators: key is the id.
        labels: of the track.
        length_us: (recordings,) microseconds.
        worked: (recordings, annotators) who worked on which recording, even where they marked nothing.
        recording: (n,) of each segment, an index, as the next three.
        annotator: (n,).
        label: (n,).
        axis: (n,) segments are compared within an axis: a recording, or one participant in it where the form asks
            whom a segment is about.
        axis_recording: (axes,) recording of each axis.
        start_us: (n,) microseconds.
        end_us: (n,) microseconds.
        reviewed: (reviews,) segment that a review is about.
        agreed: (reviews,) whether the reviewer agreed.
        third: index of the annotator who is compared with the others and counts in no other figure; -1 for none.
    """

    recordings: tuple[Named, ...]
    annotators: tuple[Named, ...]
    labels: tuple[Named, ...]
    length_us: Ints
    worked: Bools
    recording: Ints
    annotator: Ints
    label: Ints
    axis: Ints
    axis_recording: Ints
    start_us: Ints
    end_us: Ints
    choosing: tuple[ChosenField, ...] = ()
    rated: tuple[RatedField, ...] = ()
    reviewed: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    agreed: Bools = field(default_factory=lambda: np.zeros(0, bool))
    third: int = -1

    def __len__(self) -> int:
        return len(self.recording)

    def spans(self) -> Spans:
        """Return every segment as a span on its axis."""
        return Spans(self.axis, self.start_us, self.end_us, self.label)

    def pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of annotators who are compared: those with a recording in common, without the third."""
        people = [one for one in range(len(self.annotators)) if one != self.third]
        return [(a, b) for a, b in combinations(people, 2) if (self.worked[:, a] & self.worked[:, b]).any()]

    def pairs_with_third(self) -> list[tuple[int, int]]:
        """Return the pairs of the third annotator and each other one."""
        if self.third < 0:
            return []
        others = [one for one in range(len(self.annotators)) if one != self.third]
        return [(self.third, one) for one in others if (self.worked[:, self.third] & self.worked[:, one]).any()]

    def axes_length_us(self) -> Ints:
        """Return (axes,) where each axis ends: with its recording, or with a segment that reaches further."""
        ends = self.length_us[self.axis_recording].copy()
        np.maximum.at(ends, self.axis, self.end_us)
        return ends
