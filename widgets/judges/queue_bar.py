"""What runs where: a line for each judge that is asked, with what is left to do and a way to stop it."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.judges.cells import quiet
from widgets.plain_label import PlainLabel


@dataclass(frozen=True, slots=True)
class QueueLine:
    """How far one judge is.

    Attributes:
        judge_id: of the entry.
        where: `this machine`, or the host that is asked.
    """

    judge_id: str
    name: str
    where: str
    running: int = 0
    waiting: int = 0
    done: int = 0
    failed: int = 0

    @property
    def left(self) -> int:
        """Requests that have no answer yet."""
        return self.running + self.waiting


class QueueBar(QFrame):
    """Folded to one line; unfolded, a line for each judge.

    Signals:
        cancel_requested (str): judge; "" for all.
    """

    cancel_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Queue of judges"))
        self._lines: tuple[QueueLine, ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self.unfold = QPushButton(tr("Queue"))
        self.unfold.setProperty("segment", True)
        self.unfold.setCheckable(True)
        self.unfold.setToolTip(tr("Show what runs where"))
        self.unfold.toggled.connect(lambda _on: self._show())
        self.cancel_all = QPushButton(tr("Cancel all"))
        self.cancel_all.setProperty("segment", True)
        self.cancel_all.setToolTip(tr("Stop asking; what was answered stays"))
        self.cancel_all.clicked.connect(lambda: self.cancel_requested.emit(""))
        row.addWidget(self.unfold, 1)
        row.addWidget(self.cancel_all)
        column.addLayout(row)
        self._list = QWidget()
        self._grid = QGridLayout(self._list)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.GRID)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 2)
        self._grid.setColumnStretch(1, 2)
        self._grid.setColumnStretch(2, 3)
        column.addWidget(self._list)
        self.show_lines(())

    def lines(self) -> tuple[QueueLine, ...]:
        """Return what is shown."""
        return self._lines

    def show_lines(self, lines: Sequence[QueueLine]) -> None:
        """Show how far each judge is; nothing where none was asked."""
        self._lines = tuple(lines)
        self._show()

    def _show(self) -> None:
        self.setVisible(bool(self._lines))
        left, failed = sum(one.left for one in self._lines), sum(one.failed for one in self._lines)
        done = sum(one.done for one in self._lines)
        running = sum(one.running for one in self._lines)
        parts = (
            [tr("{running} running").format(running=running), tr("{value} waiting").format(value=left - running)]
            if left
            else [tr("Nothing runs")]
        )
        parts += [
            tr("{done} done").format(done=done),
            *([tr("{failed} failed").format(failed=failed)] if failed else []),
        ]
        self.unfold.setText(f"{'▾' if self.unfold.isChecked() else '▸'} {' · '.join(parts)}")
        self.unfold.setAccessibleName(tr("Queue: {list}").format(list=", ".join(parts)))
        self.cancel_all.setVisible(bool(left))
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        self._list.setVisible(self.unfold.isChecked())
        if self.unfold.isChecked():
            for at, line in enumerate(self._lines):
                self._add(at, line)

    def _add(self, at: int, line: QueueLine) -> None:
        said = [tr("{running} running").format(running=line.running)] if line.running else []
        said += [tr("{waiting} waiting").format(waiting=line.waiting)] if line.waiting else []
        said += [tr("{done} done").format(done=line.done)] if line.done else []
        said += [tr("{failed} failed").format(failed=line.failed)] if line.failed else []
        name = PlainLabel(line.name)
        for place, widget in enumerate((name, quiet(line.where), quiet(" · ".join(said)))):
            widget.setAlignment(Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(widget, at, place)
        if line.left:
            stop = QToolButton()
            stop.setIcon(icon("x"))
            stop.setIconSize(QSize(14, 14))
            stop.setToolTip(tr("Stop asking this judge"))
            stop.setAccessibleName(tr("Stop asking {name}").format(name=line.name))
            stop.clicked.connect(lambda: self.cancel_requested.emit(line.judge_id))
            self._grid.addWidget(stop, at, 3)
