"""Tables that compare runs with raw footage, with the best judge, and with an earlier report.

Conditions are compared with raw as in SHREC, appendix I.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from benchmark.metrics.paired_tests import ConditionComparison, EquivalenceConclusion, holm, mcnemar
from benchmark.metrics.published_figures import ACCURACY, EXACT_MATCH, MACRO_F1, describe_metric
from benchmark.report.report_data import ReportRun, ReportRuns, departures_of, figure_cell, published_for
from benchmark.report.report_document import (
    ItemListLink,
    NumberFormat,
    ReportCell,
    ReportColumn,
    ReportRow,
    ReportTable,
    ResultOrigin,
)
from benchmark.results.run_measures import metric_contributions
from benchmark.runs.run_figures import RunComparison, compare_conditions, compare_runs
from project.entities.judgments import RAW_CONDITION
from project.entities.study_records import Json
from project.errors import UserError
from project.session.session import Session
from project.text_format import escape_unprintable

CONDITIONS_TASK = "conditions"
_METRICS = ((MACRO_F1, "Macro-F1"), (ACCURACY, "Accuracy"))
_CONCLUSION_TEXTS = {
    EquivalenceConclusion.DIFFERENT: "different",
    EquivalenceConclusion.EQUIVALENT: "equivalent",
    EquivalenceConclusion.DIFFERENT_WITHIN_MARGIN: "different, within the margin",
    EquivalenceConclusion.OPEN: "open",
}
RunKey = tuple[str, str, str, int]


def condition_groups(material: ReportRuns) -> list[list[ReportRun]]:
    """Return groups of runs that differ only in their condition, raw first; groups of one are left out."""
    found: dict[RunKey, list[ReportRun]] = {}
    for report_run in material.runs:
        run = report_run.figures.run
        way = (run.set_id, report_run.judge, f"{run.variant} {run.shown}", run.seed)
        found.setdefault(way, []).append(report_run)
    several = [some for some in found.values() if len({report_run.figures.run.condition for report_run in some}) > 1]
    return [sorted(some, key=lambda report_run: report_run.figures.run.condition != RAW_CONDITION) for some in several]


def condition_tables(material: ReportRuns) -> list[ReportTable]:
    """Return tables of the figures in each condition, and of the tests against raw."""
    found = condition_groups(material)
    if not found:
        return []
    return [
        *(_values_table(material, found, *pair) for pair in _METRICS if _has_metric(found, pair[0])),
        *_test_tables(material, found),
    ]


def _has_metric(found: Iterable[list[ReportRun]], metric: str) -> bool:
    return any(report_run.row(metric) is not None for some in found for report_run in some)


def _values_table(material: ReportRuns, found: list[list[ReportRun]], metric: str, name: str) -> ReportTable:
    keys = list(dict.fromkeys(report_run.figures.run.condition for some in found for report_run in some))
    keys.sort(key=lambda condition: condition != RAW_CONDITION)
    papers: dict[str, dict[str, ReportCell]] = {}
    sources = set()
    for row in published_for([CONDITIONS_TASK]):
        if row.metric == metric:
            papers.setdefault(f"({row.modality}) {row.name}", {})[row.setting] = ReportCell(row.mean, row.sd)
            sources.add(row.source)
    named = [material.condition_name(condition) for condition in keys]
    named += [
        setting for setting in dict.fromkeys(key for cells in papers.values() for key in cells) if setting not in named
    ]
    rows = []
    for some in found:
        by_name = {material.condition_name(report_run.figures.run.condition): report_run for report_run in some}
        cells = [by_name.get(condition) for condition in named]
        told = tuple(
            ReportCell() if cell is None else figure_cell(cell.row(metric), ItemListLink(cell.list_key))
            for cell in cells
        )
        rows.append(ReportRow(_name_without_condition(material, some[0]), some[0].origin, told))
    source = "; ".join(sorted(sources))
    rows += [
        ReportRow(name, ResultOrigin.PUBLISHED, tuple(cells.get(text, ReportCell()) for text in named), source)
        for name, cells in papers.items()
    ]
    columns = tuple(
        ReportColumn(f"condition-{at}", text.capitalize(), NumberFormat.FIGURE) for at, text in enumerate(named)
    )
    note = " ".join(
        ["Mean and standard deviation over the draws.", *departures_of([run for some in found for run in some])]
    )
    return ReportTable(
        f"conditions-{metric.replace('_', '-')}", f"Conditions: {name.lower()}", note, columns, tuple(rows)
    )


def _test_tables(material: ReportRuns, found: list[list[ReportRun]]) -> list[ReportTable]:
    renamed = [
        replace(report_run.figures, judge=_name_without_condition(material, report_run))
        for some in found
        for report_run in some
    ]
    rows = compare_conditions(renamed)
    tables = []
    for metric in dict.fromkeys(row.metric for row in rows):
        some = [row for row in rows if row.metric == metric]
        told = tuple(
            ReportRow(
                f"{condition_row.judge}: {material.condition_name(condition_row.condition)}",
                ResultOrigin.JUDGE,
                _test_cells(condition_row.test),
            )
            for condition_row in some
        )
        note = (
            f"{some[0].name} of the same draws under both conditions; p values are corrected over this table (Holm). "
            "Open: the draws show neither a difference nor that there is none within the margin."
        )
        key = f"against-raw-{metric.replace('_', '-').replace('.', '-')}"
        tables.append(
            ReportTable(key, f"Against raw: {some[0].name.lower()}", note, _TEST_COLUMNS, told, "Judge and condition")
        )
    return tables


_TEST_COLUMNS = (
    ReportColumn("difference", "Difference", NumberFormat.SIGNED),
    ReportColumn("interval", "95 % interval", NumberFormat.TEXT),
    ReportColumn("t", "Paired t, p", NumberFormat.P),
    ReportColumn("ranks", "Signed ranks, p", NumberFormat.P),
    ReportColumn("effect", "d_z", NumberFormat.FIGURE),
    ReportColumn("effect_interval", "95 % interval of d_z", NumberFormat.TEXT),
    ReportColumn("margin", "Margin", NumberFormat.FIGURE),
    ReportColumn("same", "Equivalence, p", NumberFormat.P),
    ReportColumn("says", "Shows", NumberFormat.TEXT),
)


def _test_cells(against_raw: ConditionComparison) -> tuple[ReportCell, ...]:
    return (
        ReportCell(against_raw.difference, n=against_raw.n, reason=against_raw.reason),
        ReportCell(text=format_interval(against_raw.low, against_raw.high)),
        ReportCell(against_raw.t_p_holm),
        ReportCell(against_raw.wilcoxon_p_holm),
        ReportCell(against_raw.effect),
        ReportCell(text=format_interval(against_raw.effect_low, against_raw.effect_high)),
        ReportCell(against_raw.margin),
        ReportCell(against_raw.equivalence_p_holm),
        ReportCell(
            text=_CONCLUSION_TEXTS[against_raw.conclusion] if not against_raw.reason else "no test",
            reason=against_raw.reason,
        ),
    )


def format_interval(low: float | None, high: float | None) -> str:
    """Return an interval as text; a dash if there is none."""
    return "\N{EN DASH}" if low is None or high is None else f"{low:+.3f} to {high:+.3f}"


def _name_without_condition(material: ReportRuns, report_run: ReportRun) -> str:
    """Return the name of a run without its condition."""
    condition = material.condition_name(report_run.figures.run.condition)
    name = (
        report_run.name.removesuffix(f", {condition}")
        if report_run.figures.run.condition != RAW_CONDITION
        else report_run.name
    )
    return f"{material.entries[report_run.task].name}: {name}" if report_run.task != CONDITIONS_TASK else name


_LEVEL = 0.05
_PAIR_COLUMNS = (
    ReportColumn("difference", "Difference", NumberFormat.SIGNED),
    ReportColumn("interval", "95 % interval", NumberFormat.TEXT),
    ReportColumn("best_only", "Right: best only", NumberFormat.COUNT),
    ReportColumn("own_only", "Right: this one only", NumberFormat.COUNT),
    ReportColumn("p", "McNemar, p", NumberFormat.P),
    ReportColumn("p_holm", "p, corrected", NumberFormat.P),
    ReportColumn("says", "Shows", NumberFormat.TEXT),
)
_RUN_COLUMNS = (
    ReportColumn("before", "The other", NumberFormat.FIGURE),
    ReportColumn("now", "This", NumberFormat.FIGURE),
    ReportColumn("difference", "Difference", NumberFormat.SIGNED),
    ReportColumn("interval", "95 % interval", NumberFormat.TEXT),
    ReportColumn("p", "p", NumberFormat.P),
    ReportColumn("p_holm", "p, corrected", NumberFormat.P),
    ReportColumn("says", "Shows", NumberFormat.TEXT),
)


@dataclass(frozen=True, slots=True)
class RunPair:
    """One run compared with another one.

    Attributes:
        other_name: name of the other.
        comparison: of the run with the other.
    """

    run: ReportRun
    other_name: str
    comparison: RunComparison


def compare_with_best(
    session: Session, asked: Sequence[ReportRun], samples: int, after: Callable[[RunPair], RunPair] = lambda pair: pair
) -> list[RunPair]:
    """Compare each run with the best of its set by the task's first figure; sets with one run are left out.

    `after` is called with each pair; it may raise to cancel.
    """
    pairs = []
    for item_set in dict.fromkeys(report_run.figures.item_set.id for report_run in asked):
        known = [
            report_run
            for report_run in asked
            if report_run.figures.item_set.id == item_set and _first_mean(report_run) is not None
        ]
        if len(known) < 2:
            continue
        best = max(known, key=lambda report_run: _first_mean(report_run) or 0.0)
        pairs += [
            after(RunPair(report_run, best.name, compare_runs(session, report_run.figures, best.figures, samples)))
            for report_run in known
            if report_run is not best
        ]
    return pairs


def pair_table(material: ReportRuns, pairs: Sequence[RunPair]) -> ReportTable | None:
    """Return the table of comparisons with the best; None without pairs."""
    if not pairs:
        return None
    corrected = holm({at: _mcnemar_p(run_pair.comparison) for at, run_pair in enumerate(pairs)})
    rows = []
    for at, pair in enumerate(pairs):
        right, first = pair.comparison.mcnemar, pair.comparison.rows[0] if pair.comparison.rows else None
        apart = first.difference if first is not None else None
        p = corrected[at]
        cells = (
            ReportCell(apart.value if apart else None, n=pair.comparison.n, target=ItemListLink(pair.run.list_key)),
            ReportCell(text=format_interval(apart.low, apart.high) if apart else format_interval(None, None)),
            ReportCell(float(right.second_only) if right else None),
            ReportCell(float(right.first_only) if right else None),
            ReportCell(_mcnemar_p(pair.comparison)),
            ReportCell(p),
            ReportCell(text=_best_text(p)),
        )
        name = f"{material.entries[pair.run.task].name}: {pair.run.name} beside {pair.other_name}"
        rows.append(ReportRow(name, pair.run.origin, cells))
    note = (
        "The task's first figure on the items that both answered, with an interval over recordings where it is a sum "
        "over items; McNemar's test of who is right, each item once. p values are corrected over this table (Holm)."
    )
    return ReportTable(
        "significance", "Each beside the best of its set", note, _PAIR_COLUMNS, tuple(rows), "Task and judge"
    )


def run_table(material: ReportRuns, pairs: Sequence[RunPair]) -> ReportTable:
    """Return the table of all figures of each run, compared with another run."""
    lines = [(pair, row) for pair in pairs for row in pair.comparison.rows]
    corrected = holm({at: row.difference.p for at, (_, row) in enumerate(lines)})
    rows = []
    for at, (pair, row) in enumerate(lines):
        apart, p = row.difference, corrected[at]
        cells = (
            ReportCell(row.second),
            ReportCell(row.first, target=ItemListLink(pair.run.list_key)),
            ReportCell(apart.value, n=apart.n or None),
            ReportCell(text=format_interval(apart.low, apart.high)),
            ReportCell(apart.p),
            ReportCell(p),
            ReportCell(text=describe_difference(row.metric, apart.value, apart.low, apart.high, p)),
        )
        name = f"{material.entries[pair.run.task].name}: {pair.run.name} beside {pair.other_name}, {row.name.lower()}"
        rows.append(ReportRow(name, pair.run.origin, cells))
    note = (
        "On the items that count in both, by resampling recordings with both; p values are corrected over this table "
        "(Holm). Runs over other sets have no test."
    )
    return ReportTable("earlier", "What changed", note, _RUN_COLUMNS, tuple(rows), "Task, judge, figure")


def describe_difference(
    metric: str, difference: float | None, low: float | None, high: float | None, p: float | None
) -> str:
    """Return the conclusion from a difference, in a word or two; only a significant one is a change."""
    if difference is None:
        return "undefined"
    if p is None and (low is None or high is None):
        return "not known"
    beyond = p < _LEVEL if p is not None else any(_excludes_zero(low, high))
    if not beyond or not difference:
        return "within noise"
    meaning = describe_metric(metric)
    return "better" if (difference > 0) is (meaning is None or meaning.high_is_good) else "worse"


def _excludes_zero(low: float | None, high: float | None) -> Iterator[bool]:
    yield low is not None and low > 0
    yield high is not None and high < 0


def _is_additive(report_run: ReportRun) -> bool:
    """Tell whether all figures of a task are functions of sums; intervals of others take seconds for each pair."""
    return {row.metric for row in report_run.figures.rows} <= metric_contributions(
        report_run.figures.counted_responses
    ).keys()


def _first_mean(report_run: ReportRun) -> float | None:
    row = report_run.figures.rows[0] if report_run.figures.rows else None
    return row.mean if row is not None else None


def _mcnemar_p(found: RunComparison) -> float | None:
    return found.mcnemar.p if found.mcnemar is not None else None


def _best_text(p: float | None) -> str:
    if p is None:
        return "no test"
    return "differs from the best" if p < _LEVEL else "not told apart from the best"


RESULTS_NAME = "results.json"
_FORMAT = "greenroom benchmark report"
_Z_95 = 1.959964
"""Half width of a 95 % interval in standard errors."""
_MCNEMAR_METRICS = frozenset({ACCURACY, EXACT_MATCH})


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """One run of an earlier report.

    Attributes:
        set_sha256: of its frozen items.
        figures: metric -> mean, low, high; None if undefined.
        right: item id -> whether it was answered right.
    """

    task: str
    name: str
    set_sha256: str
    figures: Mapping[str, tuple[float | None, float | None, float | None]]
    right: Mapping[str, bool]


def results_json(material: ReportRuns, *, at: str) -> dict[str, Json]:
    """Return the results as JSON, for later reports and other programs."""
    return {
        "format": _FORMAT,
        "version": 1,
        "at": at,
        "runs": [_run_json(report_run, material) for report_run in material.runs],
    }


def read_earlier_runs(path: Path) -> list[EarlierRun]:
    """Read the runs of an earlier report.

    Args:
        path: of its folder, or of `results.json` in it.
    """
    file = path / RESULTS_NAME if path.is_dir() else path
    try:
        found = json.loads(file.read_text("utf-8"))
        if found["format"] != _FORMAT:
            raise ValueError
        return [_read_earlier_run(entry) for entry in found["runs"]]
    except OSError as error:
        raise UserError(
            f"{escape_unprintable(file.name)} cannot be read: {error.strerror}.",
            "Name the folder of an earlier report, or a run.",
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(
            f"{escape_unprintable(file.name)} is not the results of a report.",
            "Name the folder of an earlier report, or a run.",
        ) from None


def earlier_table(material: ReportRuns, earlier: Sequence[EarlierRun]) -> ReportTable:
    """Return the table of all figures, compared with those of an earlier report.

    Args:
        material: of the report.
        earlier: runs to compare with, matched by task and name.
    """
    pairs = [*_earlier_pairs(material, earlier)]
    tests = holm({place: _earlier_p(now, before, metric) for place, (now, before, metric) in enumerate(pairs)})
    rows = tuple(
        _earlier_row(material, now, before, metric, tests[place]) for place, (now, before, metric) in enumerate(pairs)
    )
    note = (
        "Where both answered the same items, McNemar's test, corrected over this table (Holm); else the 95 % intervals "
        "over recordings, as if the two had nothing in common, which calls too little a change."
    )
    return ReportTable("earlier", "What changed", note, _EARLIER_COLUMNS, rows, "Task, judge, figure")


_EARLIER_COLUMNS = (
    ReportColumn("before", "Before", NumberFormat.FIGURE),
    ReportColumn("now", "Now", NumberFormat.FIGURE),
    ReportColumn("difference", "Difference", NumberFormat.SIGNED),
    ReportColumn("interval", "95 % interval", NumberFormat.TEXT),
    ReportColumn("lost", "Right before only", NumberFormat.COUNT),
    ReportColumn("won", "Right now only", NumberFormat.COUNT),
    ReportColumn("p", "p", NumberFormat.P),
    ReportColumn("says", "Shows", NumberFormat.TEXT),
)
EarlierPair = tuple[ReportRun, EarlierRun, str]


def _earlier_pairs(material: ReportRuns, earlier: Sequence[EarlierRun]) -> Iterator[EarlierPair]:
    for now in material.runs:
        for before in earlier:
            if (before.task, before.name) == (now.task, now.name):
                yield from ((now, before, row.metric) for row in now.figures.rows if row.metric in before.figures)


def _earlier_row(material: ReportRuns, now: ReportRun, before: EarlierRun, metric: str, p: float | None) -> ReportRow:
    own = now.row(metric)
    assert own is not None
    past, past_low, past_high = before.figures[metric]
    difference = None if own.mean is None or past is None else own.mean - past
    error = _standard_error(own.low, own.high), _standard_error(past_low, past_high)
    low = high = None
    if difference is not None and error[0] is not None and error[1] is not None:
        half = _Z_95 * math.hypot(error[0], error[1])
        low, high = difference - half, difference + half
    lost, won = _lost_and_won(now, before, metric)
    cells = (
        ReportCell(past, low=past_low, high=past_high),
        ReportCell(own.mean, low=own.low, high=own.high, n=own.n, target=ItemListLink(now.list_key)),
        ReportCell(difference),
        ReportCell(text=format_interval(low, high)),
        ReportCell(lost),
        ReportCell(won),
        ReportCell(p),
        ReportCell(text=describe_difference(metric, difference, low, high, p)),
    )
    return ReportRow(f"{material.entries[now.task].name}: {now.name}, {own.name.lower()}", ResultOrigin.JUDGE, cells)


def _earlier_p(now: ReportRun, before: EarlierRun, metric: str) -> float | None:
    both = _shared_answers(now, before, metric)
    return mcnemar(*both).p if both else None


def _lost_and_won(now: ReportRun, before: EarlierRun, metric: str) -> tuple[float | None, float | None]:
    both = _shared_answers(now, before, metric)
    if not both:
        return None, None
    pairs = [*zip(*both, strict=True)]
    return float(sum(was and not is_ for is_, was in pairs)), float(sum(is_ and not was for is_, was in pairs))


def _shared_answers(now: ReportRun, before: EarlierRun, metric: str) -> tuple[list[bool], list[bool]] | None:
    """Return whether each item was answered right now and before; None for other figures or other item sets."""
    if metric not in _MCNEMAR_METRICS or before.set_sha256 != now.figures.item_set.sha256:
        return None
    right = _right_by_item(now)
    shared = [item_id for item_id in right if item_id in before.right]
    return ([right[item_id] for item_id in shared], [before.right[item_id] for item_id in shared]) if shared else None


def _right_by_item(report_run: ReportRun) -> dict[str, bool]:
    return {item.response.item_id: item.right for item in report_run.figures.items if item.right is not None}


def _standard_error(low: float | None, high: float | None) -> float | None:
    return None if low is None or high is None else (high - low) / (2 * _Z_95)


def _run_json(report_run: ReportRun, material: ReportRuns) -> dict[str, Json]:
    run, figures = report_run.figures.run, report_run.figures
    return {
        "task": report_run.task,
        "name": report_run.name,
        "standing": report_run.origin.value,
        "set_sha256": figures.item_set.sha256,
        "shown": run.shown.value,
        "variant": run.variant,
        "condition": material.condition_name(run.condition),
        "seed": run.seed,
        "at": run.at,
        "figures": [row.as_json() for row in figures.rows],
        "labels": [row.as_json() for row in figures.labels],
        "counts": figures.counts.as_json(),
        "spent": figures.spent.as_json(),
        "right": {**_right_by_item(report_run)},
    }


def _read_earlier_run(found: Mapping[str, Any]) -> EarlierRun:
    figures = {}
    for row in found["figures"]:
        low, high = row["interval"] or (None, None)
        figures[str(row["metric"])] = (_optional_float(row["mean"]), _optional_float(low), _optional_float(high))
    right = {str(key): bool(value) for key, value in cast(dict[str, Json], found["right"]).items()}
    return EarlierRun(str(found["task"]), str(found["name"]), str(found["set_sha256"]), figures, right)


def _optional_float(value: Any) -> float | None:
    return None if value is None else float(value)
