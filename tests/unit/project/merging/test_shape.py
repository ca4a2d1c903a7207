"""Merging knows every table and every reference of a study."""

from project.merging.table_rules import AUTHOR_COLUMNS, PARENT_COLUMNS, TABLE_ORDER
from project.store.journal import SUBJECT_COLUMNS
from project.store.study import Study


def test_every_human_table_is_merged(study: Study) -> None:
    assert sorted(TABLE_ORDER) == sorted(SUBJECT_COLUMNS)


def test_every_reference_is_known(study: Study) -> None:
    found = {name: {(row[3], row[2]) for row in study.rows(f"PRAGMA foreign_key_list({name})")} for name in TABLE_ORDER}
    assert {name: {*parents} for name, parents in PARENT_COLUMNS.items()} == {
        name: refs for name, refs in found.items() if refs
    }
    authors = {name: column for name, refs in found.items() for column, parent in refs if parent == "annotator"}
    assert authors == AUTHOR_COLUMNS
    for name, parents in PARENT_COLUMNS.items():
        assert all(
            parent not in TABLE_ORDER or TABLE_ORDER.index(parent) < TABLE_ORDER.index(name) for _, parent in parents
        )
