"""The people of a recording: a face, the person, who it is, and by what they are told apart, which is written here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from project.questions import LookKind
from resources.translation import tr
from widgets.plain_tip import plain_tip

_FACE, _PERSON, _WHO, _SEEN = 0, 1, 2, 3
_LOOKS = tuple(LookKind)
_SIDE = 60
_NAMES = {
    LookKind.CLOTHING: tr("Clothing"),
    LookKind.HAIR: tr("Hair"),
    LookKind.ACCESSORIES: tr("Accessories"),
    LookKind.OTHER: tr("Other"),
}


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One person.

    Attributes:
        key: id of the participant; "" for faces that are nobody's yet, of which nothing is written.
        name: what they are called.
        looks: kind -> what it is.
        seen: when, in words.
        start_us: where clicking leads.
    """

    key: str
    name: str
    looks: Mapping[LookKind, str]
    seen: str
    start_us: int


class PeopleTable(QTableWidget):
    """One row a person; pictures come when they are decoded.

    Signals:
        look_written (str, LookKind, str): participant id, kind and the new text.
        seek_requested (int): time of the row that was clicked, in microseconds.
    """

    look_written = Signal(str, object, str)
    seek_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 4 + len(_LOOKS), parent)
        self._pictures: dict[str, tuple[QPixmap, QPixmap]] = {}
        self._rows: tuple[PersonRow, ...] = ()
        self._writable = True
        self._typed = False
        self.setAccessibleName(tr("People"))
        self.setHorizontalHeaderLabels(
            [tr("Face"), tr("Person"), tr("Who"), tr("Seen"), *(_NAMES[kind] for kind in _LOOKS)]
        )
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.setIconSize(QSize(_SIDE, _SIDE))
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(_SIDE + 8)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column in (_FACE, _PERSON):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.setColumnWidth(column, _SIDE + 12)
        for column in (_WHO, _SEEN):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.itemChanged.connect(self._written)
        self.cellClicked.connect(self._clicked)

    def show_people(self, rows: Sequence[PersonRow], *, writable: bool) -> None:
        """Show other people, or the same ones described otherwise."""
        if (tuple(rows), writable) == (self._rows, self._writable) and not self._typed:
            return
        self._typed = False
        self._rows, self._writable = tuple(rows), writable
        at = self.currentRow(), self.currentColumn()
        with QSignalBlocker(self):
            self.setRowCount(len(rows))
            for place, row in enumerate(rows):
                self._fill(place, row)
            if at[0] >= 0:
                self.setCurrentCell(*at)

    def set_pictures(self, key: str, face: QImage, person: QImage) -> None:
        """Show the pictures of somebody."""
        self._pictures[key] = (_small(face), _small(person))
        for place, row in enumerate(self._rows):
            if row.key == key:
                with QSignalBlocker(self):
                    self._picture(place, row)
        self.viewport().update()

    def texts(self) -> list[tuple[str, ...]]:
        """Return who is shown, with all looks."""
        return [(row.name, *(row.looks.get(kind, "") for kind in _LOOKS)) for row in self._rows]

    def _fill(self, place: int, row: PersonRow) -> None:
        name = row.name.replace("<", "&lt;")
        for column, text in ((_FACE, ""), (_PERSON, ""), (_WHO, row.name), (_SEEN, row.seen)):
            item = QTableWidgetItem(text)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setToolTip(
                plain_tip(
                    tr("{name}: click to go to where they are seen best").format(name=name)
                    if row.start_us >= 0
                    else name
                )
            )
            self.setItem(place, column, item)
        for number, kind in enumerate(_LOOKS):
            item = QTableWidgetItem(row.looks.get(kind, ""))
            item.setToolTip(
                plain_tip(
                    tr("{names} of {name}; press F2 or click twice to write").format(names=_NAMES[kind], name=name)
                    if row.key
                    else ""
                )
            )
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            item.setFlags(flags | Qt.ItemFlag.ItemIsEditable if row.key and self._writable else flags)
            self.setItem(place, 4 + number, item)
        self._picture(place, row)

    def _picture(self, place: int, row: PersonRow) -> None:
        found = self._pictures.get(row.key)
        for column, picture in zip((_FACE, _PERSON), found or (), strict=False):
            item = self.item(place, column)
            if item is not None:
                item.setData(Qt.ItemDataRole.DecorationRole, picture)

    def _written(self, item: QTableWidgetItem) -> None:
        # Until it is shown anew: what was typed may have been refused.
        self._typed = True
        row, number = self._rows[item.row()], item.column() - 4
        if number < 0 or not row.key:
            return
        kind = _LOOKS[number]
        if item.text().strip() != row.looks.get(kind, ""):
            self.look_written.emit(row.key, kind, item.text())

    def _clicked(self, place: int, column: int) -> None:
        if column < 4 and self._rows[place].start_us >= 0:
            self.seek_requested.emit(self._rows[place].start_us)


def _small(image: QImage) -> QPixmap:
    if image.isNull():
        return QPixmap()
    kept = Qt.AspectRatioMode.KeepAspectRatio
    return QPixmap.fromImage(image.scaled(_SIDE, _SIDE, kept, Qt.TransformationMode.SmoothTransformation))
