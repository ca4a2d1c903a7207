"""Draws cells: labels with their sign, and texts with what a search found in them."""

from typing import TypeAlias

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPalette, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from widgets import theme
from widgets.label_looks import LabelLook, label_ink
from widgets.label_paint import SIGN, paint_sign
from widgets.segments.model import LOOK, MARKS

_Marks: TypeAlias = tuple[tuple[int, int], ...]
_BEFORE = 22
"""Characters shown before the first match where the text would begin too far to the left."""


class CellDelegate(QStyledItemDelegate):
    """Draws what a plain cell cannot show; with `cut`, texts begin shortly before what was found in them."""

    def __init__(self, parent: QObject | None = None, *, cut: bool = False) -> None:
        super().__init__(parent)
        self._cut = cut

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        look, marks = index.data(LOOK), index.data(MARKS)
        if look is None and not marks:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        # Where the style sheet puts the texts of a table's other cells.
        left = theme.GRID if self._cut else theme.GRID / 2
        area = QRectF(option.rect).adjusted(left, 0, -theme.GRID / 2, 0)
        painter.save()
        painter.setClipRect(area)
        if isinstance(look, LabelLook):
            _paint_label(painter, look, text, area)
        else:
            if self._cut:
                text, marks = _shortened(text, marks)
            _paint_marked(painter, text, marks, area, option.font, option.palette.color(QPalette.ColorRole.Text))
        painter.restore()


def _paint_label(painter: QPainter, look: LabelLook, text: str, area: QRectF) -> None:
    ink = label_ink(look, theme.palette())
    paint_sign(painter, look.sign, QPointF(area.left(), area.center().y() - SIGN / 2), ink)
    painter.setPen(ink)
    painter.drawText(area.adjusted(SIGN + theme.GRID / 2, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)


def _shortened(text: str, marks: _Marks) -> tuple[str, _Marks]:
    cut = max(0, marks[0][0] - _BEFORE)
    if not cut:
        return text, marks
    cut = text.find(" ", cut, marks[0][0]) + 1 or cut
    return f"…{text[cut:]}", tuple((start - cut + 1, end - cut + 1) for start, end in marks)


def _paint_marked(painter: QPainter, text: str, marks: _Marks, area: QRectF, font: QFont, ink: QColor) -> None:
    colours = theme.palette()
    # Qt counts UTF-16 units where Python counts characters.
    layout = QTextLayout(text.replace("\n", " "), font)
    formats = []
    for start, end in marks:
        found = QTextLayout.FormatRange()
        found.start = _units(text[:start])
        found.length = _units(text[start:end])
        look = QTextCharFormat()
        look.setBackground(colours.selection)
        look.setForeground(colours.accent)
        look.setFontWeight(QFont.Weight.DemiBold)
        found.format = look
        formats.append(found)
    layout.setFormats(formats)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(10_000)
    layout.endLayout()
    painter.setPen(ink)
    layout.draw(painter, QPointF(area.left(), area.center().y() - line.height() / 2))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
