"""Merges the annotations of several annotators into one adjudicated lane, by a rule that is stored with it.

docs/review.md describes the rules.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from fractions import Fraction
from statistics import median

from annotate.agreement.annotator_lanes import Mark, group_marks, list_annotators_of, read_marks
from project.codec import dump
from project.entities.study_records import (
    Annotator,
    Changes,
    Comment,
    FieldValue,
    Json,
    Recording,
    ReviewDecision,
    Run,
    Segment,
)
from project.errors import UserError
from project.ids import new_id
from project.queries.annotator_rows import annotator_by_name, insert_annotator
from project.queries.history_rows import insert_run
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import comments_in, delete_segments, insert_comments, insert_segments, insert_values
from project.schemes.scheme import NUMERIC_KINDS, Field, FieldKind, Scheme
from project.session.session import Session
from project.store.column_values import to_json
from project.timebase import utc_now
from project.version import __version__

UNSETTLED_REMARKS = ("Persistent disagreement", "Not agreed on")
"""Comments on kept segments: of those with a disagreeing review, and of those without a review."""


class SpanRule(StrEnum):
    """How the span of an adjudicated segment is computed."""

    MAJORITY = "majority"
    """Where more than half of the chosen segments are."""
    INTERSECTION = "intersection"
    """Where all of them are."""
    UNION = "union"
    """From the first start to the last end."""


class Labels(StrEnum):
    """When a label is chosen."""

    MAJORITY = "majority"
    """More than half of the annotators say it."""
    UNANIMOUS = "unanimous"
    """All of them say it."""
    MOST = "most"
    """More of them say it than anything else; one is enough where nobody objects."""


class ChoiceRule(StrEnum):
    """Which of several choices an adjudicated segment has."""

    MAJORITY = "majority"
    """Those in more than half of the chosen segments; where there are none, those in the most."""
    UNION = "union"
    """Those in any of them."""
    INTERSECTION = "intersection"
    """Those in all of them."""


class UnsettledRule(StrEnum):
    """What to do where no label is chosen."""

    LEAVE_OUT = "leave-out"
    KEEP = "keep"
    """Every different opinion is a segment of its own, with a comment that says so."""


@dataclass(frozen=True, slots=True)
class AdjudicationRule:
    """How a lane is made; all of it is written into the run."""

    spans: SpanRule = SpanRule.MAJORITY
    labels: Labels = Labels.MAJORITY
    choices: ChoiceRule = ChoiceRule.MAJORITY
    minimum_iou: float = 0.0
    unsettled: UnsettledRule = UnsettledRule.LEAVE_OUT


@dataclass(frozen=True, slots=True, order=True)
class SegmentDraft:
    """A segment to be made; drafts are in order by start.

    Attributes:
        values: (field, value as JSON), in the order of the fields' keys.
        remark: says that the annotators did not agree on it, or is empty.
    """

    start_us: int
    end_us: int
    scheme: str
    track: str
    label: str
    values: tuple[tuple[str, str], ...] = ()
    remark: str = ""


@dataclass(slots=True)
class AdjudicationCounts:
    """Counts of the groups of one recording: `disputed` ones have a disagreeing review, `undecided` ones no review."""

    groups: int = 0
    chosen: int = 0
    disputed: int = 0
    undecided: int = 0
    segments: int = 0


@dataclass(frozen=True, slots=True)
class AdjudicatedLane:
    """The lane of one recording, by start."""

    drafts: tuple[SegmentDraft, ...]
    counts: AdjudicationCounts


@dataclass(slots=True)
class _Votes:
    """The ballots of the annotators for one group; each has at most one."""

    ballots: list[Mark] = field(default_factory=list)
    against: int = 0


def adjudicate(
    marks: Sequence[Mark], annotators: Iterable[str], schemes: dict[str, Scheme], rule: AdjudicationRule
) -> AdjudicatedLane:
    """Merge the marks of the annotators of one recording into a lane.

    Args:
        marks: theirs; those of schemes that are not in `schemes` are left out.
        annotators: ids of all who worked on the recording, also of who marked nothing.
        schemes: key -> scheme in use.
        rule: how.
    """
    people = sorted(set(annotators))
    counts, drafts = AdjudicationCounts(), []
    known = [mark for mark in marks if mark.segment.scheme in schemes and mark.segment.annotator_id in people]
    for group in group_marks(known, rule.minimum_iou):
        counts.groups += 1
        votes = _votes(group, people)
        label = _choose_label(votes, len(people), rule.labels)
        if label is not None:
            counts.chosen += 1
            scheme = schemes[group[0].segment.scheme]
            drafts.append(_draft(scheme, [ballot for ballot in votes.ballots if ballot.segment.label == label], rule))
            continue
        disputed = any(mark.disagree_count for mark in group)
        counts.disputed += disputed
        counts.undecided += not disputed
        if rule.unsettled is UnsettledRule.KEEP:
            remark = UNSETTLED_REMARKS[0 if disputed else 1]
            drafts += {_copy_mark(mark, remark): None for mark in sorted(group, key=lambda mark: mark.sort_key)}
    counts.segments = len(drafts)
    return AdjudicatedLane(tuple(sorted(drafts)), counts)


def _votes(group: Sequence[Mark], people: Sequence[str]) -> _Votes:
    """Take everybody's ballot: a segment of the group that they agreed with in review, else their own, else none."""
    votes = _Votes()
    for person in people:
        own = [mark for mark in group if mark.segment.annotator_id == person]
        said = {id(mark): mark.review_by(person) for mark in group}
        agreed = [mark for mark in group if (review := said[id(mark)]) and review.decision is ReviewDecision.AGREE]
        if agreed or own:
            votes.ballots.append(min(agreed or own, key=lambda mark: (-mark.agree_count, mark.sort_key)))
        elif any(said.values()):
            votes.against += 1
    return votes


def _choose_label(votes: _Votes, people: int, rule: Labels) -> str | None:
    counted = Counter(ballot.segment.label for ballot in votes.ballots)
    best, count = min(counted.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))
    others = max([votes.against, *(number for label, number in counted.items() if label != best)])
    match rule:
        case Labels.MAJORITY:
            chosen = 2 * count > people
        case Labels.UNANIMOUS:
            chosen = count == people
        case Labels.MOST:
            chosen = count > others
    return best if chosen else None


def _draft(scheme: Scheme, ballots: Sequence[Mark], rule: AdjudicationRule) -> SegmentDraft:
    first = ballots[0].segment
    start, end = combine_spans([(ballot.segment.start_us, ballot.segment.end_us) for ballot in ballots], rule.spans)
    ordered = sorted(ballots, key=lambda mark: mark.sort_key)
    values: dict[str, Json] = {}
    for asked in scheme.fields_of(first.track):
        given = [mark.values[asked.key] for mark in ordered if mark.values.get(asked.key) not in (None, "", [])]
        value = _value(asked, given, rule) if given and asked.applies_to(first.label, first.track) else None
        if value not in (None, []):
            values[asked.key] = value
    return SegmentDraft(start, end, first.scheme, first.track, first.label, encode_values(values))


def combine_spans(spans: Sequence[tuple[int, int]], rule: SpanRule) -> tuple[int, int]:
    """Return where most, all, or any of some spans are, in microseconds; they have a moment in common.

    Of points it is the middle one, of an even number the earlier of the two in the middle.
    """
    points = sorted(start for start, end in spans if start == end)
    if len(points) == len(spans):
        return points[(len(points) - 1) // 2], points[(len(points) - 1) // 2]
    needed = {SpanRule.MAJORITY: len(spans) // 2 + 1, SpanRule.INTERSECTION: len(spans), SpanRule.UNION: 1}[rule]
    # With a moment common to all, as many spans have begun at the n-th start as are still there at the n-th last end.
    starts, ends = sorted(start for start, _ in spans), sorted((end for _, end in spans), reverse=True)
    return starts[needed - 1], ends[needed - 1]


def _value(asked: Field, given: Sequence[Json], rule: AdjudicationRule) -> Json:
    if asked.kind is FieldKind.CHOICES:
        return _choices(asked, given, rule.choices)
    if asked.kind is FieldKind.TEXT:
        return "\n\n".join(dict.fromkeys(str(given_value).strip() for given_value in given))
    if asked.kind in NUMERIC_KINDS:
        return _middle(asked, [given_value for given_value in given if isinstance(given_value, int | float)])
    counted = Counter(str(given_value) for given_value in given).most_common(2)
    tied = len(counted) > 1 and counted[0][1] == counted[1][1]
    return None if tied else counted[0][0]


def _choices(asked: Field, given: Sequence[Json], rule: ChoiceRule) -> Json:
    counted = Counter(str(choice) for given_value in given if isinstance(given_value, list) for choice in given_value)
    most = max(counted.values(), default=0)
    needed = {
        ChoiceRule.MAJORITY: min(len(given) // 2 + 1, most),
        ChoiceRule.UNION: 1,
        ChoiceRule.INTERSECTION: len(given),
    }[rule]
    return [choice.key for choice in asked.choices if counted[choice.key] >= needed]


def _middle(asked: Field, given: Sequence[int | float]) -> Json:
    """Return the median, on a step of the field; halfway goes up."""
    step = 1 if asked.kind is FieldKind.SCALE else asked.step
    middle = median(given)
    if middle in given:
        return middle
    low = Fraction(asked.minimum)
    steps = math.floor((Fraction(middle) - low) / Fraction(step) + Fraction(1, 2))
    value = min(low + steps * Fraction(step), Fraction(asked.maximum))
    return int(value) if float(step).is_integer() else float(value)


def _copy_mark(mark: Mark, remark: str) -> SegmentDraft:
    segment = mark.segment
    place = segment.start_us, segment.end_us, segment.scheme, segment.track, segment.label
    return SegmentDraft(*place, encode_values(mark.values), remark)


def encode_values(values: Mapping[str, Json]) -> tuple[tuple[str, str], ...]:
    """Return values as a draft has them."""
    return tuple(sorted((key, to_json(value)) for key, value in values.items()))


KIND = "adjudicate"
DEFAULT_LANE_NAME = "Adjudicated"


@dataclass(frozen=True, slots=True)
class AdjudicationResult:
    """What `create_adjudicated_lane` did.

    Attributes:
        recordings: what was made of each recording that two or more annotators worked on.
        skipped: the recordings that fewer worked on; they have no lane.
    """

    lane: Annotator
    recordings: tuple[tuple[Recording, AdjudicationCounts], ...]
    skipped: tuple[Recording, ...]

    @property
    def counts(self) -> AdjudicationCounts:
        total = AdjudicationCounts()
        for _, counts in self.recordings:
            for key, number in asdict(counts).items():
                setattr(total, key, getattr(total, key) + number)
        return total


def create_adjudicated_lane(
    session: Session,
    rule: AdjudicationRule,
    *,
    name: str = DEFAULT_LANE_NAME,
    recordings: Sequence[str] = (),
    annotators: Sequence[str] = (),
) -> tuple[AdjudicationResult, Changes]:
    """Make a lane of what the annotators say, in place of the one of that name, as one step; runs say how it was made.

    Segments that come out as they were are left as they are, with their comments. A run is stored for each recording,
    also where nothing changed. Undo brings the lane before back, and leaves the run.

    Args:
        session: whose annotator makes it.
        rule: how.
        name: of the lane.
        recordings: ids; all when it is empty.
        annotators: names of those whose lanes count; all people when it is empty.
    """
    session.study.require_writable()
    if not 0 <= rule.minimum_iou <= 1:
        raise UserError("The minimum IoU must be a share.", "Give a number from 0 to 1.")
    chosen = _validate_annotators(session, annotators)
    wanted = [recording for recording in all_recordings(session.study) if not recordings or recording.id in recordings]
    schemes = {scheme.key: scheme for scheme in session.schemes}
    made: list[tuple[Recording, tuple[Annotator, ...], AdjudicatedLane]] = []
    skipped: list[Recording] = []
    for recording in wanted:
        people = tuple(
            annotator
            for annotator in list_annotators_of(session, recording.id)
            if not chosen or annotator.name in chosen
        )
        if len(people) < 2:
            skipped.append(recording)
            continue
        ids = [person.id for person in people]
        made.append((recording, people, adjudicate(read_marks(session, recording.id, ids), ids, schemes, rule)))
    if not made:
        raise UserError(
            "No recording has segments of two annotators yet.",
            "Merge the annotators' work first: greenroom study merge",
        )
    lane = get_or_create_lane(session, name)
    with session.study.atomic():
        with session.step(f"Adjudicate as {lane.name}") as step:
            for recording, _, result in made:
                _replace(session, recording.id, lane, result.drafts, schemes)
            for recording in skipped:
                _replace(session, recording.id, lane, (), schemes)
        with session.study.run_transaction():
            for recording, people, result in made:
                insert_run(session.study, _run(recording, people, lane, rule, result.counts))
    counted = tuple((recording, result.counts) for recording, _, result in made)
    return AdjudicationResult(lane, counted, tuple(skipped)), step.changes


def get_or_create_lane(session: Session, name: str) -> Annotator:
    """Return the adjudicated annotator of a name, who is introduced where there is none."""
    name = name.strip()
    if not name:
        raise UserError("The lane needs a name.", "Type a name, such as Adjudicated.")
    found = annotator_by_name(session.study, name)
    if found is not None and found.kind != "adjudicated":
        raise UserError(f"An annotator of this study has the name “{name}”.", "Choose another name for the lane.")
    if name == session.annotator_name and found is None:
        raise UserError(f"You work under the name “{name}”.", "Choose another name for the lane.")
    if found is None:
        found = Annotator(new_id(), name, "adjudicated")
        with session.study.step(f"Introduce {name}", undoable=False):
            insert_annotator(session.study, found)
    return found


def _validate_annotators(session: Session, names: Sequence[str]) -> set[str]:
    for name in names:
        found = annotator_by_name(session.study, name)
        if found is None or found.kind != "person":
            raise UserError(
                f"There is no annotator “{name}” in this study.", "Choose annotators whose lanes should count."
            )
    if len(set(names)) == 1:
        raise UserError("A single annotator cannot be adjudicated.", "Choose two or more annotators, or none for all.")
    return set(names)


def _replace(
    session: Session, recording_id: str, lane: Annotator, drafts: Sequence[SegmentDraft], schemes: dict[str, Scheme]
) -> None:
    """Replace the lane by these drafts; equal segments stay. Tracks of schemes not in use are left alone."""
    before: dict[SegmentDraft, list[Segment]] = {}
    comments = comments_in(session.study, recording_id)
    for mark in read_marks(session, recording_id, [lane.id]):
        segment = mark.segment
        if segment.scheme in schemes:
            remark = next((c.text for c in comments.get(segment.id, ()) if c.text in UNSETTLED_REMARKS), "")
            before.setdefault(_copy_mark(mark, remark), []).append(segment)
    wanted = Counter(drafts)
    fresh: list[tuple[Segment, SegmentDraft]] = []
    for draft, number in wanted.items():
        kept = before.get(draft, [])
        for _ in range(min(number, len(kept))):
            kept.pop()
            number -= 1
        for _ in range(number):
            place = recording_id, lane.id, draft.label, draft.start_us, draft.end_us
            fresh.append((Segment(new_id(), *place, draft.scheme, draft.track), draft))
    for old in (segment for left in before.values() for segment in left):
        delete_segments(session.study, old.id)
    for key in {draft.scheme for _, draft in fresh}:
        session.schemes.store_text(schemes[key])
    insert_segments(session.study, [segment for segment, _ in fresh])
    insert_values(
        session.study,
        [
            FieldValue(segment.id, draft.scheme, schemes[draft.scheme].version, key, json.loads(text))
            for segment, draft in fresh
            for key, text in draft.values
        ],
    )
    now = utc_now()
    remarks = [Comment(new_id(), segment.id, lane.id, draft.remark, now) for segment, draft in fresh if draft.remark]
    insert_comments(session.study, remarks)


def _run(
    recording: Recording,
    people: Sequence[Annotator],
    lane: Annotator,
    rule: AdjudicationRule,
    counts: AdjudicationCounts,
) -> Run:
    parameters: dict[str, Json] = {
        "lane": lane.name,
        "annotators": [*sorted(person.name for person in people)],
        **dump(rule),
    }
    return Run(new_id(), recording.id, KIND, "vote", parameters, asdict(counts), utc_now(), __version__)
