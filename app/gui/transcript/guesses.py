"""What the newest search for speakers says about the utterances of a recording."""

from app.core.session import Session
from app.core.speech.speaker_suggestions import speaker_flags, speakers_found
from project.types import Utterance


class Guesses:
    """Read when a recording is shown and when a search ended; what a person decided since then is left out."""

    def __init__(self) -> None:
        self._flags: dict[str, str] = {}
        self._labels: dict[str, str] = {}

    def read(self, session: Session, recording_id: str) -> None:
        """Read the guesses about a recording."""
        flags = speaker_flags(session, recording_id)
        self._flags = {one.utterance_id: one.text for one in reversed(flags) if one.utterance_id is not None}
        unnamed = (one for one in speakers_found(session, recording_id) if one.participant_id is None)
        self._labels = {key: one.label for one in unnamed for key in one.utterance_ids}

    def flag(self, one: Utterance) -> str:
        """Return why somebody should look at who says an utterance; "" where there is no reason."""
        undecided = one.participant_id is None or one.suggested
        return self._flags.get(one.id, "") if undecided else ""

    def label(self, one: Utterance) -> str:
        """Return what the voice of an utterance is called that is no participant's yet; "" where none was told."""
        return self._labels.get(one.id, "") if one.participant_id is None else ""
