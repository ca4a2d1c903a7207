"""What can be done to all selected segments at once."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QWidget, QWidgetAction

from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.number_boxes import IntegerBox
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_LONGEST_SHIFT_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Option:
    """One label or choice, and how many of the selected segments it fits."""

    key: str
    name: str
    fits: int


@dataclass(frozen=True, slots=True)
class FieldOptions:
    """The choices of one field; `several` where more than one can be chosen."""

    key: str
    name: str
    choices: tuple[Option, ...]
    several: bool


class BulkBar(QWidget):
    """Says how many segments are selected and may be changed, and offers what fits them.

    Signals:
        label_chosen (str)
        choice_added (str, str): field and choice.
        choice_removed (str, str): field and choice.
        shift_requested (int): milliseconds, negative for earlier.
        delete_requested
        copy_requested
    """

    label_chosen = Signal(str)
    choice_added = Signal(str, str)
    choice_removed = Signal(str, str)
    shift_requested = Signal(int)
    delete_requested = Signal()
    copy_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: Sequence[Option] = ()
        self._fields: Sequence[FieldOptions] = ()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        self.count = PlainLabel()
        row.addWidget(self.count, 1)
        self.label = self._menu_button(
            tr("Set label"), tr("Give the selected segments another label"), self._fill_labels
        )
        self.add = self._menu_button(tr("Add"), tr("Add an attribute, or set a choice"), self._fill_add)
        self.remove = self._menu_button(tr("Remove"), tr("Take an attribute or a choice away"), self._fill_remove)
        self.shift = self._shift_button()
        self.delete = self._button(tr(" Delete"), tr("Delete the selected segments (Del)"))
        self.delete.setIcon(icon("trash-2"))
        self.delete.clicked.connect(self.delete_requested)
        self.copy = self._button(
            tr("Copy as CSV"), tr("Copy the rows for a spreadsheet: the selected ones, or all (Ctrl+C)")
        )
        self.copy.clicked.connect(self.copy_requested)
        self._edits = (self.label, self.add, self.remove, self.shift, self.delete)
        for button in (*self._edits, self.copy):
            row.addWidget(button)

    def set_selection(self, text: str, labels: Sequence[Option], fields: Sequence[FieldOptions], usable: bool) -> None:
        """Say what is selected, and offer what fits it; `usable` is whether anything may be changed."""
        self.count.setText(text)
        self._labels, self._fields = labels, fields
        for button in self._edits:
            button.setEnabled(usable)
        self.label.setEnabled(usable and bool(labels))
        self.add.setEnabled(usable and bool(fields))
        self.remove.setEnabled(usable and bool(fields))

    def _button(self, text: str, explained: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(plain_tip(explained))
        button.setAccessibleName(text.strip())
        return button

    def _menu_button(self, text: str, explained: str, fill: object) -> QPushButton:
        button = self._button(text, explained)
        menu = QMenu(button)
        menu.aboutToShow.connect(lambda: fill(menu))  # type: ignore[operator]
        button.setMenu(menu)
        return button

    def _shift_button(self) -> QPushButton:
        button = self._button("Shift", tr("Move the selected segments in time"))
        menu = QMenu(button)
        self.milliseconds = IntegerBox(minimum=-_LONGEST_SHIFT_MS, maximum=_LONGEST_SHIFT_MS, value=0, singleStep=40)
        self.milliseconds.setSuffix(tr(" ms"))
        self.milliseconds.setAccessibleName(tr("Shift by milliseconds; less than 0 is earlier"))
        self.milliseconds.setToolTip(tr("Less than 0 is earlier"))
        move = QPushButton(tr("Move"))
        move.setAccessibleName(tr("Move the selected segments"))
        move.setToolTip(tr("Move the selected segments by this much"))
        inside = QWidget()
        row = QHBoxLayout(inside)
        row.setContentsMargins(*[theme.GRID] * 4)
        row.addWidget(self.milliseconds)
        row.addWidget(move)
        held = QWidgetAction(menu)
        held.setDefaultWidget(inside)
        menu.addAction(held)
        button.setMenu(menu)

        def go() -> None:
            menu.close()
            if self.milliseconds.value():
                self.shift_requested.emit(self.milliseconds.value())

        move.clicked.connect(go)
        self.milliseconds.lineEdit().returnPressed.connect(go)
        menu.aboutToShow.connect(self.milliseconds.setFocus)
        return button

    def _fill_labels(self, menu: QMenu) -> None:
        menu.clear()
        for one in self._labels:
            menu.addAction(_said(one)).triggered.connect(lambda _=False, key=one.key: self.label_chosen.emit(key))

    def _fill_add(self, menu: QMenu) -> None:
        self._fill_fields(menu, self.choice_added)

    def _fill_remove(self, menu: QMenu) -> None:
        self._fill_fields(menu, self.choice_removed)

    def _fill_fields(self, menu: QMenu, chosen: object) -> None:
        menu.clear()
        for field in self._fields:
            part = menu.addMenu(field.name.replace("&", "&&"))
            for one in field.choices:
                part.addAction(_said(one)).triggered.connect(
                    lambda _=False, field=field.key, key=one.key: chosen.emit(field, key)  # type: ignore[attr-defined]
                )


def _said(option: Option) -> str:
    return f"{option.name} ({option.fits})".replace("&", "&&")
