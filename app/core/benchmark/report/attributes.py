"""Figures by attribute: finding errors among what has it, and naming it (SHREC, appendices F and G)."""

from app.core.benchmark.report.document import Cell, Target
from app.core.benchmark.report.lists import part_key
from app.core.benchmark.report.material import Asked, Material, cell_of
from benchmark.metrics.names import joined
from benchmark.results.base import FigureRow
from benchmark.results.measuring import F1

ATTRIBUTES = "attributes"
_ERROR = {"verdict": "error", "error": "yes"}
"""Task -> the label that says that there is an error."""


def error_f1(material: Material, one: Asked) -> dict[str, Cell]:
    """Return attribute -> F1 of finding errors among the items that have it; {} for tasks that find none."""
    if one.task not in _ERROR:
        return {}
    metric = joined(F1, _ERROR[one.task])
    parts = [part for found in one.figures.breakdowns if found.trait == ATTRIBUTES for part in found.parts]
    return {part.value: _cell(material, one, part.value, one.part(ATTRIBUTES, part.value, metric)) for part in parts}


def attribute_f1(material: Material, one: Asked) -> dict[str, Cell]:
    """Return attribute -> F1 of naming it; {} for other tasks."""
    if one.task != ATTRIBUTES:
        return {}
    start = joined(F1, " ").strip()
    return {
        row.metric.removeprefix(start): _cell(material, one, row.metric.removeprefix(start), row)
        for row in one.figures.labels
    }


def _cell(material: Material, one: Asked, attribute: str, row: FigureRow | None) -> Cell:
    return cell_of(row, Target(one.list, part_key(material, ATTRIBUTES, attribute)))
