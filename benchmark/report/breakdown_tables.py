"""Tables by parts of the items, of outcomes and costs, and the item lists of runs.

Parts are traits such as agreement, attribute, channel or collection (SHREC, appendices C, F and G).
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from benchmark.metrics.published_figures import join_metric_key
from benchmark.report.report_data import ReportRedactor, ReportRun, ReportRuns, figure_cell
from benchmark.report.report_document import (
    ItemLine,
    ItemListLink,
    ItemPart,
    NumberFormat,
    ReportAnswer,
    ReportCell,
    ReportColumn,
    ReportItemList,
    ReportRow,
    ReportTable,
    ResultOrigin,
)
from benchmark.results.item_results import ItemResult, MetricRow
from benchmark.results.run_measures import F1, trait_parts
from benchmark.tasks.benchmark_task import BREAKDOWN_TRAITS, ItemResponse
from project.entities.frozen_items import FrozenItem
from project.entities.judgments import JudgmentStatus


def counts_table(material: ReportRuns) -> ReportTable:
    """Return a table of the outcomes of the items of each run."""
    columns = tuple(
        ReportColumn(key, name, NumberFormat.COUNT)
        for key, name in (
            ("items", "Items"),
            ("answered", "Answered"),
            ("unparsed", "Unparsed"),
            ("refused", "Refused"),
            ("errors", "Failed"),
            ("missing", "Not asked"),
        )
    )
    note = "Unparsed and refused answers count as wrong; what failed or was not asked counts nowhere."
    rows = tuple(
        ReportRow(
            run_title(material, report_run),
            report_run.origin,
            tuple(
                ReportCell(
                    float(getattr(report_run.figures.counts, column.key)), target=ItemListLink(report_run.list_key)
                )
                for column in columns
            ),
        )
        for report_run in material.runs
    )
    return ReportTable("answers", "What became of the items", note, columns, rows, "Task and judge")


def spending_table(material: ReportRuns) -> ReportTable:
    """Return a table of time and cost of each run."""
    currencies = sorted({name for report_run in material.runs for name in report_run.figures.spent.money})
    columns = (
        ReportColumn("seconds", "Seconds in all", NumberFormat.SECONDS),
        ReportColumn("each", "Seconds an answer", NumberFormat.FIGURE),
        ReportColumn("tokens_in", "Tokens in", NumberFormat.COUNT),
        ReportColumn("tokens_out", "Tokens out", NumberFormat.COUNT),
        ReportColumn("cached", "Answers there already", NumberFormat.COUNT),
        *(ReportColumn(f"money-{at}", f"Cost, {name}", NumberFormat.MONEY) for at, name in enumerate(currencies)),
    )
    rows = tuple(
        ReportRow(run_title(material, report_run), report_run.origin, _spending_cells(report_run, currencies))
        for report_run in material.runs
    )
    note = (
        "All answers together, of people the time that they took. Answers that were there already cost nothing again."
    )
    return ReportTable("cost", "Time and cost", note, columns, rows, "Task and judge")


def sets_table(material: ReportRuns) -> ReportTable:
    """Return a table of the frozen sets: how they were drawn, and what was left out."""
    columns = (
        ReportColumn("seed", "Seed", NumberFormat.COUNT),
        ReportColumn("draws", "Draws", NumberFormat.COUNT),
        ReportColumn("items", "Items", NumberFormat.COUNT),
        ReportColumn("sha256", "sha256", NumberFormat.TEXT),
        ReportColumn("left_out", "Left out", NumberFormat.TEXT),
    )
    rows = []
    for report_run in {report_run.figures.item_set.id: report_run for report_run in material.runs}.values():
        item_set = report_run.figures.item_set
        left_out = "; ".join(f"{many:,}: {why}" for why, many in item_set.left_out.items() if many)
        cells = (
            *(
                ReportCell(float(item_set.seed)),
                ReportCell(float(item_set.draws)),
                ReportCell(float(report_run.figures.counts.items)),
            ),
            *(ReportCell(text=item_set.sha256[:12]), ReportCell(text=left_out or "nothing")),
        )
        rows.append(
            ReportRow(
                f"{material.entries[report_run.task].name}: {material.sets[item_set.id]}", ResultOrigin.JUDGE, cells
            )
        )
    note = "Every judge and every person is asked the same items."
    return ReportTable("sets", "Frozen sets of items", note, columns, tuple(rows), "Set")


def run_title(material: ReportRuns, report_run: ReportRun) -> str:
    """Return the name of a run with its task."""
    return f"{material.entries[report_run.task].name}: {report_run.name}"


def _spending_cells(report_run: ReportRun, currencies: list[str]) -> tuple[ReportCell, ...]:
    spent, counted = report_run.figures.spent, report_run.figures.counts.counted
    return (
        ReportCell(spent.ms / 1000),
        ReportCell(spent.ms / 1000 / counted if counted else None, n=counted),
        ReportCell(float(spent.tokens_in)),
        ReportCell(float(spent.tokens_out)),
        ReportCell(float(spent.cached)),
        *(ReportCell(spent.money.get(name)) for name in currencies),
    )


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
    telling: ReportRedactor,
    collections: Mapping[str, str],
    texts: Mapping[str, Mapping[str, str]],
) -> ReportItemList:
    """Return the list of items of a run.

    Args:
        report_run: the run.
        material: of the report.
        items: those of its set that may be listed, by id.
        numbers: recording id -> number.
        withheld: ids of recordings that may not leave.
        telling: the redactor.
        collections: id -> name.
        texts: item id -> name -> private text; {} unless requested.
    """
    lines: list[ItemLine] = []
    parts: dict[tuple[str, str], list[int]] = {}
    hidden = 0
    for item in report_run.figures.items:
        frozen = items.get(item.response.item_id)
        if frozen is None or frozen.recording_id not in numbers:
            hidden += 1
            continue
        number = len(lines) + 1
        traits = item_traits(item.response, collections)
        for trait_value in traits:
            parts.setdefault(trait_value, []).append(number)
        lines.append(
            ItemLine(
                number,
                item.response.draw + 1,
                numbers[frozen.recording_id],
                frozen.recording_id,
                frozen.start_us,
                frozen.end_us,
                item_outcome(item),
                ReportAnswer(
                    telling.redact_answer(item.response.truth),
                    telling.redact_answer(item.response.answers),
                    ", ".join(_trait_text(trait_value[0], material.value_name(*trait_value)) for trait_value in traits),
                ),
                ReportAnswer(
                    telling.redact_answer(item.response.truth, titles=True),
                    telling.redact_answer(item.response.answers, titles=True),
                    ", ".join(
                        _trait_text(trait_value[0], material.value_title(*trait_value)) for trait_value in traits
                    ),
                ),
                item.response.ms,
                frozen.recording_id not in withheld,
                texts.get(item.response.item_id, {}),
            )
        )
    named = tuple(
        ItemPart(
            part_key(material, *trait_value),
            f"{trait_value[0].capitalize()}: {material.value_title(*trait_value)}",
            tuple(found),
        )
        for trait_value, found in sorted(parts.items())
    )
    entry = material.entries[report_run.task]
    return ReportItemList(
        report_run.list_key,
        entry.name,
        report_run.name,
        material.sets[report_run.figures.item_set.id],
        tuple(lines),
        named,
        hidden,
    )


def releasable_list(report_item_list: ReportItemList) -> ReportItemList:
    """Return the part of a list that may leave; items keep their numbers."""
    lines = tuple(line for line in report_item_list.lines if line.is_releasable)
    numbers = {line.number for line in lines}
    parts = tuple(
        replace(part, numbers=tuple(number for number in part.numbers if number in numbers))
        for part in report_item_list.parts
    )
    return replace(
        report_item_list,
        lines=lines,
        parts=parts,
        withheld=report_item_list.withheld + len(report_item_list.lines) - len(lines),
    )


def item_traits(said: ItemResponse, collections: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return trait and value of each part that an item belongs to, with the keys of figures.

    Args:
        said: the response to the item.
        collections: id -> name.
    """
    found = ((trait, value) for trait in BREAKDOWN_TRAITS for value in trait_parts(trait, said.traits.get(trait)))
    named = ((trait, collections.get(value, value) if trait == COLLECTION else value) for trait, value in found)
    return [*dict.fromkeys(named)]


def _trait_text(trait: str, called: str) -> str:
    return called if not called.isdecimal() else f"{called} {trait}"


def _slug(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else hashlib.sha256(text.encode()).hexdigest()[:12]


ATTRIBUTES = "attributes"
_ERROR_LABELS = {"verdict": "error", "error": "yes"}
"""Task -> the label for an error."""


def error_f1(material: ReportRuns, report_run: ReportRun) -> dict[str, ReportCell]:
    """Return attribute -> F1 of finding errors among the items that have it; {} for other tasks."""
    if report_run.task not in _ERROR_LABELS:
        return {}
    metric = join_metric_key(F1, _ERROR_LABELS[report_run.task])
    parts = [part for found in report_run.figures.breakdowns if found.trait == ATTRIBUTES for part in found.parts]
    return {
        part.value: _attribute_cell(material, report_run, part.value, report_run.part(ATTRIBUTES, part.value, metric))
        for part in parts
    }


def attribute_f1(material: ReportRuns, report_run: ReportRun) -> dict[str, ReportCell]:
    """Return attribute -> F1 of naming it; {} for other tasks."""
    if report_run.task != ATTRIBUTES:
        return {}
    start = join_metric_key(F1, " ").strip()
    return {
        row.metric.removeprefix(start): _attribute_cell(material, report_run, row.metric.removeprefix(start), row)
        for row in report_run.figures.labels
    }


def _attribute_cell(material: ReportRuns, report_run: ReportRun, attribute: str, row: MetricRow | None) -> ReportCell:
    return figure_cell(row, ItemListLink(report_run.list_key, part_key(material, ATTRIBUTES, attribute)))


AGREED = "agreed"
_STATES = ("agreed", "disagreed")
_ATTRIBUTES = "attributes"
_OTHER_TABLES = frozenset({AGREED, _ATTRIBUTES, "labels"})
_MAX_COLUMNS = 24
"""Largest number of values of a trait in a table."""


def agreement_tables(material: ReportRuns) -> list[ReportTable]:
    """Return a table for each task with both agreed and disagreed items (SHREC, appendix C)."""
    found = []
    for task in material.tasks():
        there = {part.value for report_run in material.runs_of(task) for part in _trait_parts(report_run, AGREED)}
        if set(_STATES) <= there:
            entry = material.entries[task]
            columns = tuple(
                ReportColumn(f"{state}.{metric.key}", metric.name, group=state.capitalize())
                for state in _STATES
                for metric in entry.metrics
            )
            rows = tuple(
                ReportRow(
                    report_run.name,
                    report_run.origin,
                    tuple(
                        _part_cell(material, report_run, AGREED, state, metric.key)
                        for state in _STATES
                        for metric in entry.metrics
                    ),
                )
                for report_run in material.runs_of(task)
            )
            note = "Items whose annotators agreed, and others. Partial match rewards sets of many labels."
            found.append(ReportTable(f"agreed-{task}", f"{entry.name}: agreed against disagreed", note, columns, rows))
    return found


def attribute_tables(material: ReportRuns) -> list[ReportTable]:
    """Return error-detection F1 and attribute F1, by attribute (SHREC, appendices F and G)."""
    found = []
    for key, title, note, measure, tasks in (
        (
            *("error-f1-by-attribute", "Finding errors, by attribute"),
            "F1 of error among the errors and competences that have the attribute. Mean and sd over the draws.",
            *(error_f1, ("verdict", "error")),
        ),
        (
            *("attribute-f1", "Naming attributes, by attribute"),
            "F1 of each attribute. Mean and standard deviation over the draws.",
            *(attribute_f1, (_ATTRIBUTES,)),
        ),
    ):
        for task in tasks:
            table = _attribute_table(material, f"{key}-{task}", title, note, measure, task)
            if table is not None:
                found.append(table)
    return found


def part_tables(material: ReportRuns) -> list[ReportTable]:
    """Return the first figure of each task by each other trait with several values."""
    found = []
    for task in material.tasks():
        entry = material.entries[task]
        metric = entry.metrics[0]
        for trait in dict.fromkeys(
            breakdown.trait for asked in material.runs_of(task) for breakdown in asked.figures.breakdowns
        ):
            values = list(
                dict.fromkeys(
                    part.value for report_run in material.runs_of(task) for part in _trait_parts(report_run, trait)
                )
            )
            if trait in _OTHER_TABLES or not 1 < len(values) <= _MAX_COLUMNS:
                continue
            columns = tuple(
                ReportColumn(f"{trait}.{index}", material.value_title(trait, value))
                for index, value in enumerate(values)
            )
            rows = tuple(
                ReportRow(
                    report_run.name,
                    report_run.origin,
                    tuple(_part_cell(material, report_run, trait, value, metric.key) for value in values),
                )
                for report_run in material.runs_of(task)
            )
            title = f"{entry.name}: {metric.name} by {_TRAIT_NAMES.get(trait, trait)}"
            found.append(ReportTable(f"{task}-by-{trait}", title, "Mean and sd over the draws.", columns, rows))
    return found


def _attribute_table(
    material: ReportRuns,
    key: str,
    title: str,
    note: str,
    measure: Callable[[ReportRuns, ReportRun], dict[str, ReportCell]],
    task: str,
) -> ReportTable | None:
    figures = [(report_run, measure(material, report_run)) for report_run in material.runs_of(task)]
    attributes = list(dict.fromkeys(name for _, cells in figures for name in cells))
    if not attributes:
        return None
    columns = tuple(ReportColumn(attribute, material.value_title(_ATTRIBUTES, attribute)) for attribute in attributes)
    rows = tuple(
        ReportRow(report_run.name, report_run.origin, tuple(cells.get(name, ReportCell()) for name in attributes))
        for report_run, cells in figures
    )
    full = f"{title} ({material.entries[task].name.lower()})"
    return ReportTable(key, full, note, columns, rows)


def _trait_parts(report_run: ReportRun, trait: str) -> Iterator:  # type: ignore[type-arg]
    return (part for found in report_run.figures.breakdowns if found.trait == trait for part in found.parts)


def _part_cell(material: ReportRuns, report_run: ReportRun, trait: str, value: str, metric: str) -> ReportCell:
    row = report_run.part(trait, value, metric)
    return figure_cell(
        row, ItemListLink(report_run.list_key, part_key(material, trait, value)) if row is not None and row.n else None
    )


_TRAIT_NAMES = {
    "channel": "channel",
    "collection": "collection",
    "kind": "kind of question",
    "steps": "length of the chain in steps",
    "negative": "kind of negative",
}
