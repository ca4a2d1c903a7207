"""Time budgets and transitions as tables, for people, spreadsheets and programs that compute."""

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

from annotate.statistics.time_budget import BudgetRow, TimeBudget
from annotate.statistics.transitions import TransitionTable
from project.files.atomic_files import explain_unwritable, write_atomically
from project.session.optional_parts import PARQUET
from project.text_format import Cell, to_csv
from project.text_tables import Column, NumberFormat, TextTable, table

_SECONDS = NumberFormat.FIGURE
BUDGET_COLUMNS: tuple[Column[BudgetRow], ...] = (
    Column("label", "", NumberFormat.TEXT, lambda row: row.label),
    Column("label_name", "Label", NumberFormat.TEXT, lambda row: row.name),
    Column("count", "Count", NumberFormat.COUNT, lambda row: row.count),
    Column("rate_per_min", "Rate (/min)", NumberFormat.FIGURE, lambda row: row.rate),
    Column("total_s", "Total (s)", _SECONDS, lambda row: row.total_s),
    Column("mean_s", "Mean (s)", _SECONDS, lambda row: row.mean_s),
    Column("sd_s", "SD (s)", _SECONDS, lambda row: row.sd_s),
    Column("median_s", "Median (s)", _SECONDS, lambda row: row.median_s),
    Column("share", "Share of time", NumberFormat.FIGURE, lambda row: row.share),
    Column("latency_s", "Latency (s)", _SECONDS, lambda row: row.latency_s),
    Column("occurring_in", "", NumberFormat.COUNT, lambda row: row.occurring_in),
    Column("observations", "Observations", NumberFormat.COUNT, lambda row: row.observations),
    Column("observed_s", "Observed (s)", _SECONDS, lambda row: row.observed_s),
)
"""What is said of a label, behind the values of its group."""


def variable_column(name: str, taken: Collection[str]) -> str:
    """Return the column of a variable of participants: its name, or `variable_` and its name where that is taken."""
    return f"variable_{name}" if name in taken else name


def _group_value(place: int, row: Any) -> str:
    return str(row.group[place])


def budget_table(budget: TimeBudget) -> TextTable:
    """Return a row for each group and label."""
    taken = {column.key for column in BUDGET_COLUMNS}
    groups: list[Column[BudgetRow]] = [
        Column(variable_column(key.key, taken), key.name, NumberFormat.TEXT, partial(_group_value, place))
        for place, key in enumerate(budget.keys)
    ]
    return table(budget.rows, (*groups, *BUDGET_COLUMNS))


def transition_rows(found: TransitionTable) -> tuple[list[str], list[list[Cell]]]:
    """Return head and rows of a long table: a row for each group and pair of labels."""
    own = ("first", "second", "count", "proportion")
    head = [*(variable_column(key.key, own) for key in found.keys), *own]
    rows: list[list[Cell]] = []
    for matrix in found.matrices:
        proportions = matrix.proportions
        rows += [
            [*matrix.group, first.key, second.key, matrix.counts[row][column], proportions[row][column]]
            for row, first in enumerate(found.labels)
            for column, second in enumerate(found.labels)
        ]
    return head, rows


def data_rows(found: TextTable) -> tuple[list[str], list[list[Cell]]]:
    """Return the keys of the columns and the plain values of each row, as programs that compute want them."""
    kept = [place for place, column in enumerate(found.columns) if column.key]
    rows = [[_plain(row[place].value) for place in kept] for row in found.rows]
    return [found.columns[place].key for place in kept], rows


def _plain(value: Any) -> Cell:
    return value if value is None or isinstance(value, str | int | float) else str(value)


def encode_csv(head: list[str], rows: list[list[Cell]]) -> bytes:
    """Return a table as CSV; spreadsheets read it without being asked, and take no cell for a formula."""
    return to_csv(head, rows).encode("utf-8-sig", "replace")


def encode_parquet(head: list[str], rows: list[list[Cell]]) -> bytes:
    """Return a table as Parquet; it needs the optional part with pyarrow."""
    PARQUET.require()
    import pyarrow
    from pyarrow import parquet

    columns = {key: [row[place] for row in rows] for place, key in enumerate(head)}
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(columns), sink)
    return bytes(sink.getvalue())


def write_table(path: Path, content: bytes) -> None:
    """Write an encoded table to a file, in place of one that is there."""
    with explain_unwritable(path), write_atomically(path, private=False) as file:
        file.write(content)
