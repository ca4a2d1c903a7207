"""`kill -9` while a copy with annotations alone is made: it is whole or not there, and the study says what it said."""

import shutil
from pathlib import Path

import pytest

from project.integrity.integrity_check import check_study
from project.queries.history_rows import parse_shared_copies
from project.store.journal import SUBJECT_COLUMNS
from project.store.study import Study
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone, rows_of, sound
from tests.faults.kills.marked import CLIP, marked_study

pytestmark = pytest.mark.e2e
SEGMENTS, OUT = 400, "copy.greenroom"
SAID = sorted({*SUBJECT_COLUMNS} - {"property"})


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return marked_study(tmp_path_factory.mktemp("prepared"), SEGMENTS)


@pytest.fixture(scope="module")
def lives(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    lives = Lives("scrubbing")
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, "greenroom", "scrub", whole / STUDY, "--out", whole / OUT)
    return lives


@pytest.mark.parametrize("number", RUNS)
def test_a_copy_is_whole_or_not_there(
    prepared: Path, lives: Lives, tmp_path: Path, kill_one: KillOne, number: int
) -> None:
    folder, study, out = tmp_path / "work", tmp_path / "work" / STUDY, tmp_path / "work" / OUT
    shutil.copytree(prepared, folder)
    before = rows_of(study, SAID)
    death = kill_one(lives, number, "greenroom", "scrub", study, "--out", out)
    assert death.killed or out.exists()
    sound(study)
    assert noted(study) or not out.exists(), "there is a copy that the study does not know of"
    if not out.exists():
        greenroom("scrub", study, "--out", out)
    assert {*noted(study)} == {OUT}
    assert rows_of(study, SAID) == before
    assert check_study(out) == [], "a copy under its final name is not whole"
    Study.open(out).close()
    alone(folder, CLIP, OUT)


def noted(study: Path) -> list[str]:
    """The names of the copies that a study knows of."""
    with Study.open(study, read_only=True) as opened:
        row = opened.row("SELECT value FROM property WHERE key = 'shared'")
    return [] if row is None else [shared_copy.name for shared_copy in parse_shared_copies(row[0])]
