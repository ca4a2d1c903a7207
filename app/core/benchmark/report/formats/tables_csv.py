"""Tables as CSV: for each column its value, and where there are any, spread, interval and number of items."""

from collections.abc import Iterator

from app.core.benchmark.report.document import Cell, Column, ItemList, Number, Table
from app.core.benchmark.report.wording import moment
from app.core.csv_cells import Cell as Written
from app.core.csv_cells import as_csv

_ITEM_HEAD = ("item", "draw", "recording", "start", "end", "outcome", "truth", "said", "traits", "ms")


def csv_of(table: Table) -> bytes:
    """Return a table as a file that spreadsheets read without being asked."""
    extras = [_extras(table, place) for place in range(len(table.columns))]
    head = [table.corner, "kind", "source"]
    for column, extra in zip(table.columns, extras, strict=True):
        name = f"{column.group}, {column.name}" if column.group else column.name
        head += [name, *(f"{name}, {one}" for one in extra)]
    rows = []
    for row in table.rows:
        cells: list[Written] = [row.name, row.standing.value, row.source]
        for column, extra, cell in zip(table.columns, extras, row.cells, strict=True):
            cells += [_value(cell, column), *(getattr(cell, one) for one in extra)]
        rows.append(cells)
    return as_csv(head, rows).encode("utf-8-sig", "replace")


def items_csv(one: ItemList) -> bytes:
    """Return a list of items as a file that spreadsheets read without being asked."""
    texts = list(dict.fromkeys(name for line in one.lines for name in line.texts))
    rows = [
        (
            *(line.number, line.draw, line.recording, moment(line.start_us), moment(line.end_us), line.outcome),
            *(line.keys.truth, line.keys.said, line.keys.traits, line.ms, *(line.texts.get(name) for name in texts)),
        )
        for line in one.lines
    ]
    return as_csv((*_ITEM_HEAD, *texts), rows).encode("utf-8-sig", "replace")


def _extras(table: Table, place: int) -> list[str]:
    def there() -> Iterator[str]:
        for name in ("sd", "low", "high", "n"):
            if any(getattr(row.cells[place], name) is not None for row in table.rows):
                yield name

    return list(there())


def _value(cell: Cell, column: Column) -> Written:
    if cell.text:
        return cell.text
    return round(cell.value) if column.number is Number.COUNT and cell.value is not None else cell.value
