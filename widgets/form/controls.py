"""Buttons, ticks and fields for text with their tip, their name for screen readers, and what they do."""

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QSize, SignalInstance
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QLineEdit, QPlainTextEdit, QPushButton, QToolButton, QWidget

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
