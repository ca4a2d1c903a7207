"""The mode Faces and the export, with a stand-in for the worker that answers at once."""

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymize.faces import face_tracking_job as tracking
from anonymize.faces import text_regions_job as text_regions
from anonymize.masking.mask_coverage import ReviewReason
from app.gui.export.clip_export import merge_times
from app.gui.faces.face_cards import CROPS_ROLE, CardState
from app.gui.faces.face_queue import CERTAINTY
from app.gui.files.study_files import make_sample_study
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.player.playback import FaceOverlay
from app.gui.window.main_window import MainWindow
from models.faces.track_file import save_tracks
from models.text_regions.text_detectors import StaticTextRegion
from project.codec import dump
from project.entities.face_regions import RegionKind
from project.entities.study_records import FaceTrack, Origin, Participant, ParticipantRole
from project.errors import UserError
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_participants
from project.session.jobs import JobSpec
from project.timebase import SECOND_US
from tests.builders import job_results
from tests.builders.mouse_and_keys import NONE, SHIFT, drag, press
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused, OpenWindow
from widgets.player.player_view import FaceState

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
    print(json.dumps({"result": {**TRACKED, "file": str(copy)}}), flush=True)
else:
    print(json.dumps({"result": {**EXPORTED, "output": request["parameters"]["output"]}}), flush=True)
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
def study(tmp_path: Path) -> Path:
    return make_sample_study(tmp_path / "study")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the worker writes what it was asked for."""
    return tmp_path_factory.mktemp("worker") / "log"


@pytest.fixture(scope="module")
def module_window(open_shared_window: OpenWindow, log: Path) -> MainWindow:
    folder = log.parent
    faces = dump(job_results.tracked(folder, 598, 2, frames_with_face=500))
    clip = dump(job_results.exported(folder, 598, faces_left=(2.0, 2.04, 7.0), seconds=2.0))
    (folder / "worker.py").write_text(f"TRACKED, EXPORTED = {faces!r}, {clip!r}\n{WORKER}")
    made = save_tracks([track("one", 0, 100, 100), track("two", 50, 200, 400)], folder)
    shutil.move(made, folder / "tracks.npz")
    runner = WorkerRunner(command=(sys.executable, str(folder / "worker.py"), str(log)))
    return open_shared_window(questions=Answers(), runner=runner)


@pytest.fixture
def window(qtbot: QtBot, open_reused: OpenReused, study: Path) -> MainWindow:
    window = open_reused(study)
    qtbot.waitUntil(lambda: window.player.times is not None and window.view.picture() is not None)
    return window


@pytest.fixture
def tracked(qtbot: QtBot, window: MainWindow) -> MainWindow:
    with qtbot.waitSignal(window.jobs.done):
        window.menus.actions["track"].trigger()
    window.set_mode("faces")
    window.activateWindow()
    window.timeline.setFocus()
    qtbot.waitUntil(lambda: window.timeline.hasFocus())
    return window


def state_of(window: MainWindow, key: str) -> CardState:
    return window.faces_page.model.card(key).state


def test_tracking_is_shown_at_once_and_fills_the_page_the_lanes_and_the_picture(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.set_mode("faces")
    page = window.faces_page
    shown: list[str] = []
    window.jobs.progressed.connect(lambda *_: shown.append("progress"))
    work = tracking.prepare(window.studio.session, window.studio.recording.id)
    with qtbot.waitSignal(window.jobs.done):
        window.jobs.start(work)
        QApplication.sendPostedEvents(window.faces.job)
        assert shown == []
        assert page.untracked_title() == "Faces are being looked for"
    qtbot.waitUntil(lambda: CERTAINTY in {lane.key for lane in window.timeline.model.lanes})
    assert [card.key for card in page.model.all_cards()] == ["one", "two"]
    assert "faces" in {lane.key for lane in window.timeline.model.lanes}
    assert window.recordings.model.rows()[0].faces_tracked
    window.player.seek(60 * FRAME)
    qtbot.waitUntil(lambda: "Face 1, Face 2" in window.view.accessibleName())
    page.cards.opened.emit("two")
    assert window.player.position_us == pytest.approx(50 * FRAME, abs=FRAME)
    model, crops = page.model, window.faces.crops
    qtbot.waitUntil(lambda: len(model.index(0).data(CROPS_ROLE)) == 3)
    assert all(not crop.isNull() and crop.width() == crop.height() for crop in model.index(0).data(CROPS_ROLE))
    crops.set_source(None)
    model.drop_crops()
    model.index(0).data(CROPS_ROLE)
    window.faces.reload()
    qtbot.waitUntil(lambda: len(model.index(0).data(CROPS_ROLE)) == 3)
    page.set_writable(False, "Somebody else works in it.")
    page.select(["one"])
    assert not page.people.dismiss.isEnabled()
    assert not page.people.new.isEnabled()
    assert page.people.toolTip() == "Somebody else works in it."


def test_faces_are_named_together_dismissed_by_keys_and_undone(qtbot: QtBot, tracked: MainWindow) -> None:
    window, page = tracked, tracked.faces_page
    page.cards.setFocus()
    press(window, "Ctrl+A")
    page.ask_name = lambda _page: "P07"
    page.people.new.click()
    session = window.studio.session
    (person,) = all_participants(session.study)
    assert {track.participant_id for track in window.faces.tracks} == {person.id}
    page.role_requested.emit(person.id, ParticipantRole.ROBOT)
    (robot,) = all_participants(session.study)
    assert robot.role is ParticipantRole.ROBOT
    page.select(["two"])
    page.people.dismiss.click()
    assert [track.dismissed for track in window.faces.tracks] == [False, True]
    assert state_of(window, "two") is CardState.DISMISSED
    window.commands.undo()
    window.commands.undo()
    window.commands.undo()
    assert state_of(window, "two") is CardState.UNDECIDED
    window.timeline.setFocus()
    page.select([])
    press(window, "Return")
    assert [card.key for card in page.cards.selected()] == [page.model.cards[0].key]
    press(window, "X")
    assert sum(track.dismissed for track in window.faces.tracks) == 1
    press(window, "X")
    assert not any(track.dismissed for track in window.faces.tracks)
    press(window, "Esc")
    assert page.cards.selected() == []
    assert window.faces.drawing.selected == ""
    page.select(["one"])
    window.set_mode("annotate")
    press(window, "X")
    assert not any(track.dismissed for track in window.faces.tracks), (
        "a key of this mode means something else elsewhere"
    )


def test_text_that_was_found_is_masked_in_one_step(tracked: MainWindow) -> None:
    window, page = tracked, tracked.faces_page
    session, recording = window.studio.session, window.studio.recording
    told: list[UserError] = []
    window.studio.failed.connect(told.append)
    window.menus.actions["find_text"].trigger()
    assert "greenroom model add text-regions" in told[0].hint
    places = tuple(StaticTextRegion((x, 10, 40, 12), 0, SECOND_US, 1, 1.0) for x in (10, 100))
    parameters = text_regions.TextSearchParameters(Path("/walk.mp4"), "f", "binarization", SECOND_US)
    work = JobSpec("text", "Look for text", recording.id, parameters)
    window.studio.publish(text_regions.store(session, work, text_regions.TextSearchResult(places, 1, {}, 0.0)))
    assert page.text.isVisibleTo(page)
    page.text.accept.click()
    assert [region.kind for region in window.faces.regions] == [RegionKind.AREA, RegionKind.AREA]
    assert not page.text.isVisibleTo(page)
    window.commands.undo()
    assert window.faces.regions == []


def test_keys_go_to_the_next_place_and_say_that_it_was_seen(qtbot: QtBot, tracked: MainWindow) -> None:
    window, page = tracked, tracked.faces_page
    qtbot.waitUntil(lambda: bool(window.faces.places.waiting))
    told: list[UserError] = []
    window.studio.failed.connect(told.append)
    page.review.tick.click()
    assert "left" in str(told[0])
    assert not page.review.tick.isChecked()
    count = len(window.faces.places.waiting)
    assert page.queue.remaining_text().startswith(str(count))
    window.timeline.setFocus()
    press(window, "N")
    place = window.faces.places.current
    assert place.start_us <= window.player.position_us < place.end_us
    assert page.queue.reason_text()
    for _ in range(count):
        press(window, "Y")
    qtbot.waitUntil(lambda: page.queue.remaining_text() == "Nothing left to look at")
    page.review.tick.click()
    qtbot.waitUntil(page.review.tick.isChecked)
    assert "Reviewed by" in page.review.status_text()
    page.select(["one"])
    page.people.dismiss.click()
    qtbot.waitUntil(lambda: "changed since" in page.review.status_text())
    assert not page.review.tick.isChecked()


def drag_in_picture(
    window: MainWindow, start: tuple[int, int], end: tuple[int, int], held: Qt.KeyboardModifier = NONE
) -> None:
    """Drag on the picture, in pixels of the recording's picture."""
    rect, picture = window.view.picture_rect(), window.view.picture()
    scale = rect.width() / picture.width()
    drag(
        window.faces.canvas, *[QPointF(rect.x() + x * scale, rect.y() + y * scale) for x, y in (start, end)], held=held
    )


def test_a_found_face_is_moved_and_a_keyframe_beyond_its_end_lengthens_it(qtbot: QtBot, tracked: MainWindow) -> None:
    window, page = tracked, tracked.faces_page
    window.player.seek(20 * FRAME)
    qtbot.waitUntil(lambda: bool(window.playback.faces.boxes(20 * FRAME, 1280)))
    drag_in_picture(window, (110, 80), (110, 80))
    assert [card.key for card in page.cards.selected()] == ["one"], "a click goes through to the picture"
    drag_in_picture(window, (120, 80), (150, 100))
    assert window.faces.tracks[0].boxes[20].tolist() == pytest.approx([130, 70, 40, 60], abs=2)
    assert window.faces.regions == []
    window.commands.undo()
    page.select(["one"])
    window.timeline.setFocus()
    window.player.seek(120 * FRAME)
    press(window, "Q")
    assert int(window.faces.tracks[0].frames[-1]) == pytest.approx(120, abs=1)
    press(window, "Alt+Right")
    assert window.faces.tracks[0].boxes[-1].tolist() == [101, 50, 40, 60]
    press(window, "Alt+Shift+Down")
    assert window.faces.tracks[0].boxes[-1].tolist() == [101, 50, 40, 61]
    press(window, "Shift+Q")
    assert int(window.faces.tracks[0].frames[-1]) == 99


def test_a_box_is_drawn_moved_by_keyframe_and_followed(qtbot: QtBot, tracked: MainWindow) -> None:
    window, page = tracked, tracked.faces_page
    window.player.seek(310 * FRAME)
    qtbot.waitUntil(lambda: window.view.picture() is not None)
    window.view.set_framed(True)
    drag_in_picture(window, (200, 100), (260, 180))
    assert window.faces.regions == [], "nothing is drawn on a small picture over a large one"
    window.view.set_framed(False)
    drag_in_picture(window, (200, 100), (260, 180))
    (region,) = window.faces.regions
    assert region.kind is RegionKind.FACE
    assert region.start_us == pytest.approx(310 * FRAME, abs=FRAME)
    assert region.keyframes[0].box == pytest.approx((200, 100, 60, 80), abs=2)
    assert [card.key for card in page.cards.selected()] == [region.id]
    assert page.region.isVisibleTo(page)
    window.player.seek(320 * FRAME)
    drag_in_picture(window, (230, 140), (270, 160))
    (moved,) = window.faces.regions
    assert len(moved.keyframes) == 2
    assert moved.keyframes[1].box == pytest.approx((240, 120, 60, 80), abs=2)
    window.player.seek(315 * FRAME)
    boxes = {box.track_id: box for box in window.playback.faces.boxes(315 * FRAME, 1280)}
    assert 200 < boxes[region.id].x * window.playback.faces.width / 1280 < 240
    page.region.kind.setCurrentIndex(page.region.kind.findData(RegionKind.AREA))
    page.region.kind.activated.emit(page.region.kind.currentIndex())
    assert window.faces.regions[0].kind is RegionKind.AREA
    window.timeline.setFocus()
    press(window, "Del")
    assert window.faces.regions == []
    drag_in_picture(window, (20, 20), (80, 50), SHIFT)
    (region,) = window.faces.regions
    assert region.kind is RegionKind.AREA
    assert (region.start_us, region.end_us) == (0, window.studio.recording.duration_us)
    window.commands.undo()
    qtbot.waitUntil(lambda: bool(window.faces.places.waiting))
    window.player.seek(205 * FRAME)
    place = window.faces.places.span_at(205 * FRAME)
    assert place.reason is ReviewReason.ENDS
    drag_in_picture(window, (400, 50), (440, 110))
    (region,) = window.faces.regions
    assert (region.start_us, region.end_us) == (place.start_us, place.end_us), "a face drawn at a gap fills it"
    qtbot.waitUntil(lambda: window.faces.places.span_at(205 * FRAME) != place)


def test_an_export_tracks_first_and_shows_moments_to_look_at(
    qtbot: QtBot, window: MainWindow, log: Path, tmp_path: Path
) -> None:
    log.unlink(missing_ok=True)
    window.editing.create(SECOND_US, 9 * SECOND_US, "error")
    window.commands.ask_export()
    dialog = window.exports.dialog
    request = dialog.request()
    assert list(request.methods) == ["solid"]
    assert request.span[0] == SECOND_US
    dialog.folder.setText(str(tmp_path / "clips"))
    dialog.methods.tree.set_ticked("solid", False)
    dialog.methods.tree.set_ticked("blur")
    dialog.methods.tree.select_row("blur")
    assert dialog.request().methods["blur"]["strength"] == pytest.approx(0.3)
    dialog._accept()
    qtbot.waitUntil(lambda: window.exports.result is not None)
    kinds = [json.loads(line)["job"] for line in log.read_text().splitlines()]
    assert kinds == ["faces", "anonymize"]
    result = window.exports.result
    assert [result.moments.item(i).text().split()[0] for i in range(result.moments.count())] == [
        "0:00:02.000",
        "0:00:07.000",
    ]
    result.moments.itemClicked.emit(result.moments.item(1))
    assert window.player.position_us == pytest.approx(7 * SECOND_US, abs=FRAME)
    session = window.studio.session
    assert latest_run(session.study, window.studio.recording.id, "anonymize") is not None
    result.close()


def test_boxes_follow_the_size_of_the_picture_and_the_role_and_doubtful_ones_are_told_apart() -> None:
    overlay = FaceOverlay()
    overlay.width = 1280
    people = {"r": Participant("r", "Robot", ParticipantRole.ROBOT)}
    robot = replace(track("robot", 0, 20, 100), participant_id="r")
    guessed = track("guessed", 10, 20, 300, Origin.INTERPOLATED)
    doubtful = replace(track("doubtful", 0, 20, 300), scores=np.full(20, 0.1, np.float32))
    gone = replace(track("gone", 0, 20, 500), dismissed=True)
    overlay.set_tracks([guessed, robot, gone, doubtful], people, FRAME)
    boxes = {box.track_id: box for box in overlay.boxes(12 * FRAME, 640)}
    assert {key: box.doubtful for key, box in boxes.items()} == {"robot": False, "guessed": False, "doubtful": True}
    assert (boxes["robot"].x, boxes["robot"].state) == (50, FaceState.EXEMPT)
    assert boxes["guessed"].state is FaceState.INTERPOLATED
    assert boxes["doubtful"].label.endswith(", doubtful")
    assert not overlay.boxes(25 * FRAME, 640)
    overlay.select("gone")
    assert "gone" in {box.track_id for box in overlay.boxes(12 * FRAME, 640)}
    assert overlay.coverage().tolist() == [[0, 20 * FRAME]]


def test_moments_that_follow_each_other_are_one() -> None:
    assert merge_times([5_000_000, 1_000_000, 1_040_000]) == [(1_000_000, 1_040_000), (5_000_000, 5_000_000)]
