"""The list of utterances: follows playback, and edits the text of a line in place."""

import re
from collections.abc import Iterable, Mapping

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QPlainTextEdit, QStyleOptionViewItem, QWidget

from app.gui.transcript.utterance_delegate import LineDelegate, TranscriptModel, accessible_text
from app.gui.transcript.utterance_layout import TEXT_POINTS
from project.entities.transcript import realign_words
from resources.translation import tr
from widgets import theme

_RETURN_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_PAUSING_FOCUS_REASONS = frozenset({Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason})


class WordsEditor(QPlainTextEdit):
    """One line of text that wraps. What its keys mean is said by signals; what is typed can be undone in it.

    Signals:
        accepted: Return: the text is right, go on.
        reverted: Esc: it was better before; the old text stands there again.
        cancelled: Esc once more: stop typing.
        split_requested: Shift+Return: cut the utterance at the cursor.
        merge_requested: Backspace at the very start: join it to the one before.
        replay_requested: Tab: let it be heard again.
        next_doubt_requested: Ctrl+D: select the next doubtful word.
        left: the focus went elsewhere for good.
        paused: the focus went elsewhere for a moment.
    """

    accepted = Signal()
    reverted = Signal()
    cancelled = Signal()
    split_requested = Signal()
    merge_requested = Signal()
    replay_requested = Signal()
    next_doubt_requested = Signal()
    left = Signal()
    paused = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(theme.font(TEXT_POINTS))
        self.document().setDocumentMargin(1)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Text of the utterance"))
        self._old = ""
        self.hide()

    def begin(self, text: str, at: int | None) -> None:
        """Take a text, with the cursor before one of its characters, or all selected."""
        self._old = text
        self.setPlainText(text)
        cursor = self.textCursor()
        if at is None:
            cursor.select(QTextCursor.SelectionType.Document)
        else:
            cursor.setPosition(_utf16_length(text[:at]))
        self.setTextCursor(cursor)

    def is_edited(self) -> bool:
        """Tell whether another text is being typed."""
        return self.toPlainText() != self._old

    def discard(self) -> None:
        """Show the text as it was before somebody typed."""
        self.begin(self._old, len(self._old))
        self.reverted.emit()

    def split_at_cursor(self) -> tuple[str, str]:
        """Return the text before and after the cursor."""
        text = self.toPlainText()
        units, at = self.textCursor().position(), 0
        while at < len(text) and units > 0:
            units -= _utf16_length(text[at])
            at += 1
        return text[:at], text[at:]

    def select_span(self, start: int, end: int) -> None:
        """Select from one character to another."""
        text, cursor = self.toPlainText(), self.textCursor()
        cursor.setPosition(_utf16_length(text[:start]))
        cursor.setPosition(_utf16_length(text[:end]), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def content_height(self) -> int:
        """Return how high it must be to show all its lines."""
        return round(self.document().size().height() * self.fontMetrics().lineSpacing()) + 8

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Tab, *_RETURN_KEYS) or _is_next_doubt_key(event):
                event.accept()
                return True
            undone = event.matches(QKeySequence.StandardKey.Undo) and not self.document().isUndoAvailable()
            redone = event.matches(QKeySequence.StandardKey.Redo) and not self.document().isRedoAvailable()
            if undone or redone:
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        at_start = self.textCursor().position() == 0 and not self.textCursor().hasSelection()
        if event.key() in _RETURN_KEYS:
            (self.split_requested if shift else self.accepted).emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        elif _is_next_doubt_key(event):
            self.next_doubt_requested.emit()
        elif event.key() == Qt.Key.Key_Tab:
            self.replay_requested.emit()
        elif event.key() == Qt.Key.Key_Backspace and at_start and not event.isAutoRepeat():
            self.merge_requested.emit()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, _next: bool) -> bool:
        return False

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.insertPlainText(" ".join(source.text().split()))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        (self.paused if event.reason() in _PAUSING_FOCUS_REASONS else self.left).emit()


def _is_next_doubt_key(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_D and event.modifiers() == Qt.KeyboardModifier.ControlModifier


def _utf16_length(text: str) -> int:
    """Return the length as Qt counts it: characters outside the basic plane count twice."""
    return len(text.encode("utf-16-le")) // 2


_TYPING_PAUSE_MS = 500
"""How long typing pauses before it is kept."""
_WORD = re.compile(r"\S+")
_CLOSING_PUNCTUATION = re.compile(r"[^\w\s]+(?=\s)")
"""What closes a word stays with it when the cursor stands before it."""


class TranscriptLineEditor(QObject):
    """One field, over one line at a time. What its signals are for is told by `TranscriptView`.

    Signals:
        accepted: Return: what was typed is kept, and somebody wants to go on.

    Attributes:
        editing: the utterance that is typed in, or "".
    """

    text_typed = Signal(str, str)
    saved = Signal(str, str, bool)
    cancelled = Signal(str)
    accepted = Signal()
    split_requested = Signal(str, str, str)
    merge_back_requested = Signal(str, str)
    replay_requested = Signal()

    def __init__(self, view: QListView, lines: TranscriptModel, delegate: LineDelegate) -> None:
        super().__init__(view)
        self._view = view
        self._lines = lines
        self._delegate = delegate
        self.editing = ""
        self._kept = ""
        self._editor = WordsEditor(view.viewport())
        self._pause = QTimer(self, singleShot=True, interval=_TYPING_PAUSE_MS)
        editor = self._editor
        self._pause.timeout.connect(self.autosave)
        editor.textChanged.connect(self._text_changed)
        editor.accepted.connect(self._accept)
        editor.reverted.connect(self._revert)
        editor.cancelled.connect(self._cancel)
        editor.split_requested.connect(self._split)
        editor.merge_requested.connect(self._merge_back)
        editor.replay_requested.connect(self.replay_requested)
        editor.next_doubt_requested.connect(self._select_doubtful)
        editor.left.connect(self.finish_editing)
        editor.paused.connect(self.autosave)
        view.verticalScrollBar().valueChanged.connect(lambda _value: self.place_editor())
        lines.rowsInserted.connect(lambda: self.place_editor())
        lines.rowsRemoved.connect(lambda: self.place_editor())
        lines.dataChanged.connect(self._on_rows_changed)

    def begin(self, utterance_id: str, at: int | None) -> None:
        """Put the field over a line, the cursor before a character, or all selected where it is None."""
        row = self._lines.row(utterance_id)
        self.editing = utterance_id
        self._kept = self._lines.lines[row].utterance.text
        self._editor.blockSignals(True)
        self._editor.begin(self._kept, at)
        self._editor.blockSignals(False)
        self._editor.show()
        self.place_editor()
        self.fit_height()
        self._view.scrollTo(self._lines.index(row))
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def finish_editing(self) -> None:
        """Keep what was typed and stop typing."""
        self._finish(False)

    def _finish(self, read: bool) -> None:
        if self.editing:
            utterance_id, text = self.editing, self._editor.toPlainText()
            self._close_editor()
            self.saved.emit(utterance_id, text, read)

    def _close_editor(self) -> None:
        had_focus = self._editor.hasFocus()
        row = self._lines.row(self.editing)
        self._pause.stop()
        self.editing = ""
        self._delegate.moment.typed = ("", 0)
        self._editor.hide()
        self._resize(row)
        if had_focus:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _text_changed(self) -> None:
        if self.editing:
            self._pause.start()
            self.fit_height()

    def autosave(self) -> None:
        """Keep what was typed so far; typing may go on."""
        self._pause.stop()
        text = self._editor.toPlainText()
        if self.editing and text != self._kept:
            self._kept = text
            self.text_typed.emit(self.editing, text)

    def _accept(self) -> None:
        self._finish(True)
        self.accepted.emit()

    def _revert(self) -> None:
        """What was kept meanwhile goes too; typing may go on."""
        self._pause.stop()
        self._kept = self._editor.toPlainText()
        self.cancelled.emit(self.editing)

    def _cancel(self) -> None:
        utterance_id = self.editing
        self._close_editor()
        self.cancelled.emit(utterance_id)

    def _split(self) -> None:
        utterance_id = self.editing
        before, after = self._editor.split_at_cursor()
        closing = _CLOSING_PUNCTUATION.match(after)
        if closing is not None:
            before, after = before + closing.group(), after[closing.end() :]
        if before.strip() and after.strip():
            self._close_editor()
            self.split_requested.emit(utterance_id, before, after)

    def _merge_back(self) -> None:
        utterance_id, text = self.editing, self._editor.toPlainText()
        if self._lines.row(utterance_id) > 0:
            self._close_editor()
            self.merge_back_requested.emit(utterance_id, text)

    def _select_doubtful(self) -> None:
        """Select the next doubtful word of the text as it stands now, round from the start after the last."""
        line = self._lines.line(self.editing)
        if line is None:
            return
        text, after = self._editor.toPlainText(), len(self._editor.split_at_cursor()[0])
        said = line.utterance
        words = realign_words(said.words, text, said.start_us, said.end_us)
        below = self._delegate.moment.doubtful_below
        spans = [
            found.span()
            for found, word in zip(_WORD.finditer(text), words, strict=False)
            if word.confidence is not None and word.confidence < below
        ]
        span = next((doubtful_span for doubtful_span in spans if doubtful_span[1] > after), spans[0] if spans else None)
        if span is not None:
            self._editor.select_span(*span)

    def fit_height(self) -> None:
        """Let the line be as high as the text needs."""
        height = self._editor.content_height()
        if self.editing and self._delegate.moment.typed != (self.editing, height):
            self._delegate.moment.typed = (self.editing, height)
            self._resize(self._lines.row(self.editing))
        self.place_editor()

    def place_editor(self) -> None:
        """Put the field where its line is."""
        row = self._lines.row(self.editing)
        if row < 0:
            if self.editing:
                self._close_editor()
            return
        area = self._delegate.geometry.text_area(self._view.visualRect(self._lines.index(row)))
        self._editor.setGeometry(QRect(area.left() - 8, area.top() - 2, area.width() + 12, area.height() + 4))

    def _on_rows_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        """Take in what was changed elsewhere, undo for one, also in the line that is typed in."""
        for row in range(first.row(), last.row() + 1):
            self._resize(row, later=True)
        row = self._lines.row(self.editing)
        if first.row() <= row <= last.row():
            text = self._lines.lines[row].utterance.text
            # What was typed is kept with fewer blanks; the cursor stays where it is.
            if text.split() != self._kept.split():
                self._kept = text
                self._editor.begin(text, len(text))

    def _resize(self, row: int, *, later: bool = False) -> None:
        """Lay the lines out again where one needs another height than it has: with thousands, that takes a moment."""
        if row < 0:
            return
        before = self._delegate.heights.get(self._lines.lines[row].utterance.id)
        if self._delegate.sizeHint(QStyleOptionViewItem(), self._lines.index(row)).height() == before:
            return
        if later:
            self._view.scheduleDelayedItemsLayout()
        else:
            self._view.doItemsLayout()


_PLAIN_MODIFIERS = Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.KeypadModifier


class TranscriptView(QListView):
    """Shows a `TranscriptModel`. While something plays, the list keeps up, unless somebody scrolled elsewhere.

    Signals:
        selection_changed (list[str]): utterances that somebody selected; the last one is the current one.
        seek_requested (int): microseconds, of a word or the start of a line that was clicked or walked to.
        text_typed (str, str): utterance and the text so far, whenever typing pauses.
        editing_started (str): somebody is about to type in this utterance.
        saved (str, str, bool): utterance and its text, when typing is over; whether it was found right as it is.
        cancelled (str): the utterance is to be as it was before somebody typed.
        advanced: Return led to an utterance to type in.
        split_requested (str, str, str): utterance, the text before the cursor, and that after it.
        merge_back_requested (str, str): utterance and its text: join it to the one before.
        replay_requested: let the current utterance be heard again.
        menu_requested (QPoint): on the screen.
    """

    selection_changed = Signal(object)
    seek_requested = Signal(object)
    text_typed = Signal(str, str)
    editing_started = Signal(str)
    saved = Signal(str, str, bool)
    cancelled = Signal(str)
    advanced = Signal()
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
        self._typing = typing = TranscriptLineEditor(self, model, self._delegate)
        typing.text_typed.connect(self.text_typed)
        typing.saved.connect(self.saved)
        typing.cancelled.connect(self.cancelled)
        typing.accepted.connect(self._edit_next)
        typing.split_requested.connect(self.split_requested)
        typing.merge_back_requested.connect(self.merge_back_requested)
        typing.replay_requested.connect(self.replay_requested)
        self.selectionModel().selectionChanged.connect(self._emit_selection)
        self.verticalScrollBar().sliderPressed.connect(self._stop_following)
        theme.notifier.changed.connect(self._follow_theme)

    def _follow_theme(self) -> None:
        self._delegate.measure()
        self.scheduleDelayedItemsLayout()
        self.viewport().update()

    # What is selected

    def current(self) -> str:
        """Return the utterance that keys are about, or ""."""
        row = self.currentIndex().row()
        return self._lines.lines[row].utterance.id if 0 <= row < len(self._lines.lines) else ""

    def selected(self) -> list[str]:
        """Return the selected utterances in the order of time."""
        rows = sorted(index.row() for index in self.selectionModel().selectedIndexes())
        return [self._lines.lines[row].utterance.id for row in rows]

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
        self.finish_editing()
        chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(self._lines.index(row), chosen)
        self.scrollTo(self._lines.index(row))
        self.seek_requested.emit(self._lines.lines[row].utterance.start_us)

    def step(self, by: int) -> bool:
        """Go to the next or the previous utterance; returns whether there is one."""
        row = self._lines.row(self.current()) + by
        if not 0 <= row < len(self._lines.lines):
            return False
        self.go_to(self._lines.lines[row].utterance.id)
        return True

    def _emit_selection(self) -> None:
        if self._quiet:
            return
        current = self.current()
        ids = self.selected()
        if current in ids:
            ids = [*(line_id for line_id in ids if line_id != current), current]
        line = self._lines.line(current)
        if line is not None:
            self.setAccessibleDescription(accessible_text(line))
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))
        self.selection_changed.emit(ids)

    # What is lit

    def set_spoken(self, utterance_id: str, word: int) -> None:
        """Light the word that is spoken; the list keeps up with it."""
        before, self.moment.spoken = self.moment.spoken, (utterance_id, word)
        if before == self.moment.spoken:
            return
        for line_id in {before[0], utterance_id}:
            self._repaint(line_id)
        if utterance_id and utterance_id != before[0]:
            self._follow(utterance_id)

    def resume_following(self) -> None:
        """Keep up with what is spoken from now on, wherever somebody scrolled before."""
        self._follows = True

    def set_matches(self, found: Mapping[str, list[tuple[int, int]]], place: tuple[str, int]) -> None:
        """Show what a search found, and which place is the one to go on from."""
        self.moment.matches, self.moment.current_match = found, place
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
        if self.editing_id:
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
            self.finish_editing()

    @property
    def editing_id(self) -> str:
        """The utterance that is typed in, or ""."""
        return self._typing.editing

    def edit_text(self, utterance_id: str, at: int | None = 0) -> None:
        """Let somebody type in an utterance, the cursor before a character, or all selected where it is None."""
        if self._lines.line(utterance_id) is None or not self._writable:
            return
        self.finish_editing()
        if self.current() != utterance_id or self.selected() != [utterance_id]:
            chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(self._lines.index(self._lines.row(utterance_id)), chosen)
        self.editing_started.emit(utterance_id)
        self._typing.begin(utterance_id, at)

    def finish_editing(self) -> None:
        """Keep what was typed and stop typing."""
        self._typing.finish_editing()

    def autosave(self) -> None:
        """Keep what was typed so far; typing may go on."""
        self._typing.autosave()

    def _edit_next(self) -> None:
        if self.step(1):
            self.edit_text(self.current(), 0)
            self.advanced.emit()

    # Events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if (
            index.isValid()
            and event.button() == Qt.MouseButton.LeftButton
            and event.modifiers() | _PLAIN_MODIFIERS == _PLAIN_MODIFIERS
        ):
            line = self._lines.lines[index.row()]
            word = self._word_index(index, event.position().toPoint())
            self.seek_requested.emit(line.timed_words[word].start_us if word >= 0 else line.utterance.start_us)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            line = self._lines.lines[index.row()]
            word = self._word_index(index, event.position().toPoint())
            found = list(_WORD.finditer(line.utterance.text))
            self.edit_text(line.utterance.id, found[word].start() if 0 <= word < len(found) else 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() | _PLAIN_MODIFIERS == _PLAIN_MODIFIERS
        if event.key() in _RETURN_KEYS and plain and self.current():
            self.edit_text(self.current())
            self.advanced.emit()
        elif event.key() == Qt.Key.Key_Tab and plain:
            self.replay_requested.emit()
        else:
            before = self.current()
            super().keyPressEvent(event)
            line = self._lines.line(self.current())
            if line is not None and self.current() != before and plain:
                self.seek_requested.emit(line.utterance.start_us)

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
        if self.editing_id:
            self._typing.fit_height()

    def _word_index(self, index: QModelIndex, at: QPoint) -> int:
        line = self._lines.lines[index.row()]
        return self._delegate.geometry.word_at(line, self.visualRect(index), at.x(), at.y())
