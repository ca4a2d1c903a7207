"""The picture of the player: where it stands, what is painted over it, and what the mouse means there."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from tests.builders.mouse_and_keys import drag, turn_wheel
from widgets import theme
from widgets.player.picture_adjustment import Brightening
from widgets.player.player_view import FaceBox, FaceState, PlayerView


@pytest.fixture
def view(qtbot: QtBot) -> PlayerView:
    view = PlayerView()
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.set_picture(plain("#ffffff"))
    return view


def plain(colour: str, width: int = 400, height: int = 200) -> QImage:
    picture = QImage(width, height, QImage.Format.Format_RGB32)
    picture.fill(QColor(colour))
    return picture


def grabbed(view: PlayerView) -> QImage:
    return view.grab().toImage()


def different(image: QImage, other: QImage) -> int:
    """How many pixels are others."""
    pixels, others = (np.frombuffer(each.constBits(), np.uint32) for each in (image, other))
    return int((pixels != others).sum())


def test_the_picture_fits_with_its_aspect_kept(view: PlayerView) -> None:
    rect = view.picture_rect()
    assert (rect.x(), rect.y(), rect.width(), rect.height()) == (0, 100, 800, 400)
    image = grabbed(view)
    assert image.pixelColor(400, 300).name() == "#ffffff"
    assert image.pixelColor(400, 50) == image.pixelColor(400, 550) == theme.palette().stage
    assert view.to_picture(QPointF(400, 300)) == QPointF(200, 100)
    assert view.to_picture(QPointF(400, 50)) is None
    view.set_picture(plain("#ffffff", 100, 200))
    assert view.picture_rect().width() == pytest.approx(300)
    assert grabbed(view).pixelColor(100, 300) == theme.palette().stage


@pytest.mark.parametrize("background", ["#ffffff", "#000000"])
def test_face_boxes_show_on_any_picture(view: PlayerView, background: str) -> None:
    view.set_picture(plain(background))
    bare = grabbed(view)
    for state in FaceState:
        view.set_overlays([FaceBox("t", "", 100, 50, 80, 100, state)])
        assert different(bare, grabbed(view)) > 80, state
    view.set_overlays([FaceBox("t", "Ann", 100, 50, 80, 100)])
    view.set_overlays_visible(False)
    assert different(bare, grabbed(view)) == 0


def test_a_face_box_lies_where_the_face_is(view: PlayerView) -> None:
    view.set_overlays([FaceBox("t", "", 100, 50, 80, 100, selected=True)])
    image = grabbed(view)
    assert image.pixelColor(200, 300).name() == theme.load("dark").accent.name()
    assert image.pixelColor(280, 300).name() == "#ffffff"


def test_the_smallest_face_under_the_mouse_is_the_one(qtbot: QtBot, view: PlayerView) -> None:
    view.set_overlays([FaceBox("large", "", 0, 0, 300, 200), FaceBox("small", "", 100, 50, 80, 100)])
    view.set_faces_pickable(True)
    with qtbot.waitSignal(view.face_clicked) as sent, qtbot.assertNotEmitted(view.clicked):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPointF(280, 300).toPoint())
    assert sent.args == ["small"]


def test_it_says_what_is_shown_or_why_nothing_is(view: PlayerView) -> None:
    view.set_subject("friends.mp4")
    view.set_overlays([FaceBox("t", "Ann", 100, 50, 80, 100)])
    view.set_exact(True)
    assert view.accessibleName() == "friends.mp4; exact frame; faces: Ann"
    view.set_picture(None)
    view.set_notice("video-off", "The video is missing", "Locate it from the message below.")
    assert view.accessibleName() == "friends.mp4: The video is missing. Locate it from the message below."
    image = grabbed(view)
    assert len({image.pixelColor(x, y).name() for x in range(200, 600) for y in range(200, 400)}) > 3


def test_the_wheel_magnifies_at_the_mouse_and_dragging_moves_the_picture(qtbot: QtBot, view: PlayerView) -> None:
    clicks: list[None] = []
    view.clicked.connect(lambda: clicks.append(None))
    view.set_overlays([FaceBox("small", "", 300, 100, 20, 20)])
    place = QPointF(620, 320)
    under = view.to_picture(place)
    turn_wheel(view, place, 3)
    assert view.to_picture(place) == under
    assert view.face_at(place) == "small", "boxes lie where the picture is"
    assert view.accessibleName().count("magnified 2.0 times") == 1
    moved = view.to_picture(QPointF(400, 300))
    drag(view, QPointF(400, 300), QPointF(440, 280))
    assert view.to_picture(QPointF(440, 280)) == moved
    assert clicks == [], "a drag is no click"
    turn_wheel(view, place, 20)
    assert view.magnification.factor == 8
    drag(view, QPointF(10, 300), QPointF(7000, 300), QPointF(700, 300))
    assert view.picture_rect().contains(view.rect()), "nothing beside the picture comes into sight"
    qtbot.mouseClick(view, Qt.MouseButton.MiddleButton)
    assert view.picture_rect().getRect() == (0, 100, 800, 400)


def test_brightness_and_contrast_change_what_is_shown_and_no_picture(view: PlayerView) -> None:
    picture = plain("#606060")
    view.set_picture(picture)
    stage = grabbed(view).pixelColor(400, 50)
    for brightening, colour in ((Brightening(50, 0), "#a0a0a0"), (Brightening(0, 50), "#404040")):
        view.set_brightening(brightening)
        assert grabbed(view).pixelColor(400, 300).name() == colour
        assert grabbed(view).pixelColor(400, 50) == stage
    assert picture.pixelColor(1, 1).name() == "#606060"
