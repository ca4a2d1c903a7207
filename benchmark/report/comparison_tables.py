"""Tables that compare runs with raw footage, with the best judge, and with an earlier report.

Conditions are compared with raw as in SHREC, appendix I.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from benchmark.metrics.paired_tests import EquivalenceConclusion, McNemar, holm, mcnemar
from benchmark.metrics.published_figures import ACCURACY, EXACT_MATCH, MACRO_F1, describe_metric
from benchmark.metrics.resampling import Difference
from benchmark.report.report_data import ReportRun, ReportRuns, departures_of, figure_cell, published_for
from benchmark.report.report_document import ReportTable, ResultOrigin, cell_column, cell_row, report_rows
from benchmark.results.item_results import AnswerCosts, MetricRow, ResponseCounts
from benchmark.results.result_comparison import ConditionRow
from benchmark.runs.run_figures import RunComparison, compare_conditions, compare_runs
from project.codec import dump, load
from project.entities.judgments import RAW_CONDITION
from project.entities.study_records import Json
from project.errors import UserError
from project.session.session import Session
from project.text_format import escape_unprintable
from project.text_tables import Column, NumberFormat, TableCell, format_interval

CONDITIONS_TASK = "conditions"
_METRICS = ((MACRO_F1, "Macro-F1"), (ACCURACY, "Accuracy"))
_CONCLUSION_TEXTS = {
    EquivalenceConclusion.DIFFERENT: "different",
    EquivalenceConclusion.EQUIVALENT: "equivalent",
    EquivalenceConclusion.DIFFERENT_WITHIN_MARGIN: "different, within the margin",
    EquivalenceConclusion.OPEN: "open",
}


def condition_groups(material: ReportRuns) -> list[list[ReportRun]]:
    """Return groups of runs that differ only in their condition, raw first; groups of a single run are left out."""
    groups: dict[tuple[str, str, str, int], list[ReportRun]] = {}
    for report_run in material.runs:
        run = report_run.figures.run
        setting = (run.set_id, report_run.judge, f"{run.variant} {run.shown}", run.seed)
        groups.setdefault(setting, []).append(report_run)
    several = [runs for runs in groups.values() if len({run.figures.run.condition for run in runs}) > 1]
    return [sorted(runs, key=lambda run: run.figures.run.condition != RAW_CONDITION) for runs in several]


def condition_tables(material: ReportRuns) -> list[ReportTable]:
    """Return tables of the figures in each condition, and of the tests against raw."""
    groups = condition_groups(material)
    runs = [run for group in groups for run in group]
    metrics = [(metric, name) for metric, name in _METRICS if any(run.row(metric) is not None for run in runs)]
    return [
        *(_values_table(material, groups, metric, name) for metric, name in metrics),
        *_test_tables(material, runs),
    ]


def _values_table(material: ReportRuns, groups: list[list[ReportRun]], metric: str, name: str) -> ReportTable:
    runs = [run for group in groups for run in group]
    keys = sorted({run.figures.run.condition: None for run in runs}, key=lambda condition: condition != RAW_CONDITION)
    papers: dict[str, dict[str, TableCell]] = {}
    scores = [score for score in published_for([CONDITIONS_TASK]) if score.metric == metric]
    for score in scores:
        papers.setdefault(f"({score.modality}) {score.name}", {})[score.setting] = TableCell(score.mean, score.sd)
    named = dict.fromkeys(
        [
            *(material.condition_name(condition) for condition in keys),
            *(setting for cells in papers.values() for setting in cells),
        ]
    )
    columns = tuple(cell_column(text, text.capitalize(), NumberFormat.FIGURE) for text in named)
    rows = []
    for group in groups:
        cells = {
            material.condition_name(run.figures.run.condition): figure_cell(run.row(metric), run.list_key)
            for run in group
        }
        rows.append(cell_row(columns, _name_without_condition(material, group[0]), group[0].origin, cells))
    source = "; ".join(sorted({score.source for score in scores}))
    rows += [cell_row(columns, judge, ResultOrigin.PUBLISHED, cells, source) for judge, cells in papers.items()]
    note = " ".join(["Mean and standard deviation over the draws.", *departures_of(runs)])
    key = f"conditions-{metric.replace('_', '-')}"
    return ReportTable(key, f"Conditions: {name.lower()}", note, columns, tuple(rows))


def _test_tables(material: ReportRuns, runs: Sequence[ReportRun]) -> list[ReportTable]:
    renamed = [replace(run.figures, judge=_name_without_condition(material, run)) for run in runs]
    by_metric: dict[str, list[ConditionRow]] = {}
    for row in compare_conditions(renamed):
        by_metric.setdefault(row.metric, []).append(row)
    tables = []
    for metric, rows in by_metric.items():
        note = (
            f"{rows[0].name} of the same draws under both conditions; p values are corrected over this table (Holm). "
            "Open: the draws show neither a difference nor that there is none within the margin."
        )
        key = f"against-raw-{metric.replace('_', '-').replace('.', '-')}"
        table_rows = report_rows(
            rows, _TEST_COLUMNS, lambda row: f"{row.judge}: {material.condition_name(row.condition)}"
        )
        title = f"Against raw: {rows[0].name.lower()}"
        tables.append(ReportTable(key, title, note, _TEST_COLUMNS, table_rows, "Judge and condition"))
    return tables


def _difference_from_raw(row: ConditionRow) -> TableCell:
    return TableCell(row.test.difference, n=row.test.n, reason=row.test.reason)


def _conclusion(row: ConditionRow) -> TableCell:
    text = "no test" if row.test.reason else _CONCLUSION_TEXTS[row.test.conclusion]
    return TableCell(text, reason=row.test.reason)


_TEST_COLUMNS: tuple[Column[ConditionRow], ...] = (
    Column("difference", "Difference", NumberFormat.SIGNED, _difference_from_raw),
    Column("interval", "95 % interval", NumberFormat.TEXT, lambda row: format_interval(row.test.low, row.test.high)),
    Column("t", "Paired t, p", NumberFormat.P, lambda row: row.test.t_p_holm),
    Column("ranks", "Signed ranks, p", NumberFormat.P, lambda row: row.test.wilcoxon_p_holm),
    Column("effect", "d_z", NumberFormat.FIGURE, lambda row: row.test.effect),
    Column(
        "effect_interval",
        "95 % interval of d_z",
        NumberFormat.TEXT,
        lambda row: format_interval(row.test.effect_low, row.test.effect_high),
    ),
    Column("margin", "Margin", NumberFormat.FIGURE, lambda row: row.test.margin),
    Column("same", "Equivalence, p", NumberFormat.P, lambda row: row.test.equivalence_p_holm),
    Column("says", "Shows", NumberFormat.TEXT, _conclusion),
)


def _name_without_condition(material: ReportRuns, report_run: ReportRun) -> str:
    condition = material.condition_name(report_run.figures.run.condition)
    name = (
        report_run.name.removesuffix(f", {condition}")
        if report_run.figures.run.condition != RAW_CONDITION
        else report_run.name
    )
    return f"{material.entries[report_run.task].name}: {name}" if report_run.task != CONDITIONS_TASK else name


_LEVEL = 0.05


def _change_table(
    key: str,
    title: str,
    note: str,
    other: str,
    own: str,
    corner: str,
    changes: Sequence[tuple[str, ResultOrigin, Mapping[str, TableCell]]],
) -> ReportTable:
    """Return a table of changes (`_change_cells`); `other` and `own` are the headings of both sides."""
    counts = (
        cell_column("lost", f"Right: {other.lower()} only", NumberFormat.COUNT),
        cell_column("won", f"Right: {own.lower()} only", NumberFormat.COUNT),
    )
    columns = (
        cell_column("before", other, NumberFormat.FIGURE),
        cell_column("now", own, NumberFormat.FIGURE),
        cell_column("difference", "Difference", NumberFormat.SIGNED),
        cell_column("interval", "95 % interval", NumberFormat.TEXT),
        *(counts if any("lost" in cells for _, _, cells in changes) else ()),
        cell_column("p", "p", NumberFormat.P),
        cell_column("p_holm", "p, corrected", NumberFormat.P),
        cell_column("says", "Shows", NumberFormat.TEXT),
    )
    rows = tuple(cell_row(columns, *change) for change in changes)
    return ReportTable(key, title, note, columns, rows, corner)


def _change_cells(
    before: TableCell, now: TableCell, difference: Difference, test: McNemar | None, p: float | None, verdict: str
) -> dict[str, TableCell]:
    """Return one figure of a run beside that of another run, or of an earlier report.

    Args:
        before: the other.
        now: that of this run.
        difference: now minus before; its p is not corrected.
        test: which items only one of the two got right; None if the figure is not a share of right items.
        p: corrected over the table.
        verdict: what the difference shows, in a word or two.
    """
    cells = {
        "before": before,
        "now": now,
        "difference": TableCell(difference.value, n=difference.n or None),
        "interval": TableCell(format_interval(difference.low, difference.high)),
        "p": TableCell(difference.p),
        "p_holm": TableCell(p),
        "says": TableCell(verdict),
    }
    return cells | ({"lost": TableCell(test.second_only), "won": TableCell(test.first_only)} if test else {})


@dataclass(frozen=True, slots=True)
class RunPair:
    """One run compared with another one, under the name of the other."""

    run: ReportRun
    other_name: str
    comparison: RunComparison


def compare_with_best(
    session: Session, asked: Sequence[ReportRun], samples: int, after: Callable[[RunPair], RunPair] = lambda pair: pair
) -> list[RunPair]:
    """Compare each run with the best of its set by the task's first figure; sets with a single run are left out.

    `after` is called with each pair; it may raise to cancel.
    """

    def first_mean(run: ReportRun) -> float | None:
        return run.figures.rows[0].mean if run.figures.rows else None

    pairs = []
    for set_id in dict.fromkeys(run.figures.item_set.id for run in asked):
        known = [run for run in asked if run.figures.item_set.id == set_id and first_mean(run) is not None]
        best = max(known, key=lambda run: first_mean(run) or 0.0, default=None)
        pairs += [
            after(RunPair(run, best.name, compare_runs(session, run.figures, best.figures, samples)))
            for run in known
            if best is not None and run is not best
        ]
    return pairs


def pair_table(material: ReportRuns, pairs: Sequence[RunPair]) -> ReportTable:
    """Return the table of comparisons with the best by the first figure."""
    corrected = holm({at: _mcnemar_p(pair.comparison) for at, pair in enumerate(pairs)})
    changes = []
    for at, pair in enumerate(pairs):
        test, first = pair.comparison.mcnemar, pair.comparison.rows[0] if pair.comparison.rows else None
        difference = first.difference if first is not None else Difference(None, None, None, None, 0)
        p = corrected[at]
        verdict = "no test" if p is None else "differs from the best" if p < _LEVEL else "not told apart from the best"
        cells = _change_cells(
            TableCell(first.second if first is not None else None),
            TableCell(first.first if first is not None else None, target=pair.run.list_key),
            replace(difference, p=_mcnemar_p(pair.comparison), n=pair.comparison.n),
            *(test, p, verdict),
        )
        name = f"{material.entries[pair.run.task].name}: {pair.run.name} beside {pair.other_name}"
        changes.append((name, pair.run.origin, cells))
    note = (
        "The task's first figure on the items that both answered, with an interval over recordings where it is a sum "
        "over items; McNemar's test of who is right, each item once. p values are corrected over this table (Holm)."
    )
    title = "Each beside the best of its set"
    return _change_table("significance", title, note, "The best", "This one", "Task and judge", changes)


def run_table(material: ReportRuns, pairs: Sequence[RunPair]) -> ReportTable:
    """Return the table of all figures of each run, compared with another run."""
    lines = [(pair, row) for pair in pairs for row in pair.comparison.rows]
    corrected = holm({at: row.difference.p for at, (_, row) in enumerate(lines)})
    changes = [
        (
            f"{material.entries[pair.run.task].name}: {pair.run.name} beside {pair.other_name}, {row.name.lower()}",
            pair.run.origin,
            _change_cells(
                TableCell(row.second),
                TableCell(row.first, target=pair.run.list_key),
                *(row.difference, None, p, describe_difference(row.metric, row.difference, p)),
            ),
        )
        for (pair, row), p in zip(lines, corrected.values(), strict=True)
    ]
    note = (
        "On the items that count in both, by resampling recordings with both; p values are corrected over this table "
        "(Holm). Runs over other sets have no test."
    )
    return _change_table("earlier", "What changed", note, "The other", "This one", "Task, judge, figure", changes)


def describe_difference(metric: str, difference: Difference, p: float | None) -> str:
    """Return the conclusion from a difference, in a word or two; only a significant one is a change."""
    value, low, high = difference.value, difference.low, difference.high
    if value is None:
        return "undefined"
    if p is None and (low is None or high is None):
        return "not known"
    significant = p < _LEVEL if p is not None else (low or 0) > 0 or (high or 0) < 0
    if not significant or not value:
        return "within noise"
    meaning = describe_metric(metric)
    return "better" if (value > 0) is (meaning is None or meaning.high_is_good) else "worse"


def _mcnemar_p(comparison: RunComparison) -> float | None:
    return comparison.mcnemar.p if comparison.mcnemar is not None else None


RESULTS_NAME = "results.json"
_FORMAT = "greenroom benchmark report"
_Z_95 = 1.959964
"""Half width of a 95 % interval in standard errors."""
_MCNEMAR_METRICS = frozenset({ACCURACY, EXACT_MATCH})


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """One run in the results of a report.

    Attributes:
        set_sha256: of its frozen items.
        right: item id -> whether it was answered right.
    """

    task: str
    name: str
    standing: ResultOrigin
    set_sha256: str
    shown: str
    variant: str
    condition: str
    seed: int
    at: str
    figures: tuple[MetricRow, ...]
    labels: tuple[MetricRow, ...]
    counts: ResponseCounts
    spent: AnswerCosts
    right: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class ReportResults:
    """The results of a report, for later reports and other programs."""

    format: str
    version: int
    at: str
    runs: tuple[ReportedRun, ...]


def results_json(material: ReportRuns, *, at: str) -> dict[str, Json]:
    """Return the results as JSON."""
    return dump(ReportResults(_FORMAT, 1, at, tuple(_reported_run(run, material) for run in material.runs)))


def _reported_run(report_run: ReportRun, material: ReportRuns) -> ReportedRun:
    run, figures = report_run.figures.run, report_run.figures
    return ReportedRun(
        task=report_run.task,
        name=report_run.name,
        standing=report_run.origin,
        set_sha256=figures.item_set.sha256,
        shown=run.shown.value,
        variant=run.variant,
        condition=material.condition_name(run.condition),
        seed=run.seed,
        at=run.at,
        figures=figures.rows,
        labels=figures.labels,
        counts=figures.counts,
        spent=figures.spent,
        right=_right_by_item(report_run),
    )


def read_earlier_runs(path: Path) -> tuple[ReportedRun, ...]:
    """Read the runs of an earlier report from its folder, or from the `results.json` in it."""
    file = path / RESULTS_NAME if path.is_dir() else path
    name, hint = escape_unprintable(file.name), "Name the folder of an earlier report, or a run."
    try:
        results = load(ReportResults, json.loads(file.read_text("utf-8")), name)
    except OSError as error:
        raise UserError(f"{name} cannot be read: {error.strerror}.", hint) from None
    except (ValueError, UserError):
        raise UserError(f"{name} does not contain the results of a report.", hint) from None
    if results.format != _FORMAT:
        raise UserError(f"{name} does not contain the results of a report.", hint)
    return results.runs


def earlier_table(material: ReportRuns, earlier: Sequence[ReportedRun]) -> ReportTable:
    """Return the table of all figures, compared with those of runs of an earlier report with the same task and name."""
    pairs = [
        (now, before, row, past)
        for now in material.runs
        for before in earlier
        if (before.task, before.name) == (now.task, now.name)
        for row in now.figures.rows
        for past in before.figures
        if row.metric == past.metric
    ]
    answers = [_shared_answers(now, before, row.metric) for now, before, row, _ in pairs]
    tests = [mcnemar(*shared) if shared else None for shared in answers]
    corrected = holm({at: test.p if test is not None else None for at, test in enumerate(tests)})
    changes = []
    for at, (now, _, row, past) in enumerate(pairs):
        test, p = tests[at], corrected[at]
        value = None if row.mean is None or past.mean is None else row.mean - past.mean
        errors = [_standard_error(side.low, side.high) for side in (row, past)]
        half = None if value is None or None in errors else _Z_95 * math.hypot(*cast(list[float], errors))
        difference = Difference(
            value,
            None if value is None or half is None else value - half,
            None if value is None or half is None else value + half,
            test.p if test is not None else None,
            0,
        )
        cells = _change_cells(
            TableCell(past.mean, low=past.low, high=past.high),
            figure_cell(replace(row, sd=None), now.list_key),
            *(difference, test, p, describe_difference(row.metric, difference, p)),
        )
        name = f"{material.entries[now.task].name}: {now.name}, {row.name.lower()}"
        changes.append((name, ResultOrigin.JUDGE, cells))
    note = (
        "Where both answered the same items, McNemar's test, corrected over this table (Holm); else the 95 % intervals "
        "over recordings, as if the two had nothing in common, which calls too little a change."
    )
    return _change_table("earlier", "What changed", note, "Before", "Now", "Task, judge, figure", changes)


def _shared_answers(now: ReportRun, before: ReportedRun, metric: str) -> tuple[list[bool], list[bool]] | None:
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
