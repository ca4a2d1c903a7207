"""What the editor of one field of a form can do, whatever its kind."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from project.schemes.scheme import Field
from project.types import Json, Participant
from resources.translation import tr


class FieldEditor(QWidget):
    """The editor of one field; a kind of field is a subclass.

    Signals:
        changed (object): the new value as JSON, None for none; only for what the user did.
    """

    changed = Signal(object)

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self._descriptions: dict[QWidget, str] = {}

    def value(self) -> Json:
        """Return what is filled in, None for nothing."""
        raise NotImplementedError

    def set_value(self, value: Json) -> None:
        """Show a value that comes from the study; text that was typed and not sent yet is newer and stays."""
        raise NotImplementedError

    def set_read_only(self, read_only: bool) -> None:
        """Let the value be read but not changed."""
        raise NotImplementedError

    def set_needed(self, needed: bool) -> None:
        """Say to those who hear the form that this field is still to be filled in."""
        for control in self.controls():
            plain = self._descriptions.setdefault(control, control.accessibleDescription())
            control.setAccessibleDescription(tr("Needed. {plain}").format(plain=plain) if needed else plain)

    def controls(self) -> list[QWidget]:
        """Return what can have the focus."""
        raise NotImplementedError

    def set_people(self, people: Sequence[Participant]) -> None:
        """Say who is in the recording; nothing where the field is not about anybody."""

    def pick(self, choice: str) -> None:
        """Do what the key of a choice does; nothing where the field has no choices."""

    def flush(self) -> None:
        """Send what was typed and not sent yet."""

    def discard(self) -> None:
        """Forget what was typed and not sent yet."""
