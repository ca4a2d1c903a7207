"""What several annotators marked in one recording, ready to be set side by side."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from app.core.session import Session
from project.json_text import to_json
from project.queries.annotators import all_annotators
from project.queries.comparison import completed, in_training
from project.queries.reviews import reviews_in
from project.queries.segments import segments_of, values_in
from project.schemes.scheme import FieldKind
from project.types import Annotator, Decision, Json, Review, Segment

Order: TypeAlias = tuple[int, int, str, str, int, int]


@dataclass(frozen=True)
class Mark:
    """A segment with everything that was said about it.

    Attributes:
        values: of the form's fields that the newest version of its scheme has a place for.
        reviews: by other people.
        about: the participants that it is about, where the form asks whom.
    """

    segment: Segment
    values: Mapping[str, Json]
    reviews: tuple[Review, ...] = ()
    about: tuple[str, ...] = ()

    @property
    def lane(self) -> tuple[str, str, tuple[str, ...]]:
        """What it can be compared within: scheme, track and whom it is about."""
        return self.segment.scheme, self.segment.track, self.about

    @cached_property
    def agreed(self) -> int:
        """How many others agree with it."""
        return sum(one.decision is Decision.AGREE for one in self.reviews)

    @property
    def disagreed(self) -> int:
        """How many others disagree with it."""
        return len(self.reviews) - self.agreed

    @cached_property
    def said(self) -> str:
        """The values as one text, the same for the same values."""
        return to_json(dict(sorted(self.values.items())))

    @cached_property
    def order(self) -> Order:
        """Sorts marks by time and content, whoever made them."""
        one = self.segment
        return one.start_us, one.end_us, one.label, self.said, self.agreed, self.disagreed

    def review_by(self, reviewer_id: str) -> Review | None:
        """Return what somebody said about it, or None."""
        return next((one for one in self.reviews if one.reviewer_id == reviewer_id), None)


def read_marks(session: Session, recording_id: str, annotators: Collection[str]) -> list[Mark]:
    """Return what these annotators (ids) marked in a recording, by start."""
    values = values_in(session.study, recording_id)
    reviews = reviews_in(session.study, recording_id)
    found = []
    for segment in segments_of(session.study, recording_id):
        if segment.annotator_id not in annotators:
            continue
        scheme = session.schemes.known(segment.scheme)
        given = {key: one.value for key, one in values.get(segment.id, {}).items()}
        about: tuple[str, ...] = ()
        if scheme is not None:
            given = scheme.placed(segment.track, given)
            about = tuple(
                str(given.get(field.key, ""))
                for field in scheme.fields_of(segment.track)
                if field.kind is FieldKind.PARTICIPANT
            )
        others = (one for one in reviews.get(segment.id, ()) if one.reviewer_id != segment.annotator_id)
        found.append(Mark(segment, given, tuple(others), about))
    return found


def people_of(session: Session, recording_id: str) -> list[Annotator]:
    """Return the people who worked on a recording, not in training: those who marked something, or were done with it.

    Those with the most segments come first.
    """
    counts: dict[str, int] = {}
    for segment in segments_of(session.study, recording_id):
        counts[segment.annotator_id] = counts.get(segment.annotator_id, 0) + 1
    for recording, annotator in completed(session.study):
        if recording == recording_id:
            counts.setdefault(annotator, 0)
    training = in_training(session.study)
    found = [
        one
        for one in all_annotators(session.study)
        if one.kind == "person" and one.id in counts and (recording_id, one.id) not in training
    ]
    return sorted(found, key=lambda one: (-counts[one.id], one.name))
