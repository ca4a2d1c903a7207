"""Several cameras and microphones of one recording in the real window, with real libVLC."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from annotate.study.recording_edits import add_medium, add_recordings, move_medium, probe_file
from app.gui.window.main_window import MainWindow
from media.exact_frames import FrameReader
from project.entities.study_records import Medium, MediumRole
from project.queries.recording_rows import media_of
from project.session.session import Session
from project.store.study import Study
from project.timebase import SECOND_US
from tests.builders.clips import make_clip, number_of
from tests.builders.slow_clock import play_by_looks
from tests.qt.conftest import OpenReused, OpenWindow
from widgets.player.camera_grid import MAIN, Corner, MultiViewLayout, ViewsGrid
from widgets.player.player_view import PlayerView

OFFSET_US = 1_300_000
SIDE_FRAMES, SIDE_FPS = 60, 20
ALL_RECORD = (1_500_000, 4_000_000)
"""A loop within what every file holds: playing does not end, however late somebody looks."""


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Main: 6 s at 30 frames a second. Side: 3 s at 20, from 1.3 s on. A microphone as long as the main file."""
    folder = tmp_path_factory.mktemp("clips")
    make_clip(folder / "front.mp4", size=(192, 108), frames=180, fps=30, sound=True, bframes=2)
    make_clip(folder / "side.mp4", size=(96, 120), frames=SIDE_FRAMES, fps=SIDE_FPS, sound=True, bframes=2)
    make_clip(folder / "lapel.wav", picture=False, sound=True, sound_seconds=6, sound_codec="pcm_s16le")
    make_clip(folder / "alone.mp4", size=(192, 108), frames=30, fps=30)
    return folder


@pytest.fixture
def study(tmp_path: Path, clips: Path) -> Path:
    for path in clips.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    with Session(Study.create(tmp_path / "lab.greenroom", "Lab"), "Ada") as session:
        files = [probe_file(tmp_path / name) for name in ("front.mp4", "alone.mp4")]
        (recording, _), _ = add_recordings(session, files)
        add_medium(session, recording, probe_file(tmp_path / "side.mp4"), MediumRole.CAMERA, OFFSET_US)
        add_medium(session, recording, probe_file(tmp_path / "lapel.wav"), MediumRole.MICROPHONE, -SECOND_US)
    return tmp_path / "lab.greenroom"


@pytest.fixture
def window(open_reused: OpenReused, study: Path, qtbot: QtBot) -> MainWindow:
    window = open_reused(study)
    camera = window.views.cameras[side_key(window)]
    qtbot.waitUntil(lambda: window.player.times is not None and camera.times is not None)
    return window


def medium(window: MainWindow, name: str) -> Medium:
    media = media_of(window.studio.session.study, window.studio.recording.id)
    return next(medium for medium in media if medium.path == name)


def grid(window: MainWindow) -> ViewsGrid:
    return window.workspace.views


def side_key(window: MainWindow) -> str:
    return medium(window, "side.mp4").id


def pixels(image: QImage) -> np.ndarray:
    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(rgb.constBits(), np.uint8).reshape(rgb.height(), rgb.bytesPerLine())
    return rows[:, : rgb.width() * 3].reshape(rgb.height(), rgb.width(), 3)


def wait_for_side(qtbot: QtBot, window: MainWindow, number: int) -> None:
    view = grid(window).view(side_key(window))
    qtbot.waitUntil(lambda: shown_number(view) == number)


def shown_number(view: PlayerView) -> int | None:
    picture = view.picture()
    return None if picture is None else number_of(pixels(picture))


def side_number(time_us: int) -> int:
    return (time_us - OFFSET_US) * SIDE_FPS // SECOND_US


def test_standing_still_every_view_shows_its_own_exact_frame(qtbot: QtBot, window: MainWindow, clips: Path) -> None:
    view = grid(window).view(side_key(window))
    with FrameReader(clips / "side.mp4") as reader:
        for time_us in (1_300_000, 2_017_000, 3_456_000, 4_266_000):
            window.player.seek(time_us)
            at = window.player.position_us
            wait_for_side(qtbot, window, side_number(at))
            qtbot.waitUntil(lambda: view.accessibleName() == "side; exact frame")
            assert (pixels(view.picture()) == reader.frame_at(reader.times.frame_at(at - OFFSET_US)).image).all()
            number = window.player.times.frame_at(at)
            qtbot.waitUntil(lambda number=number: shown_number(window.view) == number)
    window.player.seek(1_000_000)
    qtbot.waitUntil(lambda: "Not recording yet" in view.accessibleName())
    assert view.picture() is None
    window.player.seek(4_500_000)
    qtbot.waitUntil(lambda: "No longer recording" in view.accessibleName())
    window.player.seek(2_000_000)
    for step in (1, 1, 1, 1, -3):
        window.player.step(step)
        wait_for_side(qtbot, window, side_number(window.player.position_us))
    at, side = window.player.position_us, medium(window, "side.mp4")
    assert window.studio.edit(lambda s: move_medium(s, side.recording_id, side.id, OFFSET_US - 500_000))
    wait_for_side(qtbot, window, side_number(at) + 10)
    window.studio.undo()
    wait_for_side(qtbot, window, side_number(at))


def test_they_play_together_and_nothing_from_before_a_jump_flashes_up(qtbot: QtBot, window: MainWindow) -> None:
    camera = window.views.cameras[side_key(window)]
    apart: list[float] = []

    def see(image: QImage) -> None:
        if window.player.playing:
            wanted = (window.player.position_us - OFFSET_US) * SIDE_FPS / SECOND_US
            apart.append(wanted - number_of(pixels(image)))

    window.player.loop = ALL_RECORD
    window.player.seek(1_500_000)
    wait_for_side(qtbot, window, side_number(window.player.position_us))
    camera.picture_changed.connect(see)
    window.player.play()
    # Frames of the side camera, of 50 ms each. A busy machine shows some of them late.
    qtbot.waitUntil(lambda: len(apart) > 15 and abs(float(np.median(apart[-15:]))) <= 2)
    window.player.pause()
    camera.picture_changed.disconnect(see)
    window.player.loop = None
    window.player.seek(4_000_000)
    wait_for_side(qtbot, window, side_number(window.player.position_us))
    seen: list[int] = []
    camera.picture_changed.connect(lambda image: seen.append(number_of(pixels(image))))
    window.player.seek(3_900_000)
    window.player.seek(1_600_000)
    window.player.play()
    qtbot.waitUntil(lambda: len(seen) > 2)
    window.player.pause()
    assert seen == sorted(seen), "what lies before the jump has higher numbers"
    window.player.seek(3_600_000)
    wait_for_side(qtbot, window, side_number(window.player.position_us))
    play_by_looks(window.player)
    window.player.shuttle(-1)
    qtbot.waitUntil(lambda: window.player.position_us < 3_000_000)
    window.player.pause()
    wait_for_side(qtbot, window, side_number(window.player.position_us))


def test_layouts_large_picture_and_insets(qtbot: QtBot, window: MainWindow) -> None:
    area, side = grid(window), side_key(window)
    assert area.arrangement.layout is MultiViewLayout.SIDE
    main, other = area.view(MAIN), area.view(side)
    assert not main.geometry().intersects(other.geometry())
    assert main.x() < other.x()
    window.menus.actions["layout"].trigger()
    assert area.arrangement.layout is MultiViewLayout.INSET
    assert main.size() == area.size()
    assert main.geometry().contains(other.geometry())
    assert other.width() / other.height() == pytest.approx(96 / 120, rel=0.05)
    window.menus.actions["inset_corner"].trigger()
    assert area.arrangement.corner is Corner.BOTTOM_LEFT
    drag_view(qtbot, other, QPoint(area.width() - 150, -area.height() + 150))
    assert area.arrangement.corner is Corner.TOP_RIGHT
    assert other.geometry().right() > area.width() * 0.9
    assert not window.player.playing, "dragging is no click"
    double_click(qtbot, other)
    qtbot.waitUntil(lambda: area.large_key() == side)
    assert other.size() == area.size()
    assert not window.player.playing, "a double click leaves playing as it was"
    area.change_arrangement(layout=MultiViewLayout.INSET, large=side)
    window.menus.actions["layout"].trigger()
    assert area.arrangement.layout is MultiViewLayout.SINGLE
    assert not main.isVisible()
    assert other.isVisible()
    window.menus.actions["large"].trigger()
    assert main.isVisible()
    assert not other.isVisible()


def double_click(qtbot: QtBot, view: QWidget) -> None:
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton)
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton)


def drag_view(qtbot: QtBot, view: QWidget, by: QPoint) -> None:
    """Drag a view, which goes along with the mouse."""
    area, start = view.parentWidget(), QPoint(20, 20)
    begin = view.mapTo(area, start)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.7, 1.0):
        qtbot.mouseMove(view, view.mapFrom(area, begin + by * share))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=view.mapFrom(area, begin + by))


def test_layouts_are_remembered_for_each_recording(open_window: OpenWindow, study: Path) -> None:
    window = open_window(study)
    first = medium(window, "side.mp4").recording_id
    grid(window).change_arrangement(layout=MultiViewLayout.INSET, corner=Corner.TOP_LEFT)
    window.views.select_sound(medium(window, "lapel.wav").id)
    other = next(row.id for row in window.recordings.model.rows() if row.id != first)
    window.choose_recording(other)
    assert grid(window).keys == (MAIN,)
    assert window.view.size() == grid(window).size()
    assert not window.menus.actions["layout"].isEnabled()
    assert window.views.heard == MAIN
    file = probe_file(study.parent / "side.mp4")
    assert window.studio.edit(lambda session: add_medium(session, other, file, MediumRole.CAMERA))
    assert len(grid(window).keys) == 2
    assert window.menus.actions["layout"].isEnabled()
    window.studio.undo()
    assert grid(window).keys == (MAIN,)
    assert not window.menus.actions["layout"].isEnabled()
    window.choose_recording(first)
    assert grid(window).arrangement.layout is MultiViewLayout.INSET
    window.close()
    again = open_window(study)
    assert grid(again).arrangement.layout is MultiViewLayout.INSET
    assert grid(again).arrangement.corner is Corner.TOP_LEFT
    assert again.views.heard == medium(again, "lapel.wav").id


def test_the_sound_of_another_file_is_kept_beside_the_clock(qtbot: QtBot, window: MainWindow) -> None:
    window.views.select_sound(side_key(window))
    sounded: list[bool] = []

    def listen(at: int) -> None:
        if at < OFFSET_US - 50_000:
            sounded.append(window.views.sound.is_playing)

    window.player.position_changed.connect(listen)
    window.player.loop = (700_000, 4_000_000)
    window.player.seek(700_000)
    window.player.play()
    qtbot.waitUntil(lambda: window.views.sound.is_playing)
    assert window.player.position_us >= OFFSET_US - 50_000
    assert sounded
    assert not any(sounded), "it plays only where it was recorded"
    window.player.pause()
    window.views.select_sound(MAIN)
    assert [name for _, name in window.views.sources()] == ["front", "side", "lapel"]
    window.menus.actions["sound"].trigger()
    assert window.views.heard == side_key(window)
    window.menus.actions["sound"].trigger()
    lapel = medium(window, "lapel.wav").id
    assert window.views.heard == lapel
    sound = window.views.sound
    window.player.loop = (500_000, 5_500_000)
    window.player.seek(500_000)
    window.player.play()
    qtbot.waitUntil(lambda: sound.is_playing)
    errors: list[int] = []

    def near() -> bool:
        error = sound.error_us()
        if error is not None:
            errors.append(error)
        return len(errors) >= 2 and all(abs(number) < 120_000 for number in errors[-2:])

    qtbot.waitUntil(near)
    window.player.pause()
    assert not sound.is_playing
    window.views.select_sound(MAIN)
    window.player.seek(0)
    window.player.play()
    qtbot.waitUntil(lambda: window.player.position_us > 300_000)
    assert not sound.is_playing


def test_a_camera_whose_file_is_gone_says_so(qtbot: QtBot, open_reused: OpenReused, study: Path) -> None:
    (study.parent / "side.mp4").unlink()
    window = open_reused(study)
    view = grid(window).view(side_key(window))
    assert "The file is missing" in view.accessibleName()
    (button,) = view.findChildren(QPushButton)
    with qtbot.waitSignal(window.views.locate_requested):
        window.views.locate_requested.disconnect(window.files.locate_missing)
        button.click()
    qtbot.waitUntil(lambda: window.player.times is not None)
    window.player.play()
    qtbot.waitUntil(lambda: window.player.position_us > 300_000)
