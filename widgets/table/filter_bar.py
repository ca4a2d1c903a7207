"""A search field over a table, and the conditions by which its rows are filtered."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from resources.translation import tr
from widgets.form.checklists import ChoiceButton
from widgets.form.controls import push_button
from widgets.form.input_fields import mark_search_field
from widgets.form.layouts import FlowLayout, make_column
from widgets.text_labels import describe
from widgets.theme import icon

_PAUSE_MS = 60


class SearchField(QLineEdit):
    """A field that sends its words when typing pauses, and that Down leaves for the rows below.

    Signals:
        searched (str): what stands in it now.
        moved_down: Down or Return was pressed.
    """

    searched = Signal(str)
    moved_down = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(tr('Search all texts: robot "in these words"'))
        self.setClearButtonEnabled(True)
        mark_search_field(self)
        describe(
            self,
            tr("Search all texts"),
            tr("Finds words by their beginnings, and phrases between quotes, whatever their accents (Ctrl+F)"),
        )
        self.addAction(icon("search", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(lambda: self.searched.emit(self.text()))
        self.textChanged.connect(lambda _: self._pause.start())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._pause.isActive():
                self._pause.stop()
                self.searched.emit(self.text())
            self.moved_down.emit()
        else:
            super().keyPressEvent(event)


class ConditionFilterBar(QWidget):
    """A search field, and one button for each kind of condition.

    Signals:
        searched (str): what to look for.
        changed: other conditions are wanted.
        moved_down: the user wants to go to the rows.
    """

    searched = Signal(str)
    changed = Signal()
    moved_down = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._quiet = False
        self.buttons: dict[str, ChoiceButton] = {}
        self.search = SearchField()
        self.search.searched.connect(self.searched)
        self.search.moved_down.connect(self.moved_down)
        self._flow = FlowLayout()
        self.setLayout(make_column(self.search, self._flow))
        self.clear = push_button(
            tr("Clear conditions"), tr("Show all segments again"), self.reset, look="flat", visible=False
        )
        self._flow.addWidget(self.clear)

    def set_condition(self, key: str, title: str, choices: Mapping[str, str]) -> None:
        """Offer a condition; one that has fewer than two choices is hidden."""
        if key not in self.buttons:
            button = self.buttons[key] = ChoiceButton(title)
            button.changed.connect(self._emit_changed)
            self._flow.removeWidget(self.clear)
            self._flow.addWidget(button)
            self._flow.addWidget(self.clear)
        self.buttons[key].set_choices(choices)

    def ticked_keys(self, key: str) -> frozenset[str]:
        """Return what is ticked of a condition."""
        button = self.buttons.get(key)
        return button.ticked_keys() if button else frozenset()

    def reset(self) -> None:
        """Ask for no condition and no words."""
        self._quiet = True
        for button in self.buttons.values():
            button.set_ticked(())
        self._quiet = False
        self.search.clear()
        self._emit_changed()

    def _emit_changed(self) -> None:
        if not self._quiet:
            self.clear.setVisible(any(button.ticked_keys() for button in self.buttons.values()))
            self._flow.invalidate()
            self.changed.emit()
