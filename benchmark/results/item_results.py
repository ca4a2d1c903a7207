"""Results of one run over a set of items: figures, breakdowns, confusions, costs, and the outcome of each item."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from benchmark.metrics.ratings import as_number
from benchmark.tasks.benchmark_task import ItemResponse
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric, over all items or over some of them.

    Attributes:
        metric: key, as in `benchmark.metrics.published_figures`.
        share: its value is a share from 0 to 1, shown in percent.
        mean: over the draws; None if undefined in all.
        sd: standard deviation over the draws; None with fewer than two.
        low: lower end of the 95 % interval over recordings; None with fewer than two, or if not requested.
        n: number of items in all draws that were answered, refused or unreadable.
        draws: value of each draw, in order; None if undefined.
        chance: expected value of guessing on the same items; None if unknown.
        constant: value of giving the most frequent right answer to all items; None where answers are no labels.
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
    constant: float | None = None


@dataclass(frozen=True, slots=True)
class ResponseCounts:
    """Counts of the outcomes of items; an item with several questions counts by the worst answer.

    Attributes:
        answered: with an answer to everything.
        unparsed: with an answer that could not be read; counts as wrong.
        refused: counts as wrong.
        errors: asking failed; they are asked again and do not count.
        missing: not asked, or not completely; they do not count.
    """

    items: int = 0
    answered: int = 0
    unparsed: int = 0
    refused: int = 0
    errors: int = 0
    missing: int = 0

    @property
    def counted(self) -> int:
        return self.answered + self.unparsed + self.refused


@dataclass(frozen=True, slots=True)
class AnswerCosts:
    """The cost of answers.

    Attributes:
        money: by currency; {} if the judge has no prices.
        cached: answers that were copied from equal requests.
    """

    money: Mapping[str, float] = field(default_factory=dict)
    tokens_in: int = 0
    tokens_out: int = 0
    ms: int = 0
    cached: int = 0


@dataclass(frozen=True, slots=True)
class SubgroupResult:
    """The figures of the items that share a trait.

    Attributes:
        value: the common value, as text: an attribute, `agreed` or `disagreed`, a collection.
        items: number of items in all draws.
        figures: without intervals.
    """

    value: str
    items: int
    figures: tuple[MetricRow, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """All parts by one trait. An item with several values, such as two attributes, is in several parts.

    Attributes:
        trait: key in `ItemResponse.traits`: `attributes`, `channel`, `agreed`, `collection`, `kind`, `steps`, ...
    """

    trait: str
    parts: tuple[SubgroupResult, ...]


@dataclass(frozen=True, slots=True)
class Confusion:
    """A confusion matrix over all draws.

    Attributes:
        key: of the question, `TASK` or `TASK/PART`.
        counts: k rows of true labels, k + 1 columns of answers; the last one is for refused or unreadable ones.
    """

    key: str
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class ItemResult:
    """The result of one item.

    Attributes:
        right: None if there is no right answer, as for a rating, or it does not count.
        is_counted: it counts in the figures; False if it was not asked completely, or asking failed.
    """

    response: ItemResponse
    right: bool | None
    is_counted: bool


class ItemOutcome(StrEnum):
    """The outcome of an item."""

    ANSWERED = "answered"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    ERROR = "errors"
    MISSING = "missing"


COUNTED_OUTCOMES = (ItemOutcome.ANSWERED, ItemOutcome.UNPARSED, ItemOutcome.REFUSED)
"""An answer that was refused or cannot be read is wrong, not absent (SHREC, section 3)."""


def classify_outcome(said: ItemResponse, expected: Collection[str], *, failed: bool = False) -> ItemOutcome:
    """Return the outcome of an item; `expected` are the keys of all questions about it, `TASK` or `TASK/PART`."""
    statuses = [said.statuses.get(key) for key in expected]
    if JudgmentStatus.REFUSED in statuses:
        return ItemOutcome.REFUSED
    if JudgmentStatus.UNPARSED in statuses:
        return ItemOutcome.UNPARSED
    if all(status is JudgmentStatus.OK for status in statuses):
        return ItemOutcome.ANSWERED
    return ItemOutcome.ERROR if failed or JudgmentStatus.ERROR in statuses else ItemOutcome.MISSING


def count_outcomes(found: Iterable[ItemOutcome]) -> ResponseCounts:
    """Count the outcomes of items."""
    outcomes = [*found]
    return ResponseCounts(len(outcomes), *(outcomes.count(became) for became in ItemOutcome))


def is_right(said: ItemResponse, expected: Collection[str]) -> bool | None:
    """Tell whether all answers about an item are right; None if answers are numbers, or there is no right answer.

    Lists are compared as sets.
    """
    asked = {key: truth for key, truth in said.truth.items() if key in expected and truth}
    values = [value for truth in asked.values() for value in truth.values()]
    if not values or any(as_number(value) is not None for value in values):
        return None
    return all(_matches_truth(said.answers.get(key, {}), truth) for key, truth in asked.items())


def _matches_truth(answer: Mapping[str, Json], truth: Mapping[str, Json]) -> bool:
    return all(key in answer and _same_value(value, answer[key]) for key, value in truth.items())


def _same_value(true: Json, said: Json) -> bool:
    if isinstance(true, list) and isinstance(said, list):
        return {str(value) for value in true} == {str(value) for value in said}
    return true == said
