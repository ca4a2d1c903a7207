"""Turns typing and keys on the transcript page into edits, and finds and replaces words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject

from annotate.transcript import transcript_edits
from annotate.transcript.utterance_text import WordSearch
from app.gui.pages.context import Context
from app.gui.study.dialogs import Rows, changed_message, confirm_change, deleted_message, format_row_count
from app.gui.transcript.transcript_page import TranscriptPage
from project.entities.study_records import Changes, Utterance
from project.errors import UserError
from project.session.session import Session
from resources.translation import tr, trn

_NEW_UTTERANCE_US = 2_000_000
"""How long an utterance is that somebody adds at the playhead, at most."""


class TranscriptEditor(QObject):
    """Edits. Typing is kept whenever it pauses, and when anything else is done."""

    def __init__(self, context: Context, page: TranscriptPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._before: Utterance | None = None
        view = page.view
        context.studio.leaving.connect(view.finish_editing)
        view.editing_started.connect(lambda key: setattr(self, "_before", self._page.said.get(key)))
        view.text_typed.connect(self._autosave)
        view.saved.connect(self._save)
        view.cancelled.connect(self._revert)
        view.split_requested.connect(self._split_text)
        view.merge_back_requested.connect(self._merge_back)
        page.speakers.assign_requested.connect(self.assign)
        page.speakers.new_requested.connect(self.assign_to_new)
        page.speakers.accept.clicked.connect(self.accept_speakers)
        page.add_requested.connect(self.add)

    # Typing

    def _autosave(self, utterance_id: str, text: str) -> None:
        if utterance_id in self._page.said:
            self._edit(lambda session: transcript_edits.edit_text(session, utterance_id, text, check=False))

    def _save(self, utterance_id: str, text: str, read: bool) -> None:
        now, before = self._page.said.get(utterance_id), self._before
        if now is None or (text.strip() == now.text and not read and now == before):
            return
        differs = before is None or text.strip() != before.text
        self._edit(lambda session: transcript_edits.edit_text(session, utterance_id, text, check=read or differs))
        if not text.strip():
            self._context.studio.message.emit(tr("This utterance has no text any more. Del deletes it."))

    def _revert(self, utterance_id: str) -> None:
        before = self._before
        if before is not None and before.id == utterance_id and before != self._page.said.get(utterance_id):
            self._edit(lambda session: transcript_edits.restore_text(session, before))

    def _split_text(self, utterance_id: str, before: str, after: str) -> None:
        if self._split(lambda session: transcript_edits.split_utterance_text(session, utterance_id, before, after)):
            self._page.view.edit_text(self._page.view.current(), 0)

    def _merge_back(self, utterance_id: str, text: str) -> None:
        row = self._page.model.row(utterance_id)
        earlier = self._page.model.lines[row - 1].utterance
        self._save(utterance_id, text, False)
        if self._merge([earlier.id, utterance_id]):
            self._page.view.edit_text(earlier.id, len(earlier.text) + 1 if earlier.text else 0)

    # Edits

    def split_at_playhead(self) -> None:
        """Cut the current utterance at the playhead."""
        utterance = self._page.current()
        if utterance is not None:
            at = self._context.player.position_us
            self._split(lambda session: transcript_edits.split_utterance(session, utterance.id, at_us=at))

    def _split(self, cut: Callable[[Session], tuple[str, Changes]]) -> bool:
        """Cut an utterance in two, and select the second one."""
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = cut(session)
            made.append(new)
            return changes

        done = self._edit(do)
        if done:
            self._page.select(made)
        return done

    def merge(self) -> None:
        """Join the selected utterances, or the current one and the next."""
        ids = self._page.selected()
        if len(ids) == 1:
            row = self._page.model.row(ids[0]) + 1
            ids += [line.utterance.id for line in self._page.model.lines[row : row + 1]]
        self._merge(ids)

    def _merge(self, ids: Sequence[str]) -> bool:
        kept: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = transcript_edits.merge_utterances(session, ids)
            kept.append(new)
            return changes

        done = self._edit(do)
        if done:
            self._page.select(kept)
        return done

    def set_edge(self, end: bool) -> None:
        """Let the current utterance start or end at the playhead."""
        utterance, at = self._page.current(), self._context.player.position_us
        if utterance is not None:
            span = (utterance.id, utterance.start_us, at) if end else (utterance.id, at, utterance.end_us)
            self._edit(lambda session: transcript_edits.retime_utterances(session, [span]))

    def nudge_edge(self, end: bool, by_us: int) -> None:
        """Move the start or the end of the current utterance; a key held down is one step."""
        utterance = self._page.current()
        if utterance is not None:
            moved = (
                replace(utterance, end_us=utterance.end_us + by_us)
                if end
                else replace(utterance, start_us=utterance.start_us + by_us)
            )
            span = (utterance.id, max(moved.start_us, 0), moved.end_us)
            self._edit(
                lambda session: transcript_edits.retime_utterances(session, [span], f"edge {end} {utterance.id}")
            )

    def assign(self, participant_id: str | None) -> None:
        """Say who speaks in what is selected."""
        ids = self._page.selected()
        if ids:
            self._change(lambda session: transcript_edits.assign_speaker(session, ids, participant_id), len(ids))

    def assign_by_digit(self, number: int) -> None:
        """Say that the participant whose button has a digit speaks."""
        person = self._page.speakers.person_by_digit(number)
        if person is not None:
            self.assign(person.id)

    def assign_to_new(self) -> None:
        """Ask for a pseudonym, and say that this new participant speaks, wherever the program heard that voice."""
        ids = self._page.add_same_voice(self._page.selected())
        if not ids or not self._context.studio.writable:
            return
        question = tr("Pseudonym of who says {count}, such as P01 (never a real name):").format(
            count=trn("{count} utterance", "{count} utterances", len(ids))
        )
        name = self._context.questions.text(tr("New participant"), question, self._page.next_pseudonym())
        if name:
            self._edit(lambda session: transcript_edits.assign_to_new_participant(session, ids, name)[1])

    def accept_speakers(self) -> None:
        """Say that the program guessed right who speaks in what is selected."""
        ids = self._page.selected()
        if ids:
            self._change(lambda session: transcript_edits.accept_speakers(session, ids), len(ids))

    def toggle_checked(self) -> bool:
        """Mark what is selected as read, or as drafts again where all of it was read; returns whether it is read."""
        ids = self._page.selected()
        checked = not all(self._page.said[utterance_id].checked for utterance_id in ids)
        if ids:
            self._edit(lambda session: transcript_edits.mark_checked(session, ids, checked))
        return bool(ids) and checked

    def mark_checked(self) -> None:
        """Mark what is selected as read."""
        ids = self._page.selected()
        if ids and not all(self._page.said[utterance_id].checked for utterance_id in ids):
            self._edit(lambda session: transcript_edits.mark_checked(session, ids))

    def delete_selected(self) -> None:
        """Delete what is selected, and go on to what comes after it."""
        self.delete_utterances(self._page.selected())

    def delete_utterances(self, ids: Sequence[str]) -> None:
        """Delete utterances of this recording; undo brings them back."""
        if not ids:
            return
        last = self._page.model.row(ids[-1])
        after = [line.utterance.id for line in self._page.model.lines[last + 1 : last + 2]]
        if self._edit(lambda session: transcript_edits.delete_utterances(session, ids)):
            self._page.select(after or [line.utterance.id for line in self._page.model.lines[-1:]])
            self._context.studio.message.emit(deleted_message(Rows.UTTERANCES, len(ids)))

    def add(self) -> None:
        """Add an utterance at the playhead, up to the next one, and let somebody type in it."""
        recording, at = self._context.studio.recording, self._context.player.position_us
        if recording is None:
            return
        later = [utterance.start_us for utterance in self._page.said.values() if utterance.start_us > at]
        end = min([at + _NEW_UTTERANCE_US, recording.duration_us, *later])
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = transcript_edits.add_utterance(session, recording.id, at, end)
            made.append(new)
            return changes

        if self._edit(do):
            self._page.select(made)
            self._page.view.edit_text(made[0])

    def _change(self, do: Callable[[Session], Changes], number: int) -> None:
        if self._edit(do) and number > 1:
            self._context.studio.message.emit(changed_message(Rows.UTTERANCES, number))

    def _edit(self, do: Callable[[Session], Changes]) -> bool:
        return self._context.studio.edit(do, self)


Place = tuple[str, int]
_NO_PLACE: Place = ("", -1)


class TranscriptSearchController(QObject):
    """Joins the bar with the list."""

    def __init__(self, context: Context, page: TranscriptPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._search: WordSearch | None = None
        self._found: Mapping[str, list[tuple[int, int]]] = {}
        self._places: list[Place] = []
        self._at = -1
        bar = page.search
        bar.changed.connect(self._start_search)
        bar.step_requested.connect(self.step)
        bar.replace_requested.connect(self._replace_one)
        bar.replace_all_requested.connect(self._replace_all)
        bar.closed.connect(self._close)
        page.changed.connect(self._refresh_search)

    def open_bar(self, replacing: bool) -> None:
        """Show the bar."""
        self._page.view.finish_editing()
        if self._page.model.lines:
            self._page.search.open_bar(replacing and self._context.studio.writable)

    def step(self, by: int) -> None:
        """Go to the next or the previous place."""
        if not self._places:
            return
        self._at = (self._at + by) % len(self._places) if self._at >= 0 else 0
        self._go_to_match()

    def _start_search(self) -> None:
        bar = self._page.search
        problem = ""
        try:
            self._search = WordSearch(
                bar.text.text(), bar.case.isChecked(), bar.words.isChecked(), bar.regex.isChecked()
            )
        except UserError as error:
            self._search, problem = None, str(error)
        self._find()
        row = self._page.model.row(self._page.view.current())
        rows = [self._page.model.row(text) for text, _ in self._places]
        self._at = next((i for i, number in enumerate(rows) if number >= row), 0 if self._places else -1)
        self._show_match(problem)

    def _refresh_search(self) -> None:
        """After an edit: the place that is shown stays, or the next one is."""
        if not self._page.search.isVisible() or self._search is None:
            return
        before = self._places[self._at] if 0 <= self._at < len(self._places) else _NO_PLACE
        self._find()
        row = self._page.model.row(before[0])
        later = [
            i for i, (text, start) in enumerate(self._places) if (self._page.model.row(text), start) >= (row, before[1])
        ]
        self._at = later[0] if later else 0 if self._places else -1
        self._show_match()

    def _find(self) -> None:
        found = {}
        for line in self._page.model.lines if self._search is not None else ():
            places = self._search.find_spans(line.utterance.text) if self._search is not None else []
            if places:
                found[line.utterance.id] = places
        self._found = found
        self._places = [(key, start) for key, places in found.items() for start, _ in places]

    def _go_to_match(self) -> None:
        self._page.view.go_to(self._places[self._at][0])
        self._show_match()

    def _show_match(self, problem: str = "") -> None:
        place = self._places[self._at] if 0 <= self._at < len(self._places) else _NO_PLACE
        self._page.view.set_matches(self._found, place)
        self._page.search.show_count(self._at + 1, len(self._places), problem)

    def _replace_one(self) -> None:
        if self._search is None or not 0 <= self._at < len(self._places):
            return
        key, start = self._places[self._at]
        line = self._page.model.line(key)
        if line is None:
            return
        search, replacement = self._search, self._page.search.replacement.text()

        def do(session: Session) -> Changes:
            text = search.replace_at(line.utterance.text, replacement, start)
            return transcript_edits.edit_text(session, key, text)

        self._places[self._at] = (key, start + len(replacement))
        self._context.studio.edit(do)
        self._show_match()

    def _replace_all(self) -> None:
        session, recording, search = self._context.studio.session, self._context.studio.recording, self._search
        if session is None or recording is None or search is None or not search.text:
            return
        where = None if self._page.search.where.currentIndex() else [recording.id]
        counts = transcript_edits.count_matches(session, search) if where is None else {}
        places, recordings = sum(counts.values()), len(counts)
        if not confirm_change(self._context.questions, Rows.PLACES, places, recordings):
            return
        done: list[transcript_edits.ReplaceResult] = []

        def do(session: Session) -> Changes:
            done.append(transcript_edits.replace_all(session, search, self._page.search.replacement.text(), where))
            return done[0].changes

        if self._context.studio.edit(do):
            told = tr("Replaced {rows}.").format(rows=format_row_count(Rows.PLACES, done[0].count, recordings))
            if done[0].emptied:
                told += tr(" {count} without text now.").format(
                    count=trn("{count} utterance", "{count} utterances", len(done[0].emptied))
                )
            self._context.studio.message.emit(told)

    def _close(self) -> None:
        self._search, self._found, self._places, self._at = None, {}, [], -1
        self._page.view.set_matches({}, _NO_PLACE)
        self._page.view.setFocus()
