"""Files of other layouts: what is not the program's is read without and never written to; older ones are upgraded."""

import os
import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from project.encryption import passphrases
from project.entities.study_records import Annotator
from project.erasure.erased_file import exclusive_access, load_into_memory, require_readable
from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.files.temporary_files import PRIVATE_FOLDER_VARIABLE
from project.integrity.integrity_check import check_study
from project.merging.merge import merge_copy
from project.queries.recording_rows import all_recordings
from project.recovery.recovery import recover
from project.recovery.recovery_report import report_lines
from project.schema import format_versions as schema
from project.schema.format_versions import Version
from project.schema.schema_comparison import MIGRATIONS, compare_schema
from project.sharing.annotator_copy import AnnotatorShare, split_copy
from project.store.creation import create_file, upgrade_file
from project.store.encryption_change import encrypt_study
from project.store.opening import connect
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.small_study import furnish

SECRET = "Zebediah Quux"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with Study.create(tmp_path_factory.mktemp("prepared") / "a.greenroom", "a") as study:
        fill_study(study, recordings=2, segments=4)
        with study.step("Name"):
            study.set_property("word", SECRET)
    return study.path


@pytest.fixture
def path(prepared: Path, tmp_path: Path) -> Path:
    (tmp_path / "study").mkdir()
    return Path(shutil.copy(prepared, tmp_path / "study" / "a.greenroom"))


def _run(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def _rewrite(name: str, old: str, new: str) -> str:
    """Return SQL that changes a declaration where SQLite keeps it."""
    return (
        "PRAGMA writable_schema = ON; "
        f"UPDATE sqlite_schema SET sql = replace(sql, '{old}', '{new}') WHERE name = '{name}'; "
        "PRAGMA writable_schema = RESET;"
    )


FOREIGN = {
    "a table": f"CREATE TABLE utterance_copy AS SELECT '{SECRET}' AS said",
    "a table that is named like one of SQLite": "CREATE TABLE sqlitex (a)",
    "a constraint that fills the memory": (
        "CREATE TABLE extra (a CHECK (length(zeroblob(50000000)) > 0)); INSERT INTO extra VALUES (1)"
    ),
    "figures about indices": "ANALYZE",
    "an index on an expression": "CREATE INDEX extra ON segment (hex(zeroblob(100000)))",
    "an index on the table of the versions": f"CREATE INDEX extra ON {MIGRATIONS} (applied_at)",
    "an index that is missing": "DROP INDEX segment_by_start",
    "an index with another order": (
        "DROP INDEX segment_by_start; CREATE INDEX segment_by_start ON segment (start_us DESC)"
    ),
    "a column": f"ALTER TABLE segment ADD COLUMN note TEXT DEFAULT '{SECRET}'",
    "a column that is worked out": (
        "ALTER TABLE segment ADD COLUMN g TEXT GENERATED ALWAYS AS (hex(zeroblob(5000000))) VIRTUAL"
    ),
    "a row in the table of the versions": (
        f"INSERT INTO {MIGRATIONS} (migration_set, name, applied_at) VALUES ('x', '{SECRET}', '')"
    ),
    "another spelling": _rewrite("private_word", "NOT NULL", "not   null"),
    "a comment": _rewrite("private_word", ") STRICT", f"/* {SECRET} */) STRICT"),
    "no strict types": _rewrite("private_word", "STRICT", ""),
    "another default": _rewrite("participant", "note TEXT NOT NULL", f"note TEXT NOT NULL DEFAULT ''{SECRET}''"),
    "another constraint": _rewrite("private_word", ") STRICT", ", CHECK (length(zeroblob(50000000)) > 0)) STRICT"),
}
REFUSED = {
    "a trigger that is called an index": (
        "CREATE TRIGGER t AFTER DELETE ON run BEGIN SELECT 1; END; PRAGMA writable_schema = ON;"
        "UPDATE sqlite_schema SET type = 'index', rootpage = 3 WHERE name = 't'; PRAGMA writable_schema = RESET"
    ),
    "a view in the place of a table": "ALTER TABLE summary RENAME TO s; CREATE VIEW summary AS SELECT * FROM s",
    "a column that is missing": "ALTER TABLE participant DROP COLUMN note",
}


def test_every_foreign_declaration_is_found(prepared: Path, tmp_path: Path) -> None:
    for number, (what, script) in enumerate(FOREIGN.items()):
        path = Path(shutil.copy(prepared, tmp_path / f"{number}.greenroom"))
        _run(path, script)
        with closing(connect(path, "ro")) as connection:
            assert compare_schema(connection, len(schema.VERSIONS)), what


_OF_EACH_KIND = ("a table", "an index on an expression", "a column that is worked out", "another constraint")


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[] if what in _OF_EACH_KIND else [pytest.mark.soak]) for what in FOREIGN]
)
def test_it_is_read_without_them_and_not_written_to(path: Path, what: str) -> None:
    with Study.open(path) as study:
        rows = {table: study.rows(f"SELECT * FROM {table} ORDER BY 1, 2") for table in ("segment", "private_word")}
        columns = study.rows("SELECT name FROM pragma_table_info('segment')")
    _run(path, FOREIGN[what])
    before = path.read_bytes()
    for read_only in (False, True):
        with Study.open(path, read_only=read_only, backups=3) as study:
            assert study.read_only
            assert "are not those of Greenroom" in study.read_only_reason
            assert study.defect is not None
            assert study.get_property("word") == SECRET
            assert {table: study.rows(f"SELECT * FROM {table} ORDER BY 1, 2") for table in rows} == rows
            assert study.rows("SELECT name FROM pragma_table_info('segment')") == columns
            assert len(all_recordings(study)) == 2
            with pytest.raises(UserError, match="read-only"), study.step("Edit"):
                pass
            with pytest.raises(UserError, match="read-only"), study.run_transaction():
                pass
    assert check_study(path) != []
    for refuse in (
        load_into_memory,
        require_readable,
        lambda one: exclusive_access(one).__enter__(),
        lambda one: encrypt_study(one, "x" * 9),
    ):
        with pytest.raises(UserError):
            refuse(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    saved = recover(path, path.with_name("saved"))
    assert not saved.has_losses
    assert saved.foreign
    assert "Nothing is known to be lost." not in report_lines(saved)
    assert check_study(saved.path) == []
    with Study.open(saved.path) as study:
        assert not study.read_only
        assert {table: study.rows(f"SELECT * FROM {table} ORDER BY 1, 2") for table in rows} == rows
        study.undo()


@pytest.mark.parametrize("what", REFUSED)
def test_code_is_not_opened_and_what_is_missing_is_damage(path: Path, what: str) -> None:
    _run(path, REFUSED[what])
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(UserError):
            Study.open(path, read_only=read_only)
    assert check_study(path) != []
    assert path.read_bytes() == before


def test_rows_that_share_their_pages_do_not_fill_the_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long text lies on a chain of pages; in a file that was tampered with, many rows may point to the same chain."""
    with Study.open(path) as study, study.step("Long"):
        for number in range(10):
            study.set_property(f"long {number}", "x" * 200_000)
    _run(path, FOREIGN["a table"])
    Study.open(path).close()
    monkeypatch.setattr("project.store.creation._max_content_bytes", lambda _: 1_500_000)
    with pytest.raises(UserError, match="larger than its file"):
        Study.open(path)


def test_a_study_of_an_older_version_with_a_table_of_others_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = create_file(tmp_path / "old", "old")
    _run(old, FOREIGN["a table"])
    later = (
        Version("second", ("CREATE TABLE later (id TEXT PRIMARY KEY, note TEXT) STRICT, WITHOUT ROWID",)),
        Version("third", ("ALTER TABLE later ADD COLUMN more TEXT", "ALTER TABLE look RENAME TO looks")),
    )
    monkeypatch.setattr(schema, "VERSIONS", (*schema.VERSIONS, *later))
    with Study.open(old) as study:
        assert study.defect is not None
        assert study.rows("SELECT more FROM later") == []
        assert study.rows("SELECT * FROM looks") == []
    with closing(connect(create_file(tmp_path / "new", "new"), "ro")) as connection:
        assert compare_schema(connection, 3) == []


def test_an_encrypted_study_is_looked_at_inside(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory").mkdir()
    monkeypatch.setenv(PRIVATE_FOLDER_VARIABLE, str(tmp_path / "memory"))
    make_keys_cheap(monkeypatch)
    monkeypatch.setattr("project.store.encryption_change.Study.require_writable", lambda _: None)
    _run(path, FOREIGN["a table"])
    encrypt_study(path, "four words that nobody guesses")
    monkeypatch.undo()
    monkeypatch.setenv(PRIVATE_FOLDER_VARIABLE, str(tmp_path / "memory"))
    before = path.read_bytes()
    with Study.open(path, backups=3) as study:
        assert "utterance_copy" in study.read_only_reason
        assert study.get_property("word") == SECRET
        assert study.encryption_key is not None
    assert any("unknown table “utterance_copy”" in line for line in check_study(path))
    for refuse in (load_into_memory, require_readable):
        with pytest.raises(UserError, match="utterance_copy"):
            refuse(path)
    report = recover(path, path.with_name("saved"))
    assert report.foreign == ("the table “utterance_copy”",)
    saved = report.path
    assert check_study(saved) == []
    with Study.open(saved) as study:
        assert study.get_property("word") == SECRET
        assert not study.read_only
    assert path.read_bytes() == before
    passphrases._keys.clear()


def test_a_copy_that_is_merged_brings_nothing_along_and_none_is_split_off(path: Path, tmp_path: Path) -> None:
    theirs = Path(shutil.copy(path, tmp_path / "theirs.greenroom"))
    with Study.open(theirs) as study, study.step("Theirs"):
        study.set_property("theirs", 1)
    _run(theirs, FOREIGN["a table"])
    with Study.open(path) as study, Study.open(theirs, read_only=True) as copy:
        merge_copy(study, copy, None)
        assert study.get_property("theirs") == 1
    assert check_study(path) == []
    annotator = Annotator("0198a000-0000-7000-8000-000000000001", "Bo")
    with Study.open(theirs) as study, pytest.raises(UserError, match="utterance_copy"):
        split_copy(study, AnnotatorShare(annotator, ()), tmp_path / "share")
    assert not (tmp_path / "share.greenroom").exists()


NEXT = schema.Version("second", ("CREATE TABLE extra (id TEXT PRIMARY KEY) STRICT",))
BROKEN = schema.Version("third", ("CREATE TABLE more (id TEXT) STRICT", "CREATE TABLE extra (id TEXT) STRICT"))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "a.greenroom") as study:
        furnish(study).add()
    return tmp_path / "a.greenroom"


def test_an_old_study_is_backed_up_and_brought_up_to_date(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = old.read_bytes()
    monkeypatch.setattr(schema, "VERSIONS", (*schema.VERSIONS, NEXT))
    with pytest.raises(UserError, match="older version"):
        Study.open(old, read_only=True)
    assert old.read_bytes() == before
    with Study.open(old) as study:
        assert study.row("PRAGMA user_version") == (2,)
        assert study.rows("SELECT * FROM extra") == []
        assert study.undo_name == "Add segment"
    assert check_study(old) == []
    backup = old.with_name("a (before version 2).greenroom")
    assert sorted(p.name for p in old.parent.iterdir()) == [backup.name, "a.greenroom"]
    monkeypatch.undo()
    assert check_study(backup) == []
    with Study.open(backup) as study:
        assert study.undo_name == "Add segment"
    with pytest.raises(UserError, match="newer version"):
        Study.open(old)


def test_a_migration_that_fails_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "VERSIONS", (*schema.VERSIONS, NEXT))
    Study.open(old).close()
    before = sqlite3.connect(old).execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    monkeypatch.setattr(schema, "VERSIONS", (*schema.VERSIONS, BROKEN))
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        Study.open(old)
    with sqlite3.connect(old) as connection:
        assert connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall() == before
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    connection.close()


def test_nothing_is_written_through_a_link_that_lies_in_its_way(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text("mine")
    for ending in ("backup", "bak", "new"):
        (tmp_path / f".{old.name}.{os.getpid()}.{ending}").symlink_to(tmp_path / "mine")
    (tmp_path / f".b.greenroom.{os.getpid()}.new").symlink_to(tmp_path / "mine")
    Study.create(tmp_path / "b.greenroom").close()
    Study.open(old, backups=5, clock=lambda: datetime(2100, 1, 1, tzinfo=UTC)).close()
    monkeypatch.setattr(schema, "VERSIONS", (*schema.VERSIONS, NEXT))
    upgrade_file(old, 1)
    assert (tmp_path / "mine").read_text() == "mine"
    assert check_study(old) == []
