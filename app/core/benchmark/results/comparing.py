"""Two runs side by side, and every condition beside raw."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.benchmark.results.figures import RunFigures
from app.core.session import Session
from benchmark.metrics.comparing import McNemar
from benchmark.metrics.conditions import MARGIN
from benchmark.metrics.over_draws import Difference
from benchmark.results.base import ItemResult
from benchmark.results.comparing import Apart, apart, who_is_right
from benchmark.results.conditions import ConditionRow, Pair, condition_rows
from benchmark.results.measuring import SAMPLES
from benchmark.suite.registry import entry_of
from project.errors import UserError
from project.item_sets import FrozenItem
from project.json_text import to_json
from project.judging import RAW
from project.queries.item_sets import items_of
from project.types import Json


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs beside each other.

    Attributes:
        paired: whether both were asked the same set; else there are means alone, and no tests.
        n: items that count in both, in all draws.
        rows: one figure each.
        right: which items only one of them got right; None where nothing is right or wrong, or the sets differ.
    """

    first: RunFigures
    second: RunFigures
    paired: bool
    n: int
    rows: tuple[Apart, ...]
    right: McNemar | None

    def as_json(self) -> dict[str, Json]:
        """Return it as a JSON object."""
        one = self.right
        return {
            "first": self.first.about(),
            "second": self.second.about(),
            "paired": self.paired,
            "n": self.n,
            "figures": [each.as_json() for each in self.rows],
            "mcnemar": None
            if one is None
            else {"first_only": one.first_only, "second_only": one.second_only, "p": one.p, "exact": one.exact},
        }


def compare(session: Session, first: RunFigures, second: RunFigures, samples: int = SAMPLES) -> Comparison:
    """Compare two runs of one task: on the items that count in both where they were asked the same set.

    Args:
        session: of the study.
        first: a run.
        second: another one, of another judge, or an earlier one of the same.
        samples: of the bootstrap; 0 for no intervals.

    Raises:
        UserError: the two are of different tasks.
    """
    if first.item_set.task != second.item_set.task:
        raise UserError(
            f"One run is of “{first.item_set.task}”, the other of “{second.item_set.task}”.",
            "Compare runs of one task.",
        )
    entry = entry_of(first.item_set.task)
    if first.item_set.id != second.item_set.id:
        rows = tuple(_beside(first, second, one.metric) for one in first.rows)
        return Comparison(first, second, False, 0, rows, None)
    both = _both(first, second)
    one, other = [each[0] for each in both], [each[1] for each in both]
    items = {each.id: each for each in items_of(session.study, first.item_set.id)}
    same = [_what_is_asked(items[each.said.item_id]) for each in one]
    rows = apart(entry, [each.said for each in one], [each.said for each in other], samples)
    right = who_is_right([each.right for each in one], [each.right for each in other], same)
    return Comparison(first, second, True, len(both), rows, right)


def conditions_of(found: Sequence[RunFigures], margin: float = MARGIN) -> tuple[ConditionRow, ...]:
    """Return each judge under each condition beside itself on raw footage, on the items that count in both.

    Runs without a partner on raw footage, of the same set and way of asking, are left out. Tests are corrected over
    all conditions and judges of a set and figure.
    """
    rows: list[ConditionRow] = []
    for item_set in {one.item_set.id: one.item_set for one in found}.values():
        runs = [one for one in found if one.item_set.id == item_set.id]
        raw = {_way(one): one for one in runs if one.run.condition == RAW}
        pairs = []
        for one in runs:
            partner = raw.get(_way(one))
            if one.run.condition == RAW or partner is None:
                continue
            both = _both(partner, one)
            pairs.append(
                Pair(one.judge, one.run.condition, [each.said for each, _ in both], [each.said for _, each in both])
            )
        rows += condition_rows(entry_of(item_set.task), pairs, margin)
    return tuple(rows)


def _both(first: RunFigures, second: RunFigures) -> list[tuple[ItemResult, ItemResult]]:
    there = {one.said.item_id: one for one in second.items if one.counts}
    return [(one, there[one.said.item_id]) for one in first.items if one.counts and one.said.item_id in there]


def _beside(first: RunFigures, second: RunFigures, metric: str) -> Apart:
    one, other = first.row(metric), second.row(metric)
    assert one is not None
    mine, theirs = one.mean, other.mean if other else None
    value = None if mine is None or theirs is None else mine - theirs
    return Apart(metric, one.name, one.share, mine, theirs, Difference(value, None, None, None, 0))


def _way(one: RunFigures) -> tuple[str, ...]:
    run = one.run
    return one.judge, run.judge_id, run.variant, run.shown.value, str(run.seed)


def _what_is_asked(item: FrozenItem) -> str:
    """Tell items apart by what is asked: one that stands in several draws is the same there."""
    text = to_json([item.about, item.recording_id, item.start_us, item.end_us, dict(item.content)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
