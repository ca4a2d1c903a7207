"""What the inspector shows for the segments of one track: its labels, its form, and the keys of both."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QVBoxLayout, QWidget

from project.schemes.scheme import Scheme
from widgets import theme
from widgets.label_buttons import LabelButtons
from widgets.segment_form import SegmentForm


class TrackPanel(QWidget):
    """Labels above, the form below. Keys that are `taken` by the window are not bound."""

    def __init__(
        self, scheme: Scheme, track: str, taken: Sequence[QKeySequence] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._taken = taken
        self.scheme = scheme
        self.track = scheme.lane(track)
        self.labels = LabelButtons(self.track)
        self.form = SegmentForm(scheme, track)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID * 2)
        column.addWidget(self.labels)
        column.addWidget(self.form, 1)
        self._for_one: list[QShortcut] = []
        self._for_several: list[QShortcut] = []
        self._bind()

    def enable_keys(self, *, one: bool, several: bool) -> None:
        """Switch the keys of the form (`one`) and those of the labels (`several`) on or off."""
        for shortcut in self._for_one:
            shortcut.setEnabled(one)
        for shortcut in self._for_several:
            shortcut.setEnabled(several)

    def _bind(self) -> None:
        for label in self.track.labels:
            self._bind_key(self._for_several, label.shortcut, self.labels.buttons[label.key].click)
        for key, editor in self.form.editors.items():
            self._bind_key(self._for_one, editor.field.shortcut, editor.setFocus)
            for choice in editor.field.choices:
                self._bind_key(self._for_one, choice.shortcut, partial(self.form.pick, key, choice.key))

    def _bind_key(self, to: list[QShortcut], key: str, act: Callable[[], object]) -> None:
        if not key or QKeySequence(key) in self._taken:
            return
        shortcut = QShortcut(QKeySequence(key), self)
        shortcut.activated.connect(act)
        shortcut.setEnabled(False)
        to.append(shortcut)
