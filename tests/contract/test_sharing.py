"""A table that nobody thought of when annotations are shared does not go along by accident."""

from project.schema.columns import COLUMNS, ColumnKind
from project.sharing.annotations_only_copy import GIVEN, WITHHELD


def test_every_table_is_given_or_withheld() -> None:
    assert set(GIVEN) | WITHHELD == set(COLUMNS)
    assert not set(GIVEN) & WITHHELD


def test_tables_that_are_given_hold_no_kind_that_nobody_has_a_rule_for() -> None:
    unsafe = {ColumnKind.PATH, ColumnKind.HASH, ColumnKind.JSON}
    assert {table for table in GIVEN if unsafe & {*COLUMNS[table].values()}} == {
        *("utterance", "segment_value", "chain_review", "judgment"),
    }
