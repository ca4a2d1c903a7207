"""What is written over the picture."""

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from widgets.player.player_view import paint_chip

WIDTH = 300


def inked(left: float, text: str) -> list[int]:
    """Return the columns that a chip painted, where the picture ends at 3/4 of the width."""
    image = QImage(WIDTH, 40, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setClipRect(QRectF(0, 0, 0.75 * WIDTH, 40))
    paint_chip(painter, text, QPointF(left, 4))
    painter.end()
    return [x for x in range(WIDTH) if any(image.pixelColor(x, y).alpha() for y in range(40))]


@pytest.mark.parametrize("left", [-50.0, 215.0, 400.0])
def test_a_label_at_the_edge_is_moved_and_not_cut(qtbot: QtBot, left: float) -> None:
    whole = inked(20, "Drawn face")
    assert len(inked(left, "Drawn face")) == pytest.approx(len(whole), abs=1)
