"""The list of utterances: read along while it plays, corrected in its place."""

import re
from collections.abc import Iterable, Mapping

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from resources.translation import tr
from widgets import theme
from widgets.transcript.delegate import LineDelegate
from widgets.transcript.in_place import Typing
from widgets.transcript.model import TranscriptModel, told

_WORD = re.compile(r"\S+")
_RETURN = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_PLAIN = Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.KeypadModifier


class TranscriptView(QListView):
    """Shows a `TranscriptModel`. While something plays, the list keeps up, unless somebody scrolled elsewhere.

    Signals:
        chosen (list[str]): utterances that somebody selected; the last one is the current one.
        seek_requested (int): microseconds, of a word or the start of a line that was clicked or walked to.
        typed (str, str): utterance and the text so far, whenever typing pauses.
        began (str): somebody is about to type in this utterance.
        saved (str, str, bool): utterance and its text, when typing is over; whether it was found right as it is.
        given_up (str): the utterance is to be as it was before somebody typed.
        moved_on: Return led to an utterance to type in.
        split_requested (str, str, str): utterance, the text before the cursor, and that after it.
        merge_back_requested (str, str): utterance and its text: join it to the one before.
        replay_requested: let the current utterance be heard again.
        menu_requested (QPoint): on the screen.
    """

    chosen = Signal(object)
    seek_requested = Signal(object)
    typed = Signal(str, str)
    began = Signal(str)
    saved = Signal(str, str, bool)
    given_up = Signal(str)
    moved_on = Signal()
    split_requested = Signal(str, str, str)
    merge_back_requested = Signal(str, str)
    replay_requested = Signal()
    menu_requested = Signal(QPoint)

    def __init__(self, model: TranscriptModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = model
        self._writable = True
        self._follows = True
        self._quiet = False
        self.setModel(model)
        self._delegate = LineDelegate(model, self)
        self.setItemDelegate(self._delegate)
        self.moment = self._delegate.moment
        self.setAccessibleName(tr("Transcript"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMinimumHeight(120)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)
        self._typing = typing = Typing(self, model, self._delegate)
        typing.typed.connect(self.typed)
        typing.saved.connect(self.saved)
        typing.given_up.connect(self.given_up)
        typing.accepted.connect(self._go_on)
        typing.split_requested.connect(self.split_requested)
        typing.merge_back_requested.connect(self.merge_back_requested)
        typing.replay_requested.connect(self.replay_requested)
        self.selectionModel().selectionChanged.connect(self._tell)
        self.verticalScrollBar().sliderPressed.connect(self._stop_following)
        theme.notifier.changed.connect(self.viewport().update)

    # What is selected

    def current(self) -> str:
        """Return the utterance that keys are about, or ""."""
        row = self.currentIndex().row()
        return self._lines.lines[row].said.id if 0 <= row < len(self._lines.lines) else ""

    def selected(self) -> list[str]:
        """Return the selected utterances in the order of time."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return [self._lines.lines[row].said.id for row in rows]

    def select(self, ids: Iterable[str]) -> None:
        """Select exactly these utterances, without a signal; the last one becomes current and comes into sight."""
        rows = [row for row in map(self._lines.row, ids) if row >= 0]
        self._quiet = True
        self.clearSelection()
        for row in rows[:-1]:
            self.selectionModel().select(self._lines.index(row), QItemSelectionModel.SelectionFlag.Select)
        if rows:
            last = self._lines.index(rows[-1])
            self.selectionModel().setCurrentIndex(last, QItemSelectionModel.SelectionFlag.Select)
            self.scrollTo(last)
        self._quiet = False

    def go_to(self, utterance_id: str) -> None:
        """Make an utterance current, as if somebody had walked there."""
        row = self._lines.row(utterance_id)
        if row < 0:
            return
        self.leave_text()
        chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(self._lines.index(row), chosen)
        self.scrollTo(self._lines.index(row))
        self.seek_requested.emit(self._lines.lines[row].said.start_us)

    def go(self, by: int) -> bool:
        """Go to the next or the previous utterance; returns whether there is one."""
        row = self._lines.row(self.current()) + by
        if not 0 <= row < len(self._lines.lines):
            return False
        self.go_to(self._lines.lines[row].said.id)
        return True

    def _tell(self) -> None:
        if self._quiet:
            return
        current = self.current()
        ids = self.selected()
        if current in ids:
            ids = [*(one for one in ids if one != current), current]
        line = self._lines.line(current)
        if line is not None:
            self.setAccessibleDescription(told(line))
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))
        self.chosen.emit(ids)

    # What is lit

    def set_spoken(self, utterance_id: str, word: int) -> None:
        """Light the word that is spoken; the list keeps up with it."""
        before, self.moment.spoken = self.moment.spoken, (utterance_id, word)
        if before == self.moment.spoken:
            return
        for one in {before[0], utterance_id}:
            self._repaint(one)
        if utterance_id and utterance_id != before[0]:
            self._follow(utterance_id)

    def follow_again(self) -> None:
        """Keep up with what is spoken from now on, wherever somebody scrolled before."""
        self._follows = True

    def set_found(self, found: Mapping[str, list[tuple[int, int]]], place: tuple[str, int]) -> None:
        """Show what a search found, and which place is the one to go on from."""
        self.moment.found, self.moment.place = found, place
        row = self._lines.row(place[0])
        if row >= 0:
            self.scrollTo(self._lines.index(row))
        self.viewport().update()

    def set_doubtful_below(self, confidence: float) -> None:
        """Underline words that a model heard with less confidence than this."""
        self.moment.doubtful_below = confidence
        self.viewport().update()

    def _repaint(self, utterance_id: str) -> None:
        row = self._lines.row(utterance_id)
        if row >= 0:
            self.update(self._lines.index(row))

    def _follow(self, utterance_id: str) -> None:
        if self.editing:
            return
        index = self._lines.index(self._lines.row(utterance_id))
        rect, sight = self.visualRect(index), self.viewport().rect()
        if sight.contains(rect):
            self._follows = True
        elif self._follows and index.isValid():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + rect.top() - sight.height() // 4)

    def _stop_following(self) -> None:
        self._follows = False

    # Typing

    def set_writable(self, writable: bool) -> None:
        """Allow typing, or only reading."""
        self._writable = writable
        if not writable:
            self.leave_text()

    @property
    def editing(self) -> str:
        """The utterance that is typed in, or ""."""
        return self._typing.editing

    def edit_text(self, utterance_id: str, at: int | None = 0) -> None:
        """Let somebody type in an utterance, the cursor before a character, or all selected where it is None."""
        if self._lines.line(utterance_id) is None or not self._writable:
            return
        self.leave_text()
        if self.current() != utterance_id or self.selected() != [utterance_id]:
            chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(self._lines.index(self._lines.row(utterance_id)), chosen)
        self.began.emit(utterance_id)
        self._typing.begin(utterance_id, at)

    def leave_text(self) -> None:
        """Keep what was typed and stop typing."""
        self._typing.leave()

    def keep_text(self) -> None:
        """Keep what was typed so far; typing may go on."""
        self._typing.keep()

    def _go_on(self) -> None:
        if self.go(1):
            self.edit_text(self.current(), 0)
            self.moved_on.emit()

    # Events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton and event.modifiers() | _PLAIN == _PLAIN:
            line = self._lines.lines[index.row()]
            word = self._word(index, event.position().toPoint())
            self.seek_requested.emit(line.timed[word].start_us if word >= 0 else line.said.start_us)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            line = self._lines.lines[index.row()]
            word = self._word(index, event.position().toPoint())
            found = list(_WORD.finditer(line.said.text))
            self.edit_text(line.said.id, found[word].start() if 0 <= word < len(found) else 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() | _PLAIN == _PLAIN
        if event.key() in _RETURN and plain and self.current():
            self.edit_text(self.current())
            self.moved_on.emit()
        elif event.key() == Qt.Key.Key_Tab and plain:
            self.replay_requested.emit()
        else:
            before = self.current()
            super().keyPressEvent(event)
            line = self._lines.line(self.current())
            if line is not None and self.current() != before and plain:
                self.seek_requested.emit(line.said.start_us)

    def event(self, event: QEvent) -> bool:
        # Tab would go to the next control before it comes to `keyPressEvent`.
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Tab and event.type() == QEvent.Type.KeyPress:
            self.keyPressEvent(event)
            return True
        return super().event(event)

    def keyboardSearch(self, _search: str) -> None:
        """Letters are keys of the mode; no line is searched for by its first word."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._stop_following()
        super().wheelEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.editing:
            self._typing.fit()

    def _word(self, index: QModelIndex, at: QPoint) -> int:
        line = self._lines.lines[index.row()]
        return self._delegate.geometry.word_at(line, self.visualRect(index), at.x(), at.y())
