"""Arrays of segments and of the values filled in about them.

`AnnotatorPair` has the segments of two annotators, and the pairs of them that overlap or match.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import combinations

import numpy as np

from annotate.agreement.figure_intervals import Bools, Floats, Ints
from annotate.agreement.span_matching import (
    POINT_TOLERANCE_US,
    Overlaps,
    SpanArray,
    find_overlaps,
    match_best_pairs,
    match_holle_rein_pairs,
    match_most_pairs,
    match_nearest_points,
    unmatched_mask,
)
from project.entities.study_records import Json
from project.queries.segment_rows import value_rows
from project.schemes.scheme import Field, FieldKind, Sampling, Scheme
from project.store.study import Study
from project.timebase import SECOND_US


class MarkKind(StrEnum):
    """What the segments of a track are compared as."""

    SPANS = "spans"
    POINTS = "points"
    SAMPLES = "samples"


@dataclass(frozen=True, slots=True)
class Options:
    """What a report can be asked for; all of it is recorded in the report.

    Attributes:
        minimum_iou: two spans overlap when they share some time and have at least this IoU.
        step_us: between the instants of the time grid.
        tolerance_us: how far two points may be apart to be taken for the same event.
        bins: into how many bins ratings are cut for Randolph's kappa.
        samples: of the bootstrap; 0 leaves intervals out.
    """

    minimum_iou: float = 0.0
    step_us: int = 100_000
    tolerance_us: int = POINT_TOLERANCE_US
    bins: int = 5
    samples: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class NamedKey:
    """Something a figure can be about: its key, and what people call it."""

    key: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class ChosenField:
    """A field with choices: (n, choices) which were made for each segment. An empty row is nothing filled in."""

    key: str
    name: str
    choices: tuple[NamedKey, ...]
    chosen: Bools
    multiple: bool

    @property
    def filled(self) -> Bools:
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
        return np.isfinite(self.numbers)


@dataclass(frozen=True, slots=True, eq=False)
class AgreementData:
    """The segments of one track by those who are compared.

    Attributes:
        recordings: key is the id, name the number and name that people see.
        annotators: key is the id.
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
        participants: those whom segments are about; key is the id.
        participant: (n,) whom each segment is about, an index; -1 for nobody. Empty where the form asks for nobody.
        third: index of the annotator who is compared with the others and counts in no other figure; -1 for none.
        points: whether the segments are points.
        sampling: when the segments were sampled; None where they were not.
    """

    recordings: tuple[NamedKey, ...]
    annotators: tuple[NamedKey, ...]
    labels: tuple[NamedKey, ...]
    length_us: Ints
    worked: Bools
    recording: Ints
    annotator: Ints
    label: Ints
    axis: Ints
    axis_recording: Ints
    start_us: Ints
    end_us: Ints
    choice_fields: tuple[ChosenField, ...] = ()
    rating_fields: tuple[RatedField, ...] = ()
    reviewed: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    agreed: Bools = field(default_factory=lambda: np.zeros(0, bool))
    participants: tuple[NamedKey, ...] = ()
    participant: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    third: int = -1
    points: bool = False
    sampling: Sampling | None = None

    def __len__(self) -> int:
        return len(self.recording)

    @property
    def marks(self) -> MarkKind:
        """What its segments are compared as."""
        if self.sampling is not None:
            return MarkKind.SAMPLES
        return MarkKind.POINTS if self.points else MarkKind.SPANS

    def spans(self, tolerance_us: int) -> SpanArray:
        """Return the segments as they are compared; see `compared_span`. Of samples, none touches the next."""
        width = 0 if not self.points else tolerance_us + 1 if self.sampling is None else self.sampling.every_us
        return SpanArray(self.axis, self.start_us, self.end_us + width, self.label)

    def pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of annotators who are compared: those with a recording in common, without the third."""
        people = [index for index in range(len(self.annotators)) if index != self.third]
        return [(a, b) for a, b in combinations(people, 2) if (self.worked[:, a] & self.worked[:, b]).any()]

    def pairs_with_third(self) -> list[tuple[int, int]]:
        if self.third < 0:
            return []
        others = [index for index in range(len(self.annotators)) if index != self.third]
        return [(self.third, other) for other in others if (self.worked[:, self.third] & self.worked[:, other]).any()]

    def axes_length_us(self) -> Ints:
        """Return (axes,) where each axis ends: with its recording, or with a segment that reaches further."""
        ends = self.length_us[self.axis_recording].copy()
        np.maximum.at(ends, self.axis, self.end_us)
        return ends

    def samples(self) -> Ints:
        """Return (axes,) how many samples each axis has; none where nothing was sampled."""
        if self.sampling is None:
            return np.zeros(len(self.axis_recording), np.int64)
        return self.length_us[self.axis_recording] // self.sampling.every_us


@dataclass(frozen=True, slots=True)
class AgreementSettings:
    """What was asked for, and who and what was counted.

    Attributes:
        annotators: names of those who worked on anything.
        third: name of the third one; "" for none.
        recordings_compared: how many two or more worked on.
        within: fields of the form: only segments with the same values there are compared.
    """

    scheme: str = ""
    scheme_version: int = 0
    track: str = ""
    marks: MarkKind = MarkKind.SPANS
    annotators: tuple[str, ...] = ()
    third: str = ""
    recordings: int = 0
    recordings_compared: int = 0
    annotations: int = 0
    within: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True, eq=False)
class AgreementInput:
    """All that the figures need, without the study."""

    material: AgreementData
    settings: AgreementSettings


Column = Mapping[int, Json]
"""Place of a segment -> what was filled in."""


def read_value_columns(
    study: Study, scheme: str, track: str, fields: Sequence[str], places: Mapping[str, int]
) -> dict[str, Column]:
    """Return field -> what was filled in, in the newest version; `places` says where each segment goes."""
    found: dict[str, dict[int, Json]] = {key: {} for key in fields}
    for segment, key, text in value_rows(study, scheme, track, fields) if fields else ():
        if segment in places:
            found[key][places[segment]] = json.loads(text)
    return dict(found)


def list_labels(scheme: Scheme, track: str, used: Sequence[str]) -> tuple[NamedKey, ...]:
    """Return the labels of the track, then those that only older versions of the scheme had."""
    known = tuple(NamedKey(label.key, label.name) for label in scheme.track(track).labels)
    keys = {label.key for label in known}
    return known + tuple(NamedKey(label, label) for label in sorted({*used} - keys))


def assign_axes(recording: Ints, within: Sequence[Column], recordings: int) -> tuple[Ints, Ints]:
    """Return the axis of each segment and the recording of each axis; segments on different axes are not compared."""
    if not within:
        return recording, np.arange(recordings)
    kept = [(owner, *(str(column.get(at)) for column in within)) for at, owner in enumerate(recording.tolist())]
    axes = {key: axis for axis, key in enumerate(dict.fromkeys(kept))}
    return np.array([axes[key] for key in kept], np.int64), np.array([key[0] for key in axes], np.int64)


def assign_participants(filled: Column, names: Mapping[str, str], size: int) -> tuple[tuple[NamedKey, ...], Ints]:
    """Return the participants whom segments are about, in the order of `names`, and the place of each segment's."""
    named = {value for value in filled.values() if isinstance(value, str)}
    people = tuple(NamedKey(key, name) for key, name in names.items() if key in named)
    places = {person.key: place for place, person in enumerate(people)}
    found = np.full(size, -1)
    for at, value in filled.items():
        found[at] = places.get(str(value), -1)
    return people, found


def build_choice_field(field: Field, filled: Column, size: int) -> ChosenField:
    """Return the choices of each segment; choices that the scheme no longer has are left out."""
    table = np.zeros((size, len(field.choices)), bool)
    places = {choice.key: place for place, choice in enumerate(field.choices)}
    for at, value in filled.items():
        for choice in value if isinstance(value, list) else [value]:
            if choice in places:
                table[at, places[str(choice)]] = True
    choices = tuple(NamedKey(choice.key, choice.name) for choice in field.choices)
    return ChosenField(field.key, field.name, choices, table, field.kind is FieldKind.CHOICES)


def build_rating_field(field: Field, filled: Column, size: int) -> RatedField:
    """Return the number of each segment; those off the scale are left out."""
    numbers = np.full(size, np.nan)
    for at, value in filled.items():
        if isinstance(value, int | float) and field.minimum <= value <= field.maximum:
            numbers[at] = value
    return RatedField(field.key, field.name, numbers, field.minimum, field.maximum, field.step)


@dataclass(frozen=True)
class AnnotatorPair:
    """One pair of annotators, over the recordings that both worked on.

    Attributes:
        first: index of the first annotator.
        second: index of the second.
        recordings: (recordings,) which both worked on.
        first_indices: the first's segments there, indices into the material.
        second_indices: the second's.
    """

    material: AgreementData
    first: int
    second: int
    recordings: Bools
    first_indices: Ints
    second_indices: Ints
    options: Options

    @classmethod
    def from_pair(cls, material: AgreementData, first: int, second: int, options: Options) -> "AnnotatorPair":
        both = material.worked[:, first] & material.worked[:, second]
        there = both[material.recording]
        array, other = (np.flatnonzero(there & (material.annotator == who)) for who in (first, second))
        return cls(material, first, second, both, array, other, options)

    @cached_property
    def spans(self) -> tuple[SpanArray, SpanArray]:
        everything = self.material.spans(self.options.tolerance_us)
        return everything.take(self.first_indices), everything.take(self.second_indices)

    @cached_property
    def intersecting(self) -> Overlaps:
        return find_overlaps(*self.spans)

    @cached_property
    def overlapping(self) -> Overlaps:
        """Every pair that counts as overlapping; of points and samples, those that are matched."""
        if self.material.points or self.material.sampling is not None:
            return self.matched
        return self.intersecting.take(self.intersecting.iou >= self.options.minimum_iou)

    @cached_property
    def matched(self) -> Overlaps:
        """The overlapping pairs, matched one to one."""
        if self.material.sampling is not None:
            return match_best_pairs(self.intersecting, *self.spans)
        if self.material.points:
            return match_nearest_points(self.intersecting, *self.spans)
        return match_best_pairs(self.overlapping, *self.spans)

    @cached_property
    def linked(self) -> Overlaps:
        return match_holle_rein_pairs(self.intersecting, *self.spans)

    def match_at(self, iou: float, *, same_label: bool = False) -> Overlaps:
        """Return as many one-to-one pairs of at least this IoU as there can be; of one label each if that is wanted."""
        found = self.intersecting
        if same_label:
            found = found.take(self.same_labels(found))
        return match_most_pairs(found, len(self.first_indices), len(self.second_indices), iou)

    def same_labels(self, pairs: Overlaps) -> Bools:
        span_array, other = self.spans
        alike: Bools = span_array.label[pairs.first] == other.label[pairs.second]
        return alike

    def segment_indices(self, pairs: Overlaps) -> tuple[Ints, Ints]:
        """Return the segments of each pair as indices into the material."""
        return self.first_indices[pairs.first], self.second_indices[pairs.second]

    def unmatched_indices(self, pairs: Overlaps) -> tuple[Ints, Ints]:
        """Return the segments of either that no pair holds, as indices into the material."""
        array = self.first_indices[unmatched_mask(len(self.first_indices), pairs.first)]
        other = self.second_indices[unmatched_mask(len(self.second_indices), pairs.second)]
        return array, other


@dataclass(frozen=True, slots=True, eq=False)
class SegmentMatches:
    """Segments of all pairs of annotators that were put together.

    Attributes:
        first: (m,) segment, an index into the material.
        second: (m,) the segment that it is matched with.
        iou: (m,) of both.
        pair: (m,) which pair of annotators.
        recording: (m,).
        pairs: number of pairs of annotators.
    """

    first: Ints
    second: Ints
    iou: Floats
    pair: Ints
    recording: Ints
    pairs: int

    @classmethod
    def collect(
        cls, material: AgreementData, compared: Sequence[AnnotatorPair], found: Sequence[Overlaps]
    ) -> "SegmentMatches":
        """Collect the pairs of segments that were found of each pair of annotators."""
        none = np.zeros(0, np.int64)
        sides = [pair.segment_indices(overlaps) for pair, overlaps in zip(compared, found, strict=True)]
        first, second = (np.concatenate([none, *(side[at] for side in sides)]) for at in (0, 1))
        iou = np.concatenate([np.zeros(0), *(overlaps.iou for overlaps in found)])
        pair = np.repeat(np.arange(len(found)), [len(overlaps) for overlaps in found])
        return cls(first, second, iou, pair, material.recording[first], len(found))

    def distance_s(self, material: AgreementData) -> Floats:
        """Return (m,) how many seconds the starts of both are apart."""
        apart: Floats = np.abs(material.start_us[self.first] - material.start_us[self.second]) / SECOND_US
        return apart

    def where_filled(self, filled: Bools) -> "SegmentMatches":
        """Return those in which both sides are among the segments that `filled` (n,) holds."""
        both = filled[self.first] & filled[self.second]
        sides = self.first[both], self.second[both]
        return SegmentMatches(*sides, self.iou[both], self.pair[both], self.recording[both], self.pairs)
