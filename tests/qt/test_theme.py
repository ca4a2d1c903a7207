"""Colours and type of both themes."""

from dataclasses import fields
from itertools import product

import pytest
from PySide6.QtGui import QColor, QFontInfo, QFontMetricsF
from PySide6.QtWidgets import QApplication

from widgets import theme

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
    with qtbot.waitSignal(theme.notifier.changed):
        theme.apply(qapp, "light")
    assert theme.palette() != dark
    assert theme.shade() == "light"
    assert qapp.palette().window().color() == theme.palette().panel
    assert "@" not in qapp.styleSheet()


def test_the_typeface_is_bundled_and_its_figures_have_one_width(qapp: QApplication):
    theme.apply(qapp, "dark")
    for semibold in (False, True):
        font = theme.font(semibold=semibold)
        assert QFontInfo(font).family() == "Inter"
        assert QFontInfo(font).exactMatch()
        widths = [QFontMetricsF(font).horizontalAdvance(figure * 10) for figure in "0123456789"]
        assert max(widths) - min(widths) < 0.5
