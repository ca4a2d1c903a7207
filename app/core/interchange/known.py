"""What a study holds already, so that importing a file twice adds nothing."""

from dataclasses import dataclass, field

from app.core.interchange.document import Entry
from project.queries import segments, utterances
from project.store import Study
from project.types import Segment

MILLISECOND = 1000
"""Formats that count milliseconds cut off what is finer, so times are compared that way."""


@dataclass(slots=True)
class KnownSegments:
    """The segments of one recording, by id and by what they say."""

    by_id: dict[str, Segment] = field(default_factory=dict)
    said: set[tuple[str, str, str, str, int, int]] = field(default_factory=set)

    def has(self, annotator_id: str, scheme: str, track: str, label: str, start_us: int, end_us: int) -> bool:
        """Tell whether the annotator has marked this very span with this label."""
        return (
            annotator_id,
            scheme,
            track,
            label,
            start_us // MILLISECOND,
            end_us // MILLISECOND,
        ) in self.said

    def differs(self, entry: Entry, label: str) -> bool:
        """Tell whether a segment of the entry's id is here with another span or label."""
        found = self.by_id.get(entry.id)
        return found is not None and (
            found.label != label
            or found.start_us // MILLISECOND != entry.start_us // MILLISECOND
            or found.end_us // MILLISECOND != entry.end_us // MILLISECOND
        )


@dataclass(slots=True)
class KnownUtterances:
    """The utterances of one recording, by what is said when and by whom."""

    said: set[tuple[str | None, str, int, int]] = field(default_factory=set)

    def has(self, participant_id: str | None, text: str, start_us: int, end_us: int) -> bool:
        """Tell whether this very utterance is here."""
        return (participant_id, text, start_us // MILLISECOND, end_us // MILLISECOND) in self.said


class Known:
    """The content of a study, read recording by recording as it is asked for."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._segments: dict[str, KnownSegments] = {}
        self._utterances: dict[str, KnownUtterances] = {}
        self._segment_ids = segments.segment_ids(study)
        self._utterance_ids = utterances.utterance_ids(study)

    def has_segment(self, segment_id: str) -> bool:
        """Tell whether a segment of this id is anywhere in the study, or was planned."""
        return segment_id in self._segment_ids

    def has_utterance(self, utterance_id: str) -> bool:
        """Tell whether an utterance of this id is anywhere in the study, or was planned."""
        return utterance_id in self._utterance_ids

    def taken(self, row_id: str) -> None:
        """Remember an id that is planned to be used."""
        self._segment_ids.add(row_id)
        self._utterance_ids.add(row_id)

    def segments(self, recording_id: str) -> KnownSegments:
        """Return what is marked in a recording."""
        if recording_id not in self._segments:
            found = KnownSegments()
            for one in segments.segments_of(self._study, recording_id):
                found.by_id[one.id] = one
                start, end = one.start_us // MILLISECOND, one.end_us // MILLISECOND
                found.said.add((one.annotator_id, one.scheme, one.track, one.label, start, end))
            self._segments[recording_id] = found
        return self._segments[recording_id]

    def utterances(self, recording_id: str) -> KnownUtterances:
        """Return what is said in a recording."""
        if recording_id not in self._utterances:
            self._utterances[recording_id] = KnownUtterances(
                {
                    (one.participant_id, one.text, one.start_us // MILLISECOND, one.end_us // MILLISECOND)
                    for one in utterances.utterances_of(self._study, recording_id)
                }
            )
        return self._utterances[recording_id]
