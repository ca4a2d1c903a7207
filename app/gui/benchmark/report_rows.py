"""From a report to what its window shows."""

from app.core.benchmark.report.document import ItemList, Row, Standing, Table, Target
from app.core.benchmark.report.wording import moment, more_of, spread, took, written
from resources.translation import tr
from widgets.benchmark.figures_table import Figure, FigureLine
from widgets.rows_table import Row as ListRow

ITEM_COLUMNS = (
    tr("Item"),
    tr("Draw"),
    tr("Recording"),
    tr("Time"),
    tr("Outcome"),
    tr("Right answer"),
    tr("Answer"),
    tr("Took"),
    tr("What it is"),
)
_MARKS = {
    Standing.PUBLISHED: tr(" (published)"),
    Standing.PERSON: tr(" (measured)"),
    Standing.BASELINE: tr(" (baseline)"),
}
_ICONS = {"right": "circle-check", "wrong": "circle-x"}


def columns_of(table: Table) -> list[str]:
    """Return the headings of a table, with the group of each over it."""
    return [f"{one.group}\n{one.name}" if one.group else one.name for one in table.columns]


def lines_of(table: Table) -> list[FigureLine]:
    """Return the rows of a table."""
    return [_line(table, row) for row in table.rows]


def item_rows(one: ItemList, part: str) -> list[ListRow]:
    """Return the items of a list, or of a part of it."""
    wanted = next((set(each.numbers) for each in one.parts if each.key == part), None)
    return [
        ListRow(
            f"{line.recording_id} {line.number}",
            (
                *(str(line.number), str(line.draw), str(line.recording)),
                *(
                    tr("{start_us} to {end_us}").format(start_us=moment(line.start_us), end_us=moment(line.end_us)),
                    line.outcome,
                    line.words.truth,
                    line.words.said,
                ),
                *(took(line.ms) if line.ms else "", line.words.traits),
            ),
            _ICONS.get(line.outcome, ""),
            line.start_us,
        )
        for line in one.lines
        if wanted is None or line.number in wanted
    ]


def place_of(target: Target | None) -> str:
    """Return where a number leads, as text."""
    return "" if target is None else f"{target.list} {target.part}"


def _line(table: Table, row: Row) -> FigureLine:
    figures = []
    for cell, column in zip(row.cells, table.columns, strict=True):
        beside = spread(cell, column.number)
        text = written(cell, column.number) + (f" ± {beside}" if beside else "")
        leads = tr(" Click to see the items.") if cell.target is not None else ""
        figures.append(
            Figure(
                text, f"{more_of(cell)}.{leads}" if more_of(cell) else leads.strip(), place_of(cell.target), cell.best
            )
        )
    aside = row.standing in (Standing.PUBLISHED, Standing.CHANCE)
    return FigureLine(row.name + _MARKS.get(row.standing, ""), tuple(figures), row.source, aside)
