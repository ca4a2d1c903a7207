"""Builds the page of the mode Transcript and joins it to the study.

Handles its keys and menu, transcription, playback, and navigation to drafts and doubtful words.
"""

from bisect import bisect_right
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QMenu, QWidget

from annotate.transcript import transcript_edits
from app.gui.jobs.job_center import RunningJob
from app.gui.pages.commands import Handler, ModeKeys, PageKey, digit_keys
from app.gui.pages.context import Context
from app.gui.transcript.transcript_editing import TranscriptEditor, TranscriptSearchController
from app.gui.transcript.transcript_page import TranscriptPage
from app.gui.transcript.utterance_layout import TranscriptLine
from project.errors import UserError
from project.queries.transcript_rows import SPEECH, TRANSCRIBE
from project.session.session import Session
from resources.translation import tr

_JOB_KINDS = (TRANSCRIBE, SPEECH, "speakers")


class TranscriptionController(QObject):
    """Starts the jobs of the page and shows how far they are."""

    def __init__(self, context: Context, page: TranscriptPage, correcting: TranscriptEditor) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._correcting = correcting
        page.transcribe_requested.connect(lambda: context.trigger("transcribe"))
        page.import_requested.connect(lambda: context.trigger("import_annotations"))
        page.cancel_requested.connect(RunningJob(context.studio, context.jobs, _JOB_KINDS, page.set_job, self).cancel)

    def delete_without_speech(self) -> None:
        """Delete the utterances during which nobody was heard to speak."""
        self._delete_found(
            transcript_edits.find_utterances_without_speech, tr("Somebody speaks in every utterance of this recording.")
        )

    def delete_speaker(self) -> None:
        """Delete all utterances of who says the current one: a voice-over, say."""
        utterance = self._page.current()
        if utterance is None:
            self._context.studio.message.emit(tr("Select an utterance of the speaker whose utterances should go."))
            return
        voice = self._page.utterances_of_speaker(utterance)
        self._delete_found(lambda _session, _recording: voice, "")

    def _delete_found(self, find: Callable[[Session, str], list[str]], none: str) -> None:
        session, recording = self._context.studio.session, self._context.studio.recording
        if session is None or recording is None:
            return
        try:
            ids = find(session, recording.id)
        except UserError as error:
            self._context.studio.failed.emit(error)
            return
        if ids:
            self._correcting.delete_utterances(ids)
        else:
            self._context.studio.message.emit(none)


_PLAY_MARGIN_US = 120_000
"""How much is heard after an utterance: the ends of words are easily cut."""


class ReadingAlong(QObject):
    """Follows the playhead. While a recording plays on, the utterance that is spoken is the current one."""

    def __init__(self, context: Context, page: TranscriptPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._starts: list[int] = []
        self._longest_us = 0
        self._line: TranscriptLine | None = None
        self._word_starts: list[int] = []
        self._one_only = False
        page.changed.connect(self._index_lines)
        context.player.position_changed.connect(self._highlight_word)
        context.player.playing_changed.connect(self._on_playing)
        page.visible_changed.connect(lambda _on: self._highlight_word(context.player.position_us))
        page.view.seek_requested.connect(self._seek)
        page.view.replay_requested.connect(self.play_current)
        page.view.advanced.connect(self.play_if_enabled)
        self._index_lines()

    def play_current(self) -> None:
        """Let the current utterance be heard, from its start to its end, as often as wanted."""
        utterance = self._page.current()
        player = self._context.player
        if utterance is not None:
            player.play_span(utterance.start_us, min(utterance.end_us + _PLAY_MARGIN_US, player.duration_us))
            self._one_only = player.playing

    def play_if_enabled(self) -> None:
        """Let the utterance that somebody went on to be heard, where that is wanted."""
        if self._page.autoplay:
            self.play_current()

    def select_at_playhead(self) -> None:
        """Make the utterance current that is spoken at the playhead, or the next one after it, or the last."""
        lines, at = self._page.model.lines, self._context.player.position_us
        line = self._line_at(at) or next(
            (transcript_line for transcript_line in lines if transcript_line.utterance.start_us >= at), lines[-1]
        )
        self._context.studio.select_utterances([line.utterance.id])

    def step_word(self, by: int) -> None:
        """Go to the start of the next or the previous word."""
        at = self._context.player.position_us
        line = self._line_at(at) or self._page.model.line(self._page.view.current())
        if line is None:
            return
        starts = [word.start_us for word in line.timed_words]
        wanted = [start for start in starts if (start > at if by > 0 else start < at)]
        if wanted:
            self._context.playback.jump(wanted[0] if by > 0 else wanted[-1])
        else:
            self._page.view.step(by)

    def _index_lines(self) -> None:
        lines = self._page.model.lines
        self._starts = [line.utterance.start_us for line in lines]
        self._longest_us = max((line.utterance.end_us - line.utterance.start_us for line in lines), default=0)
        self._line = None
        self._highlight_word(self._context.player.position_us)

    def _seek(self, time_us: int) -> None:
        self._page.view.resume_following()
        self._one_only = False
        self._context.playback.jump(time_us)

    def _on_playing(self, playing: bool) -> None:
        if playing:
            self._page.view.resume_following()
        else:
            self._one_only = False

    def _highlight_word(self, time_us: int) -> None:
        if not self._page.isVisible():
            return
        line = self._line_at(time_us)
        if line is None:
            self._page.view.set_spoken("", -1)
            return
        if line is not self._line:
            self._line = line
            self._word_starts = [word.start_us for word in line.timed_words]
        self._page.view.set_spoken(line.utterance.id, bisect_right(self._word_starts, time_us) - 1)
        if self._context.player.playing and not self._one_only:
            self._follow_line(line)

    def _follow_line(self, line: TranscriptLine) -> None:
        view = self._page.view
        if not view.editing_id and view.current() != line.utterance.id and len(view.selected()) < 2:
            self._context.studio.select_utterances([line.utterance.id])

    def _line_at(self, time_us: int) -> TranscriptLine | None:
        """Return the line that is spoken at a time: the current one where it is, else the one that began last."""
        current = self._page.model.line(self._page.view.current())
        if current is not None and current.utterance.start_us <= time_us < current.utterance.end_us:
            return current
        lines = self._page.model.lines
        at = bisect_right(self._starts, time_us) - 1
        while at >= 0 and self._starts[at] >= time_us - self._longest_us:
            if time_us < lines[at].utterance.end_us:
                return lines[at]
            at -= 1
        return None


class TranscriptNavigator(QObject):
    """Walks through the list by key."""

    def __init__(
        self, context: Context, page: TranscriptPage, correcting: TranscriptEditor, reading: ReadingAlong
    ) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._correcting = correcting
        self._reading = reading

    def step(self, by: int) -> None:
        """Go to the next or the previous utterance, and let it be heard where that is wanted."""
        if self._page.view.step(by):
            self._reading.play_if_enabled()

    def check_and_advance(self) -> None:
        """Mark what is selected as read, and go on to the next utterance."""
        self._correcting.mark_checked()
        self.step(1)

    def next_draft(self, by: int) -> None:
        """Go to the next or the previous utterance that nobody read."""
        rows = self._other_rows(by)
        found = next((row for row in rows if not self._page.model.lines[row].utterance.checked), None)
        if found is None:
            self._context.studio.message.emit(tr("Every utterance of this recording is checked."))
        else:
            self._page.view.go_to(self._page.model.lines[found].utterance.id)
            self._reading.play_if_enabled()

    def next_doubtful_word(self, by: int) -> None:
        """Go to the next or the previous word that was heard with little confidence."""
        below, at = self._page.doubtful_below, self._context.player.position_us
        lines = self._page.model.lines
        here = max(self._page.model.row(self._page.view.current()), 0)
        rows = [here, *self._other_rows(by)] if lines else []
        for index, row in enumerate(rows):
            words = lines[row].timed_words
            places = [words[word].start_us for word in sorted(lines[row].doubtful_words(below))]
            if index == 0:
                places = [place for place in places if (place > at if by > 0 else place < at)]
            if places:
                if row != here:
                    self._page.view.go_to(lines[row].utterance.id)
                self._context.playback.jump(places[0] if by > 0 else places[-1])
                return
        self._context.studio.message.emit(tr("No doubtful word is left in this direction."))

    def _other_rows(self, by: int) -> list[int]:
        """Return all rows but the current one, from the next on and round."""
        count, here = len(self._page.model.lines), self._page.model.row(self._page.view.current())
        if here < 0:
            return [*range(count)] if by > 0 else [*range(count)][::-1]
        return [(here + by * step) % count for step in range(1, count)]


_LARGE_STEP_US, _SMALL_STEP_US = 50_000, 10_000


def _nudge(end: bool, by_us: int) -> Callable[["TranscriptKeys"], object]:
    return lambda k: k.correcting.nudge_edge(end, by_us)


_START_EARLIER = tr("Start 50 ms earlier; with Alt, the end; with Ctrl, 10 ms")
_START_LATER = tr("Start 50 ms later; with Alt, the end; with Ctrl, 10 ms")


class TranscriptKeys(ModeKeys["TranscriptKeys"]):
    """Joins the keys with what they do. In a field, only keys with Ctrl or Alt mean something else than typing."""

    works_in_fields = True

    def __init__(
        self,
        context: Context,
        page: TranscriptPage,
        correcting: TranscriptEditor,
        reading: ReadingAlong,
        walking: TranscriptNavigator,
        searching: TranscriptSearchController,
        making: TranscriptionController,
    ) -> None:
        super().__init__(page, KEYS, self)
        self.context, self.page = context, page
        self.correcting, self.reading, self.walking, self.searching = correcting, reading, walking, searching
        page.acts = {
            **{name: partial(self.press, key) for name, key in _ACTION_KEYS.items()},
            "type": self._edit_current,
            "drop_without_speech": making.delete_without_speech,
            "drop_speaker": making.delete_speaker,
        }
        page.view.menu_requested.connect(self._show_menu)
        page.visible_changed.connect(lambda visible: self._focus_list() if visible else None)
        context.studio.recording_changed.connect(lambda: QTimer.singleShot(0, page, self._focus_list))

    def _focus_list(self) -> None:
        view = self.page.view
        if self.page.isVisible() and self.page.model.lines:
            view.setFocus(Qt.FocusReason.OtherFocusReason)
            if not view.selected():
                self.reading.select_at_playhead()

    def _edit_current(self) -> None:
        chosen = self.context.studio.selected_utterances
        if chosen:
            self.page.view.edit_text(chosen[-1])

    def _show_menu(self, where: QPoint) -> None:
        view, writable = self.page.view, self.context.studio.writable
        menu = QMenu(self.page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        elsewhere: dict[str, Handler] = {
            "Return": lambda: view.edit_text(view.current()),
            "Ctrl+Shift+A": partial(self.context.trigger, "node_from_selected"),
        }
        for entry in (
            (tr("Edit"), "Return"),
            (tr("Split at the playhead"), "S"),
            (tr("Merge"), "M"),
            (tr("Start at the playhead"), "["),
            (tr("End at the playhead"), "]"),
            None,
            (tr("Checked, or a draft again"), "C"),
            (tr("Accept suggested speaker"), "A"),
            (tr("New speaker…"), "P"),
            None,
            (tr("Add utterance at the playhead"), "Ins"),
            (tr("Node of a chain"), "Ctrl+Shift+A"),
            (tr("Delete"), "Del"),
        ):
            if entry is None:
                menu.addSeparator()
                continue
            text, key = entry
            action = menu.addAction(f"{text}\t{key}", elsewhere.get(key) or partial(self.press, key))
            action.setEnabled(writable)
        menu.popup(where)


KEYS: tuple[PageKey["TranscriptKeys"], ...] = (
    PageKey("Return", tr("Type in the current utterance; again: it is right, go on to the next")),
    PageKey("Tab", tr("Hear the current utterance again, also while typing")),
    PageKey("Ctrl+Space", tr("Play or pause, also while typing"), lambda k: k.context.player.toggle()),
    PageKey("Shift+Return", tr("While typing: split at the cursor")),
    PageKey("Backspace", tr("While typing, at the start: merge with the one before")),
    PageKey("Ctrl+D", tr("While typing: select the next doubtful word")),
    PageKey("Esc", tr("While typing: take back what was typed; again: stop typing")),
    PageKey("Up Down", tr("Previous or next utterance")),
    PageKey("Ctrl+Left Ctrl+Right", tr("Previous or next word")),
    PageKey("Ctrl+Left", "", lambda k: k.reading.step_word(-1), repeats=True),
    PageKey("Ctrl+Right", "", lambda k: k.reading.step_word(1), repeats=True),
    PageKey("Y", tr("Checked, go on to the next"), lambda k: k.walking.check_and_advance()),
    PageKey("C", tr("Checked, or a draft again"), lambda k: k.correcting.toggle_checked()),
    PageKey("N", tr("Next draft; with Shift, the previous one"), lambda k: k.walking.next_draft(1), repeats=True),
    PageKey("Shift+N", "", lambda k: k.walking.next_draft(-1), repeats=True),
    PageKey(
        "D", tr("Next doubtful word; with Shift, the previous one"), lambda k: k.walking.next_doubtful_word(1), True
    ),
    PageKey("Shift+D", "", lambda k: k.walking.next_doubtful_word(-1), repeats=True),
    PageKey("1 2 3", tr("This participant speaks")),
    *digit_keys(lambda k, number: k.correcting.assign_by_digit(number)),
    PageKey("0", tr("The speaker is not known"), lambda k: k.correcting.assign(None)),
    PageKey("P", tr("A new participant speaks"), lambda k: k.correcting.assign_to_new()),
    PageKey("A", tr("The suggested speaker is right"), lambda k: k.correcting.accept_speakers()),
    PageKey("S", tr("Split at the playhead"), lambda k: k.correcting.split_at_playhead()),
    PageKey("M", tr("Merge with the next, or what is selected"), lambda k: k.correcting.merge()),
    PageKey("[ ]", tr("Start or end the utterance at the playhead")),
    PageKey("[", "", lambda k: k.correcting.set_edge(False)),
    PageKey("]", "", lambda k: k.correcting.set_edge(True)),
    PageKey(",", _START_EARLIER, _nudge(False, -_LARGE_STEP_US), repeats=True),
    PageKey(".", _START_LATER, _nudge(False, _LARGE_STEP_US), repeats=True),
    PageKey("Ctrl+,", "", _nudge(False, -_SMALL_STEP_US), repeats=True),
    PageKey("Ctrl+.", "", _nudge(False, _SMALL_STEP_US), repeats=True),
    PageKey("Alt+,", "", _nudge(True, -_LARGE_STEP_US), repeats=True),
    PageKey("Alt+.", "", _nudge(True, _LARGE_STEP_US), repeats=True),
    PageKey("Ctrl+Alt+,", "", _nudge(True, -_SMALL_STEP_US), repeats=True),
    PageKey("Ctrl+Alt+.", "", _nudge(True, _SMALL_STEP_US), repeats=True),
    PageKey("Ins", tr("Add an utterance at the playhead"), lambda k: k.correcting.add()),
    PageKey("Del", tr("Delete what is selected"), lambda k: k.correcting.delete_selected()),
    PageKey("Backspace", "", lambda k: k.correcting.delete_selected()),
    PageKey("Ctrl+F", tr("Find in the transcript"), lambda k: k.searching.open_bar(False)),
    PageKey("Ctrl+H", tr("Find and replace"), lambda k: k.searching.open_bar(True)),
    PageKey("Ctrl+A", "", lambda k: k.page.view.selectAll()),
)
"""Keys and what they do; the sheet of all keys and the documentation list them."""


_ACTION_KEYS = {"find": "Ctrl+F", "replace": "Ctrl+H", "add": "Ins", "check": "C", "merge": "M", "split": "S"}
"""What the window's menu asks for -> the key that does it here."""


def make_transcript_page(context: Context) -> QWidget:
    """Return the page."""
    page = TranscriptPage(context)
    correcting = TranscriptEditor(context, page)
    reading = ReadingAlong(context, page)
    walking = TranscriptNavigator(context, page, correcting, reading)
    searching = TranscriptSearchController(context, page)
    making = TranscriptionController(context, page, correcting)
    TranscriptKeys(context, page, correcting, reading, walking, searching, making)
    return page
