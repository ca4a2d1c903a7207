"""What was filled in under an older version of the scheme, where the newest has no place for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip


@dataclass(frozen=True, slots=True)
class KeptValue:
    """One of them: its field and version, what the field is called, and the value in words."""

    field: str
    version: int
    name: str
    text: str


class KeptValues(QWidget):
    """Lists them, to read and to copy; who made the segment can delete each.

    Signals:
        delete_requested (str, int): field and version.
    """

    delete_requested = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.values: tuple[KeptValue, ...] = ()
        self._read_only = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.GRID // 2)
        heading = PlainLabel(tr("Kept from an earlier version"))
        heading.setFont(theme.font(theme.POINTS - 0.5, semibold=True))
        heading.setToolTip(
            tr("The scheme was changed and has no place for these any more. They are kept and exported.")
        )
        self._column.addWidget(heading)
        self._rows: list[QWidget] = []
        self.show_values(())

    def show_values(self, values: Sequence[KeptValue], read_only: bool = False) -> None:
        """Show these, or nothing at all."""
        self.setVisible(bool(values))
        if (tuple(values), read_only) == (self.values, self._read_only):
            return
        self.values, self._read_only = tuple(values), read_only
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(value) for value in values]
        for row in self._rows:
            self._column.addWidget(row)

    def _row(self, value: KeptValue) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        text = PlainLabel(
            tr("{name} (version {version}): {text}").format(name=value.name, version=value.version, text=value.text)
        )
        text.setWordWrap(True)
        text.setProperty("quiet", True)
        text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        text.setAccessibleName(tr("Kept value of {name}").format(name=value.name))
        delete = QToolButton()
        delete.setIcon(icon("trash-2"))
        delete.setIconSize(QSize(14, 14))
        delete.setToolTip(plain_tip(tr("Delete this value of {name}; undo brings it back").format(name=value.name)))
        delete.setAccessibleName(tr("Delete kept value of {name}").format(name=value.name))
        delete.setEnabled(not self._read_only)
        delete.clicked.connect(lambda: self.delete_requested.emit(value.field, value.version))
        line.addWidget(text, 1)
        line.addWidget(delete, 0, Qt.AlignmentFlag.AlignTop)
        return row
