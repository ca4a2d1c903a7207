"""Shows the transcript of the recording that is open, and what is selected in it."""

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from app.core.session import Session
from app.gui.context import Context
from app.gui.transcript.cue_chips import chips_of
from app.gui.transcript.guesses import Guesses
from project.queries.participants import all_participants, participants_in
from project.queries.utterances import utterances_called, utterances_of
from project.types import Changes, Participant, Utterance
from widgets.participant_looks import participant_colours
from widgets.transcript.line import Chip, Line
from widgets.transcript.page import TranscriptPage

_PEOPLE = frozenset({"participant", "appearance", "run"})
_CUES = frozenset({"segment", "segment_value", "review"})


class Showing(QObject):
    """Reads what an edit touched, while the page is in sight; what changed meanwhile is read when it comes back.

    Signals:
        changed: other lines are shown than before.

    Attributes:
        said: the utterances of the recording, by id.
        people: the participants of the study, by id.
    """

    changed = Signal()

    def __init__(self, context: Context, page: TranscriptPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self.said: dict[str, Utterance] = {}
        self.people: Mapping[str, Participant] = {}
        self._colours: Mapping[str, str] = {}
        self._guesses = Guesses()
        self._cues: Mapping[str, tuple[Chip, ...]] = {}
        self._doubtful: dict[str, tuple[Utterance, int]] = {}
        self._stale = True
        self._filling = False
        studio = context.studio
        studio.recording_changed.connect(self._renew)
        studio.bridge.changed.connect(self._apply)
        studio.utterances_selected.connect(self._show_selection)
        page.visible_changed.connect(self._show_or_rest)
        page.view.chosen.connect(self._choose)
        page.doubt_changed.connect(self._doubt)

    def _show_or_rest(self, visible: bool) -> None:
        if visible and self._stale:
            self._reload()
            self._show_selection()

    def _renew(self) -> None:
        self._page.view.leave_text()
        self._stale = True
        if self._page.isVisible():
            self._reload()

    def _reload(self) -> None:
        """Read the transcript of the recording that is shown."""
        self._stale = False
        session, recording = self._context.studio.session, self._context.studio.recording
        if session is None or recording is None:
            self.said = {}
            self._page.show_nothing()
            self.changed.emit()
            return
        self.said = {one.id: one for one in utterances_of(session.study, recording.id)}
        self._read_people(session, recording.id)
        self._cues = chips_of(session, recording.id)
        self._page.set_writable(self._context.studio.writable, session.study.read_only_reason)
        self._show()

    def _apply(self, changes: Changes, _initiator: object) -> None:
        session, recording = self._context.studio.session, self._context.studio.recording
        touched = changes.ids("utterance")
        cues = bool(_CUES & set(changes)) or bool(touched & self._cues.keys())
        if session is None or recording is None or not (touched or cues or _PEOPLE & set(changes)):
            return
        self._stale = self._stale or not self._page.isVisible()
        if self._stale:
            return
        if _PEOPLE & set(changes):
            self._read_people(session, recording.id)
        if cues:
            before, self._cues = self._cues, chips_of(session, recording.id)
            if before == self._cues and not (touched or _PEOPLE & set(changes)):
                return
        now = utterances_called(session.study, touched)
        for one in touched:
            self.said.pop(one, None)
        self.said |= {key: one for key, one in now.items() if one.recording_id == recording.id}
        self._show()

    def _read_people(self, session: Session, recording_id: str) -> None:
        self._guesses.read(session, recording_id)
        everybody = all_participants(session.study)
        self.people = {one.id: one for one in everybody}
        self._colours = participant_colours([*self.people])
        here = {one.id for one in participants_in(session.study, recording_id)}
        ordered = sorted(everybody, key=lambda one: one.id not in here)
        self._page.speakers.set_people(ordered, self._colours)

    def _show(self) -> None:
        before = {line.said.id: line for line in self._page.model.lines}
        ordered = sorted(self.said.values(), key=lambda one: (one.start_us, one.end_us, one.id))
        lines = [self._line(one, before.get(one.id)) for one in ordered]
        if lines:
            self._page.show_list()
            self._set_lines(lines)
        else:
            self._page.show_empty()
        self._show_progress()
        gone = [one for one in self._context.studio.selected_utterances if one not in self.said]
        if gone:
            kept = [one for one in self._context.studio.selected_utterances if one in self.said]
            self._context.studio.select_utterances(kept)
        self._show_speaker()
        self.changed.emit()

    def _set_lines(self, lines: Sequence[Line]) -> None:
        """Show lines; what was selected stays so, also where it moved past others."""
        chosen = [key for key in self._context.studio.selected_utterances if key in self.said]
        self._filling = True
        self._page.model.set_lines(lines)
        self._filling = False
        if sorted(chosen) != sorted(self._page.view.selected()):
            self._page.view.select(chosen)

    def _line(self, one: Utterance, before: Line | None) -> Line:
        who = self.people.get(one.participant_id or "")
        name, colour = (who.pseudonym, self._colours[who.id]) if who is not None else ("", "")
        label, flag = name or self._guesses.label(one), self._guesses.flag(one)
        made = Line(one, label, colour, flag, self._cues.get(one.id, ()))
        return before if before == made else made

    def _show_progress(self) -> None:
        below, doubtful = self._page.doubtful_below, 0
        for line in self._page.model.lines:
            known = self._doubtful.get(line.said.id)
            if known is None or known[0] is not line.said:
                known = self._doubtful[line.said.id] = (line.said, len(line.doubtful(below)))
            doubtful += known[1]
        checked = sum(one.checked for one in self.said.values())
        self._page.set_progress(checked, len(self.said), doubtful)

    def _doubt(self, below: float) -> None:
        self._doubtful.clear()
        self._page.view.set_doubtful_below(below)
        self._show_progress()

    def selected(self) -> list[str]:
        """Return the selected utterances of this recording, in the order of time."""
        return self._page.view.selected()

    def current(self) -> Utterance | None:
        """Return the utterance that keys are about."""
        return self.said.get(self._page.view.current()) if self._page.view.selected() else None

    def select(self, ids: Iterable[str]) -> None:
        """Select exactly these utterances, here and on the timeline."""
        chosen = [*ids]
        self._page.view.select(chosen)
        self._context.studio.select_utterances(chosen)
        self._show_speaker()

    def with_same_voice(self, ids: list[str]) -> list[str]:
        """Add, to one utterance of a voice that is nobody's yet, all others of that voice."""
        label = self._guesses.label(self.said[ids[0]]) if len(ids) == 1 else ""
        return [one.id for one in self.said.values() if self._guesses.label(one) == label] if label else ids

    def same_speaker(self, one: Utterance) -> list[str]:
        """Return the utterances of who says one: of a participant, or of a voice that is nobody's yet."""
        voice = one.participant_id, self._guesses.label(one)
        return [key for key, other in self.said.items() if (other.participant_id, self._guesses.label(other)) == voice]

    def next_pseudonym(self) -> str:
        """Return the first pseudonym that is free."""
        taken = {one.pseudonym for one in self.people.values()}
        return next(name for number in range(1, len(taken) + 2) if (name := f"P{number:02}") not in taken)

    def _choose(self, ids: object) -> None:
        assert isinstance(ids, list)
        if self._filling:
            return
        self._context.studio.select_utterances(ids)
        self._show_speaker()

    def _show_selection(self) -> None:
        wanted = [one for one in self._context.studio.selected_utterances if one in self.said]
        if sorted(wanted) != sorted(self._page.view.selected()):
            self._page.view.leave_text()
            self._page.view.select(wanted)
        self._show_speaker()

    def _show_speaker(self) -> None:
        chosen = [self.said[one] for one in self.selected() if one in self.said]
        people = {one.participant_id for one in chosen}
        who = next(iter(people)) if len(people) == 1 else None
        guess = any(one.suggested for one in chosen)
        self._page.speakers.show_choice(who, guess=guess, enabled=self._context.studio.writable and bool(chosen))
