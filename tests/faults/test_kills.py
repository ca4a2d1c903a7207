"""`kill -9` at any moment of each kind of work: nothing committed is lost, nothing is half there, and it can go on."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.kinds_of_work import EVERYDAY, KINDS, Work
from tests.faults.lives import RUNS, Lives

pytestmark = pytest.mark.e2e


@dataclass(frozen=True)
class Begun:
    """A kind of work, the folder in which it begins, and one in which it was not cut short."""

    work: Work
    lives: Lives
    origin: Path
    whole: Path


@pytest.fixture(
    scope="module", params=[pytest.param(kind, marks=() if kind in EVERYDAY else pytest.mark.soak) for kind in KINDS]
)
def begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Begun]:
    work, lives = KINDS[request.param](), Lives(request.param)
    origin, whole = tmp_path_factory.mktemp("origin"), tmp_path_factory.mktemp("whole") / "work"
    try:
        work.prepare(origin)
        shutil.copytree(origin, whole)
        lives.whole(whole.parent, *work.command(whole))
        yield Begun(work, lives, origin, whole)
    finally:
        work.end()


@pytest.mark.parametrize("number", RUNS)
def test_what_is_killed_leaves_nothing_lost_and_nothing_half(
    begun: Begun, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, temporary = tmp_path / "work", tmp_path / "temporary"
    shutil.copytree(begun.origin, folder)
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    begun.work.number = number
    death = begun.lives.cut_short(number, tmp_path, *begun.work.command(folder))
    with death.logged():
        begun.work.require(folder, death, begun.origin, begun.whole)
