"""Which attributes, given the label."""

import random
from collections.abc import Mapping, Sequence
from typing import ClassVar

from benchmark.items.base import Candidate, Drawn, Pool, Rule
from benchmark.items.drawing import balanced
from benchmark.items.reasons import NO_ATTRIBUTES
from benchmark.metrics.chance import (
    exact_match_by_chance,
    macro_f1_multilabel_by_chance,
    partial_match_by_chance,
)
from benchmark.metrics.multilabel import exact_match, macro_f1_multilabel, partial_match
from benchmark.metrics.names import EXACT_MATCH, MACRO_F1, PARTIAL_MATCH
from benchmark.suite.base import Metric, Round, Said
from benchmark.suite.said import LABELS, given_values, labels_of, metrics, set_answers, set_truths
from benchmark.suite.segments import (
    COMPETENCE,
    ERROR,
    as_item,
    by_label,
    fitting,
    frozen,
    label_of,
    scheme_of,
    shares_of,
    traits_of,
    values_of,
)
from benchmark.tasks.form import NONE
from benchmark.tasks.labels import attributes_of
from benchmark.tasks.registry import task_of
from project.errors import UserError
from project.schemes.scheme import Field
from project.types import Json

SHARES = {ERROR: 0.66, COMPETENCE: 0.34}
"""SHREC, appendix A.2."""


def attributes_in(pool: Pool, one: Candidate) -> frozenset[str]:
    """Return the attributes of a candidate."""
    value = values_of(one).get(field_of(pool).key)
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset()


def field_of(pool: Pool) -> Field:
    """Return the field that says what a segment is about.

    Raises:
        UserError: the scheme has none.
    """
    found = attributes_of(as_item(pool, Candidate("", "", "", 0, 1, "")))
    if found is None:
        raise UserError(
            f"{scheme_of(pool).name} has no field in which several are chosen.", "Choose another task or scheme."
        )
    return found


class AttributeSamples:
    """Three draws of about 70 segments: 66 % error, 34 % competence (SHREC, appendix A.2).

    In other schemes every label has the same share. Agreed are those whose annotators chose the same attributes
    (appendix C).
    """

    key: ClassVar[str]
    paper: ClassVar[str] = "SHREC"
    section: ClassVar[str] = "3.2 and appendices A.2 and C"
    source: ClassVar[str] = "segments"
    draws: ClassVar[int] = 3
    size: ClassVar[int] = 70
    shares: ClassVar[Mapping[str, float]] = SHARES

    def sample(self, pool: Pool, rule: Rule, chance: random.Random) -> Drawn:
        """Return one balanced draw.

        Raises:
            UserError: the scheme has no attributes, a label is missing, or a share is given to what is no label.
        """
        field = field_of(pool)
        task = task_of(self.key)
        shares = shares_of(pool, rule.more.get("shares"), self.shares)
        shares = {key: weight for key, weight in shares.items() if key != NONE and field.applies_to(key)}
        labelled = [one for one in pool.candidates if shares.get(label_of(one), 0) > 0]
        fit, left_out = fitting(pool, labelled, task, NO_ATTRIBUTES)
        drawn = balanced(pool, by_label(fit), shares, rule, chance)
        items = tuple(frozen(pool, one, task, label_of(one), self._traits(pool, one)) for one in drawn.items)
        return Drawn(items, {**left_out, **drawn.left_out})

    def _traits(self, pool: Pool, one: Candidate) -> Mapping[str, Json]:
        traits = traits_of(one)
        agreed = bool(traits.get("agreed")) and bool(traits.get("same_attributes"))
        return {"agreed": agreed, LABELS: self._labels(pool)}

    def _labels(self, pool: Pool) -> list[Json]:
        return [one.key for one in field_of(pool).choices]


class AttributesEntry(AttributeSamples):
    """Which attributes a segment is about, given its label."""

    key: ClassVar[str] = "attributes"
    name: ClassVar[str] = "Attributes"
    description: ClassVar[str] = "Which attributes is the segment about, given its label?"
    rounds: ClassVar[tuple[Round, ...]] = (Round("attributes"),)
    answer: ClassVar[str] = "any of the attributes"
    metrics: ClassVar[tuple[Metric, ...]] = metrics(EXACT_MATCH, MACRO_F1, PARTIAL_MATCH)

    def score(self, said: Sequence[Said]) -> Mapping[str, float | None]:
        """Return exact match, macro-F1 and partial match; None where one is undefined."""
        field = _field_in(said)
        truth, given = set_truths(said, self.key, field), set_answers(said, self.key, field)
        return {
            EXACT_MATCH: exact_match(truth, given),
            MACRO_F1: macro_f1_multilabel(truth, given, labels_of(said)),
            PARTIAL_MATCH: partial_match(truth, given),
        }

    def chance(self, said: Sequence[Said]) -> Mapping[str, float]:
        """Return what the toss of a coin for each attribute comes to."""
        truth, labels = set_truths(said, self.key, _field_in(said)), labels_of(said)
        exact, partial = exact_match_by_chance(len(said), len(labels)), partial_match_by_chance(truth)
        return given_values(
            {
                EXACT_MATCH: exact.value if exact else None,
                MACRO_F1: macro_f1_multilabel_by_chance(truth, labels),
                PARTIAL_MATCH: partial.value if partial else None,
            }
        )


def _field_in(said: Sequence[Said]) -> str:
    """Return the key of the field that is asked for; "" without items."""
    return next((key for one in said for key in one.truth["attributes"]), "")
