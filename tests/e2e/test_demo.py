"""What `greenroom demo` leaves behind, judged by the truth that comes with the sample and by another detector."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app import demo_study as sample
from app.cli.main import run
from project.entities.study_records import FaceTrack
from project.queries.face_rows import tracks_of
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from resources import resource
from tests.builders.terminal import Terminal
from tests.e2e import plain
from tests.e2e.fewer_frames import fewer_frames
from tools.bench.witness import Witness, agrees

YUNET = "yunet_n_dynamic.onnx"
EVERY = 15


@pytest.fixture(scope="module", params=[3, pytest.param(1, marks=pytest.mark.soak)])
def every(request: pytest.FixtureRequest) -> int:
    """Every so manieth frame of the sample is in the one that the demo gets."""
    return int(request.param)


@pytest.fixture(scope="module")
def source(every: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, or the one with fewer frames, which is as large and as long."""
    whole = resource("sample", "sample.mp4")
    return whole if every == 1 else fewer_frames(tmp_path_factory.mktemp("sample") / "few.mp4", every, (960, 540))


@pytest.fixture(scope="module")
def demo(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("demo") / "made for it"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "resource", lambda *parts: source if parts[-1].endswith(".mp4") else resource(*parts))
        assert run(["demo", "--no-window", "--dir", str(folder), "--json"]) == 0
    found: dict[str, Any] = json.loads(printed.getvalue())
    return found


@pytest.fixture(scope="module")
def truth(every: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(resource("sample", "sample.truth.json").read_text("utf-8"))
    few = {key: found[key][::every] for key in ("faces", "times_us")}
    return {**found, **few, "frames": len(few["faces"])}


@pytest.fixture(scope="module")
def tracks(demo: dict[str, Any]) -> list[FaceTrack]:
    with Session.open(Path(demo["study"])) as session:
        (recording,) = all_recordings(session.study)
        return tracks_of(session.study, recording.id)


def test_it_says_where_everything_is(demo: dict[str, Any]) -> None:
    assert {"study", "recording", "clip", "face_coverage", "faces_left"} <= demo.keys()
    assert demo["recording"] == 1
    assert demo["face_coverage"] >= 0.95
    assert demo["faces_left"] == []
    folder = Path(demo["study"]).parent
    assert {p.name for p in folder.iterdir()} == {"demo.greenroom", "sample.mp4", Path(demo["clip"]).name}


def test_the_study_is_sound_and_holds_the_marked_moments(
    demo: dict[str, Any], truth: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    greenroom = Terminal(capsys)
    checked = greenroom.json("check", demo["study"])
    assert checked["ok"] is True
    assert checked["problems"] == []
    found = greenroom.json("segment", "list", demo["study"])["segments"]
    assert [one["verdict"] for one in found] == [one["verdict"] for one in truth["segments"]]


def test_one_sure_track_is_the_face_in_nearly_every_frame(tracks: list[FaceTrack], truth: dict[str, Any]) -> None:
    boxes = np.array([box or [0, 0, 0, 0] for box in truth["faces"]], np.float32)
    agreeing = [
        sum(agrees(boxes[frame], box[None], 0.5) for frame, box in zip(track.frames, track.boxes, strict=True))
        for track in tracks
    ]
    assert max(agreeing) >= 0.95 * truth["frames"]
    assert [track.is_doubtful for track in tracks].count(False) == 1
    assert not tracks[int(np.argmax(agreeing))].is_doubtful


def test_the_clip_has_the_frames_the_times_and_the_sound_of_the_sample(
    demo: dict[str, Any], truth: dict[str, Any], source: Path
) -> None:
    clip = Path(demo["clip"])
    assert plain.frame_times(clip) == plain.frame_times(source) == truth["times_us"]
    before, after = plain.sound(source), plain.sound(clip)
    assert abs(plain.loudness_lag_ms(before, after)) <= 10
    assert len(after) == pytest.approx(len(before), abs=160)
    assert np.sqrt(np.mean(after**2)) == pytest.approx(np.sqrt(np.mean(before**2)), rel=0.01)


@pytest.mark.parametrize("looked_at", [EVERY, pytest.param(1, marks=pytest.mark.soak)])
def test_another_detector_finds_the_face_before_and_nothing_after(
    demo: dict[str, Any], truth: dict[str, Any], source: Path, every: int, shared_models: Path, looked_at: int
) -> None:
    witness = Witness(shared_models / YUNET, truth["width"], truth["height"])
    before, after, present = 0, [], 0
    for frame, (raw, hidden) in enumerate(zip(plain.images(source), plain.images(Path(demo["clip"])), strict=True)):
        box = truth["faces"][frame]
        if frame * every % looked_at or box is None:
            continue
        present += 1
        before += agrees(np.array(box, np.float32), witness.faces(raw), 0.3)
        after += [frame] * len(witness.faces(hidden))
    assert before >= 0.95 * present > 20
    assert after == []
