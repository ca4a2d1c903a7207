"""Competence, error or none."""

import random
from collections.abc import Mapping
from typing import ClassVar

from benchmark.items.base import Candidate, Drawn, Pool, Rule
from benchmark.items.drawing import balanced
from benchmark.suite.base import Round
from benchmark.suite.one_label import OneLabel
from benchmark.suite.said import LABELS
from benchmark.suite.segments import COMPETENCE, ERROR, all_labels, by_label, frozen, label_of, shares_of
from benchmark.tasks.form import LABEL, NONE
from benchmark.tasks.registry import task_of
from project.types import Json

SHARES = {COMPETENCE: 0.295, ERROR: 0.5, NONE: 0.205}
"""SHREC, appendix A.1."""


class VerdictEntry(OneLabel):
    """Three draws of about 200 segments: 29.5 % competence, 50 % error, 20.5 % none (SHREC, 3.1 and appendix A.1).

    In other schemes every label has the same share.
    """

    key: ClassVar[str] = "verdict"
    name: ClassVar[str] = "Verdict"
    description: ClassVar[str] = "Does the segment show competence, an error, or none?"
    paper: ClassVar[str] = "SHREC"
    section: ClassVar[str] = "3.1 and appendix A.1"
    source: ClassVar[str] = "segments"
    rounds: ClassVar[tuple[Round, ...]] = (Round("verdict"),)
    draws: ClassVar[int] = 3
    size: ClassVar[int] = 200
    answer: ClassVar[str] = "one of the labels"
    task: ClassVar[str] = "verdict"
    field: ClassVar[str] = LABEL
    shares: ClassVar[Mapping[str, float]] = SHARES

    def sample(self, pool: Pool, rule: Rule, chance: random.Random) -> Drawn:
        """Return one balanced draw.

        Raises:
            UserError: a label is missing, or a share is given to what is no label.
        """
        shares = shares_of(pool, rule.more.get("shares"), self.shares)
        drawn = balanced(pool, by_label(pool.candidates), shares, rule, chance, NONE)
        return Drawn(tuple(self._frozen(pool, one) for one in drawn.items), drawn.left_out)

    def _frozen(self, pool: Pool, one: Candidate) -> Candidate:
        task = task_of(self.task)
        label = label_of(one) or NONE
        return frozen(pool, one, task, label, self._traits(pool))

    def _traits(self, pool: Pool) -> Mapping[str, Json]:
        return {LABELS: [*all_labels(pool)]}
