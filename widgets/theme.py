"""The look of the program: Fusion with our own palette, light or dark, and the bundled typeface.

Icons by name come from Lucide (see `resources/icons/LICENSE.txt`).
"""

import re
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from typing import Literal

from PySide6.QtCore import QByteArray, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPalette, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QStyleFactory, QWidget

from resources import resource
from resources.translation import tr

Mode = Literal["light", "dark", "system"]
Shade = Literal["light", "dark"]

FAMILY = "Inter"
POINTS = 9.75
"""Size of ordinary text: 13 pixels at 96 dots an inch."""
GRID = 8
"""Distances between things are multiples, or the half, of this many pixels."""
TEXT_SIZES = (80, 90, 100, 110, 125, 150, 175, 200)
"""Sizes of text that the user can choose, in per cent of the usual one."""


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
        changed: another theme or size of text was applied; `palette()` and `font()` already give it.
    """

    changed = Signal()


notifier = Notifier()


class _Current:
    mode: Mode = "dark"
    shade: Shade = "dark"
    text_size: int = 100
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
    if first := _Current.followed is not app:
        app.setStyle(QStyleFactory.create("Fusion"))
        _load_fonts()
        app.setFont(font())
        app.styleHints().colorSchemeChanged.connect(_follow_desktop)
        _Current.followed = app
    shade = _desktop_shade(app) if mode == "system" else mode
    if first or shade != _Current.shade:
        _set_shade(app, shade)


def dress(window: QWidget) -> None:
    """Give the style sheet to a window that belongs to no other; what belongs to a window has it from there.

    As the whole application's, Qt would match it with every part of a page each time that a part around it is put
    into another one: most of the time that a page takes to be made.
    """
    window.setStyleSheet(_style_sheet(_Current.shade))


def font(points: float = POINTS, *, semibold: bool = False) -> QFont:
    """Return the bundled typeface with figures of one width, so that running numbers stand still."""
    result = QFont(FAMILY)
    result.setPointSizeF(points * _Current.text_size / 100)
    result.setFeature(QFont.Tag("tnum"), 1)
    if semibold:
        result.setWeight(QFont.Weight.DemiBold)
    return result


def scaled(pixels: float) -> int:
    """Return a height or width that text needs, given in pixels for text of the usual size."""
    return round(pixels * _Current.text_size / 100)


def text_size() -> int:
    """Return the size of text in use, in per cent of the usual one."""
    return _Current.text_size


def set_text_size(app: QApplication, size: int) -> None:
    """Give every text of the program another size, in per cent of the usual one.

    A widget with a font of its own keeps what tells it apart; one that paints text hears of it from `notifier`.
    """
    share = size / _Current.text_size
    if share == 1:
        return
    _Current.text_size = size
    own = [
        (widget, QFont(widget.font()))
        for widget in app.allWidgets()
        if widget.testAttribute(Qt.WidgetAttribute.WA_SetFont)
    ]
    app.setFont(font())
    # With a style sheet, widgets take the font of the program only when they are styled again.
    _dress_again(app, _style_sheet(_Current.shade))
    for widget, before in own:
        before.setPointSizeF(before.pointSizeF() * share)
        widget.setFont(before)
    notifier.changed.emit()


def _follow_desktop() -> None:
    app = QApplication.instance()
    if _Current.mode == "system" and isinstance(app, QApplication) and _desktop_shade(app) != _Current.shade:
        _set_shade(app, _desktop_shade(app))


def _desktop_shade(app: QApplication) -> Shade:
    # A desktop that does not say (Unknown) gets the dark theme: the picture looks best in it.
    return "light" if app.styleHints().colorScheme() == Qt.ColorScheme.Light else "dark"


def _set_shade(app: QApplication, shade: Shade) -> None:
    before, _Current.shade = _style_sheet(_Current.shade), shade
    app.setPalette(_qt_palette(load(shade)))
    _dress_again(app, before)
    notifier.changed.emit()


def _dress_again(app: QApplication, before: str) -> None:
    """Style every window again that has the style sheet that there was."""
    for window in app.topLevelWidgets():
        if window.styleSheet() == before:
            dress(window)


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


_engines: list[QIconEngine] = []
"""Keeps the Python halves of the engines alive: QIcon owns only their C++ halves."""


@cache
def icon(name: str, colour: str | None = None) -> QIcon:
    """Return the icon `resources/icons/<name>.svg`; it follows the theme by itself.

    Args:
        name: file name without ending.
        colour: a colour of `Palette` to use in every state; by default text, accent while checked, and
            the disabled colour while disabled.

    Raises:
        FileNotFoundError: there is no such icon.
    """
    resource("icons", f"{name}.svg")
    engine = _Engine(name, colour)
    _engines.append(engine)
    return QIcon(engine)


def paint_icon(painter: QPainter, name: str, where: QRect | QRectF, colour: QColor) -> None:
    """Draw an icon into a rectangle of logical pixels; for widgets and delegates that paint themselves."""
    scale = painter.device().devicePixelRatioF()
    size = QRectF(where).size() * scale
    picture = _render_icon(name, colour.name(QColor.NameFormat.HexArgb), round(size.width()), round(size.height()))
    painter.drawPixmap(QRectF(where), picture, QRectF(picture.rect()))


def pixmap(name: str, side: int, colour: QColor, scale: float = 1.0) -> QPixmap:
    """Return an icon as a square picture of `side` logical pixels, for a label."""
    result = QPixmap(
        _render_icon(name, colour.name(QColor.NameFormat.HexArgb), round(side * scale), round(side * scale))
    )
    result.setDevicePixelRatio(scale)
    return result


@cache
def _icon_source(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")


def _render_icon(name: str, colour: str, width: int, height: int) -> QPixmap:
    key = tr("icon {name} {colour} {width}x{height}").format(name=name, colour=colour, width=width, height=height)
    kept = QPixmap()
    if QPixmapCache.find(key, kept):
        return kept
    opaque = QColor(colour)
    svg = _icon_source(name).replace("currentColor", opaque.name())
    result = QPixmap(max(1, width), max(1, height))
    result.fill(Qt.GlobalColor.transparent)
    painter = QPainter(result)
    painter.setOpacity(opaque.alphaF())
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    renderer.render(painter, QRectF(QPointF(), QRectF(result.rect()).size()))
    painter.end()
    QPixmapCache.insert(key, result)
    return result


class _Engine(QIconEngine):
    """Colours an icon when it is drawn, so that a change of theme needs no new icons."""

    def __init__(self, name: str, colour: str | None) -> None:
        super().__init__()
        self._name = name
        self._colour = colour

    def clone(self) -> QIconEngine:
        copy = _Engine(self._name, self._colour)
        _engines.append(copy)
        return copy

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return _render_icon(self._name, self._tint(mode, state).name(), size.width(), size.height())

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        paint_icon(painter, self._name, rect, self._tint(mode, state))

    def _tint(self, mode: QIcon.Mode, state: QIcon.State) -> QColor:
        colours = palette()
        if mode == QIcon.Mode.Disabled:
            return colours.disabled
        if self._colour is not None:
            return getattr(colours, self._colour)
        return colours.accent if state == QIcon.State.On else colours.text
