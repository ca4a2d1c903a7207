"""Chooses the track that new segments go to."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel


class TrackChooser(QWidget):
    """A list of tracks; nothing at all where there is only one.

    Signals:
        chosen (str): key of the track, as given.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.GRID * 3, 0, theme.GRID * 3, theme.GRID * 3)
        column.setSpacing(theme.GRID // 2)
        heading = PlainLabel(tr("New segments go to"))
        heading.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        heading.setProperty("quiet", True)
        self.combo = _Combo()
        self.combo.setAccessibleName(tr("Track for new segments"))
        self.combo.setToolTip(tr("Track for new segments (X for the next one)"))
        self.combo.setMinimumContentsLength(10)
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        heading.setBuddy(self.combo)
        column.addWidget(heading)
        column.addWidget(self.combo)
        self.combo.activated.connect(lambda place: self.chosen.emit(self.combo.itemData(place)))
        self.hide()

    def show_tracks(self, tracks: Sequence[tuple[str, str]], current: str) -> None:
        """Show keys with their names, and which one is chosen."""
        listed = [(self.combo.itemData(place), self.combo.itemText(place)) for place in range(self.combo.count())]
        if listed != [*tracks]:
            self.combo.clear()
            for key, name in tracks:
                self.combo.addItem(name, key)
        self.combo.setCurrentIndex(self.combo.findData(current))
        self.setVisible(len(tracks) > 1)


class _Combo(QComboBox):
    """A list that leaves the wheel to the page."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
