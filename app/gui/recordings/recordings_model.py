"""The model of the recordings list, a tree of collections and recordings, and the delegate that paints its rows."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QImage, QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.gui.recordings.recording_arrangement import RecordingArrangement, RecordingOrder, RecordingRow
from project.timebase import format_duration
from resources.translation import tr, trn
from widgets import theme
from widgets.text_labels import plain_tip
from widgets.theme import paint_icon

Index = QModelIndex | QPersistentModelIndex

ROW_ROLE = Qt.ItemDataRole.UserRole
THUMBNAIL_ROLE = Qt.ItemDataRole.UserRole + 1
_NOWHERE = QModelIndex()
_COLLECTION_FLAGS = Qt.ItemFlag.ItemIsEnabled
_RECORDING_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


class RecordingsModel(QAbstractItemModel):
    """Collections at the top, recordings below; one column. Shows what has all the words that are searched for.

    Searching is done here and not by a proxy, which doubles every one of the thousands of calls that lay out the tree.

    Signals:
        thumbnail_needed (str): a recording is about to be shown and has no thumbnail; sent once for each.
    """

    thumbnail_needed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._every: dict[str, RecordingRow] = {}
        self._words: list[str] = []
        self._arrangement = RecordingArrangement()
        self._groups: list[str] = []
        self._rows: list[list[RecordingRow]] = []
        self._places: dict[str, tuple[int, int]] = {}
        self._thumbnails: dict[str, QImage] = {}
        self._asked: set[str] = set()

    def set_rows(self, rows: Sequence[RecordingRow]) -> None:
        """Take these recordings, in this order, grouped by collection."""
        every = {row.id: row for members in _group_by_collection(rows).values() for row in members}
        for key, row in self._every.items():
            if key not in every or every[key].file != row.file:
                self._drop_thumbnail(key)
        self._every = every
        self._rebuild()

    def set_search(self, text: str) -> None:
        """Show only recordings that have all these words in what the list says of them; all where there are none."""
        self._words = text.casefold().split()
        self._rebuild()

    @property
    def arrangement(self) -> RecordingArrangement:
        """The order, and which recordings are left out."""
        return self._arrangement

    def set_arrangement(self, arrangement: RecordingArrangement) -> None:
        """Show the recordings in another order, or others of them."""
        self._arrangement = arrangement
        self._rebuild()

    def update_row(self, row: RecordingRow) -> None:
        """Show new facts about one recording; one that is new or has changed its collection is put in its place."""
        before = self._every.get(row.id)
        if before == row:
            return
        if before is None or before.collection != row.collection:
            self.set_rows([*(other for other in self._every.values() if other.id != row.id), row])
            return
        if before.file != row.file:
            self._drop_thumbnail(row.id)
        self._every[row.id] = row
        place = self._places.get(row.id)
        if self._is_listed(row) != (place is not None) or not self._stays(row):
            self._rebuild()
        elif place is not None:
            self._rows[place[0]][place[1]] = row
            where = self.index_of(row.id)
            self.dataChanged.emit(where, where)

    def update_rows(self, rows: Sequence[RecordingRow]) -> None:
        """Show new facts about several recordings, which stay in their place, at once."""
        ends: dict[int, list[int]] = {}
        for row in rows:
            place = self._places.get(row.id)
            before = self._every.get(row.id)
            same = before is not None and (before.collection, before.file) == (row.collection, row.file)
            if place is None or not same or not self._is_listed(row) or not self._stays(row):
                self.update_row(row)
                continue
            self._every[row.id] = self._rows[place[0]][place[1]] = row
            ends.setdefault(place[0], []).append(place[1])
        for group, places in ends.items():
            first, last = (self.createIndex(place, 0, group + 1) for place in (min(places), max(places)))
            self.dataChanged.emit(first, last)

    def set_thumbnail(self, recording_id: str, picture: QImage) -> None:
        """Show a picture of one recording."""
        self._thumbnails[recording_id] = picture
        where = self.index_of(recording_id)
        if where.isValid():
            self.dataChanged.emit(where, where, [THUMBNAIL_ROLE])

    def _drop_thumbnail(self, recording_id: str) -> None:
        self._thumbnails.pop(recording_id, None)
        self._asked.discard(recording_id)

    def rows(self) -> list[RecordingRow]:
        """Return all recordings by collection, whether they are shown or not."""
        return list(self._every.values())

    def shown_rows(self) -> list[RecordingRow]:
        """Return the recordings that have the words, in the order shown."""
        return [row for members in self._rows for row in members]

    def row(self, recording_id: str) -> RecordingRow | None:
        """Return what is known of one recording, whether it is shown or not."""
        return self._every.get(recording_id)

    def index_of(self, recording_id: str) -> QModelIndex:
        """Return where a recording stands; invalid where it does not."""
        place = self._places.get(recording_id)
        return QModelIndex() if place is None else self.createIndex(place[1], 0, place[0] + 1)

    def recording_at(self, index: Index) -> RecordingRow | None:
        """Return the recording at an index; None for a collection."""
        if not index.isValid() or index.internalId() == 0:
            return None
        return self._rows[index.internalId() - 1][index.row()]

    def index(self, row: int, column: int, parent: Index = _NOWHERE) -> QModelIndex:
        # Asked for thousands of times while the tree is laid out, so without the model's own `hasIndex`. The
        # internal id tells the levels apart: 0 for a collection, else 1 + the place of the collection.
        level = parent.row() + 1 if parent.isValid() else 0
        if level and parent.internalId():
            return QModelIndex()
        if column != 0 or not 0 <= row < (len(self._rows[level - 1]) if level else len(self._groups)):
            return QModelIndex()
        return self.createIndex(row, 0, level)

    def parent(self, index: Index = _NOWHERE) -> QModelIndex:  # type: ignore[override]
        if not index.isValid() or index.internalId() == 0:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, 0)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        if not parent.isValid():
            return len(self._groups)
        return len(self._rows[parent.row()]) if parent.internalId() == 0 else 0

    def columnCount(self, _parent: Index = _NOWHERE) -> int:
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return _RECORDING_FLAGS if index.internalId() else _COLLECTION_FLAGS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.recording_at(index)
        if row is None:
            return self._collection_data(index, role)
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return plain_tip(row.describe()) if role == Qt.ItemDataRole.ToolTipRole else row.describe()
        if role == ROW_ROLE:
            return row
        if role == THUMBNAIL_ROLE:
            if row.id not in self._thumbnails and row.id not in self._asked and not row.missing:
                self._asked.add(row.id)
                self.thumbnail_needed.emit(row.id)
            return self._thumbnails.get(row.id)
        return None

    def _collection_data(self, index: Index, role: int) -> object:
        if not index.isValid():
            return None
        name = self._groups[index.row()] or tr("No collection")
        count = len(self._rows[index.row()])
        if role == Qt.ItemDataRole.DisplayRole:
            return name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{name}, {trn('{count} recording', '{count} recordings', count)}"
        return None

    def _rebuild(self) -> None:
        self.beginResetModel()
        grouped = _group_by_collection(row for row in self._every.values() if self._is_listed(row))
        self._groups = list(grouped)
        self._rows = [self._arrangement.sort(rows) for rows in grouped.values()]
        self._places = {
            row.id: (group, place) for group, members in enumerate(self._rows) for place, row in enumerate(members)
        }
        self.endResetModel()

    def _stays(self, row: RecordingRow) -> bool:
        """Return whether a recording that changed is still in its place between its neighbours."""
        place = self._places.get(row.id)
        if place is None or self._arrangement.order is RecordingOrder.NUMBER:
            return True
        group, at = self._rows[place[0]], place[1]
        around = [*group[max(0, at - 1) : at], row, *group[at + 1 : at + 2]]
        return self._arrangement.sort(around) == around

    def _is_listed(self, row: RecordingRow) -> bool:
        if not self._arrangement.fits(row):
            return False
        if not self._words:
            return True
        searched = f"{row.number} {row.name} {row.collection} {' '.join(name for name, _ in row.segments)}".casefold()
        return all(word in searched for word in self._words)


def _group_by_collection(rows: Iterable[RecordingRow]) -> dict[str, list[RecordingRow]]:
    grouped: dict[str, list[RecordingRow]] = {}
    for row in rows:
        grouped.setdefault(row.collection, []).append(row)
    return grouped


_ROW_HEIGHT = 56
_HEADING_HEIGHT = 32
_PICTURE_SIZE = QSize(72, 40)
_NARROW_PICTURE_SIZE = QSize(36, 20)
_NARROW_WIDTH = 216
"""Pixels of a row below which the picture leaves its room to the name."""


class RecordingsDelegate(QStyledItemDelegate):
    """Draws without a widget a row, so that hundreds of recordings scroll as easily as ten."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, theme.scaled(_ROW_HEIGHT if index.internalId() else _HEADING_HEIGHT))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        row = index.data(ROW_ROLE)
        if isinstance(row, RecordingRow):
            self._paint_recording(painter, option, row, index.data(THUMBNAIL_ROLE))
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
        size = _NARROW_PICTURE_SIZE if area.width() < theme.scaled(_NARROW_WIDTH) else _PICTURE_SIZE
        top = area.top() + (area.height() - size.height()) / 2
        picture = QRectF(area.left() + 12, top, size.width(), size.height())
        self._paint_picture(painter, picture, row, thumbnail)
        text = area.adjusted(size.width() + 22, 9, -12, -9)
        font = theme.font(semibold=selected)
        painter.setFont(font)
        painter.setPen(colours.text)
        name = QFontMetrics(font).elidedText(f"{row.number}  {row.name}", Qt.TextElideMode.ElideMiddle, text.width())
        painter.drawText(text, Qt.AlignmentFlag.AlignTop, name)
        # Muted grey is too weak on the coloured plate of the selected row.
        quiet = colours.text if selected else colours.muted
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(quiet)
        painter.drawText(text, Qt.AlignmentFlag.AlignBottom, length_text(row))
        self._paint_progress(painter, text, row, selected)

    def _paint_picture(self, painter: QPainter, where: QRectF, row: RecordingRow, thumbnail: QImage | None) -> None:
        colours = theme.palette()
        path = QPainterPath()
        path.addRoundedRect(where, 3, 3)
        painter.fillPath(path, colours.stage)
        if thumbnail is not None and not thumbnail.isNull():
            painter.setClipPath(path)
            size = thumbnail.size().scaled(where.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
            fitted = QRectF(0, 0, size.width(), size.height())
            fitted.moveCenter(where.center())
            if row.missing:
                painter.setOpacity(0.4)
            painter.drawImage(fitted, thumbnail, QRectF(thumbnail.rect()))
            painter.setOpacity(1)
            painter.setClipping(False)
        if row.missing or thumbnail is None:
            icon = QRectF(0, 0, where.height() / 2, where.height() / 2)
            icon.moveCenter(where.center())
            paint_icon(painter, "video-off" if row.missing else "film", icon, colours.stage_text)

    def _paint_progress(self, painter: QPainter, text: QRect, row: RecordingRow, selected: bool) -> None:
        """Draw from the right: done, held out, exported, faces, then the number of segments of each annotator."""
        colours = theme.palette()
        quiet = colours.text if selected else colours.muted
        right, line = text.right(), text.bottom() - theme.scaled(13)
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
        duration = QFontMetrics(theme.font(theme.POINTS - 1)).horizontalAdvance(length_text(row))
        counts = counts_text(row, metrics, right - text.left() - duration - 24)
        if counts:
            painter.setFont(font)
            painter.setPen(quiet)
            painter.drawText(
                text.adjusted(0, 0, right - text.right(), 0),
                Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight,
                counts,
            )
            paint_icon(painter, "tag", QRect(right - metrics.horizontalAdvance(counts) - 18, line, 13, 13), quiet)


def length_text(row: RecordingRow) -> str:
    """Return how long a recording is, as its row says it."""
    return format_duration(row.duration_us)


def counts_text(row: RecordingRow, metrics: QFontMetrics, room: int) -> str:
    """Return the number of segments of each annotator, all together where that is too wide, or nothing."""
    counts = [count for _, count in row.segments if count]
    written = (" · ".join(map(str, counts)), str(sum(counts))) if counts else ()
    return next((text for text in written if metrics.horizontalAdvance(text) <= room), "")
