import gc
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage

from resources import resource
from widgets import theme
from widgets.theme import icon, pixmap

ROOT = Path(theme.__file__).resolve().parents[1]


def strongest(image: QImage) -> QColor:
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    return max(pixels, key=QColor.alpha)


@pytest.mark.parametrize("shade", ["light", "dark"])
def test_an_icon_takes_the_colour_of_the_theme_without_being_made_again(qapp, shade):
    play = icon("play")
    theme.apply(qapp, shade)
    image = play.pixmap(QSize(24, 24), 1.0).toImage()
    assert strongest(image).name() == theme.palette().text.name()
    faint = play.pixmap(QSize(24, 24), 1.0, QIcon.Mode.Disabled).toImage()
    assert strongest(faint).name() == theme.palette().disabled.name()


def test_an_icon_is_drawn_at_the_resolution_of_the_screen(qapp):
    assert icon("play").pixmap(QSize(16, 16), 2.0).size() == QSize(32, 32)
    assert pixmap("play", 16, QColor("red"), 3.0).size() == QSize(48, 48)


def test_icons_outlive_the_garbage_collector(qapp):
    icons = [QIcon(icon(name)) for name in ("play", "pause", "x")]
    gc.collect()
    assert all(not each_icon.pixmap(16, 16).isNull() for each_icon in icons)


def test_an_unknown_icon_is_a_clear_error(qapp):
    with pytest.raises(FileNotFoundError):
        icon("no-such-icon")


def test_every_icon_that_the_code_names_is_there():
    named = {
        name
        for folder in ("widgets", "app/gui")
        for file in (ROOT / folder).rglob("*.py")
        for name in re.findall(r"\b(?:icon|pixmap|paint_icon)\((?:painter, )?\"([a-z0-9-]+)\"", file.read_text())
    }
    assert named
    assert all(resource("icons", f"{name}.svg") for name in named)
