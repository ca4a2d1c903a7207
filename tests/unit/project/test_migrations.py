import os
import sqlite3
from pathlib import Path

import pytest

from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.schema import format_versions as schema
from project.store.creation import upgrade_file
from project.store.study import Study
from tests.builders.small_study import furnish

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
    for name in (f".{old.name}.{os.getpid()}.backup", f".b.greenroom.{os.getpid()}.new"):
        (tmp_path / name).symlink_to(tmp_path / "mine")
    Study.create(tmp_path / "b.greenroom").close()
    monkeypatch.setattr(schema, "VERSIONS", (*schema.VERSIONS, NEXT))
    upgrade_file(old, 1)
    assert (tmp_path / "mine").read_text() == "mine"
    assert check_study(old) == []
