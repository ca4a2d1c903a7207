"""Points in the window: one key marks one, the form has one time, the timeline shows and moves a mark."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from annotate.study.scheme_versions import use_scheme
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Segment
from project.queries.segment_rows import all_segments, find_segment
from project.session.session import Session
from tests.builders.filmed_study import make_filmed_study
from tests.builders.looks import LOOKS
from tests.builders.mouse_and_keys import drag, press
from tests.builders.point_schemes import MOMENTS
from tests.builders.slow_clock import play_by_looks
from tests.builders.timelines import lane_point, record_requests, show_timeline
from tests.qt.conftest import OpenWindow
from widgets.timeline.lanes import Lane, lane_key
from widgets.timeline.timeline_layout import HEADER, POINT_PX, TimelineHitPart

SECOND = 1_000_000
LANE = lane_key("a")


def point(name: str, second: float, label: str = "error") -> Segment:
    at = round(second * SECOND)
    return Segment(name, "r", "a", label, at, at)


@pytest.fixture(scope="module")
def moments_window(open_shared_window: OpenWindow, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    path = make_filmed_study(tmp_path_factory.mktemp("moments"))
    with Session.open(path, "Ada") as session:
        use_scheme(session, MOMENTS, "moments.toml")
    return open_shared_window(path)


@pytest.fixture
def window(moments_window: MainWindow, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window, with the track of points for what is new."""
    qtbot.waitUntil(lambda: moments_window.player.times is not None and moments_window.view.picture() is not None)
    moments_window.active.select_track("moments/nods")
    moments_window.timeline.setFocus()
    yield moments_window
    moments_window.studio.select(())


def marked(window: MainWindow) -> list[tuple[str, float]]:
    assert window.studio.session is not None
    found = all_segments(window.studio.session.study)
    assert all(segment.is_point for segment in found if segment.track == "nods")
    return [(segment.label, segment.start_us / SECOND) for segment in found if segment.track == "nods"]


def test_home_is_the_players_unless_a_box_was_reached_with_tab(window: MainWindow) -> None:
    assert window.inspector is not None
    box = window.inspector.chooser.combo
    box.setFocus(Qt.FocusReason.TabFocusReason)
    window.playback.jump(2 * SECOND)
    press(window, "Home")
    assert (box.currentIndex(), window.player.position_us) == (0, 2 * SECOND)
    press(window, "Shift+Right", "Right")
    assert window.player.position_us > 3 * SECOND, "a box has no use for it"
    press(window, "End")
    last = box.currentIndex()
    assert last == box.count() - 1
    window.timeline.setFocus()
    box.setFocus(Qt.FocusReason.MouseFocusReason)
    press(window, "Home")
    assert (box.currentIndex(), window.player.position_us) == (last, 0), "new segments go where they went"


def test_a_labels_key_marks_a_point_at_the_playhead_again_and_again_and_relabels_it_there(window: MainWindow) -> None:
    for second, key in ((2, "E"), (4, "C"), (6, "E")):
        window.playback.jump(second * SECOND)
        press(window, key)
    assert marked(window) == [("nod", 2), ("shake", 4), ("nod", 6)]
    press(window, "C")
    assert marked(window)[-1] == ("shake", 6), "the selected one lies at the playhead"
    assert window.inspector is not None
    header = window.inspector.header
    assert header.start.isVisible()
    assert not header.end.isVisible()
    header.times_entered.emit(7 * SECOND, 7 * SECOND)
    assert window.workspace.slider.range() == (7 * SECOND, 7 * SECOND)
    press(window, ".")
    assert marked(window)[-1] == ("shake", 7.04)
    window.playback.jump(8 * SECOND)
    press(window, "]")
    assert marked(window)[-1] == ("shake", 8)
    assert window.playback.current_span() == (7 * SECOND, 9 * SECOND), "what is repeated has a second around it"


def test_keys_mark_points_while_it_plays_and_select_none(window: MainWindow) -> None:
    before = marked(window)
    play_by_looks(window.player)
    window.playback.jump(15 * SECOND)
    window.studio.select(())
    window.player.play()
    press(window, "E", "C")
    assert window.player.playing
    window.player.pause()
    assert window.studio.selected == ()
    found = marked(window)[len(before) :]
    assert [label for label, _ in found] == ["nod", "shake"]
    assert 15 <= found[0][1] <= found[1][1] < 16
    assert window.player.times is not None
    assert {round(at * SECOND) for _, at in found} <= set(window.player.times.times_us.tolist())


def test_drawing_in_a_lane_of_points_asks_for_one_time_and_dragging_moves_it(qtbot: QtBot) -> None:
    view = show_timeline(qtbot, [Lane(LANE, "A", editable=True, looks=LOOKS, points=True)], [point("p", 50)])
    heard = record_requests(view)
    drag(view.viewport(), lane_point(view, 20, LANE), lane_point(view, 30, LANE))
    assert heard["segment_requests.create"] == [(LANE, 30 * SECOND, 30 * SECOND)]
    beside = lane_point(view, 50, LANE) + QPointF(POINT_PX / 2 - 1, 0)
    assert view.hit(beside).segment == point("p", 50)
    assert view.hit(beside).part is TimelineHitPart.BODY, "a point has no ends to pull"
    drag(view.viewport(), lane_point(view, 50, LANE), lane_point(view, 60, LANE))
    assert heard["segment_requests.move"] == [([("p", 60 * SECOND, 60 * SECOND)],)]


def inked(view: QImage, rows: range) -> int:
    """Return how many columns of a grab differ from the ground there."""
    pixels = np.array([[view.pixel(x, y) for x in range(HEADER + 2, view.width())] for y in rows])
    return int((pixels != pixels[0, -1]).any(0).sum())


@pytest.mark.parametrize("zoom", [1.0, 40.0, 5000.0])
def test_a_point_is_seen_at_every_zoom_and_is_wider_where_it_has_room(qtbot: QtBot, zoom: float) -> None:
    view = show_timeline(qtbot, [Lane(LANE, "A", looks=LOOKS, points=True)], [point("p", 50)])
    view.set_playhead(0)
    view.zoom(zoom, HEADER + 500)
    band = view.bands[0]
    grab = view.viewport().grab().toImage()
    top = 28 + band.row_top(0)
    assert inked(grab, range(top, top + band.row_height)) >= POINT_PX
    crowd = [point(f"p{number}", 50 + number / 10) for number in range(8)]
    view.zoom_to_fit()
    view.set_segments(crowd)
    view.set_playhead(0)
    assert inked(view.viewport().grab().toImage(), range(top, top + band.row_height)) in range(3, POINT_PX)


def test_a_point_that_nobody_selected_and_that_moved_leaves_no_trace(qtbot: QtBot) -> None:
    view = show_timeline(qtbot, [Lane(LANE, "A", looks=LOOKS, points=True)], [point("p", 50), point("q", 50.5)])
    view.viewport().grab()
    view.update_segments([point("q", 80)])
    updated = view.viewport().grab().toImage()
    view.content_changed()
    assert view.viewport().grab().toImage() == updated, "the neighbour has room for its plate now"


def test_a_point_that_was_drawn_lies_where_it_was_drawn(window: MainWindow) -> None:
    before = marked(window)
    window.studio.set_marks(9 * SECOND, 9 * SECOND)
    assert marked(window) == before
    window.editing.create_from_marks("nod")
    assert sorted(marked(window)) == sorted([*before, ("nod", 9)])
    assert window.studio.session is not None
    assert find_segment(window.studio.session.study, window.studio.selected[0]).label == "nod"
