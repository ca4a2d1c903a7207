"""Buttons, ticks and fields for text with their tip, their name for screen readers, and what they do."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from PySide6.QtCore import QSize, Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from widgets import theme
from widgets.form.layouts import make_row
from widgets.text_labels import describe, plain_tip
from widgets.theme import icon as picture

Button = TypeVar("Button", bound=QAbstractButton)
Field = TypeVar("Field", bound=QWidget)
Do = Callable[..., object] | SignalInstance | None
"""What a click does: a function, or a signal that is emitted."""


def push_button(
    text: str,
    tip: str = "",
    do: Do = None,
    *,
    name: str = "",
    keys: str = "",
    icon: str = "",
    side: int = 0,
    look: str = "",
    **properties: Any,
) -> QPushButton:
    """Return a button with a text.

    Args:
        text: on the button; `&` gives it a key.
        tip: shown over it, as it is.
        do: what a click does.
        name: for screen readers, where the text alone does not say it.
        keys: that do the same, named in the tip.
        icon: before the text, by its name.
        side: of the icon, in pixels, where it has another size than usual.
        look: `primary` for what goes on, `flat`, or `segment` for small ones.
        properties: of Qt, by name, such as `checkable`.
    """
    return _set_up(QPushButton(text, **properties), name, tip, do, keys, icon, side, look)


def tool_button(
    icon: str,
    name: str,
    tip: str = "",
    do: Do = None,
    *,
    keys: str = "",
    side: int = 0,
    look: str = "",
    **properties: Any,
) -> QToolButton:
    """Return a button with a picture; arguments as of `push_button`. The tip is the name where none is given."""
    return _set_up(QToolButton(**properties), name, tip or name, do, keys, icon, side, look)


def check_box(text: str, tip: str = "", do: Do = None, *, name: str = "", **properties: Any) -> QCheckBox:
    """Return something that can be ticked; arguments as of `push_button`."""
    return _set_up(QCheckBox(text, **properties), name, tip, do, "", "", 0, "")


def line_edit(name: str, hint: str = "", tip: str = "", *, text: str = "", **properties: Any) -> QLineEdit:
    """Return a field for a line of text; `hint` stands in it while it is empty."""
    return _name(QLineEdit(text, placeholderText=hint, **properties), name, tip)


def text_area(name: str, hint: str = "", tip: str = "", **properties: Any) -> QPlainTextEdit:
    """Return a field for several lines, given as to `line_edit`."""
    return _name(QPlainTextEdit(placeholderText=hint, **properties), name, tip)


class SegmentBar(QWidget):
    """Small buttons in a row, of which one is on.

    Signals:
        chosen (object): key of a button that somebody pressed.
    """

    chosen = Signal(object)

    def __init__(self, names: Mapping[Any, str], told: str, tip: str = "") -> None:
        """Make a button for each key; `told` and `tip` say what it is with its name in place of `{name}`."""
        super().__init__()
        group = QButtonGroup(self)
        self.buttons = {key: self._make(key, name, told, tip) for key, name in names.items()}
        for button in self.buttons.values():
            group.addButton(button)
        shares = (part for button in self.buttons.values() for part in (button, 1))
        self.setLayout(make_row(*shares, spacing=theme.GRID // 2))
        self.choose(next(iter(names)))

    def choose(self, key: Any) -> None:
        """Turn a button on."""
        self.buttons[key].setChecked(True)

    def key(self) -> Any:
        """Return the key of the button that is on."""
        return next(key for key, button in self.buttons.items() if button.isChecked())

    def _make(self, key: Any, name: str, told: str, tip: str) -> QPushButton:
        return push_button(
            name,
            tip.format(name=name.lower()),
            lambda: self.chosen.emit(key),
            name=told.format(name=name.lower()),
            look="segment",
            checkable=True,
            focusPolicy=Qt.FocusPolicy.TabFocus,
        )


def _name(field: Field, name: str, tip: str) -> Field:
    describe(field, name, tip)
    return field


def _set_up(button: Button, name: str, tip: str, do: Do, keys: str, icon: str, side: int, look: str) -> Button:
    if name:
        button.setAccessibleName(name)
    if tip:
        button.setToolTip(plain_tip(f"{tip} ({keys})" if keys else tip))
    if icon:
        button.setIcon(picture(icon))
    if side:
        button.setIconSize(QSize(side, side))
    if look:
        button.setProperty(look, True)
    if do is not None:
        button.clicked.connect(do)
    return button
