"""Progress bars and status lines, some with a button that cancels."""

import time
from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QStackedWidget, QWidget

from project.progress import RemainingTimeEstimator, format_time_left
from resources.translation import tr
from widgets.form.controls import push_button
from widgets.form.layouts import make_row
from widgets.text_labels import PlainLabel

_HEIGHT = 3


def make_busy_line() -> QProgressBar:
    """Return the line, hidden."""
    line = QProgressBar(minimum=0, maximum=0, textVisible=False)
    line.setFixedHeight(_HEIGHT)
    line.setAccessibleName(tr("Computing"))
    kept = line.sizePolicy()
    kept.setRetainSizeWhenHidden(True)
    line.setSizePolicy(kept)
    line.hide()
    return line


class ProgressBar(QProgressBar):
    """Is painted with everything else; Qt's own paints the whole window at once whenever its value changes."""

    def show_value(self, value: int, total: int) -> None:
        """Show how much of `total` is done; a total of 0 means that nobody knows."""
        self.setUpdatesEnabled(False)
        self.setRange(0, total)
        self.setValue(value)
        self.setUpdatesEnabled(True)


class ProgressLine(QWidget):
    """Keeps its height while nothing is done.

    Signals:
        cancel_requested
    """

    cancel_requested = Signal()

    def __init__(self, name: str, parent: QWidget | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(parent)
        self._clock = clock
        self._remaining = RemainingTimeEstimator(clock)
        self.bar = ProgressBar(textVisible=False)
        self.bar.setFixedHeight(6)
        self.bar.setAccessibleName(name)
        self.text = PlainLabel()
        self.setMinimumHeight(self.text.sizeHint().height())
        self.cancel = push_button(
            tr("&Cancel"),
            tr("Stop; nothing is left of it"),
            self.cancel_requested,
            name=tr("Cancel: {name}").format(name=name),
        )
        self.setLayout(make_row(self.bar, 1, self.text, self.cancel))
        kept = self.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self.setSizePolicy(kept)
        self.hide()

    def show_progress(self, done: int, total: int, text: str) -> None:
        """Show how far it is; a total of 0 means that nobody knows."""
        if self.isHidden():
            self._remaining = RemainingTimeEstimator(self._clock)
        left = format_time_left(self._remaining.estimate(done, total), tr)
        self.bar.show_value(done, total)
        share = f"{100 * done // max(total, 1)} %"
        figures = tr("{done:,} of {total:,}").format(done=done, total=total) if text else share
        said = ": ".join(part for part in (text, figures) if part) if total else f"{text}…" if text else ""
        words = ", ".join(part for part in (said, left) if part)
        self.text.setText(words)
        self.text.setVisible(bool(words))
        self.show()


class StatusLine(QStackedWidget):
    """A text, or how far something is with a button that stops it.

    Signals:
        cancel_requested
    """

    cancel_requested = Signal()

    def __init__(self, name: str, doing: str, parent: QWidget | None = None) -> None:
        """Make it.

        Args:
            name: of the text, for screen readers.
            doing: name of what is computed.
            parent: which it is part of.
        """
        super().__init__(parent)
        self._said = PlainLabel(wordWrap=True, accessibleName=name)
        self.line = ProgressLine(doing)
        self.line.cancel_requested.connect(self.cancel_requested)
        self.addWidget(self._said)
        self.addWidget(self.line)

    def show_text(self, text: str) -> None:
        """Say something; nothing is computed any more."""
        self._said.setText(text)
        self.show_last_text()

    def show_last_text(self) -> None:
        """Show what was said last; nothing is computed any more."""
        self.setCurrentWidget(self._said)

    def text(self) -> str:
        """Return what was said last."""
        return self._said.text()

    def show_progress(self, done: int, total: int, text: str) -> None:
        """Show how far something is; a total of 0 means that nobody knows."""
        self.line.show_progress(done, total, text)
        self.setCurrentWidget(self.line)
