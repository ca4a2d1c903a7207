"""The files of a recording, a line each; where a further file begins can be changed."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QLabel, QPushButton, QWidget

from project.timebase import SECOND
from resources.translation import tr
from widgets import theme
from widgets.number_boxes import DecimalBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_DAY_S = 86_400.0
_NEAR_US = 500


@dataclass(frozen=True, slots=True)
class FileLine:
    """One file.

    Attributes:
        offset_us: where it begins on the recording's axis; None for the main file, which is the axis.
        heard: whether its sound can be compared with the main file's.
        searching: whether that is being done.
        found: what came of it, in a line.
        found_us: where it begins by that; None where nothing stands out.
    """

    medium_id: str
    text: str
    offset_us: int | None = None
    heard: bool = False
    searching: bool = False
    found: str = ""
    found_us: int | None = None


class FileLines(QWidget):
    """Shows the files of a recording.

    Signals:
        offset_entered (str, int): id of a medium and where it begins now, in microseconds.
        search_requested (str): find where a medium begins by its sound.
    """

    offset_entered = Signal(str, object)
    search_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[FileLine] = []
        self.offsets: dict[str, QDoubleSpinBox] = {}
        self._labels: list[QLabel] = []
        self.answers: dict[str, QLabel] = {}
        self.searches: dict[str, QPushButton] = {}
        self.moves: dict[str, QPushButton] = {}
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
                self._show_search(line)

    def _make(self, lines: Sequence[FileLine]) -> None:
        further = (self.offsets, self.answers, self.searches, self.moves)
        for part in (*self._labels, *(widget for kind in further for widget in kind.values())):
            self._grid.removeWidget(part)
            part.deleteLater()
        self._labels = []
        for kind in further:
            kind.clear()
        for place, line in enumerate(lines or [FileLine("", tr("No file"))]):
            label = PlainLabel(line.text, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse)
            self._labels.append(label)
            row = 2 * place
            self._grid.addWidget(label, row, 0)
            if line.offset_us is not None:
                self.offsets[line.medium_id] = field = offset_field(tr("this file"))
                field.setPrefix(tr("begins at "))
                field.editingFinished.connect(lambda one=line.medium_id: self._entered(one))
                self._grid.addWidget(field, row, 1)
                self._make_search(line.medium_id, row)

    def _make_search(self, medium_id: str, row: int) -> None:
        self.searches[medium_id] = search = QPushButton(tr("Find offset by sound"))
        search.setAutoDefault(False)
        search.clicked.connect(lambda: self.search_requested.emit(medium_id))
        self._grid.addWidget(search, row, 2)
        self.answers[medium_id] = answer = PlainLabel(wordWrap=True)
        answer.setStyleSheet(f"color: {theme.palette().muted.name()};")
        self._grid.addWidget(answer, row + 1, 0, 1, 2)
        self.moves[medium_id] = move = QPushButton(tr("Move it there"))
        move.setToolTip(tr("Let the file begin where its sound fits; can be undone"))
        move.setAutoDefault(False)
        move.clicked.connect(lambda: self._move(medium_id))
        self._grid.addWidget(move, row + 1, 2)

    def _show_search(self, line: FileLine) -> None:
        search = self.searches[line.medium_id]
        search.setEnabled(line.heard and not line.searching)
        search.setText(tr("Comparing the sounds…") if line.searching else tr("Find offset by sound"))
        why_not = tr("One of the two files has no sound, or is missing")
        search.setToolTip(plain_tip(tr("Compare its sound with the main file's") if line.heard else why_not))
        answer, move = self.answers[line.medium_id], self.moves[line.medium_id]
        answer.setText(line.found)
        answer.setVisible(bool(line.found))
        move.setVisible(line.found_us is not None)
        there = line.found_us is not None and abs(line.found_us - (line.offset_us or 0)) < _NEAR_US
        move.setEnabled(not there)
        move.setText(tr("It is there") if there else tr("Move it there"))

    def _move(self, medium_id: str) -> None:
        line = next(line for line in self._lines if line.medium_id == medium_id)
        if line.found_us is not None:
            self.offset_entered.emit(medium_id, line.found_us)

    def _entered(self, medium_id: str) -> None:
        offset_us = round(self.offsets[medium_id].value() * SECOND)
        before = next(line.offset_us for line in self._lines if line.medium_id == medium_id)
        if before is not None and round(before / 1000) != round(offset_us / 1000):
            self.offset_entered.emit(medium_id, offset_us)


def offset_field(of: str) -> QDoubleSpinBox:
    """Return a field for where a file begins, in seconds."""
    field = DecimalBox(decimals=3, suffix=" s", minimum=-_DAY_S, maximum=_DAY_S)
    field.setAccessibleName(tr("Where {of} begins").format(of=of))
    field.lineEdit().setAccessibleName(tr("Where {of} begins, in seconds").format(of=of))
    field.setToolTip(tr("Where the file begins on this recording's time axis; negative: before it"))
    return field
