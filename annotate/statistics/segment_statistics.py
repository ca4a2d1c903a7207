"""Statistics of segments: counts by label, choice and annotator, durations, and density over time."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from annotate.agreement.annotation_arrays import AgreementData, ChosenField, NamedKey
from annotate.agreement.figure_intervals import Floats, Ints
from project.entities.study_records import Json

BINS = 20


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceFieldCounts:
    """A field with choices, counted.

    Attributes:
        choices: in the order of the scheme.
        by_label: (labels, choices) how many segments of each label have each choice.
        co_occurrence: (choices, choices) how many segments have both; how many have one is on the diagonal.
        filled: how many segments have the field filled in.
    """

    key: str
    name: str
    choices: tuple[NamedKey, ...]
    by_label: Ints
    co_occurrence: Ints
    filled: int

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it."""
        return {
            "name": self.name,
            "choices": [choice.key for choice in self.choices],
            "by_label": self.by_label.tolist(),
            "together": self.co_occurrence.tolist(),
            "filled": self.filled,
        }


@dataclass(frozen=True, slots=True, eq=False)
class SampleCounts:
    """The samples of a track that is sampled.

    Attributes:
        taken: how many have a label, of all annotators and, in a scan, of all participants.
        missing: how many have none, among those who worked on the recording.
        share: (labels,) share of the samples taken that have the label; together more than 1 where some have several.
    """

    taken: int
    missing: int
    share: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """The segments of one track of a study, counted.

    Attributes:
        annotators: whose segments were counted.
        by_label: (labels,) segments.
        by_annotator: (annotators, labels) segments.
        fields: those of the form that have choices.
        seconds: label -> (n,) how long each segment is.
        density: (labels, BINS) share of the recordings' time that is marked, 0 to 1, in each part of a recording from
            its start to its end, on average over annotated recordings and the annotators who worked on them. Time that
            an annotator marked twice with a label counts once. Of points it is how many there are a minute.
        marked: (BINS,) the same for time that is marked with any label, or points of any.
        recordings: how many have segments.
        points: whether the segments are points, which have no duration.
        samples: of a track that is sampled; else None.
    """

    annotators: tuple[NamedKey, ...]
    labels: tuple[NamedKey, ...]
    by_label: Ints
    by_annotator: Ints
    fields: tuple[ChoiceFieldCounts, ...]
    seconds: Mapping[str, Floats]
    density: Floats
    marked: Floats
    recordings: int
    points: bool = False
    samples: SampleCounts | None = None

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it; durations as quartiles, none of points."""
        return {
            "annotators": [annotator.name for annotator in self.annotators],
            "labels": [label.key for label in self.labels],
            "by_label": self.by_label.tolist(),
            "by_annotator": self.by_annotator.tolist(),
            "fields": {field.key: field.to_json() for field in self.fields},
            "seconds": {
                key: np.percentile(values, (0, 25, 50, 75, 100)).tolist() if len(values) and not self.points else None
                for key, values in self.seconds.items()
            },
            "density": self.density.tolist(),
            "marked": self.marked.tolist(),
            "recordings": self.recordings,
            "samples": None
            if self.samples is None
            else {
                "taken": self.samples.taken,
                "missing": self.samples.missing,
                "share": self.samples.share.tolist(),
            },
        }


def summarize_segments(material: AgreementData) -> Statistics:
    """Count what was read. It looks at no study, so it may run in another thread."""
    kinds = len(material.labels)
    by_annotator = np.zeros((len(material.annotators), kinds), np.int64)
    np.add.at(by_annotator, (material.annotator, material.label), 1)
    seconds = (material.end_us - material.start_us) / 1e6
    return Statistics(
        annotators=material.annotators,
        labels=material.labels,
        by_label=by_annotator.sum(0),
        by_annotator=by_annotator,
        fields=tuple(_count_choices(field, material.label, kinds) for field in material.choice_fields),
        seconds={label.key: seconds[material.label == code] for code, label in enumerate(material.labels)},
        density=_density(material, kinds),
        marked=_density(replace(material, label=np.zeros_like(material.label)), 1)[0],
        recordings=len(np.unique(material.recording)),
        points=material.points,
        samples=None if material.sampling is None else _count_samples(material, kinds),
    )


def summarize_by_annotator(material: AgreementData) -> tuple[Statistics, ...]:
    """Count what was read for each annotator who worked on a recording, alone; like `summarize_segments` otherwise."""
    return tuple(
        summarize_segments(_select_annotator(material, annotator))
        for annotator in np.flatnonzero(material.worked.any(0)).tolist()
    )


def _select_annotator(material: AgreementData, annotator: int) -> AgreementData:
    """Return the segments of one annotator, without ratings and reviews."""
    theirs = material.annotator == annotator
    return replace(
        material,
        annotators=(material.annotators[annotator],),
        worked=material.worked[:, [annotator]],
        recording=material.recording[theirs],
        annotator=np.zeros(int(theirs.sum()), np.int64),
        label=material.label[theirs],
        axis=material.axis[theirs],
        start_us=material.start_us[theirs],
        end_us=material.end_us[theirs],
        choice_fields=tuple(replace(field, chosen=field.chosen[theirs]) for field in material.choice_fields),
        rating_fields=(),
        reviewed=np.zeros(0, np.int64),
        agreed=np.zeros(0, bool),
        participants=(),
        participant=np.zeros(0, np.int64),
        third=-1,
    )


def _count_choices(asked: ChosenField, label: Ints, kinds: int) -> ChoiceFieldCounts:
    chosen = asked.chosen.astype(np.int64)
    of_label = (label[:, None] == np.arange(kinds)).astype(np.int64)
    return ChoiceFieldCounts(
        asked.key, asked.name, asked.choices, of_label.T @ chosen, chosen.T @ chosen, int(asked.filled.sum())
    )


def _count_samples(material: AgreementData, kinds: int) -> SampleCounts:
    """Count the samples that each annotator took of each axis."""
    sample = np.stack([material.annotator, material.axis, material.end_us], axis=-1)
    numbered = np.unique(sample, axis=0, return_inverse=True)[1].reshape(-1)
    taken = int(numbered.max(initial=-1)) + 1
    labelled = np.unique(np.stack([numbered, material.label], axis=-1), axis=0)
    wanted = material.worked[material.axis_recording].sum(1) * material.samples()
    share = np.bincount(labelled[:, 1], minlength=kinds) / max(1, taken)
    return SampleCounts(taken, max(0, int(wanted.sum()) - taken), share)


def _density(material: AgreementData, kinds: int) -> Floats:
    """Return (labels, BINS)."""
    worked = int(material.worked.sum())
    found = np.zeros((kinds, BINS))
    if not worked or not len(material):
        return found
    if material.points:
        length = material.length_us[material.recording]
        place = np.minimum(BINS * material.start_us // np.maximum(length, 1), BINS - 1)
        np.add.at(found, (material.label, place), BINS * 60e6 / np.maximum(length, 1))
        return found / worked
    coded = (material.recording * len(material.annotators) + material.annotator) * kinds + material.label
    pieces, start, end = _merge_overlapping(coded, material.start_us, material.end_us)
    lengths = material.length_us.copy()
    np.maximum.at(lengths, material.recording, material.end_us)
    length = lengths[pieces // (kinds * len(material.annotators))]
    for part in range(BINS):
        covered = np.clip(np.minimum(BINS * end / length, part + 1) - np.maximum(BINS * start / length, part), 0, 1)
        found[:, part] = np.bincount(pieces % kinds, covered, kinds)
    return found / worked


def _merge_overlapping(group: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Return group, start and end of the stretches that the spans of each group cover together."""
    # One axis for all groups, each after the end of the one before.
    width = int(end.max()) + 1
    order = np.lexsort((start, group))
    group, first = group[order], group[order] * width + start[order]
    reach = np.maximum.accumulate(group * width + end[order])
    begins = np.flatnonzero(np.append(True, first[1:] > reach[:-1]))
    ends = np.append(begins[1:], len(first)) - 1
    group = group[begins]
    return group, first[begins] - group * width, reach[ends] - group * width
