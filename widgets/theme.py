"""The look of the program: Fusion with our own palette, light or dark, and the bundled typeface.

All colours are named once, in `resources/style/colours.toml`. Widgets that paint themselves read `palette()` while
they paint and repaint on `notifier.changed`; everything else follows the application's palette and style sheet.
"""

import re
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from resources import resource

Mode = Literal["light", "dark", "system"]
Shade = Literal["light", "dark"]

FAMILY = "Inter"
POINTS = 9.75
"""Size of ordinary text: 13 pixels at 96 dots an inch."""
GRID = 8
"""Distances between things are multiples, or the half, of this many pixels."""


@dataclass(frozen=True)
class Palette:
    """The named colours of one theme; what each is for stands in `resources/style/colours.toml`."""

    window: QColor
    panel: QColor
    raised: QColor
    field: QColor
    hover: QColor
    border: QColor
    outline: QColor
    stage: QColor
    text: QColor
    muted: QColor
    hint: QColor
    disabled: QColor
    stage_text: QColor
    accent: QColor
    on_accent: QColor
    selection: QColor
    error: QColor
    competence: QColor
    uncertain: QColor
    waveform: QColor
    playhead: QColor
    lane: QColor


class Notifier(QObject):
    """Tells widgets that paint themselves when to repaint.

    Signals:
        changed: another theme was applied; `palette()` already gives its colours.
    """

    changed = Signal()


notifier = Notifier()


class _Current:
    mode: Mode = "dark"
    shade: Shade = "dark"
    followed: QApplication | None = None


@cache
def load(shade: Shade) -> Palette:
    """Return the colours of the light or the dark theme."""
    with resource("style", "colours.toml").open("rb") as file:
        named = tomllib.load(file)
    wanted = {field.name for field in fields(Palette)}
    if named.keys() != wanted:
        raise ValueError(f"colours.toml and Palette differ: {sorted(named.keys() ^ wanted)}")
    return Palette(**{name: QColor(values[shade]) for name, values in named.items()})


def palette() -> Palette:
    """Return the colours of the theme in use (the dark one until `apply` was called)."""
    return load(_Current.shade)


def shade() -> Shade:
    """Return which of the two themes is in use."""
    return _Current.shade


def apply(app: QApplication, mode: Mode = "system") -> None:
    """Give the program its typeface, style and colours.

    Args:
        app: the application.
        mode: `system` follows the desktop's setting, also when that changes later.
    """
    _Current.mode = mode
    if _Current.followed is not app:
        app.setStyle(QStyleFactory.create("Fusion"))
        _load_fonts()
        app.setFont(font())
        app.styleHints().colorSchemeChanged.connect(_follow_desktop)
        _Current.followed = app
    _set_shade(app, _desktop_shade(app) if mode == "system" else mode)


def font(points: float = POINTS, *, semibold: bool = False) -> QFont:
    """Return the bundled typeface with figures of one width, so that running numbers stand still."""
    result = QFont(FAMILY)
    result.setPointSizeF(points)
    result.setFeature(QFont.Tag("tnum"), 1)
    if semibold:
        result.setWeight(QFont.Weight.DemiBold)
    return result


def _follow_desktop() -> None:
    app = QApplication.instance()
    if _Current.mode == "system" and isinstance(app, QApplication):
        _set_shade(app, _desktop_shade(app))


def _desktop_shade(app: QApplication) -> Shade:
    # A desktop that does not say (Unknown) gets the dark theme: the picture looks best in it.
    return "light" if app.styleHints().colorScheme() == Qt.ColorScheme.Light else "dark"


def _set_shade(app: QApplication, shade: Shade) -> None:
    if shade == _Current.shade and app.styleSheet() == _style_sheet(shade):
        return
    _Current.shade = shade
    colours = load(shade)
    app.setPalette(_qt_palette(colours))
    app.setStyleSheet(_style_sheet(shade))
    notifier.changed.emit()


@cache
def _load_fonts() -> None:
    for name in ("Inter-Regular.otf", "Inter-SemiBold.otf"):
        QFontDatabase.addApplicationFont(str(resource("fonts", name)))


@cache
def _style_sheet(shade: Shade) -> str:
    colours = load(shade)
    template = resource("style", "style.qss").read_text(encoding="utf-8")
    comment_free = re.sub(r"/\*.*?\*/", "", template, flags=re.DOTALL)
    # A style sheet takes pictures from files only, so each comes in both colours.
    for picture in ("faded-arrow", "arrow", "check", "tick"):
        path = resource("style", f"{picture}-{shade}.svg").as_posix()
        comment_free = comment_free.replace(f"@{picture}", path)
    return re.sub(r"@(\w+)", lambda match: getattr(colours, match[1]).name(), comment_free)


def _qt_palette(colours: Palette) -> QPalette:
    role = QPalette.ColorRole
    result = QPalette()
    for where, colour in (
        (role.Window, colours.panel),
        (role.WindowText, colours.text),
        (role.Base, colours.field),
        (role.AlternateBase, colours.panel),
        (role.Text, colours.text),
        (role.Button, colours.raised),
        (role.ButtonText, colours.text),
        (role.BrightText, colours.error),
        (role.ToolTipBase, colours.raised),
        (role.ToolTipText, colours.text),
        (role.PlaceholderText, colours.hint),
        (role.Highlight, colours.selection),
        (role.HighlightedText, colours.text),
        (role.Link, colours.accent),
        (role.Accent, colours.accent),
        (role.Light, colours.hover),
        (role.Midlight, colours.raised),
        (role.Mid, colours.border),
        (role.Dark, colours.border),
        (role.Shadow, colours.stage),
    ):
        result.setColor(where, colour)
    for where in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        result.setColor(QPalette.ColorGroup.Disabled, where, colours.disabled)
    return result
