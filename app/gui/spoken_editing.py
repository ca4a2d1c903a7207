"""What is done to utterances on the timeline; every change goes through a command."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu

from app.core.commands import transcript as commands
from app.core.commands import who_speaks
from app.core.session import Session
from app.gui.edit_text import Rows, tell_changed, tell_deleted
from app.gui.nudging import nudged
from app.gui.player import Player
from app.gui.spoken_lanes import NOBODY
from app.gui.studio import Studio
from project.queries.participants import all_participants, participants_in
from project.queries.utterances import utterances_called
from project.types import Changes
from resources.translation import tr
from widgets.timeline.spoken import speaker_of
from widgets.timeline.view import TimelineView


class SpokenEditing(QObject):
    """Edits utterances as the timeline asks.

    Args:
        studio: what is open.
        player: knows the frames.
        timeline: what asks.
        open_page: lets somebody type in the selected utterance.
        add_cue: asks for a cue in the selected utterance.
        add_node: makes a node of a chain of the selected utterances.
        parent: the window.
    """

    def __init__(
        self,
        studio: Studio,
        player: Player,
        timeline: TimelineView,
        open_page: Callable[[], None],
        add_cue: Callable[[], None],
        add_node: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._open_page = open_page
        self._add_cue = add_cue
        self._add_node = add_node
        timeline.utterance_move_requested.connect(self.retime)
        timeline.utterance_create_requested.connect(self.add)
        timeline.utterance_assign_requested.connect(lambda ids, lane: self.assign(ids, speaker_of(lane)))
        timeline.utterance_delete_requested.connect(self.delete)
        timeline.utterance_nudge_requested.connect(self.nudge)
        timeline.utterance_activated.connect(self.open)

    def retime(self, spans: Sequence[tuple[str, int, int]], merge_key: str | None = None) -> None:
        """Give utterances new starts and ends."""
        self._studio.edit(lambda session: commands.retime(session, spans, merge_key))

    def nudge(self, ids: Sequence[str], frames: int, edge: str) -> None:
        """Move utterances, or one edge of them, by frames; a key held down is one step."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return
        found = utterances_called(session.study, ids).values()
        spans = [(one.id, *nudged(one.start_us, one.end_us, frames, edge, self._player.times)) for one in found]
        if all(start >= 0 and end <= recording.duration_us for _, start, end in spans):
            self.retime(spans, f"nudge {edge} {' '.join(sorted(ids))}")

    def assign(self, ids: Sequence[str], participant_id: str | None) -> None:
        """Say who speaks."""
        self._change(lambda session: who_speaks.assign(session, ids, participant_id), len(ids))

    def delete(self, ids: Sequence[str]) -> None:
        """Delete utterances; undo brings them back."""
        if self._studio.edit(lambda session: commands.delete(session, ids)):
            self._studio.told.emit(tell_deleted(Rows.UTTERANCES, len(ids)))

    def add(self, lane: str, start_us: int, end_us: int) -> None:
        """Add an utterance without words in a speaker's lane, and go where its words are written."""
        recording = self._studio.recording
        if recording is None:
            return
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = commands.add(session, recording.id, start_us, end_us, participant_id=speaker_of(lane))
            made.append(new)
            return changes

        if self._studio.edit(do):
            self.open(made[0])

    def open(self, utterance_id: str) -> None:
        """Let somebody type in an utterance, on the page of the transcript."""
        self._studio.select_utterances([utterance_id])
        self._open_page()

    def menu(self, where: QPoint, owner: QMenu) -> None:
        """Offer what can be done with the selected utterances, at a point of the screen."""
        session, recording = self._studio.session, self._studio.recording
        ids = self._studio.selected_utterances
        if session is None or recording is None or not ids:
            return
        owner.addAction(tr("Edit words"), lambda: self.open(ids[-1]))
        spoken = owner.addMenu(tr("Spoken by"))
        present = {one.id for one in participants_in(session.study, recording.id)}
        people = [one for one in all_participants(session.study) if one.id in present]
        for title, key in [*((one.pseudonym, one.id) for one in people), (NOBODY, None)]:
            spoken.addAction(title, partial(self.assign, ids, key))
        if any(one.suggested for one in utterances_called(session.study, ids).values()):
            owner.addAction(tr("The suggested speaker is right"), lambda: self._accept(ids))
        owner.addAction(tr("Add cue…"), self._add_cue)
        owner.addAction(tr("Node of a chain"), self._add_node)
        owner.addSeparator()
        owner.addAction(tr("Delete"), lambda: self.delete(ids))
        for action in owner.actions():
            action.setEnabled(self._studio.writable or action.text() == "Edit words")
        owner.popup(where)

    def _accept(self, ids: Sequence[str]) -> None:
        self._change(lambda session: who_speaks.accept_speakers(session, ids), len(ids))

    def _change(self, do: Callable[[Session], Changes], number: int) -> None:
        if self._studio.edit(do) and number > 1:
            self._studio.told.emit(tell_changed(Rows.UTTERANCES, number))
