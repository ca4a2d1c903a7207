"""What came of an export: where the clip is, and which moments should be looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.icons import pixmap
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.room import fit_width

_WIDTH = 440
_GAP_US = 500_000
_NO_WITNESS = tr(
    "It was looked at by the detector that found the faces. A witness sees more: get rfb320 under File > Models…"
)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in a clip; times in microseconds on the recording's axis.

    Attributes:
        left: frames with a face that should be hidden.
        doubtful: frames that a person should look at.
        blanked: frames that could not be read and were covered wholly.
        undrawn: frames in which a face could not be drawn and was painted solid.
        kept: how many tracks of robots were to stay.
        outdated: whether what is hidden was changed since the clip was asked for.
        independent: whether a detector looked that had no part in finding the faces.
        drawn: whether other faces were drawn in the place of those that are hidden.
    """

    left: Sequence[int] = ()
    doubtful: Sequence[int] = ()
    blanked: Sequence[int] = ()
    undrawn: Sequence[int] = ()
    kept: int = 0
    outdated: bool = False
    independent: bool = True
    drawn: bool = False


class ExportResult(OwnDialog):
    """Not modal: the user looks at the moments while it stays open.

    Signals:
        jump_requested (object): microseconds on the recording's axis.
    """

    jump_requested = Signal(object)

    def __init__(self, output: Path, found: Findings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Export finished"))
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        column.addLayout(_headline(bool(found.left) or found.outdated, _verdict(found)))
        if not found.independent:
            column.addWidget(_muted(_NO_WITNESS))
        path = PlainLabel(str(output), wordWrap=True)
        path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        path.setAccessibleName(tr("The clip: {output}").format(output=output))
        column.addWidget(path)
        self.moments = QListWidget()
        self.moments.setAccessibleName(tr("Moments to look at"))
        self.moments.setStyleSheet("QListWidget::item { padding: 4px 8px; }")
        self._fill(tr("Face left"), found.left)
        self._fill(tr("Doubtful"), found.doubtful)
        self._fill(tr("Covered wholly, could not be read"), found.blanked)
        self._fill(tr("Painted solid, could not be drawn"), found.undrawn)
        self.moments.itemActivated.connect(self._jump)
        self.moments.itemClicked.connect(self._jump)
        if self.moments.count():
            column.addWidget(_muted(tr("Click a moment to look at it in the recording.")))
            column.addWidget(self.moments, 1)
        else:
            column.addStretch()
        row = QHBoxLayout()
        row.addStretch()
        folder = QPushButton(tr("Open folder"))
        folder.setToolTip(tr("Open the folder of the clip"))
        folder.setAutoDefault(False)
        folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(output.parent))))
        close = QPushButton(tr("Close"))
        close.setToolTip(tr("Close (Esc)"))
        close.clicked.connect(self.close)
        close.setDefault(True)
        row.addWidget(folder)
        row.addWidget(close)
        column.addLayout(row)
        close.setFocus()
        fit_width(self, column, _WIDTH)

    def _fill(self, what: str, times: Sequence[int]) -> None:
        for start, end in spans(times):
            text = (
                format_time(start)
                if start == end
                else tr("{start} to {end}").format(start=format_time(start), end=format_time(end))
            )
            item = QListWidgetItem(f"{text}   {what}")
            item.setData(Qt.ItemDataRole.UserRole, start)
            self.moments.addItem(item)

    def _jump(self, item: QListWidgetItem) -> None:
        self.jump_requested.emit(item.data(Qt.ItemDataRole.UserRole))


def _verdict(found: Findings) -> str:
    if found.outdated:
        return tr("The faces were changed while this clip was made. Export it again.")
    if found.left:
        return tr("Faces are left in {left} frames. Do not release this clip.").format(left=len(found.left))
    if found.drawn:
        return tr("Every face was replaced by another. Measure how well that hides people before you release it.")
    if found.kept:
        return tr("No face is left in the clip but those of robots, which were to stay.")
    return tr("No face is left in the clip.")


def spans(times: Sequence[int]) -> list[tuple[int, int]]:
    """Join times that follow one another within half a second."""
    found: list[tuple[int, int]] = []
    for time in sorted(times):
        if found and time - found[-1][1] <= _GAP_US:
            found[-1] = (found[-1][0], time)
        else:
            found.append((time, time))
    return found


def _muted(text: str) -> QLabel:
    label = PlainLabel(text, wordWrap=True)
    label.setStyleSheet(f"color: {theme.palette().muted.name()};")
    return label


def _headline(bad: bool, text: str) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(theme.GRID)
    picture = PlainLabel()
    colours = theme.palette()
    name, colour = ("triangle-alert", colours.error) if bad else ("circle-check", colours.competence)
    picture.setPixmap(pixmap(name, 20, colour, picture.devicePixelRatioF()))
    words = PlainLabel(text, wordWrap=True)
    words.setFont(theme.font(theme.POINTS + 2, semibold=True))
    row.addWidget(picture)
    row.addWidget(words, 1)
    return row
