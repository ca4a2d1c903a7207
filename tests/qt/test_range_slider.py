"""The slider of start and end above the timeline."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF
from pytestqt.qtbot import QtBot

from project.timebase import FrameTimes
from tests.builders.looks import ERROR
from tests.builders.mouse_and_keys import drag, press, send_mouse
from widgets.timeline.range_slider import RangeSlider

DURATION = 100_000_000
FRAMES = FrameTimes(np.arange(0, DURATION, 40_000, dtype=np.int64), DURATION)
Said = tuple[list[tuple[int, int]], list[tuple[int, int]]]


@pytest.fixture
def slider(qtbot: QtBot) -> RangeSlider:
    slider = RangeSlider()
    qtbot.addWidget(slider)
    slider.resize(1024, 40)
    slider.set_span(0, DURATION)
    slider.set_frames(FRAMES)
    slider.set_range(20_000_000, 60_000_000, ERROR)
    slider.show()
    qtbot.waitExposed(slider)
    return slider


@pytest.fixture
def said(slider: RangeSlider) -> Said:
    changing: list[tuple[int, int]] = []
    changed: list[tuple[int, int]] = []
    slider.range_changing.connect(lambda a, b: changing.append((a, b)))
    slider.range_changed.connect(lambda a, b: changed.append((a, b)))
    return changing, changed


def drag_time(slider: RangeSlider, start: float, end: float) -> None:
    drag(slider, *[QPointF(round(slider.time_to_x(second * 1e6)), 12) for second in (start, end)])


def test_handles_are_dragged_on_frames(slider: RangeSlider, said: Said) -> None:
    drag_time(slider, 20, 30.03)
    changing, changed = said
    assert len(changing) == 2
    assert changed == [changing[-1]]
    start, end = changed[0]
    assert start % 40_000 == 0
    assert abs(start - 30_000_000) <= 100_000
    assert end == 60_000_000


def test_a_handle_that_is_grabbed_beside_its_middle_does_not_jump(slider: RangeSlider, said: Said) -> None:
    drag(slider, *(QPointF(round(slider.time_to_x(60e6)) + beside, 12) for beside in (4, 5)))
    start, end = said[1][0]
    assert start == 20_000_000
    assert 60_000_000 < end < 60_300_000


def test_the_middle_moves_both(slider: RangeSlider, said: Said) -> None:
    drag_time(slider, 40, 90)
    assert said[1] == [(60_000_000, 100_000_000)]


def test_escape_and_a_new_range_end_a_drag(slider: RangeSlider, said: Said) -> None:
    places = [QPointF(round(slider.time_to_x(second * 1e6)), 12) for second in (20, 30)]
    slider.setFocus()
    for end in (lambda: press(slider, "Esc"), lambda: slider.set_range(1, 2)):
        slider.set_range(20_000_000, 60_000_000, ERROR)
        send_mouse(slider, QEvent.Type.MouseButtonPress, places[0])
        send_mouse(slider, QEvent.Type.MouseMove, places[1])
        end()
        send_mouse(slider, QEvent.Type.MouseButtonRelease, places[1])
    assert said[0][1] == (20_000_000, 60_000_000), "Esc shows the range before"
    assert said[1] == []


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Right", (20_040_000, 60_000_000)),
        ("Shift+Right", (21_000_000, 60_000_000)),
        ("Home", (0, 60_000_000)),
    ],
)
def test_keys_move_the_active_handle(slider: RangeSlider, said: Said, key: str, expected: tuple[int, int]) -> None:
    slider.setFocus()
    press(slider, key)
    assert said[1] == [expected]


def test_tab_goes_to_the_other_handle(slider: RangeSlider, said: Said, qtbot: QtBot) -> None:
    slider.setFocus()
    qtbot.waitUntil(slider.hasFocus)
    press(slider, "Tab", "Right")
    assert said[1] == [(20_000_000, 60_040_000)]
    assert "move the end" in slider.accessibleDescription()
    assert slider.accessibleDescription().startswith("Error segment from 0:00:20.000 to 0:01:00.040.")


def test_dragging_beside_the_handles_draws_a_range_and_escape_brings_the_old_back(slider: RangeSlider) -> None:
    drawn: list[tuple[int, int]] = []
    slider.range_drawn.connect(lambda start, end: drawn.append((start, end)))
    drag_time(slider, 15, 5.01)
    assert drawn == [(5_000_000, 15_000_000)]
    slider.set_range(None, None)
    slider.setFocus()
    places = [QPointF(slider.time_to_x(second * 1e6), 12) for second in (70, 80)]
    send_mouse(slider, QEvent.Type.MouseButtonPress, places[0])
    send_mouse(slider, QEvent.Type.MouseMove, places[1])
    assert slider.range() == (70_000_000, 80_000_000)
    press(slider, "Esc")
    send_mouse(slider, QEvent.Type.MouseButtonRelease, places[1])
    assert slider.range() is None
    assert len(drawn) == 1


def test_read_only_and_empty_sliders_stay_put(slider: RangeSlider, said: Said) -> None:
    slider.set_editable(False)
    drag_time(slider, 20, 30)
    drag_time(slider, 70, 80)
    press(slider, "Right")
    slider.set_editable(True)
    slider.set_range(None, None)
    press(slider, "Right")
    assert said == ([], [])
    assert slider.accessibleDescription() == "No start and end yet."


def test_a_point_has_one_handle_that_moves_both_times(slider: RangeSlider, said: Said) -> None:
    slider.set_range(20_000_000, 20_000_000, ERROR)
    drag_time(slider, 20, 30)
    slider.setFocus()
    press(slider, "Right")
    (dragged, _), (stepped, _) = said[1]
    assert abs(dragged - 30_000_000) <= 100_000
    assert stepped == dragged + 40_000
    assert said[1] == [(dragged, dragged), (stepped, stepped)]
    assert slider.accessibleDescription().startswith("Error point at 0:00:")
