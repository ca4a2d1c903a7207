"""Shows the transcript of the recording that is open, and turns what is typed and pressed into edits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.core.commands import transcript as commands
from app.core.session import Session
from app.gui.context import Context
from app.gui.transcript.guesses import Guesses
from project.counted import counted
from project.queries.participants import all_participants, participants_in
from project.queries.utterances import utterances_called, utterances_of
from project.transcript import tokens
from project.types import Changes, Participant, Utterance
from widgets.participant_looks import participant_colours
from widgets.transcript.line import Line
from widgets.transcript.page import TranscriptPage

_PEOPLE = frozenset({"participant", "appearance", "run"})
_NEW_US = 2_000_000
"""How long an utterance is that somebody adds at the playhead, at most."""


class Correcting(QObject):
    """Reads what changed, and edits. Typing is kept whenever it pauses, and when anything else is done.

    Signals:
        changed: other lines are shown than before.
    """

    changed = Signal()

    def __init__(self, context: Context, page: TranscriptPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._said: dict[str, Utterance] = {}
        self._people: Mapping[str, Participant] = {}
        self._colours: Mapping[str, str] = {}
        self._guesses = Guesses()
        self._before: Utterance | None = None
        self._doubtful: dict[str, tuple[Utterance, int]] = {}
        self._stale = True
        self._filling = False
        studio, view = context.studio, page.view
        studio.recording_changed.connect(self._renew)
        page.visible_changed.connect(self._show_or_rest)
        studio.leaving.connect(view.leave_text)
        studio.bridge.changed.connect(self._apply)
        studio.utterances_selected.connect(self._show_selection)
        view.chosen.connect(self._choose)
        view.began.connect(lambda key: setattr(self, "_before", self._said.get(key)))
        view.typed.connect(self._keep)
        view.saved.connect(self._save)
        view.given_up.connect(self._give_up)
        view.split_requested.connect(self._split_text)
        view.merge_back_requested.connect(self._merge_back)
        page.speakers.assign_requested.connect(self.assign)
        page.speakers.new_requested.connect(self.assign_to_new)
        page.speakers.accept_requested.connect(self.accept_speakers)
        page.add_requested.connect(self.add)
        page.doubt_changed.connect(self._doubt)

    # What is shown

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
            self._said = {}
            self._page.show_nothing()
            self.changed.emit()
            return
        self._said = {one.id: one for one in utterances_of(session.study, recording.id)}
        self._read_people(session, recording.id)
        self._page.set_writable(self._context.studio.writable, session.study.read_only_reason)
        self._show()

    def lines(self) -> Sequence[Line]:
        """Return the lines that are shown."""
        return self._page.model.lines

    def utterance(self, utterance_id: str) -> Utterance | None:
        """Return an utterance of this recording, or None."""
        return self._said.get(utterance_id)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        session, recording = self._context.studio.session, self._context.studio.recording
        touched = changes.ids("utterance")
        if session is None or recording is None or not (touched or _PEOPLE & set(changes)):
            return
        self._stale = self._stale or not self._page.isVisible()
        if self._stale:
            return
        if _PEOPLE & set(changes):
            self._read_people(session, recording.id)
        now = utterances_called(session.study, touched)
        for one in touched:
            self._said.pop(one, None)
        self._said |= {key: one for key, one in now.items() if one.recording_id == recording.id}
        self._show()

    def _read_people(self, session: Session, recording_id: str) -> None:
        self._guesses.read(session, recording_id)
        everybody = all_participants(session.study)
        self._people = {one.id: one for one in everybody}
        self._colours = participant_colours([*self._people])
        here = {one.id for one in participants_in(session.study, recording_id)}
        ordered = sorted(everybody, key=lambda one: one.id not in here)
        self._page.speakers.set_people(ordered, self._colours)

    def _show(self) -> None:
        before = {line.said.id: line for line in self._page.model.lines}
        ordered = sorted(self._said.values(), key=lambda one: (one.start_us, one.end_us, one.id))
        lines = [self._line(one, before.get(one.id)) for one in ordered]
        if lines:
            self._page.show_list()
            self._set_lines(lines)
        else:
            self._page.show_empty()
        self._show_progress()
        gone = [one for one in self._context.studio.selected_utterances if one not in self._said]
        if gone:
            kept = [one for one in self._context.studio.selected_utterances if one in self._said]
            self._context.studio.select_utterances(kept)
        self._show_speaker()
        self.changed.emit()

    def _set_lines(self, lines: Sequence[Line]) -> None:
        """Show lines; what was selected stays so, also where it moved past others."""
        chosen = [key for key in self._context.studio.selected_utterances if key in self._said]
        self._filling = True
        self._page.model.set_lines(lines)
        self._filling = False
        if sorted(chosen) != sorted(self._page.view.selected()):
            self._page.view.select(chosen)

    def _line(self, one: Utterance, before: Line | None) -> Line:
        who = self._people.get(one.participant_id or "")
        name, colour = (who.pseudonym, self._colours[who.id]) if who is not None else ("", "")
        made = Line(one, name or self._guesses.label(one), colour, self._guesses.flag(one))
        return before if before == made else made

    def _show_progress(self) -> None:
        below, doubtful = self._page.doubtful_below, 0
        for line in self._page.model.lines:
            known = self._doubtful.get(line.said.id)
            if known is None or known[0] is not line.said:
                known = self._doubtful[line.said.id] = (line.said, len(line.doubtful(below)))
            doubtful += known[1]
        checked = sum(one.checked for one in self._said.values())
        self._page.set_progress(checked, len(self._said), doubtful)

    def _doubt(self, below: float) -> None:
        self._doubtful.clear()
        self._page.view.set_doubtful_below(below)
        self._show_progress()

    # What is selected

    def selected(self) -> list[str]:
        """Return the selected utterances of this recording, in the order of time."""
        return self._page.view.selected()

    def current(self) -> Utterance | None:
        """Return the utterance that keys are about."""
        return self._said.get(self._page.view.current()) if self._page.view.selected() else None

    def _choose(self, ids: object) -> None:
        assert isinstance(ids, list)
        if self._filling:
            return
        self._context.studio.select_utterances(ids)
        self._show_speaker()

    def _show_selection(self) -> None:
        wanted = [one for one in self._context.studio.selected_utterances if one in self._said]
        if sorted(wanted) != sorted(self._page.view.selected()):
            self._page.view.leave_text()
            self._page.view.select(wanted)
        self._show_speaker()

    def _show_speaker(self) -> None:
        chosen = [self._said[one] for one in self.selected() if one in self._said]
        people = {one.participant_id for one in chosen}
        who = next(iter(people)) if len(people) == 1 else None
        guess = any(one.suggested for one in chosen)
        self._page.speakers.show_choice(who, guess=guess, enabled=self._context.studio.writable and bool(chosen))

    # Typing

    def _keep(self, utterance_id: str, text: str) -> None:
        if utterance_id in self._said:
            self._edit(lambda session: commands.edit_text(session, utterance_id, text, check=False))

    def _save(self, utterance_id: str, text: str, read: bool) -> None:
        now, before = self._said.get(utterance_id), self._before
        if now is None or (text.strip() == now.text and not read and now == before):
            return
        differs = before is None or text.strip() != before.text
        self._edit(lambda session: commands.edit_text(session, utterance_id, text, check=read or differs))
        if not text.strip():
            self._context.studio.told.emit("This utterance has no text any more. Del deletes it.")

    def _give_up(self, utterance_id: str) -> None:
        before = self._before
        if before is not None and before.id == utterance_id and before != self._said.get(utterance_id):
            self._edit(lambda session: commands.put_back(session, before))

    def _split_text(self, utterance_id: str, before: str, after: str) -> None:
        self._save(utterance_id, f"{before.strip()} {after.strip()}", False)
        self.split(utterance_id, len(tokens(before)))
        self._page.view.edit_text(self._page.view.current(), 0)

    def _merge_back(self, utterance_id: str, text: str) -> None:
        row = self._page.model.row(utterance_id)
        earlier = self._page.model.lines[row - 1].said
        self._save(utterance_id, text, False)
        if self._merge([earlier.id, utterance_id]):
            self._page.view.edit_text(earlier.id, len(earlier.text) + 1 if earlier.text else 0)

    # Edits

    def split(self, utterance_id: str, word: int | None = None, at_us: int | None = None) -> None:
        """Cut an utterance in two, and select the second one."""
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = commands.split(session, utterance_id, word, at_us=at_us)
            made.append(new)
            return changes

        if self._edit(do):
            self._select(made)

    def split_here(self) -> None:
        """Cut the current utterance at the playhead."""
        one = self.current()
        if one is not None:
            self.split(one.id, at_us=self._context.player.position_us)

    def merge(self) -> None:
        """Join the selected utterances, or the current one and the next."""
        ids = self.selected()
        if len(ids) == 1:
            row = self._page.model.row(ids[0]) + 1
            ids += [line.said.id for line in self._page.model.lines[row : row + 1]]
        self._merge(ids)

    def _merge(self, ids: Sequence[str]) -> bool:
        kept: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = commands.merge(session, ids)
            kept.append(new)
            return changes

        done = self._edit(do)
        if done:
            self._select(kept)
        return done

    def set_edge(self, end: bool) -> None:
        """Let the current utterance start or end at the playhead."""
        one, at = self.current(), self._context.player.position_us
        if one is not None:
            span = (one.id, one.start_us, at) if end else (one.id, at, one.end_us)
            self._edit(lambda session: commands.retime(session, [span]))

    def nudge_edge(self, end: bool, by_us: int) -> None:
        """Move the start or the end of the current utterance; a key held down is one step."""
        one = self.current()
        if one is not None:
            moved = replace(one, end_us=one.end_us + by_us) if end else replace(one, start_us=one.start_us + by_us)
            span = (one.id, max(moved.start_us, 0), moved.end_us)
            self._edit(lambda session: commands.retime(session, [span], f"edge {end} {one.id}"))

    def assign(self, participant_id: str | None) -> None:
        """Say who speaks in what is selected."""
        ids = self.selected()
        if ids:
            self._edit(lambda session: commands.assign(session, ids, participant_id))

    def assign_by_digit(self, number: int) -> None:
        """Say that the participant whose button has a digit speaks."""
        person = self._page.speakers.person(number)
        if person is not None:
            self.assign(person.id)

    def assign_to_new(self) -> None:
        """Ask for a pseudonym, and say that this new participant speaks, wherever the program heard that voice."""
        ids = self._with_same_voice(self.selected())
        if not ids or not self._context.studio.writable:
            return
        question = f"Pseudonym of who says {counted(len(ids), 'utterance')}, such as P01 (never a real name):"
        name = self._context.questions.text("New participant", question, self._next_pseudonym())
        if name:
            self._edit(lambda session: commands.assign_to_new(session, ids, name)[1])

    def _with_same_voice(self, ids: list[str]) -> list[str]:
        """Add, to one utterance of a voice that is nobody's yet, all others of that voice."""
        label = self._guesses.label(self._said[ids[0]]) if len(ids) == 1 else ""
        return [one.id for one in self._said.values() if self._guesses.label(one) == label] if label else ids

    def accept_speakers(self) -> None:
        """Say that the program guessed right who speaks in what is selected."""
        ids = self.selected()
        if ids:
            self._edit(lambda session: commands.accept_speakers(session, ids))

    def check(self) -> bool:
        """Mark what is selected as read, or as drafts again where all of it was read; returns whether it is read."""
        ids = self.selected()
        checked = not all(self._said[one].checked for one in ids)
        if ids:
            self._edit(lambda session: commands.check(session, ids, checked))
        return bool(ids) and checked

    def mark_read(self) -> None:
        """Mark what is selected as read."""
        ids = self.selected()
        if ids and not all(self._said[one].checked for one in ids):
            self._edit(lambda session: commands.check(session, ids))

    def delete(self) -> None:
        """Delete what is selected, and go on to what comes after it."""
        self.delete_those(self.selected())

    def delete_those(self, ids: Sequence[str]) -> None:
        """Delete utterances of this recording; undo brings them back."""
        if not ids:
            return
        last = self._page.model.row(ids[-1])
        after = [line.said.id for line in self._page.model.lines[last + 1 : last + 2]]
        if self._edit(lambda session: commands.delete(session, ids)):
            self._select(after or [line.said.id for line in self._page.model.lines[-1:]])
            told = "1 utterance" if len(ids) == 1 else f"{len(ids)} utterances"
            self._context.studio.told.emit(f"Deleted {told}. Undo brings it back.")

    def add(self) -> None:
        """Add an utterance at the playhead, up to the next one, and let somebody type in it."""
        recording, at = self._context.studio.recording, self._context.player.position_us
        if recording is None:
            return
        later = [one.start_us for one in self._said.values() if one.start_us > at]
        end = min([at + _NEW_US, recording.duration_us, *later])
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = commands.add(session, recording.id, at, end)
            made.append(new)
            return changes

        if self._edit(do):
            self._select(made)
            self._page.view.edit_text(made[0])

    def _select(self, ids: Sequence[str]) -> None:
        self._page.view.select(ids)
        self._context.studio.select_utterances(ids)
        self._show_speaker()

    def _edit(self, do: Callable[[Session], Changes]) -> bool:
        return self._context.studio.edit(do, self)

    def _next_pseudonym(self) -> str:
        taken = {one.pseudonym for one in self._people.values()}
        return next(name for number in range(1, len(taken) + 2) if (name := f"P{number:02}") not in taken)
