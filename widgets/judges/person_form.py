"""The same task that judges are asked, as a form for a person: what is shown, in their words, and the answer."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QListView,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from project.schemes.scheme import Scheme
from project.types import Json, Participant
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.segment_form import SegmentForm

_SIZE = QSize(1080, 760)
_THUMBNAIL = QSize(160, 120)
_LABEL = "label"


class PersonForm(QDialog):
    """Shows one task and takes the answer; it shows nothing that anybody else said.

    Signals:
        saved (dict): the answer, by the keys of the fields.
    """

    saved = Signal(dict)

    def __init__(
        self, title: str, scheme: Scheme, track: str, people: Sequence[Participant], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.resize(_SIZE.boundedTo(self.screen().availableSize()))
        self.form = SegmentForm(scheme, track)
        self.form.set_people(people)
        self.form.set_label("")
        self.form.value_changed.connect(self._changed)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self._material())
        parts.addWidget(self._answer())
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        column.addWidget(parts, 1)
        self.buttons = DialogButtons(self, "Save answer", "Nothing is saved")
        self.buttons.go_on.setToolTip("Save your answer; then what judges say about this task may be seen")
        # Enter belongs to the texts of the form.
        self.buttons.go_on.setDefault(False)
        self.buttons.go_on.setAutoDefault(False)
        self.buttons.go_on.clicked.connect(self._save)
        column.addLayout(self.buttons)

    def show_material(self, text: str, pictures: Sequence[tuple[str, bytes]]) -> None:
        """Show the words, and frames as (time that is told, JPEG); the form can be filled in from now on."""
        self.words.setPlainText(text)
        self.pictures.clear()
        for told, jpeg in pictures:
            picture = QPixmap()
            picture.loadFromData(jpeg)
            item = QListWidgetItem(told)
            item.setIcon(picture)
            self.pictures.addItem(item)
        self.pictures.setVisible(bool(pictures))
        self.form.setEnabled(True)
        self.buttons.go_on.setEnabled(True)
        self.say("")

    def show_waiting(self, text: str) -> None:
        """Say that what is asked is being made, or why it cannot be; nothing can be answered."""
        self.form.setEnabled(False)
        self.buttons.go_on.setEnabled(False)
        self.say(text)

    def say(self, text: str) -> None:
        """Show a line beside the buttons."""
        self.buttons.note.setText(text)

    def answer(self) -> dict[str, Json]:
        """Return what is filled in, of the fields that belong to the label that was chosen."""
        self.form.flush()
        label = self.form.editors[_LABEL].value() if _LABEL in self.form.editors else ""
        return {
            key: editor.value()
            for key, editor in self.form.editors.items()
            if editor.field.applies_to(str(label or "")) and editor.value() is not None
        }

    def _material(self) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self.pictures = QListWidget()
        self.pictures.setAccessibleName("Frames")
        self.pictures.setViewMode(QListView.ViewMode.IconMode)
        self.pictures.setIconSize(_THUMBNAIL)
        self.pictures.setResizeMode(QListView.ResizeMode.Adjust)
        self.pictures.setMovement(QListView.Movement.Static)
        self.pictures.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.pictures.setSpacing(4)
        self.pictures.hide()
        self.words = QPlainTextEdit()
        self.words.setReadOnly(True)
        self.words.setAccessibleName("The question, as judges get it")
        column.addWidget(self.pictures, 1)
        column.addWidget(self.words, 1)
        return holder

    def _answer(self) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(theme.GRID, 0, theme.GRID, 0)
        heading = QLabel("Your answer")
        heading.setFont(theme.font(theme.POINTS + 1, semibold=True))
        column.addWidget(heading)
        column.addWidget(self.form)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(holder)
        return area

    def _changed(self, field: str, value: Json) -> None:
        if field == _LABEL:
            self.form.set_label(str(value or ""))
        self.say("")

    def _save(self) -> None:
        self.saved.emit(self.answer())
