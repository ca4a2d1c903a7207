"""`kill -9` while faces are tracked: it goes on from its checkpoint, and finds what it would have found."""

import os
import shutil
from pathlib import Path

import pytest

from media.clip_writer import paint_clip
from resources import resource
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone, rows_of, sound

pytestmark = pytest.mark.e2e
CLIP, LENGTH_US = "sample.mp4", 200_000
TABLES, OWN_EACH_TIME = ("face_track",), ("id", "run_id")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    paint_clip(resource("sample", "sample.mp4"), folder / CLIP, lambda _: None, end_us=LENGTH_US)
    greenroom("new", folder / STUDY)
    greenroom("add", folder / STUDY, folder / CLIP)
    return folder


@pytest.fixture(scope="module")
def lives() -> Lives:
    return Lives("tracking")


@pytest.fixture(scope="module")
def found(prepared: Path, lives: Lives, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The tracks of lives that were not cut short."""
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, "greenroom", "faces", whole / STUDY)
    return rows_of(whole / STUDY, TABLES, OWN_EACH_TIME)


@pytest.mark.parametrize("number", RUNS)
def test_tracking_goes_on(
    prepared: Path, lives: Lives, found: dict[str, str], tmp_path: Path, kill_one: KillOne, number: int
) -> None:
    folder, study = tmp_path / "work", tmp_path / "work" / STUDY
    shutil.copytree(prepared, folder)
    nothing = rows_of(study, TABLES, OWN_EACH_TIME)
    death = kill_one(lives, number, "greenroom", "faces", study)
    sound(study)
    alone(folder, CLIP)
    kept = rows_of(study, TABLES, OWN_EACH_TIME)
    assert kept in (nothing, found), "half of the tracks are there"
    assert death.killed or kept == found
    if kept == nothing:
        greenroom("faces", study)
        assert rows_of(study, TABLES, OWN_EACH_TIME) == found
        sound(study)
        alone(folder, CLIP)
        assert [*Path(os.environ["XDG_CACHE_HOME"]).rglob("*.part")] == []
