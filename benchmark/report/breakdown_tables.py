"""Tables by parts of the items, of outcomes and costs, and the item lists of runs.

Parts are traits such as agreement, attribute, channel or collection (SHREC, appendices C, F and G).
"""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from benchmark.metrics.published_figures import join_metric_key
from benchmark.report.report_data import ReportRedactor, ReportRun, ReportRuns, figure_cell
from benchmark.report.report_document import (
    ItemLine,
    ItemPart,
    ReportAnswer,
    ReportItemList,
    ReportTable,
    cell_column,
    cell_row,
    item_target,
    report_rows,
)
from benchmark.results.item_results import ItemResult, MetricRow, SubgroupResult
from benchmark.results.run_measures import F1, trait_parts
from benchmark.tasks.benchmark_task import BREAKDOWN_TRAITS, ItemResponse
from project.entities.frozen_items import FrozenItem
from project.entities.judgments import JudgmentStatus
from project.text_tables import Column, NumberFormat, TableCell

RunColumn = Column[ReportRun]


def counts_table(material: ReportRuns) -> ReportTable:
    """Return a table of the outcomes of the items of each run."""

    def column(key: str, title: str) -> RunColumn:
        def count(run: ReportRun) -> TableCell:
            return TableCell(getattr(run.figures.counts, key), target=run.list_key)

        return Column(key, title, NumberFormat.COUNT, count)

    columns = (
        column("items", "Items"),
        column("answered", "Answered"),
        column("unparsed", "Unparsed"),
        column("refused", "Refused"),
        column("errors", "Failed"),
        column("missing", "Not asked"),
    )
    note = (
        "(L) was shown words alone, (V) pictures alone, (L+V) both. Unparsed and refused answers count as wrong; what "
        "failed or was not asked counts nowhere."
    )
    return _table_of_runs(material, "answers", "What became of the items", note, columns)


def spending_table(material: ReportRuns) -> ReportTable:
    """Return a table of time and cost of each run."""

    def seconds_each(run: ReportRun) -> TableCell:
        counted = run.figures.counts.counted
        return TableCell(run.figures.spent.ms / 1000 / counted if counted else None, n=counted)

    def cost(currency: str) -> Callable[[ReportRun], float | None]:
        return lambda run: run.figures.spent.money.get(currency)

    currencies = sorted({name for run in material.runs for name in run.figures.spent.money})
    columns: tuple[RunColumn, ...] = (
        Column("seconds", "Seconds in all", NumberFormat.SECONDS, lambda run: run.figures.spent.ms / 1000),
        Column("each", "Seconds an answer", NumberFormat.FIGURE, seconds_each),
        Column("tokens_in", "Tokens in", NumberFormat.COUNT, lambda run: run.figures.spent.tokens_in),
        Column("tokens_out", "Tokens out", NumberFormat.COUNT, lambda run: run.figures.spent.tokens_out),
        Column("cached", "Answers there already", NumberFormat.COUNT, lambda run: run.figures.spent.cached),
        *(Column(f"money-{at}", f"Cost, {name}", NumberFormat.MONEY, cost(name)) for at, name in enumerate(currencies)),
    )
    note = (
        "All answers together, of people the time that they took. Answers that were there already cost nothing again."
    )
    return _table_of_runs(material, "cost", "Time and cost", note, columns)


def sets_table(material: ReportRuns) -> ReportTable:
    """Return a table of the frozen sets: how they were drawn, and what was left out."""

    def left_out(run: ReportRun) -> str:
        reasons = run.figures.item_set.left_out.items()
        return "; ".join(f"{number:,}: {reason}" for reason, number in reasons if number) or "nothing"

    columns: tuple[RunColumn, ...] = (
        Column("seed", "Seed", NumberFormat.COUNT, lambda run: run.figures.item_set.seed),
        Column("draws", "Draws", NumberFormat.COUNT, lambda run: run.figures.item_set.draws),
        Column("items", "Items", NumberFormat.COUNT, lambda run: run.figures.counts.items),
        Column("sha256", "sha256", NumberFormat.TEXT, lambda run: run.figures.item_set.sha256[:12]),
        Column("left_out", "Left out", NumberFormat.TEXT, left_out),
    )
    rows = report_rows(
        {run.figures.item_set.id: run for run in material.runs}.values(),
        columns,
        lambda run: f"{material.entries[run.task].name}: {material.sets[run.figures.item_set.id]}",
    )
    note = "Every judge and every person is asked the same items."
    return ReportTable("sets", "Frozen sets of items", note, columns, rows, "Set")


def _table_of_runs(material: ReportRuns, key: str, title: str, note: str, columns: Sequence[RunColumn]) -> ReportTable:
    rows = report_rows(
        material.runs, columns, lambda run: f"{material.entries[run.task].name}: {run.name}", lambda run: run.origin
    )
    return ReportTable(key, title, note, tuple(columns), rows, "Task and judge")


def _table_of_task(
    material: ReportRuns, task: str, key: str, title: str, note: str, columns: Sequence[RunColumn]
) -> ReportTable:
    rows = report_rows(material.runs_of(task), columns, lambda run: run.name, lambda run: run.origin)
    return ReportTable(key, title, note, tuple(columns), rows)


COLLECTION = "collection"
RIGHT, WRONG, ANSWERED, NOT_ASKED = "right", "wrong", "answered", "not asked"
_STATUS_ORDER = (JudgmentStatus.ERROR, JudgmentStatus.REFUSED, JudgmentStatus.UNPARSED)
_PLAIN = re.compile(r"[a-z0-9_]{1,40}")


def part_key(material: ReportRuns, trait: str, value: str) -> str:
    """Return the key of a part, which is the anchor on its page and reveals no more than the redacted name."""
    return f"{_slug(trait)}-{_slug(material.value_name(trait, value))}"


def item_outcome(item: ItemResult) -> str:
    """Return the outcome of an item: the worst of all its answers."""
    statuses = item.response.statuses.values()
    if not statuses:
        return NOT_ASKED
    for worst in _STATUS_ORDER:
        if worst in statuses:
            return worst.value
    if not item.is_counted:
        return NOT_ASKED
    return ANSWERED if item.right is None else RIGHT if item.right else WRONG


def build_item_list(
    report_run: ReportRun,
    material: ReportRuns,
    items: Mapping[str, FrozenItem],
    numbers: Mapping[str, int],
    withheld: Collection[str],
    redactor: ReportRedactor,
    collections: Mapping[str, str],
    texts: Mapping[str, Mapping[str, str]],
) -> ReportItemList:
    """Return the list of items of a run, of those in `items`; `numbers` are those of recordings, by id."""
    lines: list[ItemLine] = []
    parts: dict[tuple[str, str], list[int]] = {}
    listed = [
        (item.response, item_outcome(item), frozen)
        for item in report_run.figures.items
        if (frozen := items.get(item.response.item_id)) is not None and frozen.recording_id in numbers
    ]
    for number, (response, outcome, frozen) in enumerate(listed, 1):
        traits = item_traits(response, collections)
        for trait_value in traits:
            parts.setdefault(trait_value, []).append(number)
        lines.append(
            ItemLine(
                *(number, response.draw + 1, numbers[frozen.recording_id], frozen.recording_id),
                *(frozen.start_us, frozen.end_us, outcome),
                _report_answer(response, traits, material, redactor, titles=False),
                _report_answer(response, traits, material, redactor, titles=True),
                response.ms,
                frozen.recording_id not in withheld,
                texts.get(response.item_id, {}),
            )
        )
    return ReportItemList(
        report_run.list_key,
        material.entries[report_run.task].name,
        report_run.name,
        material.sets[report_run.figures.item_set.id],
        tuple(lines),
        tuple(
            ItemPart(
                part_key(material, trait, value),
                f"{trait.capitalize()}: {material.value_title(trait, value)}",
                tuple(part_numbers),
            )
            for (trait, value), part_numbers in sorted(parts.items())
        ),
        len(report_run.figures.items) - len(lines),
    )


def _report_answer(
    response: ItemResponse,
    traits: Sequence[tuple[str, str]],
    material: ReportRuns,
    redactor: ReportRedactor,
    *,
    titles: bool,
) -> ReportAnswer:
    """Return an answer as keys for programs or, with `titles`, as display names for people."""
    name = material.value_title if titles else material.value_name
    named = [(trait, name(trait, value)) for trait, value in traits]
    return ReportAnswer(
        redactor.redact_answer(response.truth, titles=titles),
        redactor.redact_answer(response.answers, titles=titles),
        ", ".join(f"{value} {trait}" if value.isdecimal() else value for trait, value in named),
    )


def releasable_list(item_list: ReportItemList) -> ReportItemList:
    """Return the part of a list that may leave; items keep their numbers."""
    lines = tuple(line for line in item_list.lines if line.is_releasable)
    numbers = {line.number for line in lines}
    parts = tuple(
        replace(part, numbers=tuple(number for number in part.numbers if number in numbers)) for part in item_list.parts
    )
    withheld = item_list.withheld + len(item_list.lines) - len(lines)
    return replace(item_list, lines=lines, parts=parts, withheld=withheld)


def item_traits(response: ItemResponse, collections: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return trait and value of each part of the figures that an item belongs to; collections by name."""
    traits = (
        (trait, collections.get(value, value) if trait == COLLECTION else value)
        for trait in BREAKDOWN_TRAITS
        for value in trait_parts(trait, response.traits.get(trait))
    )
    return [*dict.fromkeys(traits)]


def _slug(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else hashlib.sha256(text.encode()).hexdigest()[:12]


AGREED, ATTRIBUTES = "agreed", "attributes"
_STATES = ("agreed", "disagreed")
_OTHER_TABLES = frozenset({AGREED, ATTRIBUTES, "labels"})
_TRAIT_NAMES = {
    "kind": "kind of question",
    "steps": "length of the chain in steps",
    "negative": "kind of negative",
}
_MAX_COLUMNS = 24
"""Largest number of values of a trait in a table."""
_ERROR_LABELS = {"verdict": "error", "error": "yes"}
"""Task -> the label for an error."""


def error_f1(material: ReportRuns, report_run: ReportRun) -> dict[str, TableCell]:
    """Return attribute -> F1 of finding errors among the items that have it; {} for other tasks."""
    if report_run.task not in _ERROR_LABELS:
        return {}
    metric = join_metric_key(F1, _ERROR_LABELS[report_run.task])
    return {
        part.value: _attribute_cell(material, report_run, part.value, report_run.part(ATTRIBUTES, part.value, metric))
        for part in _trait_parts(report_run, ATTRIBUTES)
    }


def attribute_f1(material: ReportRuns, report_run: ReportRun) -> dict[str, TableCell]:
    """Return attribute -> F1 of naming it; {} for other tasks."""
    if report_run.task != ATTRIBUTES:
        return {}
    named = [(row.metric.removeprefix(join_metric_key(F1, " ").strip()), row) for row in report_run.figures.labels]
    return {attribute: _attribute_cell(material, report_run, attribute, row) for attribute, row in named}


def _attribute_cell(material: ReportRuns, report_run: ReportRun, attribute: str, row: MetricRow | None) -> TableCell:
    return figure_cell(row, item_target(report_run.list_key, part_key(material, ATTRIBUTES, attribute)))


def agreement_tables(material: ReportRuns) -> list[ReportTable]:
    """Return a table for each task with both agreed and disagreed items (SHREC, appendix C)."""
    note = "Items whose annotators agreed, and others. Partial match rewards sets of many labels."
    tables = []
    for task in material.tasks():
        if set(_STATES) <= {*_trait_values(material, task, AGREED)}:
            entry = material.entries[task]
            columns = [
                _part_column(
                    *(material, AGREED, state, metric.key),
                    *(f"{state}.{metric.key}", metric.name, state.capitalize()),
                )
                for state in _STATES
                for metric in entry.metrics
            ]
            title = f"{entry.name}: agreed against disagreed"
            tables.append(_table_of_task(material, task, f"agreed-{task}", title, note, columns))
    return tables


def attribute_tables(material: ReportRuns) -> list[ReportTable]:
    """Return error-detection F1 and attribute F1, by attribute (SHREC, appendices F and G)."""
    error_note = "F1 of error among the errors and competences that have the attribute. Mean and sd over the draws."
    note = "F1 of each attribute. Mean and standard deviation over the draws."
    return [
        *(
            table
            for task in _ERROR_LABELS
            for table in _attribute_table(
                material, task, "error-f1-by-attribute", "Finding errors, by attribute", error_note, error_f1
            )
        ),
        *_attribute_table(material, ATTRIBUTES, "attribute-f1", "Naming attributes, by attribute", note, attribute_f1),
    ]


def part_tables(material: ReportRuns) -> list[ReportTable]:
    """Return the first figure of each task by each other trait with several values."""
    tables = []
    for task in material.tasks():
        entry = material.entries[task]
        metric = entry.metrics[0]
        breakdowns = [breakdown for run in material.runs_of(task) for breakdown in run.figures.breakdowns]
        for trait in dict.fromkeys(breakdown.trait for breakdown in breakdowns):
            values = _trait_values(material, task, trait)
            if trait in _OTHER_TABLES or not 1 < len(values) <= _MAX_COLUMNS:
                continue
            columns = [
                _part_column(*(material, trait, value, metric.key), f"{trait}.{at}", material.value_title(trait, value))
                for at, value in enumerate(values)
            ]
            title = f"{entry.name}: {metric.name} by {_TRAIT_NAMES.get(trait, trait)}"
            note = "Mean and sd over the draws."
            tables.append(_table_of_task(material, task, f"{task}-by-{trait}", title, note, columns))
    return tables


def _attribute_table(
    material: ReportRuns,
    task: str,
    key: str,
    title: str,
    note: str,
    measure: Callable[[ReportRuns, ReportRun], dict[str, TableCell]],
) -> list[ReportTable]:
    figures = [(run, measure(material, run)) for run in material.runs_of(task)]
    attributes = dict.fromkeys(attribute for _, cells in figures for attribute in cells)
    if not attributes:
        return []
    columns = tuple(cell_column(attribute, material.value_title(ATTRIBUTES, attribute)) for attribute in attributes)
    rows = tuple(cell_row(columns, run.name, run.origin, cells) for run, cells in figures)
    return [ReportTable(f"{key}-{task}", f"{title} ({material.entries[task].name.lower()})", note, columns, rows)]


def _part_column(
    material: ReportRuns, trait: str, value: str, metric: str, key: str, title: str, group: str = ""
) -> RunColumn:
    def cell(run: ReportRun) -> TableCell:
        row = run.part(trait, value, metric)
        has_items = row is not None and row.n
        return figure_cell(row, item_target(run.list_key, part_key(material, trait, value)) if has_items else "")

    return Column(key, title, NumberFormat.SHARE, cell, group)


def _trait_values(material: ReportRuns, task: str, trait: str) -> list[str]:
    return list(dict.fromkeys(part.value for run in material.runs_of(task) for part in _trait_parts(run, trait)))


def _trait_parts(report_run: ReportRun, trait: str) -> list[SubgroupResult]:
    return [part for found in report_run.figures.breakdowns if found.trait == trait for part in found.parts]
