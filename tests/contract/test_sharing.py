"""A table that nobody thought of when annotations are shared does not go along by accident."""

from project.schema.columns import COLUMNS, ColumnKind
from project.sharing.annotations_only_copy import SHARED_ROWS, WITHHELD_TABLES


def test_every_table_is_given_or_withheld() -> None:
    assert set(SHARED_ROWS) | WITHHELD_TABLES == set(COLUMNS)
    assert not set(SHARED_ROWS) & WITHHELD_TABLES


def test_tables_that_are_given_hold_no_kind_that_nobody_has_a_rule_for() -> None:
    unsafe = {ColumnKind.PATH, ColumnKind.HASH, ColumnKind.JSON}
    assert {table for table in SHARED_ROWS if unsafe & {*COLUMNS[table].values()}} == {
        *("utterance", "segment_value", "chain_review", "judgment"),
    }
