"""What became of one item: whether it counts, and whether it was answered right."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from benchmark.results.base import Counts
from benchmark.suite.base import Said
from project.judging import JudgmentStatus
from project.types import Json


class Became(StrEnum):
    """What became of an item."""

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    ERROR = "errors"
    MISSING = "missing"


COUNTED = (Became.ANSWERED, Became.UNPARSED, Became.REFUSED)
"""An answer that was refused or cannot be read is wrong, not absent (SHREC, section 3)."""


def became(said: Said, expected: Collection[str], *, failed: bool = False) -> Became:
    """Return what became of an item.

    Args:
        said: about it.
        expected: everything that is asked about it, `TASK` or `TASK/PART`.
        failed: whether asking about it failed.
    """
    statuses = [said.statuses.get(key) for key in expected]
    if JudgmentStatus.REFUSED in statuses:
        return Became.REFUSED
    if JudgmentStatus.UNPARSED in statuses:
        return Became.UNPARSED
    if all(one is JudgmentStatus.OK for one in statuses):
        return Became.ANSWERED
    return Became.ERROR if failed or JudgmentStatus.ERROR in statuses else Became.MISSING


def counts_of(found: Iterable[Became]) -> Counts:
    """Count what became of items."""
    every = [*found]
    return Counts(len(every), *(every.count(one) for one in Became))


def is_right(said: Said, expected: Collection[str]) -> bool | None:
    """Tell whether an item was answered right in everything; None where answers are numbers, or none is right.

    A list is right where it holds the same, in whatever order.
    """
    asked = {key: truth for key, truth in said.truth.items() if key in expected and truth}
    values = [value for truth in asked.values() for value in truth.values()]
    if not values or any(_a_number(value) for value in values):
        return None
    return all(_holds(said.answers.get(key, {}), truth) for key, truth in asked.items())


def _holds(answer: Mapping[str, Json], truth: Mapping[str, Json]) -> bool:
    return all(key in answer and _same(value, answer[key]) for key, value in truth.items())


def _same(true: Json, said: Json) -> bool:
    if isinstance(true, list) and isinstance(said, list):
        return {str(one) for one in true} == {str(one) for one in said}
    return true == said


def _a_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
