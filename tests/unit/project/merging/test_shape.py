"""Merging knows every table and every reference of a study."""

from project.merging.table_rules import AUTHOR, ORDER, PARENTS
from project.store.journal import SUBJECTS
from project.store.study import Study


def test_every_human_table_is_merged(study: Study) -> None:
    assert sorted(ORDER) == sorted(SUBJECTS)


def test_every_reference_is_known(study: Study) -> None:
    found = {name: {(row[3], row[2]) for row in study.rows(f"PRAGMA foreign_key_list({name})")} for name in ORDER}
    assert {name: {*parents} for name, parents in PARENTS.items()} == {
        name: refs for name, refs in found.items() if refs
    }
    authors = {name: column for name, refs in found.items() for column, parent in refs if parent == "annotator"}
    assert authors == AUTHOR
    for name, parents in PARENTS.items():
        assert all(parent not in ORDER or ORDER.index(parent) < ORDER.index(name) for _, parent in parents)
