"""A report beside an earlier one, or beside a run: what changed, and what of it is more than noise."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from app.core.benchmark.report.condition_tables import between
from app.core.benchmark.report.document import Cell, Column, Number, Row, Standing, Table, Target
from app.core.benchmark.report.material import Asked, Material
from app.core.benchmark.report.pair_tables import said
from benchmark.metrics.comparing import mcnemar
from benchmark.metrics.families import holm
from benchmark.metrics.names import ACCURACY, EXACT_MATCH
from project.errors import UserError
from project.names import shown
from project.types import Json

RESULTS = "results.json"
_FORMAT = "greenroom benchmark report"
_NORMAL = 1.959964
"""Standard errors on either side of a 95 % interval."""
_COUNTS_RIGHT = frozenset({ACCURACY, EXACT_MATCH})


@dataclass(frozen=True, slots=True)
class Before:
    """One run of an earlier report.

    Attributes:
        set_sha256: of its items, as they were frozen.
        figures: metric -> mean, low, high; None where there is none.
        right: id of an item -> whether it was answered right.
    """

    task: str
    name: str
    set_sha256: str
    figures: Mapping[str, tuple[float | None, float | None, float | None]]
    right: Mapping[str, bool]


def results_of(material: Material, *, at: str) -> dict[str, Json]:
    """Return what a later report compares with, and what a program reads."""
    return {"format": _FORMAT, "version": 1, "at": at, "runs": [_run(one, material) for one in material.asked]}


def read_earlier(path: Path) -> list[Before]:
    """Read the runs of an earlier report.

    Args:
        path: of its folder, or of `results.json` in it.

    Raises:
        UserError: it is no report, or cannot be read.
    """
    file = path / RESULTS if path.is_dir() else path
    try:
        found = json.loads(file.read_text("utf-8"))
        if found["format"] != _FORMAT:
            raise ValueError
        return [_before(one) for one in found["runs"]]
    except OSError as error:
        raise UserError(
            f"{shown(file.name)} cannot be read: {error.strerror}.", "Name the folder of an earlier report, or a run."
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(
            f"{shown(file.name)} is not the results of a report.", "Name the folder of an earlier report, or a run."
        ) from None


def earlier_table(material: Material, earlier: Sequence[Before]) -> Table:
    """Return every figure of the study's judges beside the same one of before.

    Args:
        material: of the report.
        earlier: runs to compare with; those of the same task and name are.
    """
    pairs = [*_pairs(material, earlier)]
    tests = holm({place: _p(now, before, metric) for place, (now, before, metric) in enumerate(pairs)})
    rows = tuple(_row(material, now, before, metric, tests[place]) for place, (now, before, metric) in enumerate(pairs))
    note = (
        "Where both answered the same items, McNemar's test, corrected over this table (Holm); else the 95 % intervals "
        "over recordings, as if the two had nothing in common, which calls too little a change."
    )
    return Table("earlier", "What changed", note, _COLUMNS, rows, "Task, judge, figure")


_COLUMNS = (
    Column("before", "Before", Number.FIGURE),
    Column("now", "Now", Number.FIGURE),
    Column("difference", "Difference", Number.SIGNED),
    Column("interval", "95 % interval", Number.TEXT),
    Column("lost", "Right before only", Number.COUNT),
    Column("won", "Right now only", Number.COUNT),
    Column("p", "p", Number.P),
    Column("says", "Shows", Number.TEXT),
)
Pair = tuple[Asked, Before, str]


def _pairs(material: Material, earlier: Sequence[Before]) -> Iterator[Pair]:
    for now in material.asked:
        for before in earlier:
            if (before.task, before.name) == (now.task, now.name):
                yield from ((now, before, row.metric) for row in now.figures.rows if row.metric in before.figures)


def _row(material: Material, now: Asked, before: Before, metric: str, p: float | None) -> Row:
    own = now.row(metric)
    assert own is not None
    past, past_low, past_high = before.figures[metric]
    difference = None if own.mean is None or past is None else own.mean - past
    error = _error(own.low, own.high), _error(past_low, past_high)
    low = high = None
    if difference is not None and error[0] is not None and error[1] is not None:
        half = _NORMAL * math.hypot(error[0], error[1])
        low, high = difference - half, difference + half
    lost, won = _changed(now, before, metric)
    cells = (
        Cell(past, low=past_low, high=past_high),
        Cell(own.mean, low=own.low, high=own.high, n=own.n, target=Target(now.list)),
        Cell(difference),
        Cell(text=between(low, high)),
        Cell(lost),
        Cell(won),
        Cell(p),
        Cell(text=said(metric, difference, low, high, p)),
    )
    return Row(f"{material.entries[now.task].name}: {now.name}, {own.name.lower()}", Standing.JUDGE, cells)


def _p(now: Asked, before: Before, metric: str) -> float | None:
    both = _both(now, before, metric)
    return mcnemar(*both).p if both else None


def _changed(now: Asked, before: Before, metric: str) -> tuple[float | None, float | None]:
    both = _both(now, before, metric)
    if not both:
        return None, None
    pairs = [*zip(*both, strict=True)]
    return float(sum(was and not is_ for is_, was in pairs)), float(sum(is_ and not was for is_, was in pairs))


def _both(now: Asked, before: Before, metric: str) -> tuple[list[bool], list[bool]] | None:
    """Return whether each item was answered right now and before, where the figure counts that, over the same items."""
    if metric not in _COUNTS_RIGHT or before.set_sha256 != now.figures.item_set.sha256:
        return None
    right = _right(now)
    shared = [one for one in right if one in before.right]
    return ([right[one] for one in shared], [before.right[one] for one in shared]) if shared else None


def _right(one: Asked) -> dict[str, bool]:
    return {item.said.item_id: item.right for item in one.figures.items if item.right is not None}


def _error(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else (high - low) / (2 * _NORMAL)


def _run(one: Asked, material: Material) -> dict[str, Json]:
    run, figures = one.figures.run, one.figures
    return {
        "task": one.task,
        "name": one.name,
        "standing": one.standing.value,
        "set_sha256": figures.item_set.sha256,
        "shown": run.shown.value,
        "variant": run.variant,
        "condition": material.condition(run.condition),
        "seed": run.seed,
        "at": run.at,
        "figures": [row.as_json() for row in figures.rows],
        "labels": [row.as_json() for row in figures.labels],
        "counts": figures.counts.as_json(),
        "spent": figures.spent.as_json(),
        "right": {**_right(one)},
    }


def _before(found: Mapping[str, Any]) -> Before:
    figures = {}
    for row in found["figures"]:
        low, high = row["interval"] or (None, None)
        figures[str(row["metric"])] = (_number(row["mean"]), _number(low), _number(high))
    right = {str(key): bool(one) for key, one in cast(dict[str, Json], found["right"]).items()}
    return Before(str(found["task"]), str(found["name"]), str(found["set_sha256"]), figures, right)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
