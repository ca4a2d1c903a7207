import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from project.timebase import FrameTimes
from tests.builders.looks import COMPETENCE, ERROR
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


def x_of(slider: RangeSlider, second: float) -> QPoint:
    return QPoint(round(slider.time_to_x(second * 1e6)), 12)


def drag(qtbot: QtBot, slider: RangeSlider, start: float, end: float, *, release: bool = True) -> None:
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=x_of(slider, start))
    qtbot.mouseMove(slider, x_of(slider, (start + end) / 2))
    qtbot.mouseMove(slider, x_of(slider, end))
    if release:
        qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=x_of(slider, end))


def test_handles_are_dragged_on_frames(slider: RangeSlider, said: Said, qtbot: QtBot) -> None:
    drag(qtbot, slider, 20, 30.03)
    changing, changed = said
    assert len(changing) == 2
    assert changed == [changing[-1]]
    start, end = changed[0]
    assert start % 40_000 == 0
    assert abs(start - 30_000_000) <= 100_000
    assert end == 60_000_000


def test_the_middle_moves_both(slider: RangeSlider, said: Said, qtbot: QtBot) -> None:
    drag(qtbot, slider, 40, 90)
    assert said[1] == [(60_000_000, 100_000_000)]


def test_handles_do_not_pass_each_other(slider: RangeSlider, said: Said, qtbot: QtBot) -> None:
    drag(qtbot, slider, 60, 5)
    start, end = said[1][0]
    assert start == 20_000_000
    assert start < end < 20_100_000


def test_escape_and_a_new_range_end_a_drag(slider: RangeSlider, said: Said, qtbot: QtBot) -> None:
    drag(qtbot, slider, 20, 30, release=False)
    qtbot.keyClick(slider, Qt.Key.Key_Escape)
    assert slider.range() == (20_000_000, 60_000_000)
    assert said[0][-1] == (20_000_000, 60_000_000)
    drag(qtbot, slider, 20, 30, release=False)
    slider.set_range(1, 2)
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=x_of(slider, 30))
    assert said[1] == []


@pytest.mark.parametrize(
    ("key", "modifier", "expected"),
    [
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, (20_040_000, 60_000_000)),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier, (19_960_000, 60_000_000)),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier, (21_000_000, 60_000_000)),
        (Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier, (10_000_000, 60_000_000)),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier, (0, 60_000_000)),
    ],
)
def test_keys_move_the_active_handle(
    slider: RangeSlider,
    said: Said,
    qtbot: QtBot,
    key: Qt.Key,
    modifier: Qt.KeyboardModifier,
    expected: tuple[int, int],
) -> None:
    qtbot.keyClick(slider, key, modifier)
    assert said[1] == [expected]


def test_tab_goes_to_the_other_handle(slider: RangeSlider, said: Said, qtbot: QtBot) -> None:
    slider.setFocus()
    qtbot.waitUntil(slider.hasFocus)
    qtbot.keyClick(slider, Qt.Key.Key_Tab)
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert said[1] == [(20_000_000, 60_040_000)]
    assert "move the end" in slider.accessibleDescription()


def test_read_only_and_empty_sliders_stay_put(slider: RangeSlider, said: Said, qtbot: QtBot) -> None:
    slider.set_editable(False)
    drag(qtbot, slider, 20, 30)
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    slider.set_editable(True)
    slider.set_range(None, None)
    drag(qtbot, slider, 20, 30)
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert said == ([], [])
    assert slider.accessibleDescription() == "No start and end yet."


def test_what_a_screen_reader_says(slider: RangeSlider) -> None:
    assert slider.accessibleDescription().startswith("Error segment from 0:00:20.000 to 0:01:00.000.")
    slider.set_range(0, 1_000_000)
    assert slider.accessibleDescription().startswith("Marks from")


def test_the_range_has_the_colour_of_its_label(slider: RangeSlider) -> None:
    def mean() -> tuple[float, float]:
        image = slider.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        part = rows[8:16, 300 * 3 : 500 * 3].reshape(-1, 3)
        return float(part[:, 0].mean()), float(part[:, 1].mean())

    red, green = mean()
    assert red > green + 10
    slider.set_range(20_000_000, 60_000_000, COMPETENCE)
    red, green = mean()
    assert green > red + 10


def test_words_under_a_narrow_slider_are_not_cut_off(slider: RangeSlider) -> None:
    slider.resize(120, 40)
    drawn = slider.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = range(drawn.height() * 3 // 5, drawn.height())
    edges = {drawn.pixel(x, y) for x in (0, 1, drawn.width() - 2, drawn.width() - 1) for y in rows}
    words = {drawn.pixel(x, y) for x in range(drawn.width()) for y in rows}
    assert len(edges) == 1 < len(words)
