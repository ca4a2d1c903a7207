"""What annotators of an invented study say about each other's segments.

Only what does not overlap or differs is reviewed (SHREC, appendix H). Where the verdicts differ, nobody gives in: these
are the paper's 8.7 % of persistent disagreement.
"""

import random
from collections.abc import Iterator, Sequence

from project.store import Cell, Study
from project.synthetic import Marked, Moment

_INSERT = "INSERT INTO review VALUES (?, ?, ?, '', ?)"
_APPROVED = 0.9
"""How many of the segments that only one annotator made another agrees with."""
AT = "2025-01-02T09:00:00.000Z"
"""When everything was said in an invented study."""


class Reviews:
    """Writes the reviews of one recording after the other."""

    def __init__(self, study: Study, annotators: Sequence[str], seed: int) -> None:
        self._study = study
        self._annotators = annotators
        self._chance = random.Random(f"{seed} reviews")
        self.written = 0
        """How many reviews there are."""

    def tell(self, moments: Sequence[Moment]) -> None:
        """Write the reviews of a recording's segments."""
        rows = [row for moment in moments for row in self._of(moment)]
        self._study.write_many(_INSERT, rows)
        self.written += len(rows)

    def _of(self, moment: Moment) -> Iterator[tuple[Cell, ...]]:
        marks = moment.marks
        if len(marks) == 1:
            others = [one for one in self._annotators if one != marks[0].annotator_id]
            if others:
                agrees = self._chance.random() < _APPROVED
                yield _row(marks[0], self._chance.choice(others), agrees=agrees)
            return
        for one in marks:
            for other in marks:
                if one is not other and one.said != other.said:
                    yield _row(one, other.annotator_id, agrees=one.verdict == other.verdict)


def _row(one: Marked, reviewer_id: str, *, agrees: bool) -> tuple[Cell, ...]:
    return one.id, reviewer_id, "agree" if agrees else "disagree", AT
