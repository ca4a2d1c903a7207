"""What a screen reader is told about widgets that paint themselves: a role, a name, and what they show now.

A widget states its role in the class attribute `ROLE`. What it shows now is its accessible description, reported as its
value too, because some readers speak the one and some the other.
"""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

Role = QAccessible.Role
_installed: list[bool] = []


class _Painted(QAccessibleWidget):
    """A widget of our own, for a screen reader."""

    def __init__(self, widget: QWidget, role: QAccessible.Role) -> None:
        super().__init__(widget, role, "")
        self._widget = widget

    def text(self, what: QAccessible.Text) -> str:
        if what == QAccessible.Text.Value:
            return self._widget.accessibleDescription()
        return super().text(what)


def install() -> None:
    """Let screen readers know the roles of our own widgets; once a process."""
    if not _installed:
        _installed.append(True)
        QAccessible.installFactory(_make_interface)


def _make_interface(_class: str, thing: QObject) -> QAccessibleInterface | None:
    role = getattr(type(thing), "ROLE", None)
    if isinstance(thing, QWidget) and isinstance(role, QAccessible.Role):
        return _Painted(thing, role)
    return None
