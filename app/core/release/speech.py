"""What is known about the speech in a recording: what its transcript covers, and who agreed to be heard."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from app.core.release.stretches import Stretch, left_of, together, widened
from app.core.session import Session
from project.queries.heard import SPEECH, heard_of
from project.queries.runs import latest_run
from project.queries.utterances import utterances_of
from project.types import Run, Utterance

_NEAR_US = 400_000
"""How far speech may reach out of an utterance: voice activity is told a little before and after a word."""
_LEAST_US = 200_000
"""What is shorter holds no word."""
_MARGIN_US = 150_000
"""How far around their utterances those are muted who did not agree."""


@dataclass(frozen=True)
class Speech:
    """The speech of one recording.

    Attributes:
        run: the newest that looked for speech in the file as it is; None where none did.
        spans: where it found some.
        utterances: the transcript, by start.
    """

    run: Run | None
    spans: tuple[Stretch, ...]
    utterances: tuple[Utterance, ...]

    @cached_property
    def uncovered(self) -> list[Stretch]:
        """Where somebody speaks and nothing is written down."""
        written = widened(((one.start_us, one.end_us) for one in self.said), _NEAR_US)
        return [one for one in left_of(self.spans, written) if one[1] - one[0] >= _LEAST_US]

    @property
    def said(self) -> list[Utterance]:
        """The utterances in which something stands."""
        return [one for one in self.utterances if one.text.strip()]

    @property
    def drafts(self) -> list[Utterance]:
        """What a model heard and nobody looked at."""
        return [one for one in self.utterances if not one.checked]

    @property
    def unknown(self) -> list[Utterance]:
        """What was said by nobody known: no speaker is given, or only suggested by a program."""
        return [one for one in self.utterances if one.participant_id is None or one.suggested]

    def muted(self, agreed: Collection[str]) -> list[Stretch]:
        """Return the stretches in which somebody may be heard who is not among those (ids) that agreed.

        Those are the utterances of all others and of nobody known, and speech that stands in no utterance.
        """
        unknown = {one.id for one in self.unknown}
        fine: list[Stretch] = []
        others: list[Stretch] = []
        for one in self.utterances:
            kept = one.participant_id in agreed and one.id not in unknown
            (fine if kept else others).append((one.start_us, one.end_us))
        outside = left_of(self.spans, widened(fine, _NEAR_US))
        return together([*widened(others, _MARGIN_US), *outside])


def speech_in(session: Session, recording_id: str) -> Speech:
    """Return what the study knows about the speech of a recording."""
    run = latest_run(session.study, recording_id, SPEECH)
    medium = session.main_medium(recording_id)
    if run is not None and (medium is None or run.parameters.get("fingerprint") != medium.fingerprint):
        run = None
    heard = () if run is None else heard_of(session.study, run.id)
    spans = tuple((one.start_us, one.end_us) for one in heard)
    return Speech(run, spans, tuple(utterances_of(session.study, recording_id)))
