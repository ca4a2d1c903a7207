"""A question as a form: what is asked, the right option, the wrong ones, and why."""

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFormLayout, QLineEdit, QPlainTextEdit, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel

_LINES = 3
_CONTROL = Qt.KeyboardModifier.ControlModifier


@dataclass(frozen=True, slots=True)
class Words:
    """What stands in the form."""

    text: str = ""
    answer: str = ""
    wrong: tuple[str, ...] = ()
    explanation: str = ""


class QuestionFields(QWidget):
    """The fields, and a line on what is wrong with what stands there.

    Signals:
        changed: something was typed.
        save_requested: Ctrl+Return was pressed in a field.
        left: Esc was pressed in a field.
    """

    changed = Signal()
    save_requested = Signal()
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.setSpacing(theme.GRID // 2)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.text = self._area(tr("Question"))
        self.answer = self._line(tr("Right option"))
        self._wrong: list[QLineEdit] = []
        self.explanation = self._area(tr("Why it is right"))
        self.told = PlainLabel(wordWrap=True)
        self.told.setProperty("muted", True)
        self._form.addRow(self.told)

    @property
    def wrong(self) -> list[QLineEdit]:
        """The fields of the wrong options."""
        return [*self._wrong]

    def set_words(self, words: Words, wrong: int) -> None:
        """Fill the form, with so many wrong options; no signal."""
        while len(self._wrong) < wrong:
            self._wrong.append(
                self._line(tr("Wrong option {value}").format(value=len(self._wrong) + 1), 2 + len(self._wrong))
            )
        while len(self._wrong) > wrong:
            self._form.removeRow(self._wrong.pop())
        filled: list[tuple[QLineEdit | QPlainTextEdit, str]] = [
            *((self.text, words.text), (self.answer, words.answer), (self.explanation, words.explanation)),
            *zip(self._wrong, [*words.wrong, *[""] * wrong], strict=False),
        ]
        for field, text in filled:
            blocked = field.blockSignals(True)
            if isinstance(field, QLineEdit):
                field.setText(text)
            else:
                field.setPlainText(text)
            field.blockSignals(blocked)

    def words(self) -> Words:
        """Return what stands in the form."""
        return Words(
            self.text.toPlainText().strip(),
            self.answer.text().strip(),
            tuple(one.text().strip() for one in self._wrong),
            self.explanation.toPlainText().strip(),
        )

    def say(self, reason: str, fine: str) -> None:
        """Say what is wrong, or that nothing is."""
        self.told.setText(reason or fine)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress) or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        saves = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() & _CONTROL
        if not saves and event.key() != Qt.Key.Key_Escape:
            return super().eventFilter(watched, event)
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            (self.save_requested if saves else self.left).emit()
        return True

    def _area(self, name: str) -> QPlainTextEdit:
        field = QPlainTextEdit(tabChangesFocus=True)
        field.setFixedHeight(_LINES * field.fontMetrics().lineSpacing() + theme.GRID * 2)
        field.textChanged.connect(self.changed)
        self._add(name, field)
        return field

    def _line(self, name: str, place: int = -1) -> QLineEdit:
        field = QLineEdit()
        field.textChanged.connect(lambda _text: self.changed.emit())
        self._add(name, field, place)
        return field

    def _add(self, name: str, field: QWidget, place: int = -1) -> None:
        field.setAccessibleName(name)
        field.installEventFilter(self)
        label = PlainLabel(name)
        if place < 0:
            self._form.addRow(label, field)
        else:
            self._form.insertRow(place, label, field)
