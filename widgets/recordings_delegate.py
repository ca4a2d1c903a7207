"""Paints the rows of the recordings list: a picture, a name, a time, and how far the work is."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QImage, QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from project.timebase import format_length
from resources.translation import tr
from widgets import theme
from widgets.icons import paint_icon
from widgets.recordings_model import ROW, THUMBNAIL, RecordingRow

_ROW_HEIGHT = 56
_HEADING_HEIGHT = 32
_PICTURE = QSize(72, 40)


class RecordingsDelegate(QStyledItemDelegate):
    """Draws without a widget a row, so that hundreds of recordings scroll as easily as ten."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, _ROW_HEIGHT if index.internalId() else _HEADING_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        row = index.data(ROW)
        if isinstance(row, RecordingRow):
            self._paint_recording(painter, option, row, index.data(THUMBNAIL))
        else:
            self._paint_heading(painter, option, index)
        painter.restore()

    def _paint_heading(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        colours = theme.palette()
        area: QRect = option.rect
        is_open = bool(option.state & QStyle.StateFlag.State_Open)
        paint_icon(
            painter,
            "chevron-down" if is_open else "chevron-right",
            QRectF(area.left() + 8, area.top() + (area.height() - 14) / 2, 14, 14),
            colours.muted,
        )
        count = str(index.model().rowCount(index))
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(colours.muted)
        text = area.adjusted(28, 0, -12, 0)
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, count)
        font = theme.font(theme.POINTS - 1, semibold=True)
        painter.setFont(font)
        name = QFontMetrics(font).elidedText(index.data(), Qt.TextElideMode.ElideRight, text.width() - 32)
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_recording(
        self, painter: QPainter, option: QStyleOptionViewItem, row: RecordingRow, thumbnail: QImage | None
    ) -> None:
        colours = theme.palette()
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        plate = QRectF(area).adjusted(4, 1, -4, -1)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.selection if selected else colours.hover)
            painter.drawRoundedRect(plate, 4, 4)
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(colours.accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(plate.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        picture = QRectF(
            area.left() + 12, area.top() + (area.height() - _PICTURE.height()) / 2, _PICTURE.width(), _PICTURE.height()
        )
        self._paint_picture(painter, picture, row, thumbnail)
        text = area.adjusted(94, 9, -12, -9)
        font = theme.font(semibold=selected)
        painter.setFont(font)
        painter.setPen(colours.text)
        name = QFontMetrics(font).elidedText(f"{row.number}  {row.name}", Qt.TextElideMode.ElideMiddle, text.width())
        painter.drawText(text, Qt.AlignmentFlag.AlignTop, name)
        # Muted grey is too weak on the coloured plate of the selected row.
        quiet = colours.text if selected else colours.muted
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(quiet)
        painter.drawText(text, Qt.AlignmentFlag.AlignBottom, shown_length(row))
        self._paint_progress(painter, text, row, selected)

    def _paint_picture(self, painter: QPainter, where: QRectF, row: RecordingRow, thumbnail: QImage | None) -> None:
        colours = theme.palette()
        path = QPainterPath()
        path.addRoundedRect(where, 3, 3)
        painter.fillPath(path, colours.stage)
        if thumbnail is not None and not thumbnail.isNull():
            painter.setClipPath(path)
            size = thumbnail.size().scaled(_PICTURE, Qt.AspectRatioMode.KeepAspectRatio)
            fitted = QRectF(0, 0, size.width(), size.height())
            fitted.moveCenter(where.center())
            if row.missing:
                painter.setOpacity(0.4)
            painter.drawImage(fitted, thumbnail, QRectF(thumbnail.rect()))
            painter.setOpacity(1)
            painter.setClipping(False)
        if row.missing or thumbnail is None:
            icon = QRectF(0, 0, 20, 20)
            icon.moveCenter(where.center())
            paint_icon(painter, "video-off" if row.missing else "film", icon, colours.stage_text)

    def _paint_progress(self, painter: QPainter, text: QRect, row: RecordingRow, selected: bool) -> None:
        """Draw from the right: done, held out, exported, faces, then the number of segments of each annotator."""
        colours = theme.palette()
        quiet = colours.text if selected else colours.muted
        right, line = text.right(), text.bottom() - 13
        if row.missing:
            font = theme.font(theme.POINTS - 1, semibold=True)
            painter.setFont(font)
            painter.setPen(colours.text if selected else colours.uncertain)
            painter.drawText(text, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight, tr("Missing"))
            left = right - QFontMetrics(font).horizontalAdvance(tr("Missing")) - 18
            paint_icon(painter, "triangle-alert", QRect(left, line, 14, 14), colours.uncertain)
            return
        signs = (
            (row.done, "circle-check"),
            (row.held_out, "lock"),
            (row.exported, "shield-check"),
            (row.faces_tracked, "scan-face"),
        )
        for shown, name in signs:
            if shown:
                paint_icon(painter, name, QRect(right - 14, line, 14, 14), quiet)
                right -= 20
        font = theme.font(theme.POINTS - 1, semibold=True)
        metrics = QFontMetrics(font)
        duration = QFontMetrics(theme.font(theme.POINTS - 1)).horizontalAdvance(shown_length(row))
        counts = fitting_counts(row, metrics, right - text.left() - duration - 24)
        if counts:
            painter.setFont(font)
            painter.setPen(quiet)
            painter.drawText(
                text.adjusted(0, 0, right - text.right(), 0),
                Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight,
                counts,
            )
            paint_icon(painter, "tag", QRect(right - metrics.horizontalAdvance(counts) - 18, line, 13, 13), quiet)


def shown_length(row: RecordingRow) -> str:
    """Return how long a recording is, as its row says it."""
    return format_length(row.duration_us)


def fitting_counts(row: RecordingRow, metrics: QFontMetrics, room: int) -> str:
    """Return the number of segments of each annotator, all together where that is too wide, or nothing."""
    counts = [count for _, count in row.segments if count]
    written = (" · ".join(map(str, counts)), str(sum(counts))) if counts else ()
    return next((text for text in written if metrics.horizontalAdvance(text) <= room), "")
