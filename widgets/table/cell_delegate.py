"""Draws cells that plain text cannot show: a label with its sign, marked words, a choice from a list."""

from collections.abc import Sequence
from typing import TypeAlias

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QColor, QFont, QPainter, QPalette, QTextCharFormat, QTextLayout
from PySide6.QtWidgets import QComboBox, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from widgets import theme
from widgets.form.wheel_guard import ComboBox
from widgets.labels import SIGN_PX, LabelLook, label_ink, paint_sign
from widgets.theme import paint_icon

LOOK_ROLE = Qt.ItemDataRole.UserRole + 1
MARKS_ROLE = Qt.ItemDataRole.UserRole + 2
CHOICES_ROLE = Qt.ItemDataRole.UserRole + 3
CHOICE_ROLE = Qt.ItemDataRole.UserRole + 4
ELIDE_ROLE = Qt.ItemDataRole.UserRole + 5
_ARROW_PX = 14
Index = QModelIndex | QPersistentModelIndex


_Marks: TypeAlias = Sequence[tuple[int, int]]
_CHARS_BEFORE_MATCH = 22
"""Characters shown before the first match where the text would begin too far to the left."""


class CellDelegate(QStyledItemDelegate):
    """Draws what a plain cell cannot show; with `cut`, texts begin shortly before what was found in them."""

    def __init__(self, parent: QObject | None = None, *, cut: bool = False) -> None:
        super().__init__(parent)
        self._cut = cut

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look, marks = index.data(LOOK_ROLE), index.data(MARKS_ROLE)
        if look is None and not marks:
            super().paint(painter, option, index)
            if index.data(CHOICES_ROLE) and index.flags() & Qt.ItemFlag.ItemIsEditable:
                area = QRectF(option.rect)
                left, top = area.right() - theme.GRID - _ARROW_PX, area.center().y() - _ARROW_PX / 2
                paint_icon(painter, "chevron-down", QRectF(left, top, _ARROW_PX, _ARROW_PX), theme.palette().muted)
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
                text, marks = _cut_to_match(text, marks)
            _paint_marked(painter, text, marks, area, option.font, option.palette.color(QPalette.ColorRole.Text))
        painter.restore()

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        elide = index.data(ELIDE_ROLE)
        if elide is not None:
            option.textElideMode = elide

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        arrow = _ARROW_PX + theme.GRID if index.data(CHOICES_ROLE) else 0
        return super().sizeHint(option, index) + QSize(arrow, 0)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        choices = index.data(CHOICES_ROLE)
        if not choices:
            return super().createEditor(parent, option, index)
        box = ComboBox(parent)
        for key, text in choices:
            box.addItem(text, key)
        box.activated.connect(lambda _: self._commit(box))
        QTimer.singleShot(0, box, box.showPopup)
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(0, editor.findData(index.data(CHOICE_ROLE))))
        else:
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData())
        else:
            super().setModelData(editor, model, index)

    def _commit(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)


def _paint_label(painter: QPainter, look: LabelLook, text: str, area: QRectF) -> None:
    ink = label_ink(look, theme.palette())
    paint_sign(painter, look.sign, QPointF(area.left(), area.center().y() - SIGN_PX / 2), ink)
    painter.setPen(ink)
    painter.drawText(area.adjusted(SIGN_PX + theme.GRID / 2, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)


def _cut_to_match(text: str, marks: _Marks) -> tuple[str, _Marks]:
    cut = max(0, marks[0][0] - _CHARS_BEFORE_MATCH)
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
        found.start = _utf16_length(text[:start])
        found.length = _utf16_length(text[start:end])
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


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
