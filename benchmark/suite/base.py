"""What a task of the benchmark is: it draws items from what a study holds, and turns answers into figures."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, runtime_checkable

from benchmark.items.base import Drawn, Pool, Rule
from project.judging import JudgmentStatus
from project.types import Json

BROKEN_DOWN_BY = ("attributes", "channel", "agreed", "collection", "kind", "aspect", "steps", "negative")
"""Traits of items by which figures are broken down; others serve the figures themselves, such as `labels`."""


@dataclass(frozen=True, slots=True)
class Round:
    """What each item is asked in one go.

    Attributes:
        task: key of `benchmark/tasks/registry.py`.
        parts: of the item, each asked apart; ("",) for the item as a whole.
        after: whether it is asked about what the same judge answered in the round before.
    """

    task: str
    parts: tuple[str, ...] = ("",)
    after: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """One item, and what came of asking about it.

    Attributes:
        truth: the right answer, by `TASK` or `TASK/PART`.
        answers: what was answered, by the same keys; only what could be read.
        statuses: what came of each question, by the same keys; a question that was not asked is not in it.
        traits: of the item, by which figures are broken down.
        ms: that it took in all.
        cost: in the currency of the judge's prices; None where it has none.
    """

    item_id: str
    draw: int
    recording_id: str
    truth: Mapping[str, Mapping[str, Json]]
    answers: Mapping[str, Mapping[str, Json]]
    statuses: Mapping[str, JudgmentStatus]
    traits: Mapping[str, Json] = field(default_factory=dict)
    ms: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of a task.

    Attributes:
        key: in results.
        name: for tables.
        share: whether it lies between 0 and 1 and is shown in percent.
    """

    key: str
    name: str
    share: bool = True


class Entry(Protocol):
    """One task of the benchmark.

    Attributes:
        key: in the registry, and in results.
        paper: short name of the paper.
        section: of it, where the task is described.
        source: which part of a study its items come from, a key of `app.core.benchmark.sets.sources.SOURCES`.
        rounds: what is asked, in order.
        draws: samples, where nothing else is wished.
        size: items of one sample, about; 0 for all there are.
        answer: what an answer is, in words.
        metrics: its figures, the most important first.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    description: ClassVar[str]
    paper: ClassVar[str]
    section: ClassVar[str]
    source: ClassVar[str]
    rounds: ClassVar[tuple[Round, ...]]
    draws: ClassVar[int]
    size: ClassVar[int]
    answer: ClassVar[str]
    metrics: ClassVar[tuple[Metric, ...]]

    def sample(self, pool: Pool, rule: Rule, chance: random.Random) -> Drawn:
        """Return the items of one draw, and what could not become one and why."""

    def score(self, said: Sequence[Said]) -> Mapping[str, float | None]:
        """Return the figures of one draw by key of `metrics`; None where one is undefined."""

    def chance(self, said: Sequence[Said]) -> Mapping[str, float]:
        """Return what blind guessing is expected to reach over these items, by key, where that is known."""


@runtime_checkable
class ByLabel(Protocol):
    """A task whose draws have a share of each label.

    Attributes:
        shares: label -> weight in the paper.
    """

    shares: ClassVar[Mapping[str, float]]
