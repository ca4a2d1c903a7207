"""A disk that is full, breaks, stalls, or whose machine is killed at any single change of the study's files."""

import shutil
from pathlib import Path
from random import Random

import pytest

from project.integrity.integrity_check import check_study
from project.session.session import Session
from project.store.backups import backup_paths
from tests.builders.clips import make_clip
from tests.builders.commands import greenroom
from tests.builders.waiting import HANG_S
from tests.faults.disk import Disk, shim
from tests.faults.lives import SEED
from tests.faults.program import Program
from tests.faults.victims.editing import printed_step

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(shim() is None, reason="needs a C compiler for the library that stands between"),
]
VICTIM, STUDY, CLIP = "tests.faults.victims.stubborn", "lab.greenroom", "a.mp4"
EVERYDAY, MORE = 1, 60
TIMES = [pytest.param(n, id=str(n), marks=() if n < EVERYDAY else pytest.mark.soak) for n in range(MORE)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    make_clip(folder / CLIP, size=(64, 48), frames=60)
    greenroom("new", folder / STUDY)
    greenroom("add", folder / STUDY, folder / CLIP)
    return folder


@pytest.fixture(scope="module")
def changes(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many changes of files the victim makes where all is well."""
    folder = tmp_path_factory.mktemp("well")
    disk, life = meet(prepared, folder, "")
    assert life.exit_code == 0, life.lines
    assert not any(line.startswith("refused") for line in life.lines)
    assert disk.changes > 50
    return disk.changes


def meet(prepared: Path, folder: Path, fault: str) -> tuple[Disk, Program]:
    """Let the victim meet a fault in a copy of the folder, to its end."""
    shutil.copytree(prepared, folder / "work")
    disk = Disk(folder / "work", folder / "count")
    life = Program(VICTIM, [folder / "work" / STUDY], folder / "printed", environment=disk.environment(fault))
    assert life.ended_within(HANG_S)
    life.kill()
    return disk, life


def nothing_is_lost(folder: Path, lines: list[str]) -> None:
    """The study is sound, opens, and holds every edit that was said to be there."""
    study = folder / "work" / STUDY
    assert check_study(study) == []
    with Session.open(study, "Ada") as session:
        newest = printed_step(session).split()
        steps = {(str(row[0]), row[1]) for row in session.study.rows("SELECT id, uid FROM journal_step")}
    said = [line.split() for line in lines if not line.startswith("refused")]
    assert {(step, uid) for step, uid, _ in said} <= steps
    if said:
        assert int(said[-1][2]) <= int(newest[2])
    assert check_study(study) == []
    left = {path.name for path in study.parent.iterdir()} - {backup_path.name for backup_path in backup_paths(study)}
    assert left == {STUDY, CLIP}


def drawn(kind: str, number: int, changes: int) -> int:
    """Draw the number of a change; the seed is printed, so that the same can be drawn again."""
    at = Random(f"{SEED}-{kind}-{number}").randrange(changes)
    print(f"GREENROOM_FAULT_SEED={SEED}: {kind}:{at}")
    return at


@pytest.mark.parametrize("number", TIMES)
@pytest.mark.parametrize("kind", ["kill", "torn"])
def test_the_process_ends_at_any_change(prepared: Path, changes: int, tmp_path: Path, kind: str, number: int) -> None:
    _, life = meet(prepared, tmp_path, f"{kind}:{drawn(kind, number, changes)}")
    assert life.exit_code == -9
    nothing_is_lost(tmp_path, life.lines)


@pytest.mark.parametrize("number", TIMES)
@pytest.mark.parametrize("kind", ["full", "broken"])
def test_the_disk_takes_nothing_from_any_change_on(
    prepared: Path, changes: int, tmp_path: Path, kind: str, number: int
) -> None:
    at = drawn(kind, number, changes)
    _, life = meet(prepared, tmp_path, f"{kind}:{at}")
    assert life.exit_code == 0, life.lines
    refused = [line for line in life.lines if line.startswith("refused")]
    assert all("“lab.greenroom”" in line or "study" in line for line in refused), refused
    nothing_is_lost(tmp_path, life.lines)


@pytest.mark.parametrize("number", TIMES)
def test_a_drive_that_stalls_and_is_given_up(prepared: Path, changes: int, tmp_path: Path, number: int) -> None:
    chance = Random(f"{SEED}-stall-{number}")
    shutil.copytree(prepared, tmp_path / "work")
    disk = Disk(tmp_path / "work", tmp_path / "count")
    at = drawn("stall", number, changes)
    environment = disk.environment(f"stall:{at}:60000")
    life = Program(VICTIM, [tmp_path / "work" / STUDY], tmp_path / "printed", environment=environment)
    while disk.changes <= at:
        assert not life.ended_within(0.01)
    assert not life.ended_within(chance.uniform(0, 0.2)), "it waits for the drive"
    life.kill()
    nothing_is_lost(tmp_path, life.lines)
