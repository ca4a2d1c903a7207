"""Whether judges differ: each beside the best one of its set, or all beside one run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.core.benchmark.report.condition_tables import between
from app.core.benchmark.report.document import Cell, Column, Number, Row, Table, Target
from app.core.benchmark.report.material import Asked, Material
from app.core.benchmark.results.comparing import Comparison, compare
from app.core.session import Session
from benchmark.metrics.families import holm
from benchmark.metrics.names import meaning_of
from benchmark.results.quick import counted

_LEVEL = 0.05
_PAIR = (
    Column("difference", "Difference", Number.SIGNED),
    Column("interval", "95 % interval", Number.TEXT),
    Column("best_only", "Right: best only", Number.COUNT),
    Column("own_only", "Right: this one only", Number.COUNT),
    Column("p", "McNemar, p", Number.P),
    Column("p_holm", "p, corrected", Number.P),
    Column("says", "Shows", Number.TEXT),
)
_RUN = (
    Column("before", "The other", Number.FIGURE),
    Column("now", "This", Number.FIGURE),
    Column("difference", "Difference", Number.SIGNED),
    Column("interval", "95 % interval", Number.TEXT),
    Column("p", "p", Number.P),
    Column("p_holm", "p, corrected", Number.P),
    Column("says", "Shows", Number.TEXT),
)


@dataclass(frozen=True, slots=True)
class Pair:
    """One run beside another one.

    Attributes:
        beside: name of the other.
        found: the one less the other.
    """

    one: Asked
    beside: str
    found: Comparison


def against_best(
    session: Session, asked: Sequence[Asked], samples: int, after: Callable[[Pair], Pair] = lambda pair: pair
) -> list[Pair]:
    """Return each run beside the best of its set by the task's first figure, where there are two runs or more.

    `after` is called with each of them; what it raises ends the work.
    """
    pairs = []
    for item_set in dict.fromkeys(one.figures.item_set.id for one in asked):
        known = [one for one in asked if one.figures.item_set.id == item_set and _first(one) is not None]
        if len(known) < 2:
            continue
        best = max(known, key=lambda one: _first(one) or 0.0)
        pairs += [
            after(Pair(one, best.name, compare(session, one.figures, best.figures, samples)))
            for one in known
            if one is not best
        ]
    return pairs


def pair_table(material: Material, pairs: Sequence[Pair]) -> Table | None:
    """Return whether judges are told apart from the best; None without any."""
    if not pairs:
        return None
    corrected = holm({at: _p(one.found) for at, one in enumerate(pairs)})
    rows = []
    for at, pair in enumerate(pairs):
        right, first = pair.found.right, pair.found.rows[0] if pair.found.rows else None
        apart = first.difference if first is not None else None
        p = corrected[at]
        cells = (
            Cell(apart.value if apart else None, n=pair.found.n, target=Target(pair.one.list)),
            Cell(text=between(apart.low, apart.high) if apart else between(None, None)),
            Cell(float(right.second_only) if right else None),
            Cell(float(right.first_only) if right else None),
            Cell(_p(pair.found)),
            Cell(p),
            Cell(text=_told_apart(p)),
        )
        name = f"{material.entries[pair.one.task].name}: {pair.one.name} beside {pair.beside}"
        rows.append(Row(name, pair.one.standing, cells))
    note = (
        "The task's first figure on the items that both answered, with an interval over recordings where it is a sum "
        "over items; McNemar's test of who is right, each item once. p values are corrected over this table (Holm)."
    )
    return Table("significance", "Each beside the best of its set", note, _PAIR, tuple(rows), "Task and judge")


def run_table(material: Material, pairs: Sequence[Pair]) -> Table:
    """Return every figure of each run beside the same one of the run that is compared with."""
    lines = [(pair, row) for pair in pairs for row in pair.found.rows]
    corrected = holm({at: row.difference.p for at, (_, row) in enumerate(lines)})
    rows = []
    for at, (pair, row) in enumerate(lines):
        apart, p = row.difference, corrected[at]
        cells = (
            Cell(row.second),
            Cell(row.first, target=Target(pair.one.list)),
            Cell(apart.value, n=apart.n or None),
            Cell(text=between(apart.low, apart.high)),
            Cell(apart.p),
            Cell(p),
            Cell(text=said(row.metric, apart.value, apart.low, apart.high, p)),
        )
        name = f"{material.entries[pair.one.task].name}: {pair.one.name} beside {pair.beside}, {row.name.lower()}"
        rows.append(Row(name, pair.one.standing, cells))
    note = (
        "On the items that count in both, by resampling recordings with both; p values are corrected over this table "
        "(Holm). Runs over other sets have no test."
    )
    return Table("earlier", "What changed", note, _RUN, tuple(rows), "Task, judge, figure")


def said(metric: str, difference: float | None, low: float | None, high: float | None, p: float | None) -> str:
    """Return what a difference shows, in a word or two: only what is beyond noise is a change."""
    if difference is None:
        return "undefined"
    if p is None and (low is None or high is None):
        return "not known"
    beyond = p < _LEVEL if p is not None else any(_beyond(low, high))
    if not beyond or not difference:
        return "within noise"
    meaning = meaning_of(metric)
    return "better" if (difference > 0) is (meaning is None or meaning.high_is_good) else "worse"


def _beyond(low: float | None, high: float | None) -> Iterator[bool]:
    yield low is not None and low > 0
    yield high is not None and high < 0


def _quick(one: Asked) -> bool:
    """Tell whether every figure of a task is a sum over items: intervals of others take seconds for each pair."""
    return {row.metric for row in one.figures.rows} <= counted(one.figures.counted).keys()


def _first(one: Asked) -> float | None:
    row = one.figures.rows[0] if one.figures.rows else None
    return row.mean if row is not None else None


def _p(found: Comparison) -> float | None:
    return found.right.p if found.right is not None else None


def _told_apart(p: float | None) -> str:
    if p is None:
        return "no test"
    return "differs from the best" if p < _LEVEL else "not told apart from the best"
