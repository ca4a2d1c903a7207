"""Colours, type and icons of both themes."""

import re
from dataclasses import fields
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QFontInfo, QFontMetricsF, QIcon, QImage
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from resources import resource
from widgets import theme
from widgets.table.record_table import RecordTable, text_columns
from widgets.theme import icon
from widgets.timeline.lanes import Lane
from widgets.timeline.timeline_view import TimelineView

TEXTS = ("text", "muted", "error", "competence", "uncertain", "accent")
SURFACES = ("window", "panel", "raised", "field")
PAIRS = [
    *product(TEXTS, SURFACES),
    ("hint", "field"),
    ("hint", "panel"),
    ("text", "selection"),
    ("text", "hover"),
    ("text", "lane"),
    ("on_accent", "accent"),
    ("stage_text", "stage"),
]


def contrast(color: QColor, other: QColor) -> float:
    """WCAG 2.2, "contrast ratio"."""

    def luminance(colour: QColor) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.getRgbF()[:3]]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    light, dark = sorted((luminance(color), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("shade", ["light", "dark"])
def test_every_colour_is_one_and_text_is_readable_on_every_surface(shade):
    colours = theme.load(shade)
    assert all(getattr(colours, field.name).isValid() for field in fields(colours))
    for text, surface in PAIRS:
        assert contrast(getattr(colours, text), getattr(colours, surface)) >= 4.5, (text, surface)


def test_applying_a_theme_changes_the_colours_and_says_so(qapp, qtbot):
    theme.apply(qapp, "dark")
    dark = theme.palette()
    window = QWidget()
    qtbot.addWidget(window)
    theme.dress(window)
    with qtbot.waitSignal(theme.notifier.changed):
        theme.apply(qapp, "light")
    assert theme.palette() != dark
    assert theme.shade() == "light"
    assert qapp.palette().window().color() == theme.palette().panel
    assert theme.palette().accent.name() in window.styleSheet()
    assert "@" not in window.styleSheet()


def test_the_typeface_is_bundled_and_its_figures_have_one_width(qapp: QApplication):
    theme.apply(qapp, "dark")
    for semibold in (False, True):
        font = theme.font(semibold=semibold)
        assert QFontInfo(font).family() == "Inter"
        assert QFontInfo(font).exactMatch()
        widths = [QFontMetricsF(font).horizontalAdvance(figure * 10) for figure in "0123456789"]
        assert max(widths) - min(widths) < 0.5


def test_a_size_of_text_reaches_what_is_there_already(qtbot, qapp: QApplication):
    theme.apply(qapp, "dark")
    box = QWidget()
    theme.dress(box)
    qtbot.addWidget(box)
    plain, heading = QLabel("Plain", box), QLabel("Heading", box)
    heading.setFont(theme.font(theme.POINTS + 2, semibold=True))
    table = RecordTable("Table", text_columns(["Name"]), parent=box)
    line = TimelineView(box)
    line.set_lanes([Lane("ada", "Ada")])
    box.show()
    before = table.verticalHeader().defaultSectionSize(), line.bands[0].height, plain.font().pointSizeF()
    try:
        for size in (200, 80, 150):
            theme.set_text_size(qapp, size)
        assert plain.font().pointSizeF() == pytest.approx(before[2] * 1.5)
        assert heading.font().pointSizeF() == pytest.approx((theme.POINTS + 2) * 1.5)
        assert heading.font().weight() == QFont.Weight.DemiBold
        assert table.verticalHeader().defaultSectionSize() == before[0] * 1.5
        assert line.bands[0].height > before[1]
    finally:
        theme.set_text_size(qapp, 100)
    assert plain.font().pointSizeF() == before[2]
    assert table.verticalHeader().defaultSectionSize() == before[0]


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


def test_every_icon_that_the_code_names_is_there():
    named = {
        name
        for folder in ("widgets", "app/gui")
        for file in (ROOT / folder).rglob("*.py")
        for name in re.findall(r"\b(?:icon|pixmap|paint_icon)\((?:painter, )?\"([a-z0-9-]+)\"", file.read_text())
    }
    assert named
    assert all(resource("icons", f"{name}.svg") for name in named)
