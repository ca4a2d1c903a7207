"""A choice that can be ticked."""

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QStyle, QStyleOptionButton, QToolTip

from project.schemes.scheme import Choice
from widgets import theme
from widgets.explained import explained
from widgets.key_caps import HEIGHT, KeyCaps

_BOX = 16


class TickRow(QCheckBox):
    """A check box that is hit anywhere in its row and explains itself also to those who come by keyboard."""

    def __init__(self, choice: Choice) -> None:
        super().__init__(choice.name)
        self.setAccessibleName(choice.name)
        self.setAccessibleDescription(" ".join((choice.definition, *choice.examples)))
        self.setToolTip(explained(choice.name, choice.definition, choice.shortcut, choice.examples))
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 4, 0)
        row.addStretch()
        if choice.shortcut:
            caps = KeyCaps(choice.shortcut)
            caps.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            row.addWidget(caps)

    def hitButton(self, place: QPoint) -> bool:
        return self.rect().contains(place)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width() + HEIGHT + theme.GRID, theme.GRID * 7 // 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        colours = theme.palette()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        plate = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(colours.accent if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(colours.hover if self.underMouse() and self.isEnabled() else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(plate, 4, 4)
        box = QStyleOptionButton()
        self.initStyleOption(box)
        box.rect = QRect(6, (self.height() - _BOX) // 2, _BOX, _BOX)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorCheckBox, box, painter, self)
        # What is ticked stays readable also where it cannot be changed.
        painter.setPen(colours.text if self.isEnabled() or self.isChecked() else colours.muted)
        painter.setFont(self.font())
        room = self.rect().adjusted(30, 0, -HEIGHT - theme.GRID, 0)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            QToolTip.showText(self.mapToGlobal(QPoint(24, self.height())), self.toolTip(), self)
