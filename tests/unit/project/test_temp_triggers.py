"""Triggers that are made together are those that are made one by one."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from project.store.creation import create_file
from project.store.journal import Journal, JournalTrigger, create_triggers


class ClosedSchema(sqlite3.Connection):
    """As on systems that let nobody write to a schema."""

    def executemany(self, sql: str, rows: object, /) -> sqlite3.Cursor:
        raise sqlite3.OperationalError("table sqlite_temp_master may not be modified")


@pytest.fixture(params=[sqlite3.Connection, ClosedSchema])
def study(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[sqlite3.Connection]:
    path = create_file(tmp_path / "s", "")
    with closing(sqlite3.connect(path, factory=request.param, isolation_level=None)) as connection:
        yield connection


def schema(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    return connection.execute("SELECT type, name, tbl_name, rootpage, sql FROM temp.sqlite_schema").fetchall()


def test_every_trigger_of_the_journal_is_there_and_works(study: sqlite3.Connection, tmp_path: Path) -> None:
    Journal(study).install()
    with closing(sqlite3.connect(tmp_path / "s.greenroom", factory=ClosedSchema, isolation_level=None)) as slow:
        Journal(slow).install()
        assert schema(study) == schema(slow)
    triggers = [row for row in schema(study) if row[0] == "trigger"]
    assert len(triggers) > 100
    with pytest.raises(sqlite3.IntegrityError, match="an edit outside a step"):
        study.execute("INSERT INTO property VALUES ('x', '1')")


def test_the_file_is_not_touched_and_its_schema_stays_shut(study: sqlite3.Connection, tmp_path: Path) -> None:
    before = (tmp_path / "s.greenroom").read_bytes()
    Journal(study).install()
    assert (tmp_path / "s.greenroom").read_bytes() == before
    assert study.execute("PRAGMA writable_schema").fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError, match="may not be modified"):
        study.execute("DELETE FROM main.sqlite_schema")


def test_a_trigger_that_makes_no_sense_is_said(study: sqlite3.Connection) -> None:
    def made() -> None:
        create_triggers(study, [JournalTrigger("wrong", "property", "AFTER insert", "BEGIN SELECT FROM; END")])
        study.execute("SELECT 1 FROM property").fetchall()

    with pytest.raises(sqlite3.Error, match=r"near|malformed"):
        made()
