import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage

from widgets import theme
from widgets.player.player_view import FaceBox, FaceState, PlayerView


@pytest.fixture
def view(qtbot):
    view = PlayerView()
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.set_picture(plain("#ffffff"))
    return view


def plain(colour, width=400, height=200):
    picture = QImage(width, height, QImage.Format.Format_RGB32)
    picture.fill(QColor(colour))
    return picture


def grabbed(view):
    return view.grab().toImage()


def different(one, other):
    return sum(
        one.pixel(x, y) != other.pixel(x, y) for x in range(0, one.width(), 2) for y in range(0, one.height(), 2)
    )


def test_the_picture_fits_with_its_aspect_kept(view):
    rect = view.picture_rect()
    assert (rect.x(), rect.y(), rect.width(), rect.height()) == (0, 100, 800, 400)
    image = grabbed(view)
    assert image.pixelColor(400, 300).name() == "#ffffff"
    assert image.pixelColor(400, 50) == theme.palette().stage
    assert image.pixelColor(400, 550) == theme.palette().stage


def test_a_tall_picture_has_bars_at_its_sides(view):
    view.set_picture(plain("#ffffff", 100, 200))
    assert view.picture_rect().width() == pytest.approx(300)
    assert grabbed(view).pixelColor(100, 300) == theme.palette().stage


@pytest.mark.parametrize("size", [(1, 1), (1, 999), (3, 5)])
def test_odd_pictures_are_shown(view, size):
    view.set_picture(plain("#ffffff", *size))
    image = grabbed(view)
    assert max(image.pixelColor(x, 300).lightness() for x in range(390, 410)) > 80


def test_points_are_told_in_pixels_of_the_picture(view):
    assert view.to_picture(QPointF(400, 300)) == QPointF(200, 100)
    assert view.to_picture(QPointF(400, 50)) is None


@pytest.mark.parametrize("background", ["#ffffff", "#000000", "#5aa5f0"])
@pytest.mark.parametrize("state", list(FaceState))
def test_face_boxes_show_on_any_picture(view, background, state):
    view.set_picture(plain(background))
    bare = grabbed(view)
    view.set_overlays([FaceBox("t", "", 100, 50, 80, 100, state)])
    assert different(bare, grabbed(view)) > 20


def test_a_face_box_lies_where_the_face_is(view):
    view.set_overlays([FaceBox("t", "", 100, 50, 80, 100, selected=True)])
    image = grabbed(view)
    accent = theme.load("dark").accent
    assert image.pixelColor(200, 300).name() == accent.name()
    assert image.pixelColor(280, 300).name() == "#ffffff"


def test_overlays_can_be_hidden(view):
    bare = grabbed(view)
    view.set_overlays([FaceBox("t", "Ann", 100, 50, 80, 100)])
    view.set_overlays_visible(False)
    assert different(bare, grabbed(view)) == 0
    assert not view.overlays_visible()


def test_the_smallest_face_under_the_mouse_is_the_one(qtbot, view):
    view.set_overlays([FaceBox("large", "", 0, 0, 300, 200), FaceBox("small", "", 100, 50, 80, 100)])
    view.set_faces_pickable(True)
    with qtbot.waitSignal(view.face_clicked) as sent, qtbot.assertNotEmitted(view.clicked):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPointF(280, 300).toPoint())
    assert sent.args == ["small"]


def test_a_double_click_leaves_playing_as_it_was(qtbot, view):
    clicks = []
    view.clicked.connect(lambda: clicks.append(1))
    place = view.rect().center()
    with qtbot.waitSignal(view.double_clicked):
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=place)
    assert len(clicks) == 2


def test_it_says_what_is_shown(view):
    view.set_subject("friends.mp4")
    view.set_overlays([FaceBox("t", "Ann", 100, 50, 80, 100)])
    view.set_exact(True)
    assert view.accessibleName() == "friends.mp4; exact frame; faces: Ann"
    view.set_picture(None)
    view.set_notice("video-off", "The video is missing", "Locate it from the message below.")
    assert view.accessibleName() == "friends.mp4: The video is missing. Locate it from the message below."


def test_without_a_picture_there_is_a_notice(view):
    view.set_picture(None)
    image = grabbed(view)
    colours = {image.pixelColor(x, y).name() for x in range(200, 600) for y in range(200, 400)}
    assert len(colours) > 3


def test_high_resolution_screens_get_all_pixels(view):
    view.set_picture(plain("#ffffff", 1600, 800))
    assert view.picture().size().width() == 1600
