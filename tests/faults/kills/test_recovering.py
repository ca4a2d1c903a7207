"""`kill -9` while a damaged study is recovered into a copy: the copy is whole or not there."""

import shutil
from pathlib import Path

import pytest

from project.integrity.integrity_check import check_study
from project.store.study import Study
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone
from tests.faults.kills.marked import CLIP, marked_study

pytestmark = pytest.mark.e2e
SEGMENTS, OUT = 400, "copy.greenroom"
PAGE, DAMAGED_AT = 4096, 40


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return marked_study(tmp_path_factory.mktemp("prepared"), SEGMENTS)


@pytest.fixture(scope="module")
def damaged(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damaged")
    shutil.copytree(prepared, folder, dirs_exist_ok=True)
    content = bytearray((folder / STUDY).read_bytes())
    middle = len(content) // PAGE // 2
    for page in range(middle, middle + 3):
        content[page * PAGE : page * PAGE + DAMAGED_AT] = b"\xff" * DAMAGED_AT
    (folder / STUDY).write_bytes(content)
    assert check_study(folder / STUDY)
    return folder


@pytest.fixture(scope="module")
def lives(damaged: Path, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    lives = Lives("recovering")
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(damaged, whole, "greenroom", "recover", whole / STUDY, "--out", whole / OUT)
    return lives


@pytest.mark.parametrize("number", RUNS)
def test_a_copy_is_whole_or_not_there(
    damaged: Path, lives: Lives, tmp_path: Path, kill_one: KillOne, number: int
) -> None:
    folder, study, out = tmp_path / "work", tmp_path / "work" / STUDY, tmp_path / "work" / OUT
    shutil.copytree(damaged, folder)
    before = study.read_bytes()
    death = kill_one(lives, number, "greenroom", "recover", study, "--out", out)
    assert study.read_bytes() == before
    assert death.killed or out.exists()
    if not out.exists():
        greenroom("recover", study, "--out", out)
    assert check_study(out) == [], "a copy under its final name is not whole"
    assert study.read_bytes() == before
    Study.open(out).close()
    alone(folder, CLIP, OUT)
