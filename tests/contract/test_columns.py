"""Every column of every table is known to those who look for private content in it, and to those who share it."""

from collections.abc import Iterator

import pytest

from project.schema import format_versions as schema
from project.schema.columns import COLUMNS, REFERENCES, TABLE_LABELS, ColumnKind
from project.sharing.annotations_only_copy import SHARED_ROWS, WITHHELD_TABLES
from project.store.study import Study


@pytest.fixture
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    with Study.create(tmp_path_factory.mktemp("study") / "empty.greenroom") as made:
        yield made


def test_every_column_of_every_table_has_a_kind(study: Study) -> None:
    expected = schema.expected_schema(len(schema.VERSIONS))
    there = {
        name: {row[1] for row in study.rows(f"PRAGMA table_info({name})")} for kind, name in expected if kind == "table"
    }
    assert {table: {*columns} for table, columns in COLUMNS.items()} == there


def test_no_text_passes_for_a_number(study: Study) -> None:
    for table, columns in COLUMNS.items():
        declared = {row[1]: row[2] for row in study.rows(f"PRAGMA table_info({table})")}
        assert not [name for name, kind in columns.items() if kind is ColumnKind.NUMBER and declared[name] == "TEXT"], (
            table
        )


def test_every_reference_names_a_key_and_those_of_the_file_are_among_them(study: Study) -> None:
    for table, columns in REFERENCES.items():
        for column, parent in columns.items():
            assert COLUMNS[table][column] is ColumnKind.KEY
            assert "id" in COLUMNS[parent], (table, column)
    for table in COLUMNS:
        if table.startswith("journal_"):
            continue
        for row in study.rows(f"PRAGMA foreign_key_list({table})"):
            assert REFERENCES[table][row[3]] == row[2], (table, row[3])


def test_there_is_a_word_for_the_rows_of_each_table() -> None:
    assert {*TABLE_LABELS} == {*COLUMNS}


def test_every_table_is_given_or_withheld_when_annotations_are_shared() -> None:
    assert set(SHARED_ROWS) | WITHHELD_TABLES == set(COLUMNS)
    assert not set(SHARED_ROWS) & WITHHELD_TABLES


def test_tables_that_are_given_hold_no_kind_that_nobody_has_a_rule_for() -> None:
    unsafe = {ColumnKind.PATH, ColumnKind.HASH, ColumnKind.JSON}
    assert {table for table in SHARED_ROWS if unsafe & {*COLUMNS[table].values()}} == {
        *("utterance", "segment_value", "chain_review", "judgment"),
    }
