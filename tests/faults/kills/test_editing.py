"""`kill -9` while a study is opened, edited, undone, closed and opened again: no committed edit is lost."""

import shutil
from pathlib import Path

import pytest

from project.session.session import Session
from tests.builders.clips import make_clip
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, SEED, Lives
from tests.faults.kills.looking import STUDY, alone, sound
from tests.faults.victims.editing import printed_step

pytestmark = pytest.mark.e2e
VICTIM = "tests.faults.victims.editing"
FILMS = {"a.mp4": 60, "b.mp4": 50}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    films = [make_clip(folder / name, size=(64, 48), frames=frames) for name, frames in FILMS.items()]
    greenroom("new", folder / STUDY)
    greenroom("add", folder / STUDY, *films)
    return folder


@pytest.fixture(scope="module")
def lives(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    lives = Lives("editing")
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, VICTIM, whole / STUDY, 0)
    return lives


@pytest.mark.parametrize("number", RUNS)
def test_no_committed_edit_is_lost(
    prepared: Path, lives: Lives, tmp_path: Path, kill_one: KillOne, number: int
) -> None:
    folder = tmp_path / "work"
    shutil.copytree(prepared, folder)
    study = folder / STUDY
    with Session.open(study, read_only=True) as session:
        first = printed_step(session)
    death = kill_one(lives, number, VICTIM, study, f"{SEED}-{number}")
    sound(study)
    alone(folder, *FILMS)
    with Session.open(study, "Ada") as session:
        kept = {(str(row[0]), row[1]) for row in session.study.rows("SELECT id, uid FROM journal_step")}
        newest, _, change = printed_step(session).split()
        said = [line.split() for line in (first, *death.lines)]
        assert {(step, uid) for step, uid, _ in said} <= kept, "a committed step is gone"
        assert int(said[-1][2]) <= int(change), "a committed change is gone"
        # The first edit of somebody new introduces them in a step before it.
        assert int(said[-1][0]) <= int(newest) <= int(said[-1][0]) + 2, "more was done than was begun"
        if session.study.undo_name:
            session.study.undo()
    sound(study)
    alone(folder, *FILMS)
