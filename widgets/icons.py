"""Icons by name, in the colours of the theme and sharp at any scale (Lucide, see `resources/icons/LICENSE.txt`)."""

from functools import cache

from PySide6.QtCore import QByteArray, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

from resources import resource
from resources.translation import tr
from widgets import theme

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
    picture = _render(name, colour.name(QColor.NameFormat.HexArgb), round(size.width()), round(size.height()))
    painter.drawPixmap(QRectF(where), picture, QRectF(picture.rect()))


def pixmap(name: str, side: int, colour: QColor, scale: float = 1.0) -> QPixmap:
    """Return an icon as a square picture of `side` logical pixels, for a label."""
    result = QPixmap(_render(name, colour.name(QColor.NameFormat.HexArgb), round(side * scale), round(side * scale)))
    result.setDevicePixelRatio(scale)
    return result


@cache
def _source(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")


def _render(name: str, colour: str, width: int, height: int) -> QPixmap:
    key = tr("icon {name} {colour} {width}x{height}").format(name=name, colour=colour, width=width, height=height)
    kept = QPixmap()
    if QPixmapCache.find(key, kept):
        return kept
    opaque = QColor(colour)
    svg = _source(name).replace("currentColor", opaque.name())
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
        return _render(self._name, self._tint(mode, state).name(), size.width(), size.height())

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        paint_icon(painter, self._name, rect, self._tint(mode, state))

    def _tint(self, mode: QIcon.Mode, state: QIcon.State) -> QColor:
        colours = theme.palette()
        if mode == QIcon.Mode.Disabled:
            return colours.disabled
        if self._colour is not None:
            return getattr(colours, self._colour)
        return colours.accent if state == QIcon.State.On else colours.text
