"""Typing in a line of the transcript: the field comes, goes, fits its text and stays where its line is."""

import re

from PySide6.QtCore import QModelIndex, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtWidgets import QListView, QStyleOptionViewItem

from project.transcript import retimed
from widgets.transcript.delegate import LineDelegate
from widgets.transcript.editor import WordsEditor
from widgets.transcript.model import TranscriptModel

_PAUSE_MS = 500
"""How long typing pauses before it is kept."""
_WORD = re.compile(r"\S+")
_CLOSING = re.compile(r"[^\w\s]+(?=\s)")
"""What closes a word stays with it when the cursor stands before it."""


class Typing(QObject):
    """One field, over one line at a time. What its signals are for is told by `TranscriptView`.

    Signals:
        accepted: Return: what was typed is kept, and somebody wants to go on.

    Attributes:
        editing: the utterance that is typed in, or "".
    """

    typed = Signal(str, str)
    saved = Signal(str, str, bool)
    given_up = Signal(str)
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
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        editor = self._editor
        self._pause.timeout.connect(self.keep)
        editor.textChanged.connect(self._text_changed)
        editor.accepted.connect(self._accept)
        editor.taken_back.connect(self._take_back)
        editor.cancelled.connect(self._cancel)
        editor.split_wanted.connect(self._split)
        editor.merge_wanted.connect(self._merge_back)
        editor.replay_wanted.connect(self.replay_requested)
        editor.doubt_wanted.connect(self._select_doubtful)
        editor.left.connect(self.leave)
        editor.paused.connect(self.keep)
        view.verticalScrollBar().valueChanged.connect(lambda _value: self.place())
        lines.rowsInserted.connect(lambda: self.place())
        lines.rowsRemoved.connect(lambda: self.place())
        lines.dataChanged.connect(self._renew)

    def begin(self, utterance_id: str, at: int | None) -> None:
        """Put the field over a line, the cursor before a character, or all selected where it is None."""
        row = self._lines.row(utterance_id)
        self.editing = utterance_id
        self._kept = self._lines.lines[row].said.text
        self._editor.blockSignals(True)
        self._editor.begin(self._kept, at)
        self._editor.blockSignals(False)
        self._editor.show()
        self.place()
        self.fit()
        self._view.scrollTo(self._lines.index(row))
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Keep what was typed and stop typing."""
        self._end(False)

    def _end(self, read: bool) -> None:
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
            self.fit()

    def keep(self) -> None:
        """Keep what was typed so far; typing may go on."""
        self._pause.stop()
        text = self._editor.toPlainText()
        if self.editing and text != self._kept:
            self._kept = text
            self.typed.emit(self.editing, text)

    def _accept(self) -> None:
        self._end(True)
        self.accepted.emit()

    def _take_back(self) -> None:
        """What was kept meanwhile goes too; typing may go on."""
        self._pause.stop()
        self._kept = self._editor.toPlainText()
        self.given_up.emit(self.editing)

    def _cancel(self) -> None:
        utterance_id = self.editing
        self._close_editor()
        self.given_up.emit(utterance_id)

    def _split(self) -> None:
        utterance_id = self.editing
        before, after = self._editor.halves()
        closing = _CLOSING.match(after)
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
        text, after = self._editor.toPlainText(), len(self._editor.halves()[0])
        said = line.said
        words = retimed(said.words, text, said.start_us, said.end_us)
        below = self._delegate.moment.doubtful_below
        spans = [
            found.span()
            for found, word in zip(_WORD.finditer(text), words, strict=False)
            if word.confidence is not None and word.confidence < below
        ]
        span = next((one for one in spans if one[1] > after), spans[0] if spans else None)
        if span is not None:
            self._editor.select_span(*span)

    def fit(self) -> None:
        """Let the line be as high as the text needs."""
        height = self._editor.wanted_height()
        if self.editing and self._delegate.moment.typed != (self.editing, height):
            self._delegate.moment.typed = (self.editing, height)
            self._resize(self._lines.row(self.editing))
        self.place()

    def place(self) -> None:
        """Put the field where its line is."""
        row = self._lines.row(self.editing)
        if row < 0:
            if self.editing:
                self._close_editor()
            return
        area = self._delegate.geometry.text_area(self._view.visualRect(self._lines.index(row)))
        self._editor.setGeometry(QRect(area.left() - 8, area.top() - 2, area.width() + 12, area.height() + 4))

    def _renew(self, first: QModelIndex, last: QModelIndex) -> None:
        """Take in what was changed elsewhere, undo for one, also in the line that is typed in."""
        for row in range(first.row(), last.row() + 1):
            self._resize(row, later=True)
        row = self._lines.row(self.editing)
        if first.row() <= row <= last.row():
            text = self._lines.lines[row].said.text
            # What was typed is kept with fewer blanks; the cursor stays where it is.
            if text.split() != self._kept.split():
                self._kept = text
                self._editor.begin(text, len(text))

    def _resize(self, row: int, *, later: bool = False) -> None:
        """Lay the lines out anew where one needs another height than it has: with thousands, that takes a moment."""
        if row < 0:
            return
        before = self._delegate.heights.get(self._lines.lines[row].said.id)
        if self._delegate.sizeHint(QStyleOptionViewItem(), self._lines.index(row)).height() == before:
            return
        if later:
            self._view.scheduleDelayedItemsLayout()
        else:
            self._view.doItemsLayout()
