"""How many places are left to look at, and the buttons that go from one to the next."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.icons import icon
from widgets.plain_tip import plain_tip


class QueueBar(QWidget):
    """A line about the queue, a line about the place that is shown, and three buttons.

    Signals:
        step_requested (int): 1 for the next place, -1 for the one before.
        seen_requested: no face is bare at the place that is shown.
    """

    step_requested = Signal(int)
    seen_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self._left = ElidedLabel()
        self._left.setFont(theme.font(semibold=True))
        self._why = ElidedLabel()
        self._why.setProperty("quiet", True)
        self.before = _tool("skip-back", tr("Place before"), -1, self)
        self.after = _tool("skip-forward", tr("Next place to look at"), 1, self)
        self.seen = QPushButton(tr("Seen"))
        self.seen.setProperty("segment", True)
        self.seen.clicked.connect(self.seen_requested)
        row.addWidget(self._left, 1)
        row.addWidget(self.before)
        row.addWidget(self.after)
        row.addWidget(self.seen)
        column.addLayout(row)
        column.addWidget(self._why)
        self.set_keys({})

    def set_keys(self, keys: dict[str, str]) -> None:
        """Name the keys of `after`, `before` and `seen`."""
        self._next = (
            tr("{after}: go to the next, ").format(after=keys["after"]) if keys.get("after") else tr("Go to the next, ")
        )
        for key, button, words in (
            ("after", self.after, tr("Next place to look at, the worst first")),
            ("before", self.before, tr("The place before")),
            ("seen", self.seen, tr("I looked: no face is bare here; go to the next place")),
        ):
            button.setToolTip(plain_tip(f"{words} ({keys[key]})" if keys.get(key) else words))

    def show_left(self, left: str, why: str, *, any_left: bool, at_one: bool, writable: bool) -> None:
        """Say how much is left, and why the place that is shown needs a look."""
        self._left.set_text(left)
        self._why.set_text(why or (tr("{next}the worst first").format(next=self._next) if any_left else ""))
        self._why.setVisible(any_left)
        for button in (self.before, self.after):
            button.setEnabled(any_left)
        self.seen.setEnabled(writable and at_one)

    def left(self) -> str:
        """Return what is said about how much is left."""
        return self._left.text()

    def why(self) -> str:
        """Return what is said about the place that is shown."""
        return self._why.text()


def _tool(name: str, words: str, step: int, bar: QueueBar) -> QToolButton:
    button = QToolButton()
    button.setIcon(icon(name))
    button.setAccessibleName(words)
    button.clicked.connect(lambda: bar.step_requested.emit(step))
    return button
