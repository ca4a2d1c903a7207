"""The transcript on the timeline: detected speech, and a lane of utterances for each speaker.

Edits made there go through commands.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QMenu

from annotate.speech.speaker_suggestions import list_speaker_flags, list_speakers
from annotate.transcript import transcript_edits
from app.gui.player.player import Player
from app.gui.study.dialogs import Rows, changed_message, deleted_message
from app.gui.study.study_controller import StudyController
from app.gui.timeline.segment_editing import nudge_span
from project.entities.study_records import Changes, Utterance
from project.queries.recording_rows import all_participants, participants_in
from project.queries.transcript_rows import find_utterances, speech_spans, utterances_of
from project.session.session import Session
from resources.translation import tr
from widgets.labels import participant_colours
from widgets.timeline.lanes import Lane, LaneKind, SpokenBar, speaker_of_lane, utterance_bar, utterance_lane
from widgets.timeline.timeline_view import TimelineView


class Guesses:
    """Read when a recording is shown and when a search ended; what a person decided since then is left out."""

    def __init__(self) -> None:
        self._flags: dict[str, str] = {}
        self._labels: dict[str, str] = {}

    def read(self, session: Session, recording_id: str) -> None:
        """Read the guesses about a recording."""
        flags = list_speaker_flags(session, recording_id)
        self._flags = {flag.utterance_id: flag.text for flag in reversed(flags) if flag.utterance_id is not None}
        unnamed = (speaker for speaker in list_speakers(session, recording_id) if speaker.participant_id is None)
        self._labels = {key: found_speaker.label for found_speaker in unnamed for key in found_speaker.utterance_ids}

    def flag(self, utterance: Utterance) -> str:
        """Return why somebody should look at who says an utterance; "" where there is no reason."""
        undecided = utterance.participant_id is None or utterance.suggested
        return self._flags.get(utterance.id, "") if undecided else ""

    def label(self, utterance: Utterance) -> str:
        """Return what the voice of an utterance is called that is no participant's yet; "" where none was told."""
        return self._labels.get(utterance.id, "") if utterance.participant_id is None else ""


SPEECH_LANE = "heard"
NOBODY_YET = tr("Unassigned")


class SpokenLanes:
    """Knows whose utterances the recording that is shown has, and where somebody speaks."""

    def __init__(self) -> None:
        self._speakers: dict[str, str | None] = {}
        self._heard: Sequence[tuple[int, int]] | None = None
        self._guesses = Guesses()

    @property
    def speech_spans(self) -> Sequence[tuple[int, int]]:
        """Start and end of the stretches in which the newest run heard somebody speak."""
        return self._heard or ()

    def read(self, session: Session, recording_id: str) -> list[SpokenBar]:
        """Read a recording again; returns its utterances."""
        found = utterances_of(session.study, recording_id)
        self._speakers = {utterance.id: utterance.participant_id for utterance in found}
        self._heard = speech_spans(session.study, recording_id)
        self._guesses.read(session, recording_id)
        return [self._bar(utterance) for utterance in found]

    def apply(self, session: Session, recording_id: str, changes: Changes) -> tuple[list[SpokenBar], list[str]]:
        """Read what an edit touched; returns utterances that are there, and the ids of those that are gone."""
        touched = changes.ids("utterance")
        now = find_utterances(session.study, touched)
        here = [utterance for utterance in now.values() if utterance.recording_id == recording_id]
        gone = [
            utterance_id
            for utterance_id in touched
            if utterance_id in self._speakers and utterance_id not in {utterance.id for utterance in here}
        ]
        for utterance_id in gone:
            del self._speakers[utterance_id]
        self._speakers |= {utterance.id: utterance.participant_id for utterance in here}
        return [self._bar(utterance) for utterance in here], gone

    def lanes(self, session: Session, recording_id: str, writable: bool) -> list[Lane]:
        """Return the lanes: what was heard, each participant of the recording, and nobody yet, where there is any."""
        lanes = [] if self._heard is None else [Lane(SPEECH_LANE, tr("Speech"), LaneKind.SPANS)]
        if not self._speakers:
            return lanes
        counts = Counter(self._speakers.values())
        everybody = all_participants(session.study)
        colours = participant_colours([participant.id for participant in everybody])
        present = {participant.id for participant in participants_in(session.study, recording_id)}
        lanes += [
            utterance_lane(
                participant.id,
                participant.pseudonym,
                participant.role.value.capitalize(),
                colours[participant.id],
                writable,
            )
            for participant in everybody
            if participant.id in present or counts[participant.id]
        ]
        return [*lanes, utterance_lane(None, NOBODY_YET, tr("Who speaks?"), None, writable)] if counts[None] else lanes

    def _bar(self, utterance: Utterance) -> SpokenBar:
        return utterance_bar(utterance, self._guesses.flag(utterance))


class UtteranceEditor(QObject):
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
        studio: StudyController,
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
        timeline.utterance_requests.move.connect(self.retime)
        timeline.utterance_requests.create.connect(self.add)
        timeline.utterance_assign_requested.connect(lambda ids, lane: self.assign(ids, speaker_of_lane(lane)))
        timeline.utterance_requests.delete.connect(self.delete)
        timeline.utterance_requests.nudge.connect(self.nudge)
        timeline.utterance_requests.activate.connect(self.edit_utterance)

    def retime(self, spans: Sequence[tuple[str, int, int]], merge_key: str | None = None) -> None:
        """Give utterances new starts and ends."""
        self._studio.edit(lambda session: transcript_edits.retime_utterances(session, spans, merge_key))

    def nudge(self, ids: Sequence[str], frames: int, edge: str) -> None:
        """Move utterances, or one edge of them, by frames; a key held down is one step."""
        session, recording = self._studio.session, self._studio.recording
        if session is None or recording is None:
            return
        found = find_utterances(session.study, ids).values()
        spans = [
            (utterance.id, *nudge_span(utterance.start_us, utterance.end_us, frames, edge, self._player.times))
            for utterance in found
        ]
        if all(start >= 0 and end <= recording.duration_us for _, start, end in spans):
            self.retime(spans, f"nudge {edge} {' '.join(sorted(ids))}")

    def assign(self, ids: Sequence[str], participant_id: str | None) -> None:
        """Say who speaks."""
        self._change(lambda session: transcript_edits.assign_speaker(session, ids, participant_id), len(ids))

    def delete(self, ids: Sequence[str]) -> None:
        """Delete utterances; undo brings them back."""
        if self._studio.edit(lambda session: transcript_edits.delete_utterances(session, ids)):
            self._studio.message.emit(deleted_message(Rows.UTTERANCES, len(ids)))

    def add(self, lane: str, start_us: int, end_us: int) -> None:
        """Add an utterance without words in a speaker's lane, and go where its words are written."""
        recording = self._studio.recording
        if recording is None:
            return
        made: list[str] = []

        def do(session: Session) -> Changes:
            new, changes = transcript_edits.add_utterance(
                session, recording.id, start_us, end_us, participant_id=speaker_of_lane(lane)
            )
            made.append(new)
            return changes

        if self._studio.edit(do):
            self.edit_utterance(made[0])

    def edit_utterance(self, utterance_id: str) -> None:
        """Let somebody type in an utterance, on the page of the transcript."""
        self._studio.select_utterances([utterance_id])
        self._open_page()

    def show_menu(self, where: QPoint, owner: QMenu) -> None:
        """Offer what can be done with the selected utterances, at a point of the screen."""
        session, recording = self._studio.session, self._studio.recording
        ids = self._studio.selected_utterances
        if session is None or recording is None or not ids:
            return
        owner.addAction(tr("Edit words"), lambda: self.edit_utterance(ids[-1]))
        spoken = owner.addMenu(tr("Spoken by"))
        present = {participant.id for participant in participants_in(session.study, recording.id)}
        people = [participant for participant in all_participants(session.study) if participant.id in present]
        for title, key in [*((person.pseudonym, person.id) for person in people), (NOBODY_YET, None)]:
            spoken.addAction(title, partial(self.assign, ids, key))
        if any(utterance.suggested for utterance in find_utterances(session.study, ids).values()):
            owner.addAction(tr("The suggested speaker is right"), lambda: self._accept(ids))
        owner.addAction(tr("Add cue…"), self._add_cue)
        owner.addAction(tr("Node of a chain"), self._add_node)
        owner.addSeparator()
        owner.addAction(tr("Delete"), lambda: self.delete(ids))
        for action in owner.actions():
            action.setEnabled(self._studio.writable or action.text() == "Edit words")
        owner.popup(where)

    def _accept(self, ids: Sequence[str]) -> None:
        self._change(lambda session: transcript_edits.accept_speakers(session, ids), len(ids))

    def _change(self, do: Callable[[Session], Changes], number: int) -> None:
        if self._studio.edit(do) and number > 1:
            self._studio.message.emit(changed_message(Rows.UTTERANCES, number))
