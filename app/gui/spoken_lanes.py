"""The timeline's lanes of the transcript: what a run heard, and the utterances of each speaker."""

from collections import Counter
from collections.abc import Sequence

from app.core.session import Session
from app.gui.transcript.guesses import Guesses
from project.queries.heard import speech_of
from project.queries.participants import all_participants, participants_in
from project.queries.utterances import utterances_called, utterances_of
from project.types import Changes, Participant, Utterance
from resources.translation import tr
from widgets.participant_looks import participant_colours
from widgets.timeline.lane import Lane, LaneKind
from widgets.timeline.spoken import SpokenBar, spoken_bar, spoken_lane

HEARD = "heard"
NOBODY = tr("Nobody yet")


class SpokenLanes:
    """Knows whose utterances the recording that is shown has, and where somebody speaks."""

    def __init__(self) -> None:
        self._speakers: dict[str, str | None] = {}
        self._heard: Sequence[tuple[int, int]] | None = None
        self._guesses = Guesses()

    @property
    def heard(self) -> Sequence[tuple[int, int]]:
        """Start and end of the stretches in which the newest run heard somebody speak."""
        return self._heard or ()

    def read(self, session: Session, recording_id: str) -> list[SpokenBar]:
        """Read a recording anew; returns its utterances."""
        found = utterances_of(session.study, recording_id)
        self._speakers = {one.id: one.participant_id for one in found}
        self._heard = speech_of(session.study, recording_id)
        self._guesses.read(session, recording_id)
        return [self._bar(one) for one in found]

    def apply(self, session: Session, recording_id: str, changes: Changes) -> tuple[list[SpokenBar], list[str]]:
        """Read what an edit touched; returns utterances that are there, and the ids of those that are gone."""
        touched = changes.ids("utterance")
        now = utterances_called(session.study, touched)
        here = [one for one in now.values() if one.recording_id == recording_id]
        gone = [one for one in touched if one in self._speakers and one not in {each.id for each in here}]
        for one in gone:
            del self._speakers[one]
        self._speakers |= {one.id: one.participant_id for one in here}
        return [self._bar(one) for one in here], gone

    def lanes(self, session: Session, recording_id: str, writable: bool) -> list[Lane]:
        """Return the lanes: what was heard, each participant of the recording, and nobody yet, where there is any."""
        lanes = [] if self._heard is None else [Lane(HEARD, tr("Speech"), LaneKind.SPANS)]
        if not self._speakers:
            return lanes
        counts = Counter(self._speakers.values())
        everybody = all_participants(session.study)
        colours = participant_colours([one.id for one in everybody])
        present = {one.id for one in participants_in(session.study, recording_id)}
        lanes += [
            spoken_lane(one.id, one.pseudonym, _role(one), colours[one.id], writable)
            for one in everybody
            if one.id in present or counts[one.id]
        ]
        return [*lanes, spoken_lane(None, NOBODY, tr("Who speaks?"), None, writable)] if counts[None] else lanes

    def _bar(self, one: Utterance) -> SpokenBar:
        return spoken_bar(one, self._guesses.flag(one))


def _role(one: Participant) -> str:
    return one.role.value.capitalize()
