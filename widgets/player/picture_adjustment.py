"""How a picture is looked at: which part of it, how large, how bright and with how much contrast."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFrame, QSlider, QWidget

from resources.translation import tr
from widgets import theme
from widgets.form.controls import push_button
from widgets.form.layouts import make_column, make_form
from widgets.form.wheel_guard import Slider
from widgets.text_labels import describe

MAX_FACTOR = 8.0
STEP = 1.25
"""How much larger the picture is after a notch of the wheel."""


@dataclass(frozen=True, slots=True)
class Magnification:
    """Which part of a picture is looked at.

    Attributes:
        factor: how much larger than a picture that fits, 1 to `MAX_FACTOR`.
        x: which point is in the middle, as a share of the width.
        y: as a share of the height.
    """

    factor: float = 1.0
    x: float = 0.5
    y: float = 0.5

    def place(self, fitting: QRectF, room: QRectF) -> QRectF:
        """Return where the whole picture is drawn: beyond the room where it is larger, but nowhere empty inside it.

        Args:
            fitting: where it is drawn when it fits.
            room: where there is room.
        """
        width, height = fitting.width() * self.factor, fitting.height() * self.factor
        left, top = room.center().x() - self.x * width, room.center().y() - self.y * height
        return QRectF(
            _bounded(left, width, room.left(), room.width()), _bounded(top, height, room.top(), room.height()), width,
            height,
        )  # fmt: skip

    def zoom(self, by: float, at: QPointF, fitting: QRectF, room: QRectF) -> "Magnification":
        """Return another size at which the same point of the picture lies at a point of the room."""
        factor = min(max(self.factor * by, 1.0), MAX_FACTOR)
        # As after as many steps back as there were: the picture fits again.
        factor = 1.0 if factor < 1.01 else factor
        before = self.place(fitting, room)
        ratio = factor / self.factor
        corner = at - (at - before.topLeft()) * ratio
        return Magnification.of(factor, corner, fitting, room)

    def pan(self, by: QPointF, fitting: QRectF, room: QRectF) -> "Magnification":
        """Return another part, as far away as the picture reaches."""
        return Magnification.of(self.factor, self.place(fitting, room).topLeft() + by, fitting, room)

    @classmethod
    def of(cls, factor: float, corner: QPointF, fitting: QRectF, room: QRectF) -> "Magnification":
        """Return the magnification that draws the picture's corner at a point, or as near to it as the edges allow."""
        middle, width, height = room.center() - corner, fitting.width() * factor, fitting.height() * factor
        drawn = cls(factor, middle.x() / width, middle.y() / height).place(fitting, room)
        return cls(factor, (room.center().x() - drawn.x()) / width, (room.center().y() - drawn.y()) / height)


def _bounded(start: float, length: float, first: float, room: float) -> float:
    if length <= room:
        return first + (room - length) / 2
    return min(first, max(start, first + room - length))


@dataclass(frozen=True, slots=True)
class Brightening:
    """Brightness and contrast of what is shown, each -100 to 100; 0 shows the picture as it is."""

    brightness: int = 0
    contrast: int = 0

    def table(self) -> NDArray[np.uint8]:
        """Return what each of 256 values becomes: a contrast of 50 doubles the distance from the middle grey."""
        values = np.arange(256, dtype=np.float64)
        changed = (values - 128) * 2 ** (self.contrast / 50) + 128 + self.brightness * 1.28
        return np.clip(np.rint(changed), 0, 255).astype(np.uint8)

    def apply(self, picture: QImage) -> QImage:
        """Return a copy of a picture with this brightness and contrast; (h, w) pixels of RGB32."""
        made = picture.convertToFormat(QImage.Format.Format_RGB32)
        pixels = np.frombuffer(made.bits(), np.uint8)
        pixels[:] = self.table()[pixels]
        return made


class BrighteningPopup(QFrame):
    """Two sliders for brightness and contrast, and a button that shows the picture as it is.

    Signals:
        changed (Brightening): what the sliders say now.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(tr("Brightness and contrast"))
        self.brightness = self._make_slider(tr("Brightness"))
        self.contrast = self._make_slider(tr("Contrast"))
        self.reset = push_button(
            tr("As recorded"), tr("Show the picture as it is; files are never changed"), self._reset
        )
        sliders = make_form((tr("Brightness"), self.brightness), (tr("Contrast"), self.contrast))
        self.setLayout(make_column(sliders, self.reset, margin=theme.GRID * 2))

    def brightening(self) -> Brightening:
        """Return what the sliders say."""
        return Brightening(self.brightness.value(), self.contrast.value())

    def open_at(self, corner: QPoint) -> None:
        """Show it with its lower right corner at a point of the screen."""
        self.adjustSize()
        self.move(max(0, corner.x() - self.width()), max(0, corner.y() - self.height()))
        self.show()
        self.brightness.setFocus(Qt.FocusReason.PopupFocusReason)

    def _make_slider(self, name: str) -> QSlider:
        slider = Slider(Qt.Orientation.Horizontal)
        slider.setRange(-100, 100)
        slider.setPageStep(10)
        slider.setFixedWidth(180)
        describe(slider, name, tr("{name} of what is shown; files are never changed").format(name=name))
        slider.valueChanged.connect(lambda _value: self.changed.emit(self.brightening()))
        return slider

    def _reset(self) -> None:
        self.brightness.setValue(0)
        self.contrast.setValue(0)
