"""The journal: its triggers made together are those made one by one, and so is the history of rows added at once."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from project.entities.study_records import Segment, Verdict
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.queries.segment_rows import all_segments, insert_segment
from project.store.creation import create_file
from project.store.journal import Journal, JournalTrigger, create_triggers
from project.store.study import Study
from tests.builders.small_study import Small


class ClosedSchema(sqlite3.Connection):
    """As on systems that let nobody write to a schema."""

    def executemany(self, sql: str, rows: object, /) -> sqlite3.Cursor:
        raise sqlite3.OperationalError("table sqlite_temp_master may not be modified")


@pytest.fixture(params=[sqlite3.Connection, ClosedSchema])
def connection(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[sqlite3.Connection]:
    path = create_file(tmp_path / "s", "")
    with closing(sqlite3.connect(path, factory=request.param, isolation_level=None)) as opened:
        yield opened


def schema(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    return connection.execute("SELECT type, name, tbl_name, rootpage, sql FROM temp.sqlite_schema").fetchall()


def test_every_trigger_of_the_journal_is_there_and_works(connection: sqlite3.Connection, tmp_path: Path) -> None:
    Journal(connection).install()
    with closing(sqlite3.connect(tmp_path / "s.greenroom", factory=ClosedSchema, isolation_level=None)) as slow:
        Journal(slow).install()
        assert schema(connection) == schema(slow)
    triggers = [row for row in schema(connection) if row[0] == "trigger"]
    assert len(triggers) > 100
    with pytest.raises(sqlite3.IntegrityError, match="an edit outside a step"):
        connection.execute("INSERT INTO property VALUES ('x', '1')")


def test_the_file_is_not_touched_and_its_schema_stays_shut(connection: sqlite3.Connection, tmp_path: Path) -> None:
    before = (tmp_path / "s.greenroom").read_bytes()
    Journal(connection).install()
    assert (tmp_path / "s.greenroom").read_bytes() == before
    assert connection.execute("PRAGMA writable_schema").fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError, match="may not be modified"):
        connection.execute("DELETE FROM main.sqlite_schema")


def test_a_trigger_that_makes_no_sense_is_said(connection: sqlite3.Connection) -> None:
    def made() -> None:
        create_triggers(connection, [JournalTrigger("wrong", "property", "AFTER insert", "BEGIN SELECT FROM; END")])
        connection.execute("SELECT 1 FROM property").fetchall()

    with pytest.raises(sqlite3.Error, match=r"near|malformed"):
        made()


def logged(study: Study) -> list[tuple[object, ...]]:
    return study.rows(
        "SELECT table_name, row_id, operation, before, after FROM journal_change "
        "WHERE step_id = (SELECT max(id) FROM journal_step) ORDER BY row_id"
    )


def test_the_history_is_the_same_and_undo_takes_them_away(small: Small) -> None:
    study = small.study
    made = [
        Segment(new_id(), small.recording.id, small.annotator.id, Verdict.ERROR, n * 1000, n * 1000 + 500)
        for n in range(50)
    ]
    with study.step("One by one"):
        for segment in made:
            insert_segment(study, segment)
    expected = logged(study)
    study.undo()
    rows = [(s.id, s.recording_id, s.annotator_id, s.scheme, s.track, s.label, s.start_us, s.end_us) for s in made]
    with study.step("At once") as step:
        study.insert_many("segment", rows, [segment.id for segment in made])
    assert step.changes.ids("segment") == {segment.id for segment in made}
    assert logged(study) == expected
    extra = Segment(new_id(), small.recording.id, small.annotator.id, Verdict.ERROR, 0, 500)
    with study.step("And one more"):
        insert_segment(study, extra)
    assert len(logged(study)) == 1
    study.undo()
    study.undo()
    assert all_segments(study) == []
    study.redo()
    assert len(all_segments(study)) == 50
    study.close()
    assert check_study(study.path) == []


def test_a_step_that_fails_leaves_the_triggers_as_they_were(small: Small, tmp_path: Path) -> None:
    study, bad = small.study, [("x",) * 8]
    with pytest.raises(Exception, match="cannot store"), study.step("Bad"):
        study.insert_many("segment", bad, ["x"])
    segment = small.add()
    assert [row[1] for row in logged(study)] == [segment.id]
    with pytest.raises(RuntimeError, match="inside"):
        study.insert_many("segment", bad, ["x"])
