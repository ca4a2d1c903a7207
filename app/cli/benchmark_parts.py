"""Figures by trait and by label, and who was taken for whom, as lines of text."""

from app.cli.benchmark_table import value, who
from app.core.benchmark.results.figures import RunFigures
from benchmark.results.base import Confusion, FigureRow

_NONE = "no answer"


def part_lines(one: RunFigures) -> list[str]:
    """Return the breakdowns of a run."""
    lines = [f"{one.item_set.name}, {who(one)}"]
    if one.labels:
        lines.append(f"  by label: {_figures(one.labels)}")
    for breakdown in one.breakdowns:
        lines.append(f"  by {breakdown.trait}")
        lines += [f"    {part.value} ({part.items}): {_figures(part.rows)}" for part in breakdown.parts]
    for matrix in one.confusions:
        lines += ["  true by row, said by column", *_matrix(matrix)]
    return lines


def _figures(rows: tuple[FigureRow, ...]) -> str:
    return ", ".join(f"{row.name} {value(row.mean, share=row.share)}" for row in rows if row.mean is not None) or "-"


def _matrix(found: Confusion) -> list[str]:
    columns = (*found.labels, _NONE)
    wide = max(map(len, columns)) + 2
    lines = ["    " + " " * wide + "".join(f"{name:>{wide}}" for name in columns)]
    for label, row in zip(found.labels, found.counts, strict=True):
        lines.append(f"    {label:<{wide}}" + "".join(f"{number:>{wide}}" for number in row))
    return lines
