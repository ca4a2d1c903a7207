"""The files of a recording, a line each; where a further file begins can be changed."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLabel, QWidget

from project.timebase import SECOND
from widgets import theme

_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class FileLine:
    """One file; `offset_us` is where it begins on the recording's axis, None for the main file, which is the axis."""

    medium_id: str
    text: str
    offset_us: int | None = None


class FileLines(QWidget):
    """Shows the files of a recording.

    Signals:
        offset_entered (str, int): id of a medium and where it begins now, in microseconds.
    """

    offset_entered = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[FileLine] = []
        self.offsets: dict[str, QDoubleSpinBox] = {}
        self._labels: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.GRID)
        self._grid.setColumnStretch(0, 1)
        self.show_lines([])

    def text(self) -> str:
        """Return what the lines say."""
        return "\n".join(label.text() for label in self._labels)

    def show_lines(self, lines: Sequence[FileLine]) -> None:
        """Show these files; a number that is being typed stays while the files are the same."""
        if [line.medium_id for line in lines] != [line.medium_id for line in self._lines] or not self._labels:
            self._make(lines)
        self._lines = list(lines)
        for label, line in zip(self._labels, lines, strict=False):
            label.setText(line.text)
        for line in lines:
            if line.offset_us is not None:
                self.offsets[line.medium_id].setValue(line.offset_us / SECOND)

    def _make(self, lines: Sequence[FileLine]) -> None:
        for part in (*self._labels, *self.offsets.values()):
            self._grid.removeWidget(part)
            part.deleteLater()
        self._labels, self.offsets = [], {}
        for row, line in enumerate(lines or [FileLine("", "No file")]):
            label = QLabel(line.text, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setTextFormat(Qt.TextFormat.PlainText)
            self._labels.append(label)
            self._grid.addWidget(label, row, 0)
            if line.offset_us is not None:
                self.offsets[line.medium_id] = field = offset_field("this file")
                field.setPrefix("begins at ")
                field.editingFinished.connect(lambda one=line.medium_id: self._entered(one))
                self._grid.addWidget(field, row, 1)

    def _entered(self, medium_id: str) -> None:
        offset_us = round(self.offsets[medium_id].value() * SECOND)
        before = next(line.offset_us for line in self._lines if line.medium_id == medium_id)
        if before is not None and round(before / 1000) != round(offset_us / 1000):
            self.offset_entered.emit(medium_id, offset_us)


def offset_field(of: str) -> QDoubleSpinBox:
    """Return a field for where a file begins, in seconds."""
    field = QDoubleSpinBox(decimals=3, suffix=" s", minimum=-_DAY_S, maximum=_DAY_S)
    field.setAccessibleName(f"Where {of} begins")
    field.lineEdit().setAccessibleName(f"Where {of} begins, in seconds")
    field.setToolTip("Where the file begins on this recording's time axis; negative: before it")
    return field
