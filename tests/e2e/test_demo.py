"""What `greenroom demo` leaves behind, judged by the truth that comes with the sample and by another detector."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.cli import run
from app.core.session import Session
from project.queries.faces import tracks_of
from project.queries.recordings import all_recordings
from project.types import FaceTrack
from resources import resource
from tests.bench.witness import Witness, agrees
from tests.e2e import plain
from tests.fakes.terminal import Terminal

SAMPLE = resource("sample", "sample.mp4")
YUNET = "yunet_n_dynamic.onnx"
EVERY = 6


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("demo") / "made for it"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert run(["demo", "--no-window", "--dir", str(folder), "--json"]) == 0
    found: dict[str, Any] = json.loads(printed.getvalue())
    return found


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(resource("sample", "sample.truth.json").read_text("utf-8"))
    return found


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


def test_one_track_is_the_face_in_nearly_every_frame(tracks: list[FaceTrack], truth: dict[str, Any]) -> None:
    boxes = np.array([box or [0, 0, 0, 0] for box in truth["faces"]], np.float32)
    agreeing = [
        sum(agrees(boxes[frame], box[None], 0.5) for frame, box in zip(track.frames, track.boxes, strict=True))
        for track in tracks
    ]
    assert max(agreeing) >= 0.95 * truth["frames"]
    assert not tracks[int(np.argmax(agreeing))].doubtful
    assert len(tracks) == 1


def test_the_clip_has_the_frames_the_times_and_the_sound_of_the_sample(
    demo: dict[str, Any], truth: dict[str, Any]
) -> None:
    clip = Path(demo["clip"])
    assert plain.frame_times(clip) == plain.frame_times(SAMPLE) == truth["times_us"]
    before, after = plain.sound(SAMPLE), plain.sound(clip)
    assert abs(plain.loudness_lag_ms(before, after)) <= 10
    assert len(after) == pytest.approx(len(before), abs=160)
    assert np.sqrt(np.mean(after**2)) == pytest.approx(np.sqrt(np.mean(before**2)), rel=0.01)


def test_another_detector_finds_the_face_before_and_nothing_after(
    demo: dict[str, Any], truth: dict[str, Any], shared_models: Path
) -> None:
    witness = Witness(shared_models / YUNET, truth["width"], truth["height"])
    before, after, present = 0, [], 0
    for frame, (raw, hidden) in enumerate(zip(plain.images(SAMPLE), plain.images(Path(demo["clip"])), strict=True)):
        box = truth["faces"][frame]
        if frame % EVERY or box is None:
            continue
        present += 1
        before += agrees(np.array(box, np.float32), witness.faces(raw), 0.3)
        after += [frame] * len(witness.faces(hidden))
    assert before >= 0.95 * present
    assert after == []
