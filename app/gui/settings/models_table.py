"""The table of all models and optional parts, by use, and the panel of the selected one with its state and actions."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.form.controls import line_edit, push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_column, make_row
from widgets.progress_bars import ProgressBar
from widgets.text_labels import PlainLabel, plain_tip
from widgets.theme import icon

_LINES = 4
_MIN_SOURCE_CHARS = 40
_FETCH_TIP = tr("Fetch it over the network now; nothing is fetched unless you press this")


@dataclass(frozen=True, slots=True)
class ModelDetails:
    """What the panel shows of a model.

    Attributes:
        lines: what to know of it, a sentence or two each.
        sources: (key, text) of where it can be fetched from; none where a lab brings it.
        fetch: what the button that fetches says, with the size.
        refusal: why it cannot or need not be fetched now; "" where it can.
        folder, file: whether it can be added from a folder, from a file.
        is_own: whether a lab brings it, under a licence that has to be said.
        can_verify: whether it is there and has checksums.
        left: whether something of it is there that can be removed.
        is_busy: whether a job of it runs or waits, or it is being checked; either can be cancelled.
    """

    key: str
    title: str
    lines: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]
    fetch: str
    refusal: str
    folder: bool
    file: bool
    is_own: bool
    can_verify: bool
    left: bool
    is_busy: bool


class ModelPanel(QFrame):
    """Says what a model is and asks for what somebody wants done with it.

    Signals:
        fetch_requested (str, str): model, source.
        folder_requested (str, str): model, licence: add it from a folder.
        file_requested (str, str): model, licence: add it from a file.
        verify_requested (str): model.
        remove_requested (str): model.
        cancel_requested (str): model.
    """

    fetch_requested = Signal(str, str)
    folder_requested = Signal(str, str)
    file_requested = Signal(str, str)
    verify_requested = Signal(str)
    remove_requested = Signal(str)
    cancel_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._key = ""
        self._own = False
        self.title = PlainLabel(font=theme.font(semibold=True))
        self.lines = PlainLabel(
            wordWrap=True,
            textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            accessibleName=tr("About the chosen model"),
            alignment=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft,
        )
        # As high as most texts need, so that the table does not jump while somebody looks through it.
        self.lines.setMinimumHeight(_LINES * self.fontMetrics().lineSpacing())
        self.bar = ProgressBar(textVisible=False)
        self.bar.setFixedHeight(4)
        self._make_controls()
        self.setLayout(make_column(self.title, self.lines, self.bar, self._row(), spacing=theme.GRID // 2))
        self.set_progress(None)

    def show_model(self, shown: ModelDetails) -> None:
        """Show a model; a licence that was typed stays while the model stays."""
        if shown.key != self._key:
            self.licence.clear()
            self.show_remove_confirmation(False)
            self.set_progress(None)
        self._key, self._own = shown.key, shown.is_own
        self.title.setText(shown.title)
        self.lines.setText("\n".join(shown.lines))
        chosen = self.source.currentData()
        self.source.clear()
        for key, text in shown.sources:
            self.source.addItem(text, key)
        self.source.choose(chosen)
        self.source.setVisible(len(shown.sources) > 1 and not shown.is_busy and not shown.refusal)
        self.licence.setVisible(shown.is_own)
        self.fetch.setText(shown.fetch)
        self.fetch.setVisible(bool(shown.sources) and not shown.is_busy)
        self.fetch.setEnabled(not shown.refusal)
        self.fetch.setToolTip(
            plain_tip(shown.refusal or tr("Fetch it over the network now; nothing is fetched unless you press this"))
        )
        self.cancel.setVisible(shown.is_busy)
        self.folder.setVisible(shown.folder)
        self.file.setVisible(shown.file)
        self.folder.setEnabled(not shown.is_busy)
        self.file.setEnabled(not shown.is_busy)
        self.verify.setEnabled(shown.can_verify and not shown.is_busy)
        self.remove.setEnabled(shown.left and not shown.is_busy)
        if shown.is_busy or not shown.left:
            self.show_remove_confirmation(False)

    def set_progress(self, share: float | None) -> None:
        """Show how far the work on the model is, 0 to 1; None hides the bar."""
        self.bar.show_value(round(1000 * (share or 0)), 1000)
        # The bar keeps its place, so that nothing jumps.
        self.bar.setProperty("idle", share is None)
        self.bar.setStyleSheet("QProgressBar { background: transparent; border: none; }" if share is None else "")

    def show_remove_confirmation(self, asking: bool) -> None:
        """Show or hide the button that removes."""
        self.sure.setVisible(asking)

    def _make_controls(self) -> None:
        # Its longest text must not widen the window.
        self.source = ChoiceBox(tr("Source"), tr("Where it is fetched from"), compact=True)
        self.source.setMinimumContentsLength(_MIN_SOURCE_CHARS)
        self.licence = line_edit(
            tr("Licence"),
            tr("Licence, in your words"),
            tr("Under which licence you may use the model that you bring; it is kept beside it"),
        )
        self.fetch = push_button(
            "", do=lambda: self.fetch_requested.emit(self._key, self.source.currentData() or ""), look="primary"
        )
        self.cancel = push_button(
            tr("&Cancel"),
            tr("Stop; what has arrived is kept, and the next fetch goes on from there"),
            lambda: self.cancel_requested.emit(self._key),
        )
        self.folder = push_button(
            tr("Add from f&older…"),
            tr("Copy it from a folder on this machine or a stick, and check it"),
            lambda: self._request_add(self.folder_requested),
        )
        self.file = push_button(
            tr("Add from fi&le…"),
            tr("Copy it from a file on this machine or a stick, and check it"),
            lambda: self._request_add(self.file_requested),
        )
        self.verify = push_button(
            tr("&Verify"),
            tr("Compare every file with its checksum"),
            lambda: self.verify_requested.emit(self._key),
        )
        self.remove = push_button(
            tr("&Remove"),
            tr("Delete it from this machine, with what an unfinished fetch has left"),
            lambda: self.show_remove_confirmation(True),
        )
        self.sure = push_button(
            tr("Remove for good"), tr("Delete it now"), lambda: self.remove_requested.emit(self._key)
        )
        # Until a model is shown, these would make the window as wide as all of them together.
        for seldom in (self.licence, self.cancel, self.sure):
            seldom.hide()

    def _row(self) -> QHBoxLayout:
        # The one that deletes does not come up where the mouse is after asking for it.
        away = (self.sure, self.verify, self.remove)
        return make_row(self.fetch, self.cancel, self.source, self.licence, 1, self.folder, self.file, None, *away)

    def _request_add(self, wanted: SignalInstance) -> None:
        """Ask for the model, or first for the licence where it has to be said."""
        licence = self.licence.text().strip()
        if self._own and not licence:
            self.licence.setFocus(Qt.FocusReason.OtherFocusReason)
            self.licence.setPlaceholderText(tr("Say the licence first, in your words"))
            return
        wanted.emit(self._key, licence)


COLUMNS = (tr("Model"), tr("State"), tr("Size"), tr("Licence"), tr("What it is for"), tr("Where it is used"))
_STATE, _SIZE, _LICENCE, _PURPOSE, _USED = range(1, 6)
_WIDTHS = (208, 144, 100, 108)
_MIN_USED_WIDTH = 200
"""Pixels that the column of where a model is used gets in any case."""
_KEY_ROLE = Qt.ItemDataRole.UserRole


class ModelState(StrEnum):
    """How it stands with a model, told apart by icon, colour and word."""

    ABSENT = "absent"
    PARTLY = "partly"
    INSTALLED = "installed"
    DAMAGED = "damaged"
    BUSY = "busy"


_ICONS: dict[ModelState, tuple[str, str | None]] = {
    ModelState.ABSENT: ("circle-dashed", "muted"),
    ModelState.PARTLY: ("circle-dashed", "uncertain"),
    ModelState.INSTALLED: ("circle-check", "competence"),
    ModelState.DAMAGED: ("circle-x", "error"),
    ModelState.BUSY: ("loader", None),
}


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model.

    Attributes:
        key: tells it from the others.
        state_text: its state in a word or two.
        size: on disk where it is there, else of what would be fetched; "" where a lab brings it.
    """

    key: str
    state: ModelState
    state_text: str
    size: str
    licence: str
    purpose: str
    used_in: str


@dataclass(frozen=True, slots=True)
class ModelGroup:
    """The models of one use."""

    key: str
    title: str
    rows: tuple[ModelRow, ...]


class ModelsTable(QTreeWidget):
    """Shows the models; changes nothing.

    Signals:
        model_chosen (str): key of the model that is now chosen.
    """

    model_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: dict[str, QTreeWidgetItem] = {}
        self._closed: set[str] = set()
        self.setAccessibleName(tr("Models"))
        self.setHeaderLabels(list(COLUMNS))
        self.setUniformRowHeights(True)
        self.setIndentation(theme.GRID * 2)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(_WIDTHS):
            self.setColumnWidth(column, width)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(_PURPOSE, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(_USED, QHeaderView.ResizeMode.Fixed)
        self.itemCollapsed.connect(lambda item: self._closed.add(item.data(0, _KEY_ROLE)))
        self.itemExpanded.connect(lambda item: self._closed.discard(item.data(0, _KEY_ROLE)))
        self.currentItemChanged.connect(lambda *_: self.model_chosen.emit(self.current_key()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._distribute_width()

    def _distribute_width(self) -> None:
        """Give what a model is for, a sentence, its room first, then where it is used, then a long licence."""
        licence, purpose, used = (self.sizeHintForColumn(column) for column in (_LICENCE, _PURPOSE, _USED))
        room = self.viewport().width() - sum(self.columnWidth(column) for column in range(_LICENCE)) - purpose
        used = min(used, max(_MIN_USED_WIDTH, room - _WIDTHS[_LICENCE]))
        self.setColumnWidth(_USED, used)
        self.setColumnWidth(_LICENCE, max(_WIDTHS[_LICENCE], min(licence, room - used)))

    def set_groups(self, groups: Sequence[ModelGroup]) -> None:
        """Show these; what was folded stays folded, and the place and the choice are kept."""
        top, current = self.verticalScrollBar().value(), self.current_key()
        self.blockSignals(True)
        self.clear()
        self._items = {}
        for group in groups:
            there = sum(row.state is ModelState.INSTALLED for row in group.rows)
            head = QTreeWidgetItem(
                [
                    tr("{title} ({there} of {rows} installed)").format(
                        title=group.title, there=there, rows=len(group.rows)
                    )
                ]
            )
            head.setData(0, _KEY_ROLE, group.key)
            head.setFont(0, theme.font(semibold=True))
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            head.setSizeHint(0, QSize(0, theme.GRID * 7 // 2))
            self.addTopLevelItem(head)
            head.setFirstColumnSpanned(True)
            for row in group.rows:
                # The space keeps the figures, which stand on the right, apart from the next column.
                size = f"{row.size}\u2003" if row.size else ""
                item = QTreeWidgetItem([row.key, row.state_text, size, row.licence, row.purpose, row.used_in])
                item.setData(0, _KEY_ROLE, row.key)
                item.setTextAlignment(_SIZE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                for column in range(len(COLUMNS)):
                    item.setToolTip(column, plain_tip(item.text(column).strip()))
                item.setIcon(_STATE, icon(*_ICONS[row.state]))
                head.addChild(item)
                self._items[row.key] = item
            head.setExpanded(group.key not in self._closed)
        if current in self._items:
            self.setCurrentItem(self._items[current])
        self.blockSignals(False)
        self._distribute_width()
        self.verticalScrollBar().setValue(top)

    def show_state(self, key: str, state: ModelState, said: str) -> None:
        """Show another state of one model."""
        item = self._items.get(key)
        if item is not None:
            item.setText(_STATE, said)
            item.setToolTip(_STATE, plain_tip(said))
            item.setIcon(_STATE, icon(*_ICONS[state]))

    def choose(self, key: str) -> None:
        """Choose a model."""
        if key in self._items:
            self.setCurrentItem(self._items[key])

    def current_key(self) -> str:
        """Return the key of the chosen model, or ""."""
        item = self.currentItem()
        return str(item.data(0, _KEY_ROLE)) if item is not None and item.parent() is not None else ""

    def texts(self) -> dict[str, tuple[str, ...]]:
        """Return what is shown of each model, by its key."""
        return {
            key: tuple(item.text(column).strip() for column in range(len(COLUMNS))) for key, item in self._items.items()
        }
