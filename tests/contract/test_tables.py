"""What is declared of every table agrees with the file, and with the order and the rules that derive from it."""

from project.schema.format_versions import VERSIONS, empty_database
from project.schema.table_declaration import ColumnKind, TableKind
from project.schema.tables import HUMAN_TABLES, TABLES
from project.search.free_texts import _SOURCES
from project.sharing.annotations_only_copy import SHARED_ROWS


def test_the_file_has_the_declared_columns_and_keys() -> None:
    database = empty_database(len(VERSIONS))
    assert {row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")} == {*TABLES}
    for name, table in TABLES.items():
        described = database.execute(f"PRAGMA table_info({name})").fetchall()
        assert tuple(row[1] for row in described) == table.names
        assert tuple(row[1] for row in sorted(described, key=lambda row: row[5]) if row[5]) == table.key


def test_no_text_passes_for_a_number() -> None:
    for table in TABLES.values():
        for column in table.columns:
            assert not (column.kind is ColumnKind.NUMBER and column.sql.startswith("TEXT")), (table.name, column.name)


def test_every_reference_names_a_key_of_a_table_that_is_declared_before() -> None:
    names = [*TABLES]
    for table in TABLES.values():
        for column, parent in table.parents.items():
            assert table.kinds[column] is ColumnKind.KEY
            assert TABLES[parent].key == ("id",), (table.name, column)
            if table.kind is TableKind.HUMAN and TABLES[parent].kind is TableKind.HUMAN:
                assert names.index(parent) < names.index(table.name)


def test_every_reference_of_the_file_is_one_that_merging_follows() -> None:
    database = empty_database(len(VERSIONS))
    for name, table in HUMAN_TABLES.items():
        kept = {row[3]: row[2] for row in database.execute(f"PRAGMA foreign_key_list({name})")}
        assert table.parents == kept


def test_tables_that_are_shared_hold_no_kind_that_nobody_has_a_rule_for() -> None:
    unsafe = {ColumnKind.PATH, ColumnKind.HASH, ColumnKind.JSON}
    assert {table for table in SHARED_ROWS if unsafe & {*TABLES[table].kinds.values()}} == {
        *("utterance", "segment_value", "chain_review", "judgment"),
    }


def test_every_text_is_found_by_the_search_and_by_what_looks_for_personal_information() -> None:
    read = {(source.table, column) for source in _SOURCES for column in source.columns}
    texts = {(name, column) for name, table in HUMAN_TABLES.items() for column in table.kinds}
    texts = {(name, column) for name, column in texts if TABLES[name].kinds[column] is ColumnKind.TEXT}
    # Definitions, decisions about texts that are read elsewhere, and what a person says about a rule or an area.
    assert {name for name, _ in texts - read} == {
        *("scheme_version", "prompt_version", "pii_decision", "waiver", "region"),
    }


def test_every_table_that_names_a_recording_says_whether_it_goes_with_the_footage() -> None:
    named = {name for name, table in TABLES.items() if "recording_id" in table.names}
    assert named == {name for name, table in TABLES.items() if table.from_footage is not None}


def test_a_change_names_its_row_by_its_key_or_its_segment() -> None:
    for table in HUMAN_TABLES.values():
        assert table.subject in table.key or "segment" in table.parents.values(), table.name
