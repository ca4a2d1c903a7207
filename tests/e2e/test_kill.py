"""`kill -9` at any moment: the study opens, is sound, keeps every committed edit; no clip is half-written."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from media.index import load_index
from media.writer import paint_clip
from resources import resource
from tests.e2e.killing import EDIT_BURST, greenroom, kill, start, wait_for

pytestmark = pytest.mark.e2e
ROUNDS = [pytest.param(i, marks=() if i < 1 else pytest.mark.soak, id=str(i)) for i in range(20)]

SECONDS = 4


@dataclass(frozen=True)
class Tracked:
    """A study of the beginning of the sample recording, its faces tracked, and what was found."""

    folder: Path
    found: dict[str, Any]


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> Tracked:
    folder = tmp_path_factory.mktemp("tracked")
    paint_clip(resource("sample", "sample.mp4"), folder / "sample.mp4", lambda _: None, end_us=SECONDS * 1_000_000)
    greenroom("new", folder / "lab.greenroom")
    greenroom("add", folder / "lab.greenroom", folder / "sample.mp4")
    return Tracked(folder, greenroom("faces", folder / "lab.greenroom"))


@pytest.fixture
def folder(tracked: Tracked, tmp_path: Path) -> Path:
    shutil.copytree(tracked.folder, tmp_path / "work")
    return tmp_path / "work"


def _sound(study: Path) -> None:
    found = greenroom("check", study)
    assert found["ok"], found["problems"]


@pytest.mark.parametrize("number", ROUNDS)
def test_no_committed_edit_is_lost(folder: Path, number: int) -> None:
    study = folder / "lab.greenroom"
    process = start("-c", EDIT_BURST, study)
    assert process.stdout is not None
    for _ in range(20 + 37 * number):
        process.stdout.readline()
    committed = kill(process)
    _sound(study)
    kept = {s["id"]: s for s in greenroom("segment", "list", study)["segments"]}
    assert len(kept) >= 20 + 37 * number
    for segment_id in committed:
        assert kept[segment_id]["attributes"] == ["norms"]
        assert kept[segment_id]["end"] - kept[segment_id]["start"] == pytest.approx(0.005)
    # What was read so far leaves the killed process's files alone; the next edit puts them in order.
    greenroom("undo", study)
    assert sorted(p.name for p in folder.iterdir()) == ["lab.greenroom", "sample.mp4"]
    _sound(study)


@pytest.mark.parametrize("number", ROUNDS)
def test_tracking_goes_on_after_a_kill(folder: Path, tracked: Tracked, number: int) -> None:
    study = folder / "lab.greenroom"
    process = start("-m", "greenroom", "faces", study)
    wait_for("*.part", Path(os.environ["XDG_CACHE_HOME"]), process, number)
    kill(process)
    _sound(study)
    found = greenroom("faces", study)
    for key in ("frames", "frames_with_face", "tracks"):
        assert found[key] == tracked.found[key] > 0
    assert [*Path(os.environ["XDG_CACHE_HOME"]).rglob("*.part")] == []
    _sound(study)
    assert sorted(p.name for p in folder.iterdir()) == ["lab.greenroom", "sample.mp4"]


@pytest.mark.parametrize("number", ROUNDS)
def test_no_half_written_clip_has_its_final_name(folder: Path, number: int) -> None:
    study, out = folder / "lab.greenroom", folder / "clips"
    out.mkdir()
    process = start("-m", "greenroom", "anonymize", study, "--recording", "1", "--method", "blur", "--out", out)
    wait_for("*", out, process, number)
    kill(process)
    _sound(study)
    frames = len(load_index(folder / "sample.mp4"))
    for clip in out.iterdir():
        assert clip.name.startswith(".") or len(load_index(clip)) == frames
    made = greenroom("anonymize", study, "--recording", "1", "--method", "blur", "--out", out, "--overwrite")
    assert (made["frames"], made["faces_left"]) == (frames, [])
    assert [str(p) for p in out.iterdir()] == [made["output"]]
