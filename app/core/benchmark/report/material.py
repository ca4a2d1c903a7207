"""What a report is made of: the runs with their names, the figures of papers, and what may be told of whom."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.benchmark.report.document import Cell, Standing, Target
from app.core.benchmark.results.figures import RunFigures
from benchmark.published import PublishedRow, rows_for
from benchmark.results.base import FigureRow
from benchmark.suite.base import Entry

BASELINES = frozenset({"random", "majority", "constant", "oracle", "reliable"})
"""Backends of judges that are not meant to understand anything."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One run, as the report calls it.

    Attributes:
        name: in tables; no other run over the same set has it.
        judge: who answered, without how it was asked.
        list: key of the list of its items.
    """

    figures: RunFigures
    name: str
    judge: str
    standing: Standing
    list: str

    @property
    def task(self) -> str:
        """Key of its task."""
        return self.figures.item_set.task

    def row(self, metric: str) -> FigureRow | None:
        """Return one figure over all items, or None where the task has none of the sort."""
        return self.figures.row(metric)

    def part(self, trait: str, value: str, metric: str) -> FigureRow | None:
        """Return one figure over the items that share a trait."""
        parts = (part for found in self.figures.breakdowns if found.trait == trait for part in found.parts)
        rows = (row for part in parts if part.value == value for row in part.rows)
        return next((row for row in rows if row.metric == metric), None)


@dataclass(frozen=True, slots=True)
class Material:
    """All runs of a report, in the order of tasks and sets.

    Attributes:
        entries: tasks of the suite, by key, in its order.
        conditions: of runs that saw something else than raw footage, by key: how it is called.
        parts: trait and value, as figures have them -> how the value may be called.
        titles: the same -> what people read for it.
    """

    asked: tuple[Asked, ...]
    entries: Mapping[str, Entry]
    sets: Mapping[str, str]
    conditions: Mapping[str, str]
    parts: Mapping[tuple[str, str], str]
    titles: Mapping[tuple[str, str], str]

    def of(self, *tasks: str) -> list[Asked]:
        """Return the runs of these tasks."""
        return [one for one in self.asked if one.task in tasks]

    def tasks(self) -> list[str]:
        """Return the keys of the tasks that were asked, in the order of the suite."""
        there = {one.task for one in self.asked}
        return [key for key in self.entries if key in there]

    def called(self, trait: str, value: str) -> str:
        """Return how a value of a trait is called in the report: what nobody looked at is not told."""
        return self.parts.get((trait, value), f"another {trait}")

    def titled(self, trait: str, value: str) -> str:
        """Return what people read for a value of a trait, or for a label, whose trait is `label`."""
        return self.titles.get((trait, value), f"Another {trait}")

    def condition(self, key: str) -> str:
        """Return how a condition is called in the report."""
        return self.conditions.get(key, key)


def cell_of(row: FigureRow | None, target: Target | None = None, why: str = "") -> Cell:
    """Return one figure as a cell that leads to its items."""
    if row is None:
        return Cell(why=why)
    reason = "" if row.mean is not None else why or "undefined over these items"
    return Cell(row.mean, row.sd, row.low, row.high, row.n, target=target, why=reason)


def published_of(tasks: Iterable[str]) -> list[PublishedRow]:
    """Return what papers report of these tasks, in their order."""
    return [row for task in tasks for row in rows_for(task)]


def by_name(rows: Sequence[PublishedRow]) -> dict[tuple[str, str, str], list[PublishedRow]]:
    """Return name, modality and setting -> rows."""
    found: dict[tuple[str, str, str], list[PublishedRow]] = {}
    for one in rows:
        found.setdefault((one.name, one.modality, one.setting), []).append(one)
    return found
