"""What a page or a table shows while it is empty: why, and what to do next."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QAbstractItemView, QPushButton, QWidget

from widgets import theme
from widgets.form.layouts import make_column, make_row
from widgets.text_labels import ElidedButton, PlainLabel, describe
from widgets.theme import pixmap

_MAX_HINT_WIDTH = 520
"""Pixels of a line of the hint: longer ones are hard to read."""
_HINT_STRETCH = 1000
"""The hint takes what it may before the room beside it does."""


@dataclass(frozen=True, slots=True)
class EmptyStateAction:
    """A button of an empty state; `keys` names its shortcut in the tooltip."""

    key: str
    text: str
    keys: str = ""
    primary: bool = False


class EmptyState(QWidget):
    """An icon, a title, a hint and, where something can be done at once, buttons.

    Signals:
        button_clicked (str): the key of the button that was pressed.
    """

    button_clicked = Signal(str)

    def __init__(
        self, icon: str, title: str, hint: str, choices: Sequence[EmptyStateAction] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._picture = PlainLabel(alignment=Qt.AlignmentFlag.AlignHCenter)
        self._title = PlainLabel(
            alignment=Qt.AlignmentFlag.AlignHCenter, wordWrap=True, font=theme.font(theme.POINTS + 2, semibold=True)
        )
        self._hint = PlainLabel(alignment=Qt.AlignmentFlag.AlignHCenter, wordWrap=True, maximumWidth=_MAX_HINT_WIDTH)
        rows = [make_row(None, self._hint, _HINT_STRETCH, None)]
        if choices:
            buttons = (self._connect_button(QPushButton(choice.text), choice) for choice in choices)
            rows.append(make_row(None, *buttons, None, margin=(0, theme.GRID, 0, 0)))
        self._links = make_column(spacing=0)
        head = (None, 2, self._picture, self._title)
        self.setLayout(make_column(*head, *rows, self._links, None, 3, margin=theme.GRID * 3))
        theme.notifier.changed.connect(self._tint)
        self.set_text(title, hint)
        self._tint()

    def set_text(self, title: str, hint: str) -> None:
        """Say something else."""
        self._title.setText(title)
        self._hint.setText(hint)
        self.setAccessibleName(title)
        self.setAccessibleDescription(hint)

    def set_buttons_enabled(self, choosable: bool) -> None:
        """Switch the buttons on or off; what is said stays readable."""
        for button in self.findChildren(QPushButton):
            button.setEnabled(choosable)

    def set_links(self, choices: Sequence[EmptyStateAction]) -> None:
        """Offer further things under the buttons, in the small: files that were open last."""
        while (item := self._links.takeAt(0)) is not None:
            if (link := item.widget()) is not None:
                link.deleteLater()
        for choice in choices:
            button = self._connect_button(ElidedButton(choice.text), choice)
            button.setProperty("flat", True)
            self._links.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)

    def picture(self, ink: QColor) -> QPixmap:
        """Return what stands on top."""
        return pixmap(self._icon, 40, ink, self.devicePixelRatioF())

    def _connect_button(self, button: QPushButton, choice: EmptyStateAction) -> QPushButton:
        button.setProperty("primary", choice.primary)
        describe(button, choice.text, f"{choice.text} ({choice.keys})" if choice.keys else choice.text)
        button.clicked.connect(lambda: self.button_clicked.emit(choice.key))
        return button

    def _tint(self) -> None:
        colours = theme.palette()
        self._picture.setPixmap(self.picture(colours.muted))
        self._hint.setStyleSheet(f"color: {colours.muted.name()};")


_MAX_OVERLAY_WIDTH = 520
"""Pixels of a line: longer ones are hard to read."""


class EmptyHint(PlainLabel):
    """Lies over the middle of a view while its model is empty; a click goes through it.

    Args:
        view: with its model, which stays the same one.
        text: what it says; another one with `setText`.
    """

    def __init__(self, view: QAbstractItemView, text: str) -> None:
        centre = Qt.AlignmentFlag.AlignCenter
        super().__init__(text, view.viewport(), look="quiet", wordWrap=True, alignment=centre)
        self._view = view
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        view.setAccessibleDescription(text)
        model = view.model()
        for signal in (model.modelReset, model.rowsInserted, model.rowsRemoved, model.layoutChanged):
            signal.connect(self._update_visibility)
        view.viewport().installEventFilter(self)
        self._update_visibility()

    def setText(self, text: str) -> None:
        """Say something else."""
        super().setText(text)
        self._view.setAccessibleDescription(text)
        self._update_visibility()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._update_visibility()
        return super().eventFilter(watched, event)

    def _update_visibility(self, *_about: object) -> None:
        empty = self._view.model().rowCount() == 0
        self.setVisible(empty and bool(self.text()))
        if empty:
            ground = self._view.viewport().rect().adjusted(theme.GRID, theme.GRID, -theme.GRID, -theme.GRID)
            width = min(_MAX_OVERLAY_WIDTH, ground.width())
            height = min(max(self.heightForWidth(width), 1), max(ground.height(), 1))
            self.setGeometry(ground.center().x() - width // 2, ground.center().y() - height // 2, width, height)
