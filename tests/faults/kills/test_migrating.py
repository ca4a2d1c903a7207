"""`kill -9` while a study is brought to a newer format: it is of the old one or of the new one, and a copy is whole."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from project.integrity.integrity_check import check_study
from project.schema import format_versions as schema
from project.store.journal import SUBJECT_COLUMNS
from project.store.study import Study
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone, rows_of, sound
from tests.faults.kills.marked import CLIP, marked_study
from tests.faults.victims.migrating import NEXT

pytestmark = pytest.mark.e2e
SEGMENTS = 1_500
VICTIM = "tests.faults.victims.migrating"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return marked_study(tmp_path_factory.mktemp("prepared"), SEGMENTS)


@pytest.fixture(scope="module")
def lives(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    lives = Lives("migrating")
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, VICTIM, whole / STUDY)
    return lives


@pytest.mark.parametrize("number", RUNS)
def test_a_study_is_of_one_version(
    prepared: Path,
    lives: Lives,
    tmp_path: Path,
    kill_one: KillOne,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    folder, study = tmp_path / "work", tmp_path / "work" / STUDY
    shutil.copytree(prepared, folder)
    before = rows_of(study, SUBJECT_COLUMNS)
    death = kill_one(lives, number, VICTIM, study)
    copies = [path for path in folder.glob("*.greenroom") if path.name != STUDY and not path.name.startswith(".")]
    for copy in copies:
        assert check_study(copy) == [], "a copy under its final name is not whole"
        assert rows_of(copy, SUBJECT_COLUMNS) == before
    version = _version(study)
    assert version == len(schema.VERSIONS) + 1 or death.killed
    if version == len(schema.VERSIONS):
        sound(study)
        assert rows_of(study, SUBJECT_COLUMNS) == before
    else:
        assert copies, "it was brought up to date without a copy"
    monkeypatch.setattr(schema, "VERSIONS", (*schema.VERSIONS, NEXT))
    with Study.open(study) as opened:
        assert opened.rows("SELECT count(*) FROM extra") == [(SEGMENTS,)]
    sound(study)
    assert rows_of(study, SUBJECT_COLUMNS) == before
    named = {path.name for path in folder.glob("lab (before version 2*).greenroom")}
    assert named
    alone(folder, CLIP, *named)


def _version(study: Path) -> int:
    """Return the version that a reader finds, with what lies beside the file; on a copy, which that changes."""
    look = study.parent.parent / "look"
    look.mkdir()
    for path in study.parent.glob(f"{STUDY}*"):
        shutil.copyfile(path, look / path.name)
    with closing(sqlite3.connect(look / STUDY)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])
