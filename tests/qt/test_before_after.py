"""The line between before and after."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.gui.export.export_preview import BeforeAfter
from tests.builders.mouse_and_keys import press

SIZE = (320, 180)


@pytest.fixture
def slider(qtbot: QtBot) -> BeforeAfter:
    made = BeforeAfter()
    qtbot.addWidget(made)
    made.resize(*SIZE)
    red, blue = (np.zeros((90, 160, 3), np.uint8) for _ in range(2))
    red[..., 0] = blue[..., 2] = 255
    made.set_pictures(red, blue)
    made.show()
    qtbot.waitExposed(made)
    return made


def colour(slider: BeforeAfter, share: float) -> QColor:
    """Return the colour at a share of the width, near the lower edge."""
    image = QImage(slider.size(), QImage.Format.Format_RGB32)
    slider.render(image)
    return image.pixelColor(int(share * (image.width() - 1)), int(image.height() * 0.9))


def test_before_is_left_of_the_line_and_after_right(slider: BeforeAfter) -> None:
    assert colour(slider, 0.25).red() > 200 > 50 > colour(slider, 0.25).blue()
    assert colour(slider, 0.75).blue() > 200 > 50 > colour(slider, 0.75).red()
    slider.set_position(0.9)
    assert colour(slider, 0.75).red() > 200


def test_mouse_and_keys_move_the_line(qtbot: QtBot, slider: BeforeAfter) -> None:
    with qtbot.waitSignal(slider.position_changed):
        qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(80, 90))
    assert slider.position() == pytest.approx(0.25, abs=0.01)
    qtbot.mouseMove(slider, QPoint(-50, 90))
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton)
    assert 0 <= slider.position() <= 0.25
    slider.set_position(0.5)
    for key, position in (("Right", 0.52), ("Shift+Left", 0.42), ("Home", 0), ("Space", 1)):
        press(slider, key)
        assert slider.position() == pytest.approx(position)
    assert "100 %" in slider.accessibleDescription()


def test_a_picture_of_another_shape_is_not_stretched(slider: BeforeAfter) -> None:
    tall = np.zeros((100, 50, 3), np.uint8)
    slider.set_pictures(tall, tall)
    place = slider.picture_rect()
    assert (place.width(), place.height()) == (90, 180)
    assert place.center().x() == pytest.approx(160)
