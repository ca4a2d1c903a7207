"""`kill -9` while a clip is rendered: what has its final name is whole, and the next rendering leaves nothing else."""

import shutil
from pathlib import Path

import pytest

from media.clip_writer import paint_clip
from media.frame_index import load_index
from resources import resource
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone, sound

pytestmark = pytest.mark.e2e
CLIP, LENGTH_US = "sample.mp4", 240_000
RENDER = ("--recording", "1", "--method", "blur", "--out")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    paint_clip(resource("sample", "sample.mp4"), folder / CLIP, lambda _: None, end_us=LENGTH_US)
    greenroom("new", folder / STUDY)
    greenroom("add", folder / STUDY, folder / CLIP)
    greenroom("faces", folder / STUDY)
    return folder


@pytest.fixture(scope="module")
def lives(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    lives = Lives("rendering")
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, "greenroom", "anonymize", whole / STUDY, *RENDER, whole / "clips")
    return lives


@pytest.mark.parametrize("number", RUNS)
def test_no_half_written_clip_has_its_final_name(
    prepared: Path, lives: Lives, tmp_path: Path, kill_one: KillOne, number: int
) -> None:
    folder, study, out = tmp_path / "work", tmp_path / "work" / STUDY, tmp_path / "clips"
    shutil.copytree(prepared, folder)
    frames = len(load_index(folder / CLIP))
    death = kill_one(lives, number, "greenroom", "anonymize", study, *RENDER, out)
    sound(study)
    alone(folder, CLIP)
    named = [path for path in out.iterdir() if not path.name.startswith(".")] if out.exists() else []
    assert [len(load_index(path)) for path in named] == [frames] * len(named), "half a clip has its final name"
    assert death.killed or len(named) == 1
    made = greenroom("anonymize", study, *RENDER, out, "--overwrite")
    assert (made["frames"], made["faces_left"]) == (frames, [])
    assert [str(path) for path in out.iterdir()] == [made["output"]]
    sound(study)
    alone(folder, CLIP)
