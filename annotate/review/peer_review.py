"""Peer review: pairs the segments of two annotators of a recording, and records verdicts on segments of others.

Training rounds are compared with their reference in the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from annotate.agreement.annotator_lanes import Mark, group_marks, list_annotators_of, read_marks
from annotate.agreement.span_matching import compared_span
from annotate.cues.prelabels import is_prelabel
from annotate.segments.segment_edits import find_segment
from annotate.team.training_gate import Gate
from project.entities.study_records import (
    MAX_NOTE_CHARS,
    Annotator,
    Changes,
    Recording,
    Review,
    ReviewDecision,
    Segment,
)
from project.errors import UserError, no_own_decision, require_length
from project.queries.annotator_rows import all_annotators, completions, delete_review, review_by, set_review
from project.queries.recording_rows import all_recordings
from project.schemes.scheme import FieldKind, Scheme
from project.session.session import Session
from project.timebase import utc_now


def review_segment(session: Session, segment_id: str, decision: ReviewDecision, note: str = "") -> Changes:
    """Agree or disagree with somebody else's segment, in place of what was said about it before."""
    segment = _require_other_author(session, segment_id)
    note = require_length(note.strip(), MAX_NOTE_CHARS, "A note")
    verb = "Agree" if decision is ReviewDecision.AGREE else "Disagree"
    with session.step(f"{verb} with segment") as step:
        reviewer = session.author()
        before = review_by(session.study, segment.id, reviewer.id)
        if before is None or (before.decision, before.note) != (decision, note):
            set_review(session.study, Review(segment.id, reviewer.id, decision, note, utc_now()))
    return step.changes


def withdraw_review(session: Session, segment_id: str) -> Changes:
    """Take back what the annotator of this session said about a segment."""
    session.study.require_writable()
    reviewer = session.annotator()
    before = review_by(session.study, segment_id, reviewer.id) if reviewer else None
    if before is None:
        raise no_own_decision("review", "segment")
    with session.step("Withdraw review") as step:
        delete_review(session.study, before)
    return step.changes


def _require_other_author(session: Session, segment_id: str) -> Segment:
    session.study.require_writable()
    segment = find_segment(session, segment_id)
    author = next(annotator for annotator in all_annotators(session.study) if annotator.id == segment.annotator_id)
    if author.name == session.annotator_name:
        raise UserError("You made this segment yourself.", "Another annotator has to review it.")
    if is_prelabel(session.study, segment):
        raise UserError(
            "This is a pre-label, which nobody made.", "Accept or reject it: greenroom segment cues accept STUDY ID"
        )
    if author.kind == "adjudicated":
        raise UserError(f"“{author.name}” is an adjudicated lane.", "Review the segments of the annotators instead.")
    return segment


BOUNDARIES_IOU = 0.5
LABEL, BOUNDARIES = "label", "boundaries"


class ReviewOutcome(StrEnum):
    """What came of an item."""

    ALIKE = "alike"
    """Both marked it and nothing differs: there is nothing to review."""
    OPEN = "open"
    """Somebody still has to say something about it."""
    SETTLED = "settled"
    """Others agree with one of its segments."""
    DISPUTED = "disputed"
    """All that was reviewed, nobody agrees: it stays in disagreement, and is kept as such."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """What two annotators say about one moment; either may have marked nothing.

    Attributes:
        third: what a third annotator says about it. An item with nothing else is theirs alone.
        differing_parts: `label`, `boundaries` and keys of fields in which the first and the second differ; empty where
            one of them marked nothing.
        third_differing_parts: the same for the third and the other two, whichever they differ from.
    """

    first: Mark | None
    second: Mark | None
    third: Mark | None = None
    differing_parts: tuple[str, ...] = ()
    third_differing_parts: tuple[str, ...] = ()

    @property
    def pair(self) -> tuple[Mark, ...]:
        """What the first and the second marked."""
        return tuple(mark for mark in (self.first, self.second) if mark is not None)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """What anybody marked."""
        return self.pair if self.third is None else (*self.pair, self.third)

    @property
    def key(self) -> str:
        """Tells the item from others, as long as its segments are there."""
        return " ".join(mark.segment.id for mark in self.marks)

    @property
    def start_us(self) -> int:
        """Where the first of its segments starts."""
        return min(mark.segment.start_us for mark in self.marks)

    @property
    def end_us(self) -> int:
        """Where the last of its segments ends."""
        return max(mark.segment.end_us for mark in self.marks)

    @property
    def is_matched(self) -> bool:
        """Whether both of the two marked it."""
        return self.first is not None and self.second is not None

    @property
    def outcome(self) -> ReviewOutcome:
        """What came of it."""
        if self.is_matched and not self.differing_parts:
            return ReviewOutcome.ALIKE
        if any(mark.agree_count > mark.disagree_count for mark in self.pair):
            return ReviewOutcome.SETTLED
        if self.pair and all(mark.reviews for mark in self.pair):
            return ReviewOutcome.DISPUTED
        return ReviewOutcome.OPEN

    def to_review(self, reviewer_id: str) -> list[Mark]:
        """Return what somebody has to review here, reviewed or not: the second's before the first's."""
        if self.outcome is ReviewOutcome.ALIKE:
            return []
        return [mark for mark in reversed(self.pair) if mark.segment.annotator_id != reviewer_id]

    def pending_for(self, reviewer_id: str) -> list[Mark]:
        """Return what somebody has to review here and did not yet."""
        return [mark for mark in self.to_review(reviewer_id) if mark.review_by(reviewer_id) is None]


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """How far a review is, counted in segments for `done` and `total`, and in items for the outcomes."""

    done: int
    total: int
    alike: int
    settled: int
    disputed: int
    open: int


@dataclass(frozen=True, slots=True)
class RecordingReview:
    """One recording, reviewed by two annotators and perhaps compared with a third; items are by start."""

    first: Annotator
    second: Annotator
    third: Annotator | None
    items: tuple[ReviewItem, ...]

    def progress(self, reviewer_id: str) -> ReviewProgress:
        """Count what somebody has done of what they have to review, and what came of the items."""
        wanted = [(mark, mark.review_by(reviewer_id)) for item in self.items for mark in item.to_review(reviewer_id)]
        outcomes = [item.outcome for item in self.items if item.pair]
        count = {review_outcome: outcomes.count(review_outcome) for review_outcome in ReviewOutcome}
        return ReviewProgress(
            sum(review is not None for _, review in wanted),
            len(wanted),
            count[ReviewOutcome.ALIKE],
            count[ReviewOutcome.SETTLED],
            count[ReviewOutcome.DISPUTED],
            count[ReviewOutcome.OPEN],
        )


def build_recording_review(
    session: Session, recording_id: str, first: Annotator, second: Annotator, third: Annotator | None = None
) -> RecordingReview:
    """Set the segments of two or three annotators of a recording side by side."""
    people = [annotator.id for annotator in (first, second, third) if annotator is not None]
    marks = read_marks(session, recording_id, people)
    items = []
    for group in group_marks(marks):
        by = {mark.segment.annotator_id: mark for mark in group}
        first_mark, second_mark, third_mark = by.get(first.id), by.get(second.id), by.get(third.id) if third else None
        scheme = session.schemes.find(group[0].segment.scheme)
        differs = find_differences(scheme, first_mark, second_mark) if first_mark and second_mark else ()
        further = [
            find_differences(scheme, mark, third_mark) for mark in (first_mark, second_mark) if mark and third_mark
        ]
        third_differs = tuple(dict.fromkeys(key for keys in further for key in keys))
        items.append(ReviewItem(first_mark, second_mark, third_mark, differs, third_differs))
    return RecordingReview(first, second, third, tuple(items))


def update_reviews(before: RecordingReview, reviews: Mapping[str, Sequence[Review]]) -> RecordingReview:
    """Return the review with these reviews (segment id -> all of them) in place of the old ones; nothing is matched."""

    def renewed(mark: Mark | None) -> Mark | None:
        if mark is None or mark.segment.id not in reviews:
            return mark
        own = mark.segment.annotator_id
        return replace(mark, reviews=tuple(review for review in reviews[mark.segment.id] if review.reviewer_id != own))

    items = tuple(
        replace(item, first=renewed(item.first), second=renewed(item.second))
        if any(mark.segment.id in reviews for mark in item.pair)
        else item
        for item in before.items
    )
    return replace(before, items=items)


def default_pair(session: Session, recording_id: str) -> tuple[Annotator, Annotator] | None:
    """Return the default pair: the annotator of this session and the other one with the most segments.

    Where the session's annotator marked nothing, it is the two with the most segments. None where there are fewer.
    """
    people = list_annotators_of(session, recording_id)
    own = next((person for person in people if person.name == session.annotator_name), None)
    if own is not None:
        people = [own, *(person for person in people if person is not own)]
    return (people[0], people[1]) if len(people) > 1 else None


def find_differences(scheme: Scheme | None, mark: Mark, other: Mark) -> tuple[str, ...]:
    """Return in what two segments differ: `label`, keys of fields in the scheme's order, `boundaries`."""
    first, second = mark.segment, other.segment
    found = [LABEL] if first.label != second.label else []
    for field in scheme.fields_of(first.track) if scheme is not None else ():
        if not (field.applies_to(first.label, first.track) and field.applies_to(second.label, second.track)):
            continue
        mine, theirs = mark.values.get(field.key), other.values.get(field.key)
        if bool(mine) != bool(theirs) if field.kind is FieldKind.TEXT else mine != theirs:
            found.append(field.key)
    if segment_iou(first, second) < BOUNDARIES_IOU:
        found.append(BOUNDARIES)
    return tuple(found)


def name_differences(scheme: Scheme | None, keys: Sequence[str]) -> list[str]:
    """Return in words what `find_differences` returned."""
    names = {LABEL: "Label", BOUNDARIES: "Boundaries"}
    return [names.get(key) or (key if scheme is None else scheme.field_name(key)) for key in keys]


def segment_iou(segment: Segment, other: Segment) -> float:
    """Return the shared time of two segments over the time that either covers, 0 to 1."""
    (start, end), (other_start, other_end) = compared_span(segment), compared_span(other)
    shared = max(0, min(end, other_end) - max(start, other_start))
    return shared / (end - start + other_end - other_start - shared)


@dataclass(frozen=True, slots=True)
class TrainingComparison:
    """One moment; either of the two may have marked nothing. `difference_names` says in words what differs."""

    recording: Recording
    mine: Mark | None
    reference: Mark | None
    difference_names: tuple[str, ...]

    @property
    def start_us(self) -> int:
        """Where the first of the two starts."""
        return min(mark.segment.start_us for mark in (self.mine, self.reference) if mark is not None)


def compare_training(session: Session, annotator: Annotator, gate: Gate) -> list[TrainingComparison]:
    """Return what an annotator and the reference marked, in the recordings that the annotator is done with, by time."""
    done = completions(session.study)
    lines = []
    for recording in all_recordings(session.study):
        if recording.id not in gate.recordings or (recording.id, annotator.id) not in done:
            continue
        marks = read_marks(session, recording.id, {annotator.id, gate.reference})
        for group in group_marks(marks):
            by = {mark.segment.annotator_id: mark for mark in group}
            mine, other = by.get(annotator.id), by.get(gate.reference)
            scheme = session.schemes.find(group[0].segment.scheme)
            differs = tuple(name_differences(scheme, find_differences(scheme, mine, other))) if mine and other else ()
            lines.append(TrainingComparison(recording, mine, other, differs))
    return sorted(lines, key=lambda comparison: (comparison.recording.number, comparison.start_us))
