"""The page of the mode Transcript.

It shows the list of utterances, the find bar and the speakers' buttons, and reads them from the study.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QIcon, QKeyEvent, QPixmap
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from annotate.cues.cue_marks import CueMark, cues_by_utterance
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from app.gui.timeline.transcript_lanes import Guesses
from app.gui.transcript.utterance_delegate import TranscriptModel
from app.gui.transcript.utterance_layout import CueChip, TranscriptLine
from app.gui.transcript.utterance_list import TranscriptView
from project.entities.study_records import Changes, Participant, Utterance
from project.queries.recording_rows import all_participants, participants_in, pseudonyms
from project.queries.transcript_rows import find_utterances, utterances_of
from project.session.session import Session
from resources.translation import tr, trn
from widgets import theme
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.controls import check_box, push_button
from widgets.form.input_fields import DecimalBox, mark_search_field
from widgets.form.layouts import WIDE_MARGIN, make_column, make_panel, make_row, make_stack
from widgets.form.wheel_guard import ComboBox
from widgets.labels import ParticipantButtons, make_choice_button, participant_colours, participant_ink
from widgets.progress_bars import ProgressBar
from widgets.text_labels import PlainLabel, RichLabel, describe, plain_tip

_MAX_CHIP_CHARS = 28
"""Characters of a description that a chip has room for; a longer one gives way to the label."""


def cue_chips(session: Session, recording_id: str) -> dict[str, tuple[CueChip, ...]]:
    """Return utterance id -> its cues by place, a listener's with their pseudonym; those without any are left out."""
    found = cues_by_utterance(session, recording_id)
    if not found:
        return {}
    names = pseudonyms(session.study)

    def chip(cue_mark: CueMark) -> CueChip:
        who = f"{names.get(cue_mark.participant_id or '', '?')}: " if cue_mark.is_response else ""
        said = cue_mark.description.rstrip(".")
        return CueChip(
            cue_mark.word,
            f"{who}{said if 0 < len(said) <= _MAX_CHIP_CHARS else cue_mark.name.lower()}",
            cue_mark.prelabel,
        )

    return {
        key: tuple(chip(mark) for mark in sorted(marks, key=lambda m: m.word)) for key, marks in found.items() if key
    }


class FindBar(QWidget):
    """Hidden until it is opened. Return goes to the next place, Shift+Return to the one before, Esc closes it.

    Signals:
        changed: something else is looked for.
        step_requested (int): go to the next (1) or the previous (-1) place.
        replace_requested: replace the place that is shown.
        replace_all_requested: replace all places, in the recording or the study.
        closed: it was closed; the focus belongs to the list again.
    """

    changed = Signal()
    step_requested = Signal(int)
    replace_requested = Signal()
    replace_all_requested = Signal()
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = _ReturnField(tr("Find in the transcript"), tr("Find"))
        mark_search_field(self.text)
        self.replacement = _ReturnField(tr("Replace with"), tr("Replace with"))
        self.case = _make_checkbox(tr("Aa"), tr("Capital letters matter"))
        self.words = _make_checkbox(tr("Words"), tr("Whole words only"))
        self.regex = _make_checkbox(".*", tr("It is a regular expression; \\1 in the replacement is its first group"))
        self.where = ComboBox()
        self.where.addItems([tr("This recording"), tr("Whole study")])
        self.where.setAccessibleName(tr("Where to replace"))
        self._count = PlainLabel(look="quiet")
        self._one = push_button(
            tr("Replace"),
            tr("Replace the place that is shown and go to the next (Return in the field)"),
            self.replace_requested,
        )
        self._all = push_button(
            tr("Replace all"), tr("Replace all places in one step; undo takes it back"), self.replace_all_requested
        )
        close = push_button("", tr("Close (Esc)"), self.close_bar, name=tr("Close"), icon="x", look="flat")
        gap, ticks = theme.GRID // 2, (self.case, self.words, self.regex)
        below = make_row(self.where, 1, self._one, self._all, spacing=gap)
        self._replacing = make_panel(make_column(self.replacement, below, spacing=gap))
        above = make_row(self.text, 1, self._count, close, spacing=gap)
        self.setLayout(make_column(above, make_row(*ticks, None), self._replacing, spacing=gap))
        for tick in ticks:
            tick.toggled.connect(self.changed)
        self.text.textChanged.connect(self.changed)
        self.text.return_pressed.connect(lambda back: self.step_requested.emit(-1 if back else 1))
        self.replacement.return_pressed.connect(lambda _back: self.replace_requested.emit())
        self.hide()

    def open_bar(self, replacing: bool, text: str = "") -> None:
        """Show it, with or without what replaces; `text` is looked for where it is not empty."""
        self._replacing.setVisible(replacing)
        self.show()
        if text:
            self.text.setText(text)
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()
        self.changed.emit()

    def close_bar(self) -> None:
        """Hide it; what it found is not shown any more."""
        self.hide()
        self.closed.emit()

    def show_count(self, at: int, total: int, problem: str = "") -> None:
        """Say how many places there are, and which one is shown, from 1; or why nothing can be found."""
        if problem:
            words = tr("Not a pattern")
        elif not self.text.text():
            words = ""
        else:
            words = (
                tr("{at} of {total}").format(at=at, total=total)
                if total and at
                else str(total)
                if total
                else tr("Not found")
            )
        self._count.setText(words)
        self._count.setToolTip(plain_tip(problem))
        self.text.setAccessibleDescription(problem or words)

    def set_writable(self, writable: bool) -> None:
        """Allow to replace, or only to find."""
        for part in (self.replacement, self.where, self._one, self._all):
            part.setEnabled(writable)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self.close_bar()
            event.accept()
            return True
        return super().event(event)


class _ReturnField(QLineEdit):
    """A field that says Return, with Shift or without."""

    return_pressed = Signal(bool)

    def __init__(self, name: str, hint: str) -> None:
        super().__init__(placeholderText=hint)
        self.setAccessibleName(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.return_pressed.emit(bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)


def _make_checkbox(text: str, words: str) -> QCheckBox:
    return check_box(text, words, name=words)


_DOT_PX = 8


class SpeakersBar(ParticipantButtons):
    """Buttons about the selected utterances, with the colours of participants."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            make_choice_button(tr("New…"), tr("They are said by a new participant, under a pseudonym (P)")),
            make_choice_button(tr("0 Unassigned"), tr("The speaker is not known (0)")),
            parent,
        )
        self._colours: Mapping[str, str] = {}
        self.accept = make_choice_button(tr("Accept guess"), tr("The suggested speaker is right (A)"))
        theme.notifier.changed.connect(self._tint)
        self.set_people([], {})

    def set_people(self, people: Sequence[Participant], colours: Mapping[str, str]) -> None:
        """Offer these participants, in this order."""
        if self.set_participants(people):
            self._colours = dict(colours)
            self._tint()

    def tooltip_for(self, person: Participant) -> str:
        return tr("{pseudonym} speaks").format(pseudonym=person.pseudonym)

    def extra_buttons(self) -> tuple[QPushButton, ...]:
        return self.new, self.nobody, self.accept

    def show_choice(self, participant_id: str | None, *, guess: bool, enabled: bool) -> None:
        """Show who speaks in what is selected; nothing can be chosen where it may not be edited."""
        self.show_person(participant_id, enabled)
        self.nobody.setEnabled(enabled)
        self.accept.setEnabled(enabled and guess)

    def _tint(self) -> None:
        colours = theme.palette()
        for person, button in zip(self.people, self.buttons, strict=False):
            button.setIcon(_make_dot_icon(participant_ink(self._colours.get(person.id), colours, colours.raised)))
            button.setIconSize(QSize(_DOT_PX, _DOT_PX))


def _make_dot_icon(colour: QColor) -> QIcon:
    picture = QPixmap(_DOT_PX, _DOT_PX)
    picture.fill(colour)
    return QIcon(picture)


_NO_TRANSCRIPT = (
    tr("No transcript yet"),
    tr(
        "Let this machine write down what is said, bring subtitles or an ELAN or Praat file along, or type it yourself."
    ),
)
_KEYS_HELP = tr(
    "<b>Return</b> type · <b>Tab</b> hear again · <b>Y</b> checked, go on · <b>N</b> next draft · "
    "<b>D</b> next doubtful word · <b>S</b> split · <b>M</b> merge · <b>[ ]</b> start, end here · "
    "<b>Ctrl+F1</b> all keys"
)


_PEOPLE_TABLES = frozenset({"participant", "appearance", "run"})
_CUE_TABLES = frozenset({"segment", "segment_value", "review"})


class TranscriptPage(StudyView):
    """Lists the utterances of the recording, and reads again those that an edit touched.

    Signals:
        changed: other lines are shown than before.
        transcribe_requested, import_requested, add_requested: ways to a transcript.
        cancel_requested: stop the job that makes one.

    Attributes:
        acts: what the window's menu may ask for, by name.
        said: the utterances of the recording, by id.
        people: the participants of the study, by id.
    """

    changed = Signal()
    transcribe_requested = Signal()
    import_requested = Signal()
    add_requested = Signal()
    cancel_requested = Signal()

    title = tr("Transcript")
    follows_recording = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.said: dict[str, Utterance] = {}
        self.people: Mapping[str, Participant] = {}
        self._colours: Mapping[str, str] = {}
        self._guesses = Guesses()
        self._cues: Mapping[str, tuple[CueChip, ...]] = {}
        self._doubtful_words: dict[str, tuple[Utterance, int]] = {}
        self._filling = False
        self.acts: Mapping[str, Callable[[], object]] = {}
        self.model = TranscriptModel(self)
        self.view = TranscriptView(self.model)
        self.setFocusProxy(self.view)
        self.search = FindBar()
        self.speakers = SpeakersBar()
        self._no_recording = EmptyState(
            "volume-2", tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O.")
        )
        ways = [
            EmptyStateAction("transcribe", tr("Transcribe…"), "Ctrl+Shift+T", primary=True),
            EmptyStateAction("import", tr("Import…"), "Ctrl+Shift+I"),
        ]
        self._empty = EmptyState("volume-2", *_NO_TRANSCRIPT, ways)
        self._empty.set_links([EmptyStateAction("add", tr("Type it from the playhead on"), "Ins")])
        asked = {"transcribe": self.transcribe_requested, "import": self.import_requested, "add": self.add_requested}
        self._empty.button_clicked.connect(lambda key: asked[key].emit())
        self._stack = make_stack(self._no_recording, self._empty, self._make_list())
        self.setLayout(make_column(self._stack, 1, self._make_job(), margin=WIDE_MARGIN))
        self.show_nothing()
        self._studio.utterances_selected.connect(self._show_selection)
        self.view.selection_changed.connect(self._on_selection)

    def show_nothing(self) -> None:
        """Show that no recording is open."""
        self.model.set_lines([])
        self._stack.setCurrentWidget(self._no_recording)

    def show_empty(self) -> None:
        """Show that this recording has no transcript, and how to get one."""
        self.model.set_lines([])
        self._stack.setCurrentWidget(self._empty)

    def show_list(self) -> None:
        """Show the list."""
        self._stack.setCurrentIndex(2)

    def set_progress(self, checked: int, total: int, doubtful: int) -> None:
        """Say how much was read by a person, and how many words are doubtful."""
        self._checked.setText(tr("{checked} of {total} checked").format(checked=checked, total=total))
        self._bar.show_value(checked, max(total, 1))
        self._doubtful.setText(
            tr("{count}, below").format(count=trn("{count} doubtful word", "{count} doubtful words", doubtful))
        )

    def set_writable(self, writable: bool, reason: str = "") -> None:
        """Allow changes, or only reading; `reason` says why."""
        self.view.set_writable(writable)
        self.search.set_writable(writable)
        self._empty.set_buttons_enabled(writable)
        self._empty.setToolTip(plain_tip(reason))
        self.speakers.setToolTip(plain_tip(reason))
        self._help.setText(_KEYS_HELP if writable else tr("Only reading. {reason}").format(reason=reason))

    def set_job(self, text: str | None, done: int = 0, total: int = 0) -> None:
        """Show how far a job about the transcript is; None when there is none."""
        self._job.setVisible(text is not None)
        if text is not None:
            self._job_bar.show_value(done, total)
            self._job_words.setText(text)

    @property
    def doubtful_below(self) -> float:
        """Words with less confidence are underlined."""
        return self._below.value()

    @property
    def autoplay(self) -> bool:
        """Whether going on to an utterance plays it."""
        return self._plays_on.isChecked()

    def hideEvent(self, event: QHideEvent) -> None:
        self.view.finish_editing()
        super().hideEvent(event)

    def _make_list(self) -> QWidget:
        self._checked = PlainLabel()
        self._bar = ProgressBar(textVisible=False)
        self._bar.setFixedHeight(6)
        self._bar.setAccessibleName(tr("Share of utterances that are checked"))
        self._plays_on = push_button(
            tr("Keep playing"),
            tr("Going on to the next utterance with Return or Y lets it be heard"),
            look="segment",
            checkable=True,
            checked=True,
        )
        self._help = RichLabel(wordWrap=True, look="quiet")
        return make_panel(
            make_column(
                make_row(self._checked, self._bar, 1, self._plays_on),
                self.search,
                self.view,
                1,
                self.speakers,
                self._make_doubt(),
                self._help,
            )
        )

    def _make_doubt(self) -> QHBoxLayout:
        self._doubtful = PlainLabel(look="quiet")
        self._below = DecimalBox(
            minimum=0.0, maximum=1.0, singleStep=0.05, decimals=2, value=self.view.moment.doubtful_below
        )
        describe(
            self._below,
            tr("Words with less confidence are underlined"),
            tr("Words that the model heard with less confidence than this are underlined"),
        )
        self._below.valueChanged.connect(self._on_threshold)
        return make_row(self._doubtful, self._below, None, spacing=theme.GRID // 2)

    def _make_job(self) -> QWidget:
        self._job_words = PlainLabel(wordWrap=True)
        self._job_bar = ProgressBar(textVisible=False)
        self._job_bar.setFixedHeight(6)
        self._job_bar.setAccessibleName(tr("Progress of the transcript"))
        cancel = push_button(tr("Cancel"), tr("Stop; what was done is taken up next time"), self.cancel_requested)
        self._job = make_panel(make_row(make_column(self._job_words, self._job_bar, spacing=2), 1, cancel))
        self._job.hide()
        return self._job

    def reload(self, session: Session) -> None:
        self.view.finish_editing()
        recording = self._studio.recording
        if recording is None:
            self.said = {}
            self.show_nothing()
            self.changed.emit()
            return
        self.said = {utterance.id: utterance for utterance in utterances_of(session.study, recording.id)}
        self._read_people(session, recording.id)
        self._cues = cue_chips(session, recording.id)
        self.set_writable(self._studio.writable, session.study.read_only_reason)
        self._show()
        self._show_selection()

    def needs_reload(self, changes: Changes, _initiator: object) -> bool:
        session, recording = self._studio.session, self._studio.recording
        touched = changes.ids("utterance")
        cues = bool(_CUE_TABLES & set(changes)) or bool(touched & self._cues.keys())
        if session is None or recording is None or not (touched or cues or _PEOPLE_TABLES & set(changes)):
            return False
        if self._is_stale or not self.isVisible():
            return True
        if _PEOPLE_TABLES & set(changes):
            self._read_people(session, recording.id)
        if cues:
            before, self._cues = self._cues, cue_chips(session, recording.id)
            if before == self._cues and not (touched or _PEOPLE_TABLES & set(changes)):
                return False
        now = find_utterances(session.study, touched)
        for utterance_id in touched:
            self.said.pop(utterance_id, None)
        self.said |= {key: utterance for key, utterance in now.items() if utterance.recording_id == recording.id}
        self._show()
        return False

    def _read_people(self, session: Session, recording_id: str) -> None:
        self._guesses.read(session, recording_id)
        everybody = all_participants(session.study)
        self.people = {participant.id: participant for participant in everybody}
        self._colours = participant_colours([*self.people])
        here = {participant.id for participant in participants_in(session.study, recording_id)}
        ordered = sorted(everybody, key=lambda participant: participant.id not in here)
        self.speakers.set_people(ordered, self._colours)

    def _show(self) -> None:
        before = {line.utterance.id: line for line in self.model.lines}
        ordered = sorted(self.said.values(), key=lambda utterance: (utterance.start_us, utterance.end_us, utterance.id))
        lines = [self._make_line(utterance, before.get(utterance.id)) for utterance in ordered]
        if lines:
            self.show_list()
            self._set_lines(lines)
        else:
            self.show_empty()
        self._show_progress()
        gone = [utterance for utterance in self._studio.selected_utterances if utterance not in self.said]
        if gone:
            kept = [utterance for utterance in self._studio.selected_utterances if utterance in self.said]
            self._studio.select_utterances(kept)
        self._show_speaker()
        self.changed.emit()

    def _set_lines(self, lines: Sequence[TranscriptLine]) -> None:
        """Show lines; what was selected stays so, also where it moved past others."""
        chosen = [key for key in self._studio.selected_utterances if key in self.said]
        self._filling = True
        self.model.set_lines(lines)
        self._filling = False
        if sorted(chosen) != sorted(self.view.selected()):
            self.view.select(chosen)

    def _make_line(self, utterance: Utterance, before: TranscriptLine | None) -> TranscriptLine:
        who = self.people.get(utterance.participant_id or "")
        name, colour = (who.pseudonym, self._colours[who.id]) if who is not None else ("", "")
        label, flag = name or self._guesses.label(utterance), self._guesses.flag(utterance)
        made = TranscriptLine(utterance, label, colour, flag, self._cues.get(utterance.id, ()))
        return before if before == made else made

    def _show_progress(self) -> None:
        below, doubtful = self.doubtful_below, 0
        for line in self.model.lines:
            known = self._doubtful_words.get(line.utterance.id)
            if known is None or known[0] is not line.utterance:
                known = self._doubtful_words[line.utterance.id] = (line.utterance, len(line.doubtful_words(below)))
            doubtful += known[1]
        checked = sum(utterance.checked for utterance in self.said.values())
        self.set_progress(checked, len(self.said), doubtful)

    def _on_threshold(self, below: float) -> None:
        self._doubtful_words.clear()
        self.view.set_doubtful_below(below)
        self._show_progress()

    def selected(self) -> list[str]:
        """Return the selected utterances of this recording, in the order of time."""
        return self.view.selected()

    def current(self) -> Utterance | None:
        """Return the utterance that keys are about."""
        return self.said.get(self.view.current()) if self.view.selected() else None

    def select(self, ids: Iterable[str]) -> None:
        """Select exactly these utterances, here and on the timeline."""
        chosen = [*ids]
        self.view.select(chosen)
        self._studio.select_utterances(chosen)
        self._show_speaker()

    def add_same_voice(self, ids: list[str]) -> list[str]:
        """Add, to one utterance of a voice that is nobody's yet, all others of that voice."""
        label = self._guesses.label(self.said[ids[0]]) if len(ids) == 1 else ""
        return (
            [utterance.id for utterance in self.said.values() if self._guesses.label(utterance) == label]
            if label
            else ids
        )

    def utterances_of_speaker(self, utterance: Utterance) -> list[str]:
        """Return the utterances of who says one: of a participant, or of a voice that is nobody's yet."""
        voice = utterance.participant_id, self._guesses.label(utterance)
        return [key for key, other in self.said.items() if (other.participant_id, self._guesses.label(other)) == voice]

    def next_pseudonym(self) -> str:
        """Return the first pseudonym that is free."""
        taken = {person.pseudonym for person in self.people.values()}
        return next(name for number in range(1, len(taken) + 2) if (name := f"P{number:02}") not in taken)

    def _on_selection(self, ids: object) -> None:
        assert isinstance(ids, list)
        if self._filling:
            return
        self._studio.select_utterances(ids)
        self._show_speaker()

    def _show_selection(self) -> None:
        wanted = [utterance for utterance in self._studio.selected_utterances if utterance in self.said]
        if sorted(wanted) != sorted(self.view.selected()):
            self.view.finish_editing()
            self.view.select(wanted)
        self._show_speaker()

    def _show_speaker(self) -> None:
        chosen = [self.said[utterance_id] for utterance_id in self.selected() if utterance_id in self.said]
        people = {utterance.participant_id for utterance in chosen}
        who = next(iter(people)) if len(people) == 1 else None
        guess = any(utterance.suggested for utterance in chosen)
        self.speakers.show_choice(who, guess=guess, enabled=self._studio.writable and bool(chosen))
