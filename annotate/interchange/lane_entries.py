"""Matches the recordings and lanes of a document to a study, and reads lane entries as segments and utterances.

Entries that the study already holds are recognised, so importing a file twice adds nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from annotate.interchange import value_text
from annotate.interchange.document import (
    Document,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    file_name,
    parse_comments,
)
from annotate.interchange.lane_mapping import COMMENT, ImportMapping, LaneTarget, OutsideRule
from annotate.interchange.tier_texts import OBSERVATION
from annotate.study.recording_edits import MIN_SPAN_US
from project.entities.study_records import Json, Medium, Recording, Segment, Utterance
from project.errors import UserError
from project.queries import segment_rows, transcript_rows
from project.queries.recording_rows import all_media, all_participants, all_recordings
from project.schemes.scheme import Extent, Scheme
from project.session.session import Session
from project.store.study import Study
from project.text_format import escape_unprintable, pluralize

NEW_RECORDING = "new"
"""Stands for a recording's id: a recording without media is made."""
_SAME_LENGTH_US = 40_000
MILLISECOND = 1000
"""Formats that count milliseconds cut off what is finer, so times are compared that way."""


SegmentKey = tuple[str, str, str, str, int, int, str]
UtteranceKey = tuple[str | None, str, int, int]


def segment_key(segment: Segment, subject: str) -> SegmentKey:
    """Return what a segment says about somebody (`subject`, an id or ""): two of the same are one annotation."""
    start, end = segment.start_us // MILLISECOND, segment.end_us // MILLISECOND
    return segment.annotator_id, segment.scheme, segment.track, segment.label, start, end, subject


def utterance_key(utterance: Utterance) -> UtteranceKey:
    """Return what an utterance says: two of the same are one."""
    start, end = utterance.start_us // MILLISECOND, utterance.end_us // MILLISECOND
    return utterance.participant_id, utterance.text, start, end


class StudyContentIndex:
    """The content of a study, read recording by recording as it is asked for.

    Attributes:
        segment_ids: of all segments of the study, and those that are planned.
        utterance_ids: likewise.
        people: ids of all participants of the study, and those that are planned.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._segments: dict[str, tuple[dict[str, Segment], set[SegmentKey]]] = {}
        self._utterances: dict[str, set[UtteranceKey]] = {}
        self.people = {participant.id for participant in all_participants(study)}
        self.segment_ids = segment_rows.segment_ids(study)
        self.utterance_ids = transcript_rows.utterance_ids(study)

    def segments(self, recording_id: str) -> tuple[dict[str, Segment], set[SegmentKey]]:
        """Return id -> segment of a recording, and what these say."""
        if recording_id not in self._segments:
            marked = segment_rows.segments_of(self._study, recording_id)
            values = segment_rows.values_in(self._study, recording_id)
            keys = {segment_key(made, self.subject_of(values.get(made.id, {}))) for made in marked}
            self._segments[recording_id] = {segment.id: segment for segment in marked}, keys
        return self._segments[recording_id]

    def subject_of(self, values: Mapping[str, Json]) -> str:
        """Return what the values of a segment are about: a participant of the study, else an observation, or ""."""
        texts = [value for value in values.values() if isinstance(value, str)]
        return next((text for text in texts if text in self.people), str(values.get(OBSERVATION) or ""))

    def utterance_keys(self, recording_id: str) -> set[UtteranceKey]:
        """Return what is said in a recording."""
        if recording_id not in self._utterances:
            spoken = transcript_rows.utterances_of(self._study, recording_id)
            self._utterances[recording_id] = set(map(utterance_key, spoken))
        return self._utterances[recording_id]


@dataclass(frozen=True, slots=True)
class LaneImport:
    """One lane on its way into a recording.

    Attributes:
        left_out: reason -> how many entries are left out for it.
        remarks: what is changed on the way in -> how often.
    """

    recording: Recording
    mapping: ImportMapping
    left_out: Counter[str] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)


def guess_recordings(session: Session, document: Document) -> tuple[str, ...]:
    """Return the recording's id for each part of the document, "" where none fits; `NEW_RECORDING` for live coding.

    A part goes to the recording of its id, else to the only one of its name (also with the number before it, as in
    the names of exported files), else to the only one with a file of the same name as one of the part's media, else to
    the only one that is as long, else to the study's only one if most of it lies within that. The names of media are
    compared and never followed.
    """
    present = all_recordings(session.study)
    files: dict[str, set[str]] = {}
    for medium in all_media(session.study):
        files.setdefault(MediaLink(medium.path).match_key, set()).add(medium.recording_id)
    return tuple(_match_part(part, present, files, len(document.recordings)) for part in document.recordings)


def assign_recordings(
    session: Session, document: Document, chosen: Sequence[Recording], named: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """Return the places for recordings that a person named.

    They are one for the only part, or one for each part in order; or `named` has name of a part -> place.
    """
    if not chosen:
        names = {part.name for part in document.recordings}
        if strange := named.keys() - names:
            raise UserError(
                f"There is no recording “{escape_unprintable(min(strange))}” in the file.",
                f"Choose one of {', '.join(map(escape_unprintable, sorted(names)))}.",
            )
        guessed = guess_recordings(session, document)
        return tuple(named.get(part.name, place) for part, place in zip(document.recordings, guessed, strict=True))
    parts = len(document.recordings)
    if len(chosen) != parts:
        raise UserError(
            f"The file covers {pluralize(parts, 'recording')}, but {len(chosen)} were named.",
            "Name one recording for each, in the order of the file.",
        )
    return tuple(recording.id for recording in chosen)


def _match_part(part: RecordingPart, present: list[Recording], files: dict[str, set[str]], parts: int) -> str:
    if any(recording.id == part.id for recording in present):
        return part.id
    named = {recording.id for recording in present if recording.name == part.name}
    if len(named) == 1:
        return named.pop()
    numbered = {recording.id for recording in present if part.name.lstrip("0") == file_name(recording)}
    if len(numbered) == 1:
        return numbered.pop()
    linked = set().union(*(files.get(link.match_key, set()) for link in part.media))
    if len(linked) == 1:
        return linked.pop()
    differences = {recording.id: abs(recording.duration_us - part.duration_us) for recording in present}
    lasting = [recording_id for recording_id, difference in differences.items() if difference < _SAME_LENGTH_US]
    if part.duration_us and len(lasting) == 1:
        return lasting[0]
    if len(present) == 1 and parts == 1 and lies_mostly_within(part, present[0].duration_us):
        return present[0].id
    return NEW_RECORDING if parts > 1 and part.lanes and part.on_media_time and not part.media else ""


def lies_mostly_within(part: RecordingPart, duration_us: int) -> bool:
    """Tell whether at least half of the entries of a part begin within a recording so long."""
    starts = [entry.start_us for lane in part.lanes for entry in lane.entries]
    return sum(start >= duration_us for start in starts) * 2 <= len(starts)


def move_to_recording(lane: InterchangeLane, part: RecordingPart, media: Iterable[Medium]) -> InterchangeLane:
    """Return a lane on the axis of the recording that its part goes to, through the first medium that both have."""
    offsets: dict[str, int] = {}
    for medium in media:
        offsets.setdefault(MediaLink(medium.path).match_key, medium.offset_us)
    common = next((link for link in part.media if link.match_key in offsets), None)
    if not part.on_media_time or common is None:
        return lane
    shift = offsets[common.match_key] - common.offset_us
    entries = (replace(entry, start_us=entry.start_us + shift, end_us=entry.end_us + shift) for entry in lane.entries)
    return replace(lane, entries=tuple(entries)) if shift else lane


Span = tuple[int, int]


def clip_to_recording(entry: InterchangeEntry, importing: LaneImport) -> Span | None:
    """Return an entry's span inside the recording, or None where it is left out; reasons and changes are counted."""
    last = importing.recording.duration_us
    span = _stretch_point(entry, importing)
    if span is None:
        return None
    start, end = span
    if end <= 0 or start >= last:
        importing.left_out["it lies outside the recording: is it the right one?"] += 1
        return None
    # Formats that count milliseconds may round past the end: that is not worth a word.
    if max(-start, end - last) >= MIN_SPAN_US:
        if importing.mapping.outside is OutsideRule.LEAVE_OUT:
            importing.left_out["it reaches outside the recording"] += 1
            return None
        importing.remarks["reach outside the recording, and are cut off there"] += 1
    start, end = max(0, start), min(end, last)
    if end - start < MIN_SPAN_US:
        importing.left_out["less than a millisecond of it lies inside the recording"] += 1
        return None
    return start, end


def _stretch_point(entry: InterchangeEntry, importing: LaneImport) -> Span | None:
    """Return the span of an entry, where a point is as long as the mapping says; None where points are left out."""
    (start, end), last, point_us = entry.span, importing.recording.duration_us, importing.mapping.point_us
    if end - start >= MIN_SPAN_US:
        return start, end
    if not point_us:
        importing.left_out["it is a point without duration: give points a length"] += 1
        return None
    importing.remarks[f"points become {point_us / 1000:g} ms long"] += 1
    end = start + max(point_us, MIN_SPAN_US)
    return (max(0, last - (end - start)), last) if start <= last < end else (start, end)


def place_point(entry: InterchangeEntry, importing: LaneImport) -> Span | None:
    """Return an entry as a point inside the recording, or None where it is left out; reasons and changes are counted.

    What lasts no more than a millisecond is a point in formats that know none.
    """
    start, end = entry.span
    if end - start > MIN_SPAN_US:
        importing.remarks["have a length, and become points where they start"] += 1
    if not -MIN_SPAN_US < start < importing.recording.duration_us + MIN_SPAN_US:
        importing.left_out["it lies outside the recording: is it the right one?"] += 1
        return None
    at = min(max(0, start), importing.recording.duration_us)
    return at, at


_MAX_LISTED_TEXTS = 50
"""The most texts without a label that are listed one by one; further ones are counted together."""


_NO_LABEL_HINT = ": choose one for it, or a new track"


class Read(NamedTuple):
    """One entry as a segment."""

    start_us: int
    end_us: int
    label: str
    values: Mapping[str, Json]
    comments: tuple[str, ...]


class LaneReader:
    """Reads entries by one target; what is the same in many entries is worked out once."""

    def __init__(self, target: LaneTarget, scheme: Scheme, participant: Callable[[str], str]) -> None:
        """Check the target."""
        self._target = target
        self._scheme = scheme
        self._participant = participant
        self._track = scheme.track(target.track)
        for label in {*target.labels.values(), target.otherwise} - {""}:
            scheme.check_label(target.track, label, retired=True)
        for field_key in {*target.fields.values(), target.text_field} - {"", COMMENT}:
            scheme.field(field_key)
        names = {label.name.casefold(): label.key for label in self._track.labels}
        self._known = names | {label.key.casefold(): label.key for label in self._track.labels}
        self._keys = {label.key for label in self._track.labels}
        self._labels: dict[str, str] = dict(target.labels)
        self._fields = {field.key: field for field in scheme.fields}
        self._about = scheme.participant_field(target.track)
        self._values: dict[tuple[str, str], Json | UserError] = {}

    def find_label(self, text: str) -> str:
        """Return the key of the label that a text stands for, "" for none."""
        found = self._labels.get(text)
        if found is None:
            plain = text.strip()
            found = plain if plain in self._keys else self._known.get(plain.casefold(), self._target.otherwise)
            self._labels[text] = found
        return found

    def read_entry(self, entry: InterchangeEntry, importing: LaneImport, about: str = "") -> Read | None:
        """Return an entry as a segment about somebody (their id), or None where it is left out, with its reason."""
        label, left_out = self.find_label(entry.text), importing.left_out
        if not label:
            reason = f"“{entry.text.strip()[:40]}” is no label{_NO_LABEL_HINT}"
            listed = reason in left_out or len(left_out) < _MAX_LISTED_TEXTS
            left_out[reason if listed else f"the text is no label{_NO_LABEL_HINT}"] += 1
            return None
        duration_us = importing.recording.duration_us
        if self._track.extent is Extent.RECORDING:
            span: Span | None = (0, duration_us)
        else:
            span = (place_point if self._track.holds_points else clip_to_recording)(entry, importing)
        if span is None:
            return None
        if self._track.sampling is not None and self._track.span_problem(*span, duration_us):
            left_out["it is no sample of the track"] += 1
            return None
        values: dict[str, Json] = {}
        comments: tuple[str, ...] = ()
        if about and self._about is not None:
            self._add_value(self._about.key, about, label, values, importing.remarks)
        if self._target.text_field:
            self._add_value(self._target.text_field, entry.text, label, values, importing.remarks)
        for name, value in entry.values.items():
            key = self._target.fields.get(name, "")
            if not key:
                if value not in (None, "", []):
                    importing.remarks[f"values of “{name}” have no field, and are left out"] += 1
            elif key == COMMENT:
                comments += tuple(parse_comments(value))
            else:
                self._add_value(key, value, label, values, importing.remarks)
        return Read(*span, label, values, comments)

    def _add_value(self, key: str, value: Json, label: str, values: dict[str, Json], remarks: Counter[str]) -> None:
        field = self._fields[key]
        found = self._value(key, value)
        if isinstance(found, UserError):
            remarks[f"values do not fit {field.name}, and are left out"] += 1
        elif found is None:
            return
        elif not field.applies_to(label, self._target.track):
            remarks[f"values of {field.name} do not belong to the label, and are left out"] += 1
        else:
            values[key] = found

    def _value(self, key: str, value: Json) -> Json | UserError:
        known = (key, value_text.to_text(value))
        if known not in self._values:
            try:
                self._values[known] = value_text.to_value(self._scheme, self._fields[key], value, self._participant)
            except UserError as error:
                self._values[known] = error
        return self._values[known]
