"""A form of texts: one field under the other, saved by a button."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.elided_label import ElidedLabel
from widgets.plain_label import add_row
from widgets.plain_tip import plain_tip

_TALL = 4 * theme.GRID * 3


@dataclass(frozen=True, slots=True)
class TextField:
    """One field.

    Attributes:
        hint: what to write, shown while it is empty.
        long: it has several lines.
        choices: key -> name, where one of these is chosen and nothing is typed.
    """

    key: str
    name: str
    hint: str = ""
    long: bool = False
    choices: Mapping[str, str] | None = None


class TextsForm(QWidget):
    """Fields with Save and Delete; nothing is saved before Save.

    Signals:
        saved: what stands in it is to be kept.
        delete_requested: what it shows is to be deleted.
    """

    saved = Signal()
    delete_requested = Signal()

    def __init__(self, what: str, fields: Sequence[TextField], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fields: dict[str, QLineEdit | QPlainTextEdit | QComboBox] = {}
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setSpacing(theme.GRID)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignTop)
        for field in fields:
            made = _editor(field)
            self._fields[field.key] = made
            add_row(form, field.name, made)
        inside = QWidget()
        inside.setLayout(form)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(inside)
        self.status = ElidedLabel()
        self.delete = QPushButton(tr("Delete"))
        self.delete.setToolTip(
            plain_tip(tr("Delete this {what}; episodes keep what they were played with").format(what=what))
        )
        self.delete.setEnabled(False)
        self.save = QPushButton(tr("Save"))
        self.save.setProperty("primary", True)
        self.save.setToolTip(plain_tip(tr("Keep this {what}").format(what=what)))
        self.save.clicked.connect(self.saved)
        self.delete.clicked.connect(self.delete_requested)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        row.addWidget(self.status, 1)
        row.addWidget(self.delete)
        row.addWidget(self.save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(area, 1)
        column.addLayout(row)

    def show_texts(self, texts: Mapping[str, str], *, known: bool, writable: bool) -> None:
        """Show other texts; `known` where they can be deleted."""
        for key, editor in self._fields.items():
            text = texts.get(key, "")
            if isinstance(editor, QComboBox):
                editor.setCurrentIndex(max(0, editor.findData(text)))
                editor.setEnabled(writable)
            elif isinstance(editor, QLineEdit):
                editor.setText(text)
                editor.setReadOnly(not writable)
            else:
                editor.setPlainText(text)
                editor.setReadOnly(not writable)
        self.delete.setEnabled(known and writable)
        self.save.setEnabled(writable)

    def texts(self) -> dict[str, str]:
        """Return what stands in it."""
        return {key: _text(editor) for key, editor in self._fields.items()}

    def focus_first(self) -> None:
        """Go to the first field."""
        next(iter(self._fields.values())).setFocus()


def _text(editor: QLineEdit | QPlainTextEdit | QComboBox) -> str:
    if isinstance(editor, QComboBox):
        return str(editor.currentData())
    return (editor.text() if isinstance(editor, QLineEdit) else editor.toPlainText()).strip()


def _editor(field: TextField) -> QLineEdit | QPlainTextEdit | QComboBox:
    made: QLineEdit | QPlainTextEdit | QComboBox
    if field.choices is not None:
        made = QComboBox()
        for key, name in field.choices.items():
            made.addItem(name, key)
    elif field.long:
        made = QPlainTextEdit()
        made.setPlaceholderText(field.hint)
        made.setTabChangesFocus(True)
        made.setMinimumHeight(_TALL)
    else:
        made = QLineEdit(placeholderText=field.hint)
    made.setAccessibleName(field.name)
    return made
