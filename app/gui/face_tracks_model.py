"""The face tracks of the recording that is shown, as a table."""

from collections.abc import Mapping, Sequence
from enum import IntEnum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from project.timebase import format_time
from project.types import FaceTrack, Participant
from widgets import theme

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class Column(IntEnum):
    """What a column shows."""

    FACE = 0
    SPAN = 1
    WHO = 2


_TITLES = {Column.FACE: "Face", Column.SPAN: "From, for", Column.WHO: "Who"}


class FaceTracksModel(QAbstractTableModel):
    """One row a track, in the order of the run."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.tracks: list[FaceTrack] = []
        self._people: Mapping[str, Participant] = {}

    def set_tracks(self, tracks: Sequence[FaceTrack], people: Mapping[str, Participant]) -> None:
        """Show these tracks; the rows stay where they are when only corrections differ."""
        same = [t.id for t in tracks] == [t.id for t in self.tracks]
        if not same:
            self.beginResetModel()
        self.tracks, self._people = list(tracks), people
        if not same:
            self.endResetModel()
        elif self.tracks:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.tracks) - 1, len(Column) - 1))

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.tracks)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _TITLES[Column(section)]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        track = self.tracks[index.row()]
        who = self._people.get(track.participant_id or "")
        if role == Qt.ItemDataRole.DisplayRole:
            if index.column() == Column.FACE:
                return f"{index.row() + 1}"
            if index.column() == Column.SPAN:
                length = int(track.times_us[-1]) - int(track.times_us[0])
                return f"{format_time(int(track.times_us[0]))}, {length / 1e6:.1f} s"
            return "Not a face" if track.dismissed else who.pseudonym if who else "Doubtful" if track.doubtful else ""
        if role == Qt.ItemDataRole.AccessibleTextRole:
            state = "dismissed" if track.dismissed else who.pseudonym if who else "nobody assigned"
            state += ", doubtful" if track.doubtful and not track.dismissed else ""
            return f"Face {index.row() + 1}, from {format_time(int(track.times_us[0]))}, {state}"
        if role == Qt.ItemDataRole.ForegroundRole and track.dismissed:
            return theme.palette().muted
        if role == Qt.ItemDataRole.ToolTipRole:
            if who is not None:
                return f"{who.pseudonym}, {who.role.value}"
            if track.doubtful and not track.dismissed:
                return "The detector was never sure of it. Look at it, and say so if it is not a face."
        return None
