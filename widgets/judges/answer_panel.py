"""What a person is asked, beside the form for their answer: words and frames as judges get them."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPixmap
from PySide6.QtWidgets import (
    QApplication,
    QListView,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from project.schemes.scheme import CHOOSING, Scheme
from project.types import Json, Participant
from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.segment_form import SegmentForm

_THUMBNAIL = QSize(160, 120)
_LABEL = "label"
_PICTURE = Qt.ItemDataRole.UserRole


class _Large(PlainLabel):
    """A frame as large as it is; any key or click puts it away."""

    def __init__(self, picture: QPixmap, name: str, parent: QWidget) -> None:
        super().__init__("", parent)
        self.setWindowFlags(Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(name)
        self.setPixmap(picture)
        self.adjustSize()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.accept()
        self.close()


class AnswerPanel(QSplitter):
    """One task; it shows nothing that anybody else said."""

    def __init__(
        self, scheme: Scheme, track: str, people: Sequence[Participant], parent: QWidget | None = None
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.form = SegmentForm(scheme, track)
        self.form.set_people(people)
        self.form.set_label("")
        self.form.value_changed.connect(self._changed)
        self.setChildrenCollapsible(False)
        self.addWidget(self._material())
        self.addWidget(self._answer())
        self.setStretchFactor(0, 3)
        self.setStretchFactor(1, 2)

    def show_material(self, text: str, pictures: Sequence[tuple[str, bytes]]) -> None:
        """Show the words, and frames as (time that is told, JPEG)."""
        self.words.setPlainText(text)
        self.pictures.clear()
        for told, jpeg in pictures:
            picture = QPixmap()
            picture.loadFromData(jpeg)
            item = QListWidgetItem(told)
            item.setIcon(picture)
            item.setToolTip(tr("Click to see it as large as judges get it"))
            item.setData(_PICTURE, picture)
            self.pictures.addItem(item)
        self.pictures.setVisible(bool(pictures))

    def answer(self) -> dict[str, Json]:
        """Return what is filled in, of the fields that belong to the label that was chosen."""
        self.form.flush()
        label = self.form.editors[_LABEL].value() if _LABEL in self.form.editors else ""
        return {
            key: editor.value()
            for key, editor in self.form.editors.items()
            if editor.field.applies_to(str(label or "")) and editor.value() is not None
        }

    def pick(self, number: int) -> None:
        """Choose by number, from 1, in the first field that is a choice; nothing where there is none of that number."""
        for editor in self.form.editors.values():
            field = editor.field
            if field.kind in CHOOSING:
                if number <= len(field.choices):
                    editor.pick(field.choices[number - 1].key)
                return

    def _material(self) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self.pictures = QListWidget()
        self.pictures.setAccessibleName(tr("Frames"))
        self.pictures.setViewMode(QListView.ViewMode.IconMode)
        self.pictures.setIconSize(_THUMBNAIL)
        self.pictures.setResizeMode(QListView.ResizeMode.Adjust)
        self.pictures.setMovement(QListView.Movement.Static)
        self.pictures.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.pictures.setSpacing(4)
        self.pictures.hide()
        for chosen in (self.pictures.itemClicked, self.pictures.itemActivated):
            chosen.connect(self._enlarge)
        self.words = QPlainTextEdit()
        self.words.setReadOnly(True)
        self.words.setAccessibleName(tr("The question, as judges get it"))
        column.addWidget(self.pictures, 1)
        column.addWidget(self.words, 1)
        return holder

    def _answer(self) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(theme.GRID, 0, theme.GRID, 0)
        heading = PlainLabel(tr("Your answer"))
        heading.setFont(theme.font(theme.POINTS + 1, semibold=True))
        column.addWidget(heading)
        column.addWidget(self.form)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(holder)
        return area

    def _enlarge(self, item: QListWidgetItem) -> None:
        """Show a frame over everything, until the next click or key."""
        if QApplication.activePopupWidget() is None:
            # Not inside the panel: a splitter would make it one of its parts.
            large = _Large(item.data(_PICTURE), tr("Frame at {text}").format(text=item.text()), self.window())
            large.move(self.mapToGlobal(self.rect().center()) - large.rect().center())
            large.show()

    def _changed(self, field: str, value: Json) -> None:
        if field == _LABEL:
            self.form.set_label(str(value or ""))
