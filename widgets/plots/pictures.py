"""A plot as a picture to keep: always dark on white, whatever the theme."""

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from project.names import shown
from widgets import theme
from widgets.plots.canvas import paper
from widgets.plots.drawing import draw_plot, plot_height
from widgets.plots.scene import Plot, in_words

WIDTH = 640
"""Of what is saved, in logical pixels."""
_SCALE = 2
_DOTS_PER_INCH = 96


def as_image(plot: Plot, width: int = WIDTH, scale: float = _SCALE) -> QImage:
    """Return a plot as a picture of `scale` dots a logical pixel."""
    high = plot_height(plot, width)
    image = QImage(round(width * scale), round(high * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    draw_plot(painter, plot, width, paper())
    painter.end()
    return image


def as_png(plot: Plot, width: int = WIDTH) -> bytes:
    """Return a plot as a PNG file."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    as_image(plot, width).save(buffer, "PNG")  # type: ignore[call-overload]
    buffer.close()
    return bytes(data.data())


def as_svg(plot: Plot, width: int = WIDTH) -> bytes:
    """Return a plot as an SVG file; its text stays text."""
    data = QByteArray()
    buffer = QBuffer(data)
    size = QSize(width, plot_height(plot, width))
    made = QSvgGenerator()
    made.setOutputDevice(buffer)
    made.setSize(size)
    made.setViewBox(QRect(0, 0, size.width(), size.height()))
    made.setResolution(_DOTS_PER_INCH)
    made.setTitle(shown(plot.title))
    made.setDescription("\n".join(shown(line) for line in in_words(plot).split("\n")))
    painter = QPainter(made)
    painter.fillRect(QRect(0, 0, size.width(), size.height()), Qt.GlobalColor.white)
    draw_plot(painter, plot, width, paper())
    painter.end()
    family = f'font-family="{theme.FAMILY}"'.encode()
    others = f'font-family="{theme.FAMILY}, Helvetica, Arial, sans-serif"'.encode()
    return bytes(data.data()).replace(family, others)
