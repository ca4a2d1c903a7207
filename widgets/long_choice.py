"""One of several sentences: a row each, with the letter or number that stands for it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from project.schemes.scheme import Choice, Field
from project.types import Json
from resources.translation import tr
from widgets import theme
from widgets.field_editor import FieldEditor
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

LONG = 24
"""Characters from which a choice is a sentence, for which a row of buttons has no room."""


class _Row(QWidget):
    """One sentence, hit anywhere.

    Signals:
        pressed
    """

    pressed = Signal()

    def __init__(self, field: Field, choice: Choice, place: int) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.setSpacing(theme.GRID)
        self.button = QPushButton(choice.key if len(choice.key) == 1 else str(place))
        self.button.setCheckable(True)
        self.button.setProperty("segment", True)
        self.button.setFixedWidth(theme.GRID * 4)
        self.button.setAccessibleName(f"{field.name}: {choice.name}")
        self.button.setAccessibleDescription(choice.definition)
        self.button.setToolTip(plain_tip(tr("Choose this ({place})").format(place=place)))
        self.button.clicked.connect(self.pressed)
        words = PlainLabel(choice.name, wordWrap=True)
        words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(words, 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.isEnabled() and self.rect().contains(event.position().toPoint()):
            self.button.click()


class LongChoiceEditor(FieldEditor):
    """Pressing the chosen one again chooses none."""

    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(field, parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.rows: dict[str, _Row] = {}
        for place, choice in enumerate(field.choices, 1):
            row = self.rows[choice.key] = _Row(field, choice, place)
            row.pressed.connect(lambda key=choice.key: self._chosen(key))
            column.addWidget(row)
        self.setFocusProxy(next(iter(self.rows.values())).button)

    def value(self) -> Json:
        return next((key for key, row in self.rows.items() if row.button.isChecked()), None)

    def set_value(self, value: Json) -> None:
        for key, row in self.rows.items():
            row.button.setChecked(key == value)

    def set_read_only(self, read_only: bool) -> None:
        for row in self.rows.values():
            row.setEnabled(not read_only)

    def pick(self, choice: str) -> None:
        self.rows[choice].button.click()

    def controls(self) -> list[QWidget]:
        return [row.button for row in self.rows.values()]

    def _chosen(self, key: str) -> None:
        for other, row in self.rows.items():
            if other != key:
                row.button.setChecked(False)
        self.changed.emit(self.value())
