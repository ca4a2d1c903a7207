"""A graph as a picture to keep: SVG, whose text stays text, or PNG."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QRectF, QSaveFile, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from project.chains import ChainGraph
from project.errors import UserError
from project.names import shown
from resources.translation import tr
from widgets import theme
from widgets.chains.describe import describe
from widgets.chains.frame import HEADER, RULER, paint_frame
from widgets.chains.ink import font, inks
from widgets.chains.looks import Person
from widgets.chains.model import GraphModel
from widgets.chains.painting import GraphPainter, Sight
from widgets.theme import Palette

ENDINGS = (".svg", ".png")
_HEAD = 40
_SCALE = 2
_MOST_DOTS = 16_000
"""Of a side of a PNG: beyond it the scale gets smaller."""


def write_picture(graph: ChainGraph | None, people: Mapping[str, Person], path: Path, dark: bool = False) -> None:
    """Write the whole graph to a file, as it is laid out from the beginning.

    Args:
        graph: the chain; it has to have a node.
        people: id -> name and colour, in the order of the rows.
        path: ends in `.svg` or `.png`; replaced when the new file is whole.
        dark: light on dark instead of dark on white.

    Raises:
        UserError: another ending, nothing to draw, or the file cannot be written.
    """
    if path.suffix.lower() not in ENDINGS:
        raise UserError(
            tr("{name} is neither SVG nor PNG.").format(name=shown(path.name)), tr("Let the name end in .svg or .png.")
        )
    model = GraphModel()
    model.show(graph, people, {})
    if model.picture is None:
        raise UserError(tr("This chain has no nodes to draw."), tr("Add a node first."))
    data = as_svg(model, dark) if path.suffix.lower() == ".svg" else as_png(model, dark)
    file = QSaveFile(str(path))
    if not file.open(QIODevice.OpenModeFlag.WriteOnly) or file.write(data) != len(data) or not file.commit():
        raise UserError(
            tr("{name} cannot be written: {errorstring}.").format(
                name=shown(path.name), errorstring=file.errorString()
            ),
            tr("Choose another folder."),
        )


def as_svg(model: GraphModel, dark: bool = False) -> bytes:
    """Return the picture as an SVG file."""
    sight, colours = _whole(model), _colours(dark)
    data = QByteArray()
    buffer = QBuffer(data)
    size = QSize(round(sight.width), round(sight.height) + _HEAD)
    made = QSvgGenerator()
    made.setOutputDevice(buffer)
    made.setSize(size)
    made.setViewBox(QRect(0, 0, size.width(), size.height()))
    made.setResolution(96)
    made.setTitle(shown(_title(model)))
    made.setDescription(shown(describe(model, editable=True)))
    painter = QPainter(made)
    _draw(painter, model, sight, colours, dark)
    painter.end()
    family = f'font-family="{theme.FAMILY}"'.encode()
    return bytes(data.data()).replace(family, f'font-family="{theme.FAMILY}, Helvetica, Arial, sans-serif"'.encode())


def as_png(model: GraphModel, dark: bool = False) -> bytes:
    """Return the picture as a PNG file, of two dots a pixel where that is not too large."""
    sight = _whole(model)
    scale = min(_SCALE, _MOST_DOTS / sight.width, _MOST_DOTS / (sight.height + _HEAD))
    image = QImage(round(sight.width * scale), round((sight.height + _HEAD) * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    _draw(painter, model, sight, _colours(dark), dark)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(data.data())


def _draw(painter: QPainter, model: GraphModel, sight: Sight, colours: Palette, dark: bool) -> None:
    painter.fillRect(QRectF(0, 0, sight.width, sight.height + _HEAD), colours.field)
    painter.setFont(font(16, semibold=True))
    painter.setPen(colours.text)
    painter.drawText(QRectF(12, 0, sight.width - 24, _HEAD), Qt.AlignmentFlag.AlignVCenter, shown(_title(model)))
    painter.translate(0, _HEAD)
    drawn = GraphPainter(painter, model, sight, inks(colours), shade="dark" if dark else "light", exact=True)
    drawn.rows()
    drawn.edges()
    drawn.nodes()
    paint_frame(painter, model, sight, colours)


def _title(model: GraphModel) -> str:
    assert model.picture is not None
    return model.picture.graph.chain.name or tr("Causal chain")


def _whole(model: GraphModel) -> Sight:
    assert model.picture is not None
    left, top, right, bottom = model.picture.layout.area
    return Sight(HEADER - left, RULER - top, 1.0, HEADER + right - left, RULER + bottom - top)


def _colours(dark: bool) -> Palette:
    white = QColor("white")
    light = theme.load("light")
    return theme.load("dark") if dark else replace(light, field=white)
