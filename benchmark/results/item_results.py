"""What comes of one judge, or person, over one set of items: figures, breakdowns, and what each item came to.

What became of one item: whether it counts, and whether it was answered right.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from benchmark.tasks.benchmark_task import ItemResponse
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric, over all items or over some of them.

    Attributes:
        metric: key, in the words of `benchmark.metrics.published_figures`.
        name: of it, for tables.
        share: whether it lies between 0 and 1 and is shown in percent.
        mean: over the draws; None where it is undefined in each.
        sd: standard deviation over the draws; None with fewer than two.
        low: lower end of the 95 % interval over recordings; None with fewer than two, or where none was wished.
        high: upper end of it.
        n: items that it is about, in all draws: those that were answered, refused or could not be read.
        draws: value of each draw, in order; None where it is undefined.
        chance: what blind guessing is expected to reach over the same items; None where nobody knows.
    """

    metric: str
    name: str
    share: bool
    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    n: int
    draws: tuple[float | None, ...] = ()
    chance: float | None = None

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {
            "metric": self.metric,
            "name": self.name,
            "mean": self.mean,
            "sd": self.sd,
            "interval": None if self.low is None or self.high is None else [self.low, self.high],
            "n": self.n,
            "draws": [*self.draws],
            "chance": self.chance,
        }


@dataclass(frozen=True, slots=True)
class ResponseCounts:
    """What became of the items of a set; an item that is asked several things counts by the worst of them.

    Attributes:
        items: of the set.
        answered: with an answer to everything.
        unparsed: with an answer that could not be read; counts as wrong.
        refused: counts as wrong.
        errors: that were asked, and failed; they are asked again and count nowhere.
        missing: that were not asked, or not everything; they count nowhere.
    """

    items: int = 0
    answered: int = 0
    unparsed: int = 0
    refused: int = 0
    errors: int = 0
    missing: int = 0

    @property
    def counted(self) -> int:
        """Items that count in the figures."""
        return self.answered + self.unparsed + self.refused

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {
            "items": self.items,
            "answered": self.answered,
            "unparsed": self.unparsed,
            "refused": self.refused,
            "errors": self.errors,
            "missing": self.missing,
        }


@dataclass(frozen=True, slots=True)
class Spent:
    """What answers took.

    Attributes:
        money: by currency; {} where the judge has no prices.
        ms: that answering took, all answers together; of people, the time that they took.
        cached: answers that were there already, because the same had been asked before.
    """

    money: Mapping[str, float] = field(default_factory=dict)
    tokens_in: int = 0
    tokens_out: int = 0
    ms: int = 0
    cached: int = 0

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {
            "money": dict(self.money),
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "ms": self.ms,
            "cached": self.cached,
        }


@dataclass(frozen=True, slots=True)
class SubgroupResult:
    """The figures of the items that share a trait.

    Attributes:
        value: that they share, as text: an attribute, `agreed` or `disagreed`, a collection.
        items: how many there are, in all draws.
        rows: the same metrics as of all items, without interval.
    """

    value: str
    items: int
    rows: tuple[MetricRow, ...]

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {"value": self.value, "items": self.items, "figures": [row.as_json() for row in self.rows]}


@dataclass(frozen=True, slots=True)
class Breakdown:
    """All parts by one trait. An item with several values, such as two attributes, is in several parts.

    Attributes:
        trait: key in `Said.traits`: `attributes`, `channel`, `agreed`, `collection`, `kind`, `steps`, ...
    """

    trait: str
    parts: tuple[SubgroupResult, ...]

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {"trait": self.trait, "parts": [part.as_json() for part in self.parts]}


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often what is true was answered as what, all draws together.

    Attributes:
        key: of the question, `TASK` or `TASK/PART`.
        labels: k of them.
        counts: k rows, what is true; k + 1 columns, what was said, the last for what was refused or unreadable.
    """

    key: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        return {"key": self.key, "labels": [*self.labels], "counts": [[*row] for row in self.counts]}


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What one item came to.

    Attributes:
        right: None where the item is neither right nor wrong, such as a rating, or does not count.
        is_counted: in the figures; False where it was not asked, not wholly, or asking failed.
    """

    response: ItemResponse
    right: bool | None
    is_counted: bool


class Became(StrEnum):
    """What became of an item."""

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    ERROR = "errors"
    MISSING = "missing"


COUNTED_OUTCOMES = (Became.ANSWERED, Became.UNPARSED, Became.REFUSED)
"""An answer that was refused or cannot be read is wrong, not absent (SHREC, section 3)."""


def classify_outcome(said: ItemResponse, expected: Collection[str], *, failed: bool = False) -> Became:
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
    if all(statuse is JudgmentStatus.OK for statuse in statuses):
        return Became.ANSWERED
    return Became.ERROR if failed or JudgmentStatus.ERROR in statuses else Became.MISSING


def count_outcomes(found: Iterable[Became]) -> ResponseCounts:
    """Count what became of items."""
    every = [*found]
    return ResponseCounts(len(every), *(every.count(became) for became in Became))


def is_right(said: ItemResponse, expected: Collection[str]) -> bool | None:
    """Tell whether an item was answered right in everything; None where answers are numbers, or none is right.

    A list is right where it holds the same, in whatever order.
    """
    asked = {key: truth for key, truth in said.truth.items() if key in expected and truth}
    values = [value for truth in asked.values() for value in truth.values()]
    if not values or any(_is_number(value) for value in values):
        return None
    return all(_matches_truth(said.answers.get(key, {}), truth) for key, truth in asked.items())


def _matches_truth(answer: Mapping[str, Json], truth: Mapping[str, Json]) -> bool:
    return all(key in answer and _same_value(value, answer[key]) for key, value in truth.items())


def _same_value(true: Json, said: Json) -> bool:
    if isinstance(true, list) and isinstance(said, list):
        return {str(one) for one in true} == {str(one) for one in said}
    return true == said


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
