"""Tables of parts of the items: agreed and disagreed, by attribute, channel, kind, length of chain, collection."""

from collections.abc import Callable, Iterator

from app.core.benchmark.report.attributes import attribute_f1, error_f1
from app.core.benchmark.report.document import Cell, Column, Row, Table, Target
from app.core.benchmark.report.lists import part_key
from app.core.benchmark.report.material import Asked, Material, cell_of

AGREED = "agreed"
_STATES = ("agreed", "disagreed")
_ATTRIBUTES = "attributes"
_SAID_ELSEWHERE = frozenset({AGREED, _ATTRIBUTES, "labels"})
_MOST = 24
"""Values of a trait that a table has columns for."""


def agreement_tables(material: Material) -> list[Table]:
    """Return a table for each task with both agreed and disagreed items (SHREC, appendix C)."""
    found = []
    for task in material.tasks():
        there = {part.value for one in material.of(task) for part in _parts(one, AGREED)}
        if set(_STATES) <= there:
            entry = material.entries[task]
            columns = tuple(
                Column(f"{state}.{metric.key}", metric.name, group=state.capitalize())
                for state in _STATES
                for metric in entry.metrics
            )
            rows = tuple(
                Row(
                    one.name,
                    one.standing,
                    tuple(
                        _part_cell(material, one, AGREED, state, metric.key)
                        for state in _STATES
                        for metric in entry.metrics
                    ),
                )
                for one in material.of(task)
            )
            note = "Items whose annotators agreed, and others. Partial match rewards sets of many labels."
            found.append(Table(f"agreed-{task}", f"{entry.name}: agreed against disagreed", note, columns, rows))
    return found


def attribute_tables(material: Material) -> list[Table]:
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
            table = _by_attribute(material, f"{key}-{task}", title, note, measure, task)
            if table is not None:
                found.append(table)
    return found


def part_tables(material: Material) -> list[Table]:
    """Return the first figure of each task by each other trait that its items differ in."""
    found = []
    for task in material.tasks():
        entry = material.entries[task]
        metric = entry.metrics[0]
        for trait in dict.fromkeys(one.trait for asked in material.of(task) for one in asked.figures.breakdowns):
            values = list(dict.fromkeys(part.value for one in material.of(task) for part in _parts(one, trait)))
            if trait in _SAID_ELSEWHERE or not 1 < len(values) <= _MOST:
                continue
            columns = tuple(Column(f"{trait}.{at}", material.titled(trait, one)) for at, one in enumerate(values))
            rows = tuple(
                Row(
                    one.name,
                    one.standing,
                    tuple(_part_cell(material, one, trait, value, metric.key) for value in values),
                )
                for one in material.of(task)
            )
            title = f"{entry.name}: {metric.name} by {_TRAITS.get(trait, trait)}"
            found.append(Table(f"{task}-by-{trait}", title, "Mean and sd over the draws.", columns, rows))
    return found


def _by_attribute(
    material: Material,
    key: str,
    title: str,
    note: str,
    measure: Callable[[Material, Asked], dict[str, Cell]],
    task: str,
) -> Table | None:
    figures = [(one, measure(material, one)) for one in material.of(task)]
    attributes = list(dict.fromkeys(name for _, cells in figures for name in cells))
    if not attributes:
        return None
    columns = tuple(Column(one, material.titled(_ATTRIBUTES, one)) for one in attributes)
    rows = tuple(
        Row(one.name, one.standing, tuple(cells.get(name, Cell()) for name in attributes)) for one, cells in figures
    )
    full = f"{title} ({material.entries[task].name.lower()})"
    return Table(key, full, note, columns, rows)


def _parts(one: Asked, trait: str) -> Iterator:  # type: ignore[type-arg]
    return (part for found in one.figures.breakdowns if found.trait == trait for part in found.parts)


def _part_cell(material: Material, one: Asked, trait: str, value: str, metric: str) -> Cell:
    row = one.part(trait, value, metric)
    return cell_of(row, Target(one.list, part_key(material, trait, value)) if row is not None and row.n else None)


_TRAITS = {
    "channel": "channel",
    "collection": "collection",
    "kind": "kind of question",
    "steps": "length of the chain in steps",
    "negative": "kind of negative",
}
