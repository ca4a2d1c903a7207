"""How far something is, how long it still takes, and a button that stops it."""

import time
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from project.progress import Remaining, time_left
from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.progress_bar import ProgressBar


class ProgressLine(QWidget):
    """Keeps its height while nothing is done.

    Signals:
        cancel_requested
    """

    cancel_requested = Signal()

    def __init__(self, name: str, parent: QWidget | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self._clock = clock
        self._remaining = Remaining(clock)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        self.bar = ProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(name)
        self.text = PlainLabel()
        self.setMinimumHeight(self.text.sizeHint().height())
        self.cancel = QPushButton(tr("&Cancel"))
        self.cancel.setAccessibleName(tr("Cancel: {name}").format(name=name))
        self.cancel.setToolTip(tr("Stop; nothing is left of it"))
        self.cancel.clicked.connect(self.cancel_requested)
        row.addWidget(self.bar, 1)
        row.addWidget(self.text)
        row.addWidget(self.cancel)
        kept = self.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self.setSizePolicy(kept)
        self.hide()

    def show_progress(self, done: int, total: int, text: str) -> None:
        """Show how far it is; a total of 0 means that nobody knows."""
        if self.isHidden():
            self._remaining = Remaining(self._clock)
        left = time_left(self._remaining.seconds(done, total), tr)
        self.bar.show_value(done, total)
        share = f"{100 * done // max(total, 1)} %"
        figures = tr("{done:,} of {total:,}").format(done=done, total=total) if text else share
        said = ": ".join(part for part in (text, figures) if part) if total else f"{text}…" if text else ""
        words = ", ".join(part for part in (said, left) if part)
        self.text.setText(words)
        self.text.setVisible(bool(words))
        self.show()
