"""Lights the word that is spoken, lets the list keep up, and plays utterances."""

from bisect import bisect_right

from PySide6.QtCore import QObject

from app.gui.context import Context
from app.gui.transcript.showing import Showing
from widgets.transcript.line import Line
from widgets.transcript.page import TranscriptPage

_AFTER_US = 120_000
"""How much is heard after an utterance: the ends of words are easily cut."""


class ReadingAlong(QObject):
    """Follows the playhead. While a recording plays on, the utterance that is spoken is the current one."""

    def __init__(self, context: Context, page: TranscriptPage, shown: Showing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self._starts: list[int] = []
        self._longest_us = 0
        self._line: Line | None = None
        self._word_starts: list[int] = []
        self._one_only = False
        shown.changed.connect(self._read)
        context.player.position_changed.connect(self._show)
        context.player.playing_changed.connect(self._playing)
        page.visible_changed.connect(lambda _on: self._show(context.player.position_us))
        page.view.seek_requested.connect(self._seek)
        page.view.replay_requested.connect(self.replay)
        page.view.moved_on.connect(self.play_on)
        self._read()

    def replay(self) -> None:
        """Let the current utterance be heard, from its start to its end, as often as wanted."""
        one = self._shown.current()
        player = self._context.player
        if one is not None:
            player.play_span(one.start_us, min(one.end_us + _AFTER_US, player.duration_us))
            self._one_only = player.playing

    def play_on(self) -> None:
        """Let the utterance that somebody went on to be heard, where that is wanted."""
        if self._page.plays_on:
            self.replay()

    def select_here(self) -> None:
        """Make the utterance current that is spoken at the playhead, or the next one after it, or the last."""
        lines, at = self._page.model.lines, self._context.player.position_us
        line = self._line_at(at) or next((one for one in lines if one.said.start_us >= at), lines[-1])
        self._context.studio.select_utterances([line.said.id])

    def step_word(self, by: int) -> None:
        """Go to the start of the next or the previous word."""
        at = self._context.player.position_us
        line = self._line_at(at) or self._page.model.line(self._page.view.current())
        if line is None:
            return
        starts = [word.start_us for word in line.timed]
        wanted = [one for one in starts if (one > at if by > 0 else one < at)]
        if wanted:
            self._context.playback.jump(wanted[0] if by > 0 else wanted[-1])
        else:
            self._page.view.go(by)

    def _read(self) -> None:
        lines = self._page.model.lines
        self._starts = [line.said.start_us for line in lines]
        self._longest_us = max((line.said.end_us - line.said.start_us for line in lines), default=0)
        self._line = None
        self._show(self._context.player.position_us)

    def _seek(self, time_us: int) -> None:
        self._page.view.follow_again()
        self._one_only = False
        self._context.playback.jump(time_us)

    def _playing(self, playing: bool) -> None:
        if playing:
            self._page.view.follow_again()
        else:
            self._one_only = False

    def _show(self, time_us: int) -> None:
        if not self._page.isVisible():
            return
        line = self._line_at(time_us)
        if line is None:
            self._page.view.set_spoken("", -1)
            return
        if line is not self._line:
            self._line = line
            self._word_starts = [word.start_us for word in line.timed]
        self._page.view.set_spoken(line.said.id, bisect_right(self._word_starts, time_us) - 1)
        if self._context.player.playing and not self._one_only:
            self._go_along(line)

    def _go_along(self, line: Line) -> None:
        view = self._page.view
        if not view.editing and view.current() != line.said.id and len(view.selected()) < 2:
            self._context.studio.select_utterances([line.said.id])

    def _line_at(self, time_us: int) -> Line | None:
        """Return the line that is spoken at a time: the current one where it is, else the one that began last."""
        current = self._page.model.line(self._page.view.current())
        if current is not None and current.said.start_us <= time_us < current.said.end_us:
            return current
        lines = self._page.model.lines
        at = bisect_right(self._starts, time_us) - 1
        while at >= 0 and self._starts[at] >= time_us - self._longest_us:
            if time_us < lines[at].said.end_us:
                return lines[at]
            at -= 1
        return None
