"""Sets the lanes of several annotators of one recording side by side and finds where they disagree."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from annotate.agreement.span_matching import (
    Disagreement,
    DisagreementKind,
    SpanArray,
    compared_spans,
    find_disagreement_spans,
    find_overlaps,
)
from project.entities.study_records import Annotator, Json, Review, ReviewDecision, Segment
from project.queries.annotator_rows import all_annotators, completions, reviews_in
from project.queries.segment_rows import segments_of, training_work, values_in
from project.schemes.scheme import FieldKind
from project.session.session import Session
from project.store.column_values import to_json


def find_disagreements(
    segments: Sequence[Segment], annotators: Collection[str], scheme: str, track: str
) -> list[Disagreement]:
    """Return the stretches of one recording in which these annotators differ, by start.

    A point differs where somebody has none within the tolerance, or none of its label; the stretch begins at it.

    A track that fewer than two of them code is not compared. Who codes other tracks alone has no say in this one.

    Args:
        segments: of the recording; those of other people are left out.
        annotators: ids of who worked on the recording, also of who marked nothing.
        scheme: key of the scheme.
        track: key of the track that is compared.
    """
    coders: dict[str, list[Segment]] = {}
    for segment in segments:
        if segment.track == track and segment.scheme == scheme and segment.annotator_id in annotators:
            coders.setdefault(segment.annotator_id, []).append(segment)
    if len(coders) < 2:
        return []
    marked_nothing = {*annotators} - {segment.annotator_id for segment in segments}
    codes = {label: code for code, label in enumerate(sorted({s.label for own in coders.values() for s in own}))}
    lanes = [_spans(own, codes) for own in (*coders.values(), *([] for _ in marked_nothing))]
    if any(segment.is_point for own in coders.values() for segment in own):
        return _differing_points(lanes)
    return find_disagreement_spans(lanes)


def next_disagreement(found: Sequence[Disagreement], time_us: int) -> Disagreement | None:
    """Return the first stretch that starts later than a time, or None."""
    place = bisect_right(found, time_us, key=lambda disagreement: disagreement.start_us)
    return found[place] if place < len(found) else None


def previous_disagreement(found: Sequence[Disagreement], time_us: int) -> Disagreement | None:
    """Return the last stretch that starts earlier than a time, or None."""
    place = bisect_left(found, time_us, key=lambda disagreement: disagreement.start_us)
    return found[place - 1] if place else None


def _spans(segments: Sequence[Segment], codes: Mapping[str, int]) -> SpanArray:
    label = np.array([codes[segment.label] for segment in segments], np.int64)
    return SpanArray(np.zeros(len(segments), np.int64), *compared_spans(segments), label)


def _differing_points(lanes: Sequence[SpanArray]) -> list[Disagreement]:
    kinds: dict[tuple[int, int], DisagreementKind] = {}
    for own in lanes:
        for other in (lane for lane in lanes if lane is not own):
            near = find_overlaps(own, other)
            alike = near.first[own.label[near.first] == other.label[near.second]]
            for at in np.setdiff1d(np.arange(len(own)), alike).tolist():
                kind = DisagreementKind.LABEL if at in near.first else DisagreementKind.UNMARKED
                span = int(own.start_us[at]), int(own.end_us[at])
                kinds[span] = DisagreementKind.LABEL if DisagreementKind.LABEL in (kind, kinds.get(span)) else kind
    return [Disagreement(start, end, kind) for (start, end), kind in sorted(kinds.items())]


_Numbers = NDArray[np.int64]


def find_disputed(segments: Sequence[Segment], people: Mapping[str, Collection[str]]) -> set[str]:
    """Return the ids of the segments that others do not overlap, or overlap with another label.

    Only tracks that at least two people code in the recording are compared. The boundaries need not be the same: that
    is for the figures of agreement.

    Args:
        segments: of any recordings, in any order.
        people: recording id -> ids of those who are compared.
    """
    coders: dict[tuple[str, str, str], set[str]] = {}
    for segment in segments:
        if segment.annotator_id in people.get(segment.recording_id, ()):
            coders.setdefault((segment.recording_id, segment.scheme, segment.track), set()).add(segment.annotator_id)
    kept = [
        segment
        for segment in segments
        if segment.annotator_id in (who := coders.get((segment.recording_id, segment.scheme, segment.track), ()))
        and len(who) > 1
    ]
    if not kept:
        return set()
    start, end = compared_spans(kept)
    tracks = [(segment.recording_id, segment.scheme, segment.track) for segment in kept]
    annotators, labels = [segment.annotator_id for segment in kept], [segment.label for segment in kept]

    def overlapping(*keys: Sequence[object]) -> _Numbers:
        return _count_overlapping(_encode_keys(zip(tracks, *keys, strict=True)), start, end)

    others = overlapping() - overlapping(annotators)
    alike = overlapping(labels) - overlapping(annotators, labels)
    return {
        segment.id
        for segment, differs in zip(kept, ((others == 0) | (alike < others)).tolist(), strict=True)
        if differs
    }


def _encode_keys(keys: Iterable[tuple[object, ...]]) -> _Numbers:
    numbers: dict[tuple[object, ...], int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def _count_overlapping(group: _Numbers, start: _Numbers, end: _Numbers) -> _Numbers:
    """Return for each span how many of its group share time with it, itself too."""
    width = int(end.max()) + 1
    # One axis for all groups, each after the end of the one before.
    first, last = group * width + start, group * width + end
    return np.searchsorted(np.sort(first), last, "left") - np.searchsorted(np.sort(last), first, "right")


Order: TypeAlias = tuple[int, int, str, str, int, int]


@dataclass(frozen=True)
class Mark:
    """A segment with everything that was said about it.

    Attributes:
        values: of the form's fields that the newest version of its scheme has a place for.
        reviews: by other people.
        participants: the participants that it is about, where the form asks whom.
    """

    segment: Segment
    values: Mapping[str, Json]
    reviews: tuple[Review, ...] = ()
    participants: tuple[str, ...] = ()

    @property
    def lane(self) -> tuple[str, str, tuple[str, ...]]:
        """What it can be compared within: scheme, track and whom it is about."""
        return self.segment.scheme, self.segment.track, self.participants

    @cached_property
    def agree_count(self) -> int:
        return sum(review.decision is ReviewDecision.AGREE for review in self.reviews)

    @property
    def disagree_count(self) -> int:
        return len(self.reviews) - self.agree_count

    @cached_property
    def values_json(self) -> str:
        """The values as one text, the same for the same values."""
        return to_json(dict(sorted(self.values.items())))

    @cached_property
    def sort_key(self) -> Order:
        """The order of marks by time and content; their annotator does not matter."""
        segment = self.segment
        return segment.start_us, segment.end_us, segment.label, self.values_json, self.agree_count, self.disagree_count

    def review_by(self, reviewer_id: str) -> Review | None:
        return next((review for review in self.reviews if review.reviewer_id == reviewer_id), None)


def read_marks(session: Session, recording_id: str, annotators: Collection[str]) -> list[Mark]:
    """Return what these annotators (ids) marked in a recording, by start."""
    values = values_in(session.study, recording_id)
    reviews = reviews_in(session.study, recording_id)
    found = []
    for segment in segments_of(session.study, recording_id):
        if segment.annotator_id not in annotators:
            continue
        scheme = session.schemes.find(segment.scheme)
        given = values.get(segment.id, {})
        about: tuple[str, ...] = ()
        if scheme is not None:
            given = scheme.known_values(segment.track, given)
            about = tuple(
                str(given.get(field.key, ""))
                for field in scheme.fields_of(segment.track)
                if field.kind is FieldKind.PARTICIPANT
            )
        others = (review for review in reviews.get(segment.id, ()) if review.reviewer_id != segment.annotator_id)
        found.append(Mark(segment, given, tuple(others), about))
    return found


def list_annotators_of(session: Session, recording_id: str) -> list[Annotator]:
    """Return the people who worked on a recording, not in training: those who marked something, or were done with it.

    Those with the most segments come first.
    """
    counts: dict[str, int] = {}
    for segment in segments_of(session.study, recording_id):
        counts[segment.annotator_id] = counts.get(segment.annotator_id, 0) + 1
    for recording, annotator in completions(session.study):
        if recording == recording_id:
            counts.setdefault(annotator, 0)
    training = training_work(session.study)
    found = [
        person
        for person in all_annotators(session.study)
        if person.kind == "person" and person.id in counts and (recording_id, person.id) not in training
    ]
    return sorted(found, key=lambda person: (-counts[person.id], person.name))


def group_marks(marks: Sequence[Mark], minimum_iou: float = 0.0) -> list[tuple[Mark, ...]]:
    """Return every mark in exactly one group, by start; many groups hold one mark alone."""
    near = _find_overlaps(marks, minimum_iou)
    owner = [mark.segment.annotator_id for mark in marks]
    rank = {order: at for at, order in enumerate(sorted({mark.sort_key for mark in marks}))}
    ranks = [rank[mark.sort_key] for mark in marks]

    def preference(pair: tuple[int, int]) -> tuple[float | bool, ...]:
        mark, other = marks[pair[0]], marks[pair[1]]
        first, second = sorted((ranks[pair[0]], ranks[pair[1]]))
        return (
            -near[pair],
            mark.segment.label != other.segment.label,
            mark.values_json != other.values_json,
            first,
            second,
        )

    groups = [[place] for place in range(len(marks))]
    for a, b in sorted(near, key=preference):
        group, other = groups[a], groups[b]
        if group is other or {owner[i] for i in group} & {owner[j] for j in other}:
            continue
        if all((min(i, j), max(i, j)) in near for i in group for j in other):
            group += other
            for place in other:
                groups[place] = group
    made = {id(group): group for group in groups}.values()
    return sorted(
        (tuple(marks[place] for place in group) for group in made), key=lambda row: min(m.sort_key for m in row)
    )


def _find_overlaps(marks: Sequence[Mark], minimum_iou: float) -> dict[tuple[int, int], float]:
    """Return (place, place) -> IoU of the marks that can belong together, the smaller place first."""
    lanes = {lane: code for code, lane in enumerate({mark.lane: None for mark in marks})}
    places: dict[str, list[int]] = {}
    for place, mark in enumerate(marks):
        places.setdefault(mark.segment.annotator_id, []).append(place)
    spans = {
        who: SpanArray(
            np.array([lanes[marks[place].lane] for place in own], np.int64),
            *compared_spans([marks[place].segment for place in own]),
            np.zeros(len(own), np.int64),
        )
        for who, own in places.items()
    }
    near: dict[tuple[int, int], float] = {}
    for who, whom in combinations(places, 2):
        found = find_overlaps(spans[who], spans[whom])
        for i, j, iou in zip(found.first.tolist(), found.second.tolist(), found.iou.tolist(), strict=True):
            if iou >= minimum_iou:
                a, b = places[who][i], places[whom][j]
                near[min(a, b), max(a, b)] = iou
    return near
