"""The mode Faces and the export, with a stand-in for the worker that answers at once."""

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.core.track_file import save_tracks
from app.gui.export_dialog import ExportDialog
from app.gui.export_result import spans
from app.gui.face_overlay import FaceOverlay
from app.gui.face_tracks_model import Column, FaceTracksModel
from app.gui.main_window import MainWindow
from app.gui.sample import sample_study
from app.gui.worker_runner import WorkerRunner
from project.queries.participants import all_participants
from project.queries.runs import latest_run
from project.timebase import SECOND
from project.types import FaceTrack, Origin, Participant, ParticipantRole
from widgets.picture_overlays import FaceState

FRAME = 40_000

WORKER = """
import json, shutil, sys
from pathlib import Path
request = json.loads(sys.stdin.readline())
told = Path(sys.argv[1])
with told.open("a") as log: log.write(json.dumps(request) + "\\n")
print(json.dumps({"progress": [1, 4, "Frame 1 of 4"]}), flush=True)
if request["job"] == "faces":
    copy = told.with_name("copy.tracks.npz")
    shutil.copyfile(told.with_name("tracks.npz"), copy)
    print(json.dumps({"result": {"frames": 598, "frames_with_face": 500, "tracks": 2, "seconds": 1.0,
                                 "file": str(copy)}}), flush=True)
else:
    print(json.dumps({"result": {"output": request["parameters"]["output"], "frames": 598, "blanked": [],
                                 "faces_left": [2.0, 2.04, 7.0], "doubtful": [], "options": {}, "seconds": 2.0}}),
          flush=True)
"""


def track(key: str, first: int, last: int, x: float, origin: Origin = Origin.DETECTED) -> FaceTrack:
    frames = np.arange(first, last, dtype=np.int32)
    boxes = np.tile(np.array([x, 50, 40, 60], np.float32), (len(frames), 1))
    return FaceTrack(
        key,
        frames,
        frames.astype(np.int64) * FRAME,
        boxes,
        np.full(len(frames), 0.9, np.float32),
        np.full(len(frames), origin, np.uint8),
    )


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    made = save_tracks([track("one", 0, 100, 100), track("two", 50, 200, 400)], tmp_path)
    shutil.move(made, tmp_path / "tracks.npz")
    runner = WorkerRunner(command=(sys.executable, str(script), str(tmp_path / "log")))
    window = MainWindow(runner=runner)
    qtbot.addWidget(window)
    window.resize(1360, 860)
    window.show()
    window.open_study(sample_study(tmp_path / "study"))
    qtbot.waitUntil(lambda: window.player.times is not None and window.view.picture() is not None, timeout=20_000)
    yield window
    window.close()


@pytest.fixture
def tracked(qtbot: QtBot, window: MainWindow) -> MainWindow:
    with qtbot.waitSignal(window.jobs.done, timeout=20_000):
        window.menus.actions["track"].trigger()
    return window


def test_tracking_fills_the_page_the_lane_and_the_picture(qtbot: QtBot, tracked: MainWindow) -> None:
    window = tracked
    window.set_mode("faces")
    assert [t.id for t in window.faces_page.model.tracks] == ["one", "two"]
    assert "faces" in {lane.key for lane in window.timeline.model.lanes}
    assert window.recordings.model.rows()[0].faces_tracked
    window.player.seek(60 * FRAME)
    qtbot.waitUntil(lambda: "Face 1, Face 2" in window.view.accessibleName())
    window.faces_page.tree.setCurrentIndex(window.faces_page.model.index(1, 0))
    window.faces_page.tree.activated.emit(window.faces_page.model.index(1, 0))
    assert window.player.position_us == pytest.approx(50 * FRAME, abs=FRAME)


def test_a_track_that_is_hardly_a_face_is_said_to_be_doubtful(qtbot: QtBot) -> None:
    weak = track("weak", 0, 10, 100)
    weak = FaceTrack(weak.id, weak.frames, weak.times_us, weak.boxes, weak.scores / 4, weak.origins)
    model = FaceTracksModel()
    model.set_tracks([track("sure", 0, 10, 50), weak], {})
    assert [model.index(row, Column.WHO).data() for row in range(2)] == ["", "Doubtful"]


def test_a_face_is_named_dismissed_and_both_are_undone(qtbot: QtBot, tracked: MainWindow) -> None:
    window, page = tracked, tracked.faces_page
    window.set_mode("faces")
    page.tree.setCurrentIndex(page.model.index(0, 0))
    page._ask_name = lambda _page: "P07"
    new = page._who.findData("new")
    page._who.setCurrentIndex(new)
    page._who.activated.emit(new)
    session = window.studio.session
    assert session is not None
    (person,) = all_participants(session.study)
    assert window.faces.tracks[0].participant_id == person.id
    page.role_requested.emit(person.id, ParticipantRole.ROBOT)
    (robot,) = all_participants(session.study)
    assert robot.role is ParticipantRole.ROBOT
    page.tree.setCurrentIndex(page.model.index(1, 0))
    page._dismiss.click()
    assert window.faces.tracks[1].dismissed
    window.commands.undo()
    assert not window.faces.tracks[1].dismissed


def test_an_export_tracks_first_and_shows_moments_to_look_at(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.editing.create(SECOND, 9 * SECOND)
    window.commands.ask_export()
    dialog = window.exports.dialog
    assert isinstance(dialog, ExportDialog)
    request = dialog.request()
    assert request.method == "solid"
    assert request.span is not None
    assert request.span[0] == SECOND
    dialog.folder.setText(str(tmp_path / "clips"))
    dialog.method.setCurrentIndex(dialog.method.findData("blur"))
    assert dialog.request().options["strength"] == pytest.approx(0.3)
    dialog._accept()
    qtbot.waitUntil(lambda: window.exports.result is not None, timeout=20_000)
    kinds = [json.loads(line)["job"] for line in (tmp_path / "log").read_text().splitlines()]
    assert kinds == ["faces", "anonymize"]
    result = window.exports.result
    assert result is not None
    assert [result.moments.item(i).text().split()[0] for i in range(result.moments.count())] == [
        "0:00:02.000",
        "0:00:07.000",
    ]
    result.moments.itemClicked.emit(result.moments.item(1))
    assert window.player.position_us == pytest.approx(7 * SECOND, abs=FRAME)
    session = window.studio.session
    assert session is not None
    assert window.studio.recording is not None
    assert latest_run(session.study, window.studio.recording.id, "anonymize") is not None
    result.close()


def test_boxes_follow_the_size_of_the_picture_and_the_role() -> None:
    overlay = FaceOverlay()
    overlay.width = 1280
    people = {"r": Participant("r", "Robot", ParticipantRole.ROBOT)}
    guessed = track("guessed", 10, 20, 300, Origin.INTERPOLATED)
    robot = track("robot", 0, 20, 100)
    robot = FaceTrack(robot.id, robot.frames, robot.times_us, robot.boxes, robot.scores, robot.origins, "r")
    gone = track("gone", 0, 20, 500)
    gone = FaceTrack(gone.id, gone.frames, gone.times_us, gone.boxes, gone.scores, gone.origins, None, True)
    overlay.set_tracks([guessed, robot, gone], people, FRAME)
    boxes = {box.track_id: box for box in overlay.boxes(12 * FRAME, 640)}
    assert boxes.keys() == {"guessed", "robot"}
    assert boxes["robot"].x == 50
    assert boxes["robot"].state is FaceState.EXEMPT
    assert boxes["guessed"].state is FaceState.INTERPOLATED
    assert not overlay.boxes(25 * FRAME, 640)
    overlay.select("gone")
    assert "gone" in {box.track_id for box in overlay.boxes(12 * FRAME, 640)}
    assert overlay.coverage().tolist() == [[0, 20 * FRAME]]


def test_a_doubtful_face_is_told_apart() -> None:
    overlay = FaceOverlay()
    sure, doubtful = track("sure", 0, 20, 100), track("doubtful", 0, 20, 300)
    weak = np.full_like(doubtful.scores, 0.1)
    doubtful = replace(doubtful, scores=weak)
    overlay.set_tracks([sure, doubtful, replace(doubtful, id="gone", dismissed=True)], {}, FRAME)
    overlay.select("gone")
    boxes = {box.track_id: box for box in overlay.boxes(12 * FRAME, 640)}
    assert {key: box.doubtful for key, box in boxes.items()} == {"sure": False, "doubtful": True, "gone": False}
    assert boxes["doubtful"].label == "Face 2, doubtful"


def test_moments_that_follow_each_other_are_one() -> None:
    assert spans([5_000_000, 1_000_000, 1_040_000]) == [(1_000_000, 1_040_000), (5_000_000, 5_000_000)]
