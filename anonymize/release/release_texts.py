"""Texts and annotations as released: people and recordings under codes, free texts scrubbed or left out."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from annotate.interchange.document import (
    COMMENTS,
    SPEECH,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    format_comments,
    parse_comments,
    split_comment_author,
)
from annotate.interchange.document_export import build_document
from annotate.study.leave_permission import LeaveUse, may_leave
from anonymize.pii_detection.text_scrubber import OMISSION_MARK, Replacement, TextScrubber
from anonymize.release.private_content import build_scrubber
from anonymize.release.release_plan import (
    assign_annotator_codes,
    derive_released_id,
    recording_code,
)
from project.entities.study_records import Annotator, Changes, Json, Recording
from project.errors import UserError
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_participants, all_recordings
from project.schemes.scheme import CHOICE_KINDS, NUMERIC_KINDS, FieldKind, Scheme
from project.session.session import Session
from project.text_format import pluralize
from project.timebase import utc_now

CONFIRMATION_PROPERTY = "release_texts"
UTTERANCE, LABEL, SPEAKER, CODE = "utterance", "label", "speaker", "code"


@dataclass(frozen=True, slots=True)
class ReleasedText:
    """One text that a person wrote or said, before and after scrubbing.

    Attributes:
        recording: its number.
        recording_id: its id.
        time_us: where the segment or utterance begins.
        place: `rationale`, `utterance`, ...
    """

    recording: int
    recording_id: str
    time_us: int
    place: str
    before: str
    after: str
    replacements: tuple[Replacement, ...]


def scheme_words(scheme: Scheme) -> list[str]:
    """Return the words of a scheme that every release of its segments has: keys of it, and of all that is in it."""
    parts = (
        (scheme.key,),
        *((track.key, *(label.key for label in track.labels)) for track in scheme.tracks),
        *((field.key, *(choice.key for choice in field.choices)) for field in scheme.fields),
    )
    return [*dict.fromkeys(word for part in parts for word in part)]


class AnnotationScrubber:
    """Makes documents that may leave of recordings of a study, and remembers which texts were in them."""

    def __init__(self, session: Session, *, keep_texts: bool, key: str = "") -> None:
        """Get ready.

        Args:
            session: of the study.
            keep_texts: whether free texts are scrubbed; left out otherwise.
            key: of the study's releases; "" where ids do not matter.
        """
        self._session, self._keep, self._key = session, keep_texts, key
        self._pseudonyms = [participant.pseudonym for participant in all_participants(session.study)]
        self._codes = assign_annotator_codes(all_annotators(session.study), self._pseudonyms)
        self._here: Recording | None = None
        self._time_us = 0
        self.seen: list[ReleasedText] = []

    @cached_property
    def _scrubber(self) -> TextScrubber:
        return build_scrubber(self._session)

    def scrub_recording(self, recording: Recording, silent: Sequence[str] = (), clip: str = "") -> RecordingPart:
        """Return a recording as it may leave.

        What the people with the pseudonyms in `silent` say is left out; `clip` is the path of its clip, as the files
        name it.
        """
        self._here = recording
        (found,) = build_document(self._session, [recording]).recordings
        lanes = [made for lane in found.lanes if (made := self._scrub_lane(lane, silent)) is not None]
        if self._keep:
            # What a speaker is called leaves as it is, so it is read with the rest.
            spoken = {lane.participant for lane in found.lanes if lane.kind == "utterances"} - {"", *silent}
            for name in sorted(spoken):
                self.seen.append(ReleasedText(recording.number, recording.id, 0, SPEAKER, name, name, ()))
            used = dict.fromkeys(lane.scheme for lane in found.lanes)
            for scheme in filter(None, map(self._session.schemes.find, used)):
                for word in scheme_words(scheme) if scheme.source else ():
                    self.seen.append(ReleasedText(recording.number, recording.id, 0, CODE, word, word, ()))
        return RecordingPart(
            recording_code(recording.number),
            tuple(lanes),
            (MediaLink(clip),) if clip else (),
            found.duration_us,
            self._released_id(found.id),
        )

    def _scrub_lane(self, lane: InterchangeLane, silent: Sequence[str]) -> InterchangeLane | None:
        if lane.kind == "utterances":
            if not self._keep or lane.participant in silent:
                return None
            said = tuple(self._scrub_utterance(entry) for entry in lane.entries)
            return replace(lane, name=f"{SPEECH} {lane.participant}".strip(), entries=said)
        code = self._codes[lane.annotator]
        scheme = self._session.schemes.find(lane.scheme)
        return replace(
            lane,
            name=f"{code} {lane.scheme}.{lane.track}",
            annotator=code,
            entries=tuple(self._scrub_segment(entry, lane, scheme) for entry in lane.entries),
        )

    def _scrub_utterance(self, entry: InterchangeEntry) -> InterchangeEntry:
        self._time_us = entry.start_us
        return InterchangeEntry(
            entry.start_us, entry.end_us, self._scrub_text(UTTERANCE, entry.text), id=self._released_id(entry.id)
        )

    def _scrub_segment(self, entry: InterchangeEntry, lane: InterchangeLane, scheme: Scheme | None) -> InterchangeEntry:
        self._time_us = entry.start_us
        label = entry.text if entry.text in lane.vocabulary else self._scrub_text(LABEL, entry.text)
        made = {name: self._scrub_value(name, value, scheme) for name, value in entry.values.items()}
        kept = {name: value for name, value in made.items() if value is not None}
        return InterchangeEntry(entry.start_us, entry.end_us, label, kept, self._released_id(entry.id))

    def _scrub_value(self, name: str, value: Json, scheme: Scheme | None) -> Json:
        """Return a value of a form as it may leave; None where it is left out."""
        field = next((f for f in scheme.fields if f.key == name), None) if scheme else None
        if field is None and name == COMMENTS:
            return self._scrub_comments(value) if self._keep else None
        if field is not None and field.kind in NUMERIC_KINDS and isinstance(value, int | float):
            return value
        if field is not None and field.kind in CHOICE_KINDS:
            known = {choice.key for choice in field.choices}
            chosen = value if isinstance(value, list) else [value]
            if all(item in known for item in chosen):
                return value
        if field is not None and field.kind is FieldKind.PARTICIPANT and value in self._pseudonyms:
            return value
        return self._scrub_nested(name, value) if self._keep else None

    def _scrub_comments(self, value: Json) -> str:
        said = [split_comment_author(text) for text in parse_comments(value)]
        return format_comments(
            [(self._codes.get(who, OMISSION_MARK), self._scrub_text(COMMENTS, text)) for who, text in said]
        )

    def _scrub_nested(self, name: str, value: Json) -> Json:
        if isinstance(value, str):
            return self._scrub_text(name, value)
        if isinstance(value, list):
            return [self._scrub_nested(name, item) for item in value]
        if isinstance(value, dict):
            return {self._scrub_text(name, key): self._scrub_nested(name, item) for key, item in value.items()}
        return value

    def _scrub_text(self, place: str, text: str) -> str:
        if not self._keep:
            return OMISSION_MARK
        done = self._scrubber.scrub(text)
        assert self._here is not None
        if text.strip():
            here = self._here
            self.seen.append(
                ReleasedText(here.number, here.id, self._time_us, place, text, done.text, done.replacements)
            )
        return done.text

    def _released_id(self, own: str) -> str:
        return derive_released_id(self._key, own) if self._key and own else ""


def list_released_texts(session: Session) -> list[ReleasedText]:
    """Return every free text of the recordings that are not held out, before and after scrubbing."""
    return [text for part in released_texts_by_recording(session) for text in part]


def released_texts_by_recording(session: Session) -> Iterator[list[ReleasedText]]:
    """Yield what `list_released_texts` returns, one recording after the other."""
    found = AnnotationScrubber(session, keep_texts=True)
    for recording in all_recordings(session.study):
        if may_leave(session, recording.id, LeaveUse.EXPORT):
            found.seen.clear()
            found.scrub_recording(recording)
            yield [*found.seen]


def texts_checksum(texts: Sequence[ReleasedText]) -> str:
    """Return a checksum over all scrubbed texts: it changes with every text, word and name that changes one of them."""
    content = sorted([text.recording_id, text.time_us, text.place, text.after] for text in texts)
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def transcript_checksums(texts: Sequence[ReleasedText]) -> dict[str, str]:
    """Return recording id -> a checksum over its scrubbed transcript, for recordings that have one."""
    said: dict[str, list[ReleasedText]] = {}
    for text in texts:
        if text.place == UTTERANCE:
            said.setdefault(text.recording_id, []).append(text)
    return {key: texts_checksum(transcript) for key, transcript in said.items()}


def is_transcript_confirmed(session: Session, recording: Recording) -> bool:
    """Tell whether somebody read the scrubbed transcript of a recording as it is now; there may be nothing to read."""
    made = AnnotationScrubber(session, keep_texts=True)
    made.scrub_recording(recording)
    now = transcript_checksums(made.seen).get(recording.id)
    found = session.study.get_property(CONFIRMATION_PROPERTY)
    read = found.get("spoken") if isinstance(found, dict) else None
    return now is None or (isinstance(read, dict) and read.get(recording.id) == now)


def find_confirming_annotator(
    session: Session, texts: Sequence[ReleasedText], where: str = CONFIRMATION_PROPERTY
) -> Annotator | None:
    """Return who read scrubbed texts as they are now; None where nobody did.

    `where` is the property of the study that says so.
    """
    found = session.study.get_property(where)
    if not isinstance(found, dict) or found.get("state") != texts_checksum(texts):
        return None
    return next(
        (annotator for annotator in all_annotators(session.study) if annotator.id == found.get("annotator")), None
    )


def unconfirmed_message(count: int) -> str:
    """Say that nobody read so many scrubbed texts as they are now."""
    return f"Nobody confirmed the {pluralize(count, 'scrubbed text')} as they are now."


def build_confirmation(session: Session, texts: Sequence[ReleasedText]) -> dict[str, Json]:
    """Return what is kept when somebody, who is at work, has read scrubbed texts."""
    who = session.author()
    return {"state": texts_checksum(texts), "annotator": who.id, "at": utc_now()}


def confirm_texts(session: Session, state: str | None = None) -> Changes:
    """Say that one has read all scrubbed texts as they are now.

    `state` is that of the texts that were read, where they may have changed since.
    """
    texts = list_released_texts(session)
    now = texts_checksum(texts)
    if state is not None and state != now:
        raise UserError(
            "The texts have changed since you opened the list.", "Read the marked texts, then confirm again."
        )
    with session.step("Confirm scrubbed texts") as step:
        read: dict[str, Json] = {**build_confirmation(session, texts), "spoken": {**transcript_checksums(texts)}}
        session.study.set_property(CONFIRMATION_PROPERTY, read)
    return step.changes
