"""A plate that shows a label: never by colour alone, but also by its sign and its pattern."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from resources.translation import tr
from widgets import theme
from widgets.accessible import Role
from widgets.label_looks import LabelLook, unknown_look
from widgets.label_paint import paint_plate, plate_size


class LabelChip(QWidget):
    """Shows the pattern, the sign and the name of a label."""

    ROLE = Role.StaticText

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = unknown_look("")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.notifier.changed.connect(self.update)

    def set_look(self, look: LabelLook) -> None:
        """Show another label."""
        self._look = look
        self.setAccessibleName(tr("Label: {name}").format(name=look.name))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return plate_size(QFontMetricsF(theme.font(semibold=True)).horizontalAdvance(self._look.name))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_plate(painter, self._look, QRectF(self.rect()))
        painter.end()
