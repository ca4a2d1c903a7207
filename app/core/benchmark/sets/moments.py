"""What several people say of one moment: whether they agree, and whose segment stands for it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.core.agreement.lanes import Mark
from project.types import Decision


class Standing(StrEnum):
    """How far people agree on the label of a moment."""

    AGREED = "agreed"
    """Two or more marked it, and everybody stands for one label."""
    REVIEWED = "reviewed"
    """One person marked it, and others agree with it."""
    UNREVIEWED = "unreviewed"
    """One person marked it, and nobody reviewed it."""
    DISAGREED = "disagreed"


@dataclass(frozen=True, slots=True)
class Moment:
    """Segments that stand for each other.

    Attributes:
        mark: the segment that stands for all of them: of the chosen label, the one that most others agree with.
        standing: how far people agree.
        marks: all of them.
    """

    mark: Mark
    standing: Standing
    marks: tuple[Mark, ...]

    def same(self, field: str) -> bool:
        """Tell whether everybody who marked the chosen label filled a field in the same way."""
        label = self.mark.segment.label
        return all(
            one.values.get(field) == self.mark.values.get(field) for one in self.marks if one.segment.label == label
        )


def moment_of(group: Sequence[Mark]) -> Moment:
    """Return what people say of one moment.

    Everybody stands for the label that they agreed with in review, else for the one that they marked; who only
    disagreed in review stands against it (SHREC, appendix H).

    Args:
        group: segments that stand for each other, at most one of each person (`app.core.grouping`).
    """
    owners = {one.segment.annotator_id for one in group}
    reviewers = {review.reviewer_id for one in group for review in one.reviews}
    labels: Counter[str] = Counter()
    against = False
    for person in sorted(owners | reviewers):
        chosen = [one for one in group if _agrees(one, person)]
        chosen = chosen or [one for one in group if one.segment.annotator_id == person]
        if chosen:
            labels[_first(chosen).segment.label] += 1
        else:
            against = True
    most = max(labels.values())
    mark = _first([one for one in group if labels[one.segment.label] == most])
    if against or len(labels) > 1:
        return Moment(mark, Standing.DISAGREED, tuple(group))
    if len(owners) > 1:
        return Moment(mark, Standing.AGREED, tuple(group))
    return Moment(mark, Standing.REVIEWED if reviewers else Standing.UNREVIEWED, tuple(group))


def _agrees(one: Mark, person: str) -> bool:
    review = one.review_by(person)
    return review is not None and review.decision is Decision.AGREE


def _first(marks: Sequence[Mark]) -> Mark:
    return min(marks, key=lambda one: (-one.agreed, one.order, one.segment.id))
