"""One lane made of what several annotators say, by a rule that is written down with it (see docs/review.md).

Everything here is a reading of marks: nothing depends on who is named first, and equal lanes give the same lane again.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from statistics import median

from app.core.agreement.lanes import Mark
from app.core.grouping import grouped
from project.json_text import to_json
from project.schemes.scheme import NUMBERS, Field, FieldKind, Scheme
from project.types import Decision, Json

REMARKS = ("Persistent disagreement", "Not agreed on")
"""What is said about kept segments that somebody disagreed with in review, and about those that nobody reviewed."""


class Spans(StrEnum):
    """From where to where an adjudicated segment lasts."""

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


class Choices(StrEnum):
    """Which of several choices an adjudicated segment has."""

    MAJORITY = "majority"
    """Those in more than half of the chosen segments; where there are none, those in the most."""
    UNION = "union"
    """Those in any of them."""
    INTERSECTION = "intersection"
    """Those in all of them."""


class Unsettled(StrEnum):
    """What becomes of a moment on which no label is chosen."""

    LEAVE_OUT = "leave-out"
    KEEP = "keep"
    """Every different opinion is a segment of its own, with a comment that says so."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a lane is made; all of it is written into the run."""

    spans: Spans = Spans.MAJORITY
    labels: Labels = Labels.MAJORITY
    choices: Choices = Choices.MAJORITY
    minimum_iou: float = 0.0
    unsettled: Unsettled = Unsettled.LEAVE_OUT


@dataclass(frozen=True, slots=True)
class Draft:
    """A segment to be made.

    Attributes:
        values: (field, value as JSON), in the order of the fields' keys.
        remark: says that the annotators did not agree on it, or is empty.
    """

    scheme: str
    track: str
    label: str
    start_us: int
    end_us: int
    values: tuple[tuple[str, str], ...] = ()
    remark: str = ""


@dataclass(slots=True)
class Counts:
    """What came of the groups of one recording: `disputed` ones have a review that disagrees, `undecided` ones none."""

    groups: int = 0
    chosen: int = 0
    disputed: int = 0
    undecided: int = 0
    segments: int = 0


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """The lane of one recording, by start."""

    drafts: tuple[Draft, ...]
    counts: Counts


@dataclass(slots=True)
class _Votes:
    """What the annotators say about one group: each has one ballot at most."""

    ballots: list[Mark] = field(default_factory=list)
    against: int = 0


def adjudicate(marks: Sequence[Mark], annotators: Iterable[str], schemes: dict[str, Scheme], rule: Rule) -> Adjudicated:
    """Make a lane of what annotators marked in one recording.

    Args:
        marks: theirs; those of schemes that are not in `schemes` are left out.
        annotators: ids of all who worked on the recording, also of who marked nothing.
        schemes: key -> scheme in use.
        rule: how.
    """
    people = sorted(set(annotators))
    counts, drafts = Counts(), []
    known = [one for one in marks if one.segment.scheme in schemes and one.segment.annotator_id in people]
    for group in grouped(known, rule.minimum_iou):
        counts.groups += 1
        votes = _votes(group, people)
        label = _chosen_label(votes, len(people), rule.labels)
        if label is not None:
            counts.chosen += 1
            scheme = schemes[group[0].segment.scheme]
            drafts.append(_draft(scheme, [one for one in votes.ballots if one.segment.label == label], rule))
            continue
        disputed = any(one.disagreed for one in group)
        counts.disputed += disputed
        counts.undecided += not disputed
        if rule.unsettled is Unsettled.KEEP:
            remark = REMARKS[0 if disputed else 1]
            drafts += {_kept(one, remark): None for one in sorted(group, key=lambda one: one.order)}
    counts.segments = len(drafts)
    return Adjudicated(tuple(sorted(drafts, key=_order)), counts)


def _votes(group: Sequence[Mark], people: Sequence[str]) -> _Votes:
    """Take everybody's ballot: a segment of the group that they agreed with in review, else their own, else none."""
    votes = _Votes()
    for person in people:
        own = [one for one in group if one.segment.annotator_id == person]
        said = {id(one): one.review_by(person) for one in group}
        agreed = [one for one in group if (review := said[id(one)]) and review.decision is Decision.AGREE]
        if agreed or own:
            votes.ballots.append(min(agreed or own, key=lambda one: (-one.agreed, one.order)))
        elif any(said.values()):
            votes.against += 1
    return votes


def _chosen_label(votes: _Votes, people: int, rule: Labels) -> str | None:
    counted = Counter(one.segment.label for one in votes.ballots)
    best, count = min(counted.items(), key=lambda one: (-one[1], one[0]), default=("", 0))
    others = max([votes.against, *(number for label, number in counted.items() if label != best)])
    match rule:
        case Labels.MAJORITY:
            chosen = 2 * count > people
        case Labels.UNANIMOUS:
            chosen = count == people
        case Labels.MOST:
            chosen = count > others
    return best if chosen else None


def _draft(scheme: Scheme, ballots: Sequence[Mark], rule: Rule) -> Draft:
    first = ballots[0].segment
    start, end = span_of([(one.segment.start_us, one.segment.end_us) for one in ballots], rule.spans)
    ordered = sorted(ballots, key=lambda one: one.order)
    values: dict[str, Json] = {}
    for asked in scheme.fields_of(first.track):
        given = [one.values[asked.key] for one in ordered if one.values.get(asked.key) not in (None, "", [])]
        value = _value(asked, given, rule) if given and asked.applies_to(first.label, first.track) else None
        if value not in (None, []):
            values[asked.key] = value
    return Draft(first.scheme, first.track, first.label, start, end, as_text(values))


def span_of(spans: Sequence[tuple[int, int]], rule: Spans) -> tuple[int, int]:
    """Return where most, all, or any of some spans are, in microseconds; they have a moment in common."""
    needed = {Spans.MAJORITY: len(spans) // 2 + 1, Spans.INTERSECTION: len(spans), Spans.UNION: 1}[rule]
    # With a moment common to all, as many spans have begun at the n-th start as are still there at the n-th last end.
    starts, ends = sorted(start for start, _ in spans), sorted((end for _, end in spans), reverse=True)
    return starts[needed - 1], ends[needed - 1]


def _value(asked: Field, given: Sequence[Json], rule: Rule) -> Json:
    if asked.kind is FieldKind.CHOICES:
        return _choices(asked, given, rule.choices)
    if asked.kind is FieldKind.TEXT:
        return "\n\n".join(dict.fromkeys(str(one).strip() for one in given))
    if asked.kind in NUMBERS:
        return _middle(asked, [one for one in given if isinstance(one, int | float)])
    counted = Counter(str(one) for one in given).most_common(2)
    tied = len(counted) > 1 and counted[0][1] == counted[1][1]
    return None if tied else counted[0][0]


def _choices(asked: Field, given: Sequence[Json], rule: Choices) -> Json:
    counted = Counter(str(choice) for one in given if isinstance(one, list) for choice in one)
    most = max(counted.values(), default=0)
    needed = {
        Choices.MAJORITY: min(len(given) // 2 + 1, most),
        Choices.UNION: 1,
        Choices.INTERSECTION: len(given),
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


def _kept(mark: Mark, remark: str) -> Draft:
    one = mark.segment
    return Draft(one.scheme, one.track, one.label, one.start_us, one.end_us, as_text(mark.values), remark)


def as_text(values: Mapping[str, Json]) -> tuple[tuple[str, str], ...]:
    """Return values as a draft has them."""
    return tuple(sorted((key, to_json(value)) for key, value in values.items()))


def _order(one: Draft) -> tuple[int, int, str, str, str, tuple[tuple[str, str], ...]]:
    return one.start_us, one.end_us, one.scheme, one.track, one.label, one.values
