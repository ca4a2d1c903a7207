"""Labels that show a text as it is: what a study, a file or a model says is never taken for HTML."""

from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QLayout, QWidget


class PlainLabel(QLabel):
    """Use it for every text. Qt's own label takes whatever looks like HTML for HTML, and reads the files it names."""

    def __init__(self, text: str = "", parent: QWidget | None = None, **properties: Any) -> None:
        """Make a label with properties of `QLabel`, such as `wordWrap`."""
        super().__init__(text, parent, textFormat=Qt.TextFormat.PlainText, **properties)


class NoteInForm(PlainLabel):
    """A text of several lines in a form, as high as they are: others get the height of a narrower text there."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, wordWrap=True)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())


def add_row(form: QFormLayout, name: str, field: QWidget | QLayout) -> None:
    """Add a line to a form under a plain name; `&` in it gives the field a key."""
    label = PlainLabel(name)
    if isinstance(field, QLayout):
        form.addRow(label, field)
    else:
        label.setBuddy(field)
        form.addRow(label, field)
