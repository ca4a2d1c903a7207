"""Studies of any content, and how they are compared."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from annotate.interchange.document import Document
from project.entities.study_records import (
    Annotator,
    Collection,
    Comment,
    FieldValue,
    Json,
    MediaFacts,
    Medium,
    MediumRole,
    Participant,
    ParticipantRole,
    Recording,
    Segment,
    Utterance,
)
from project.ids import new_id
from project.queries.annotator_rows import insert_annotator
from project.queries.recording_rows import (
    insert_collection,
    insert_medium,
    insert_participant,
    insert_recording,
    set_appearance,
)
from project.queries.segment_rows import insert_comments, insert_segments, insert_values
from project.queries.transcript_rows import insert_utterances
from project.schemes.scheme import Extent, Field, FieldKind
from project.schemes.scheme_file import load_scheme
from project.session.session import Session
from project.store.study import Study

SCHEMES = ("shrec", "cues", "sotopia-eval", "socialnli", "plain")
DURATION_US = 60_000_000
# No control characters but line ends, and nothing that no UTF-8 can hold.
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn"), include_characters="\n\t"), max_size=20)
WORDS = TEXT.filter(str.strip)
NAMES = WORDS.map(lambda text: " ".join(text.split())).filter(bool)


@dataclass(frozen=True)
class Content:
    recordings: tuple[Recording, ...]
    media: tuple[Medium, ...]
    annotators: tuple[Annotator, ...]
    participants: tuple[Participant, ...]
    segments: tuple[Segment, ...]
    values: tuple[FieldValue, ...]
    comments: tuple[Comment, ...]
    utterances: tuple[Utterance, ...]

    def without_work(self) -> "Content":
        return replace(self, annotators=(), participants=(), segments=(), values=(), comments=(), utterances=())


@st.composite
def contents(draw: Any) -> Content:
    collection = new_id()
    recordings = tuple(
        Recording(new_id(), collection, number + 1, name, DURATION_US)
        for number, name in enumerate(draw(st.lists(NAMES, min_size=1, max_size=2)))
    )
    media = tuple(
        Medium(
            new_id(),
            recording.id,
            MediumRole.MAIN,
            0,
            0,
            f"clip {recording.number}.mp4",
            recording.id,
            MediaFacts("mp4", 1, 1, None, None),
        )
        for recording in recordings
    )
    annotators = tuple(Annotator(new_id(), name) for name in draw(st.sets(NAMES, min_size=1, max_size=2)))
    people = tuple(
        Participant(new_id(), name, ParticipantRole.USER) for name in draw(st.sets(NAMES, min_size=1, max_size=2))
    )
    segments, values, comments, utterances = [], [], [], []
    for _ in range(draw(st.integers(0, 6))):
        scheme = load_scheme(draw(st.sampled_from(SCHEMES)))
        track = draw(st.sampled_from(scheme.tracks))
        label = draw(st.sampled_from(track.labels)).key
        start, end = draw(spans())
        if track.extent is Extent.RECORDING:
            start, end = 0, DURATION_US
        author, where = draw(st.sampled_from(annotators)), draw(st.sampled_from(recordings))
        segment = Segment(new_id(), where.id, author.id, label, start, end, scheme.key, track.key)
        segments.append(segment)
        for field in scheme.fields_of(track.key):
            if field.applies_to(label, track.key) and draw(st.booleans()):
                value = scheme.check_value(field.key, draw(filled_in(field, people)))
                values.append(FieldValue(segment.id, scheme.key, scheme.version, field.key, value))
        if draw(st.booleans()):
            at = "2026-01-01T00:00:00.000+00:00"
            comments.append(Comment(new_id(), segment.id, author.id, " ".join(draw(WORDS).split()), at))
    for _ in range(draw(st.integers(0, 6))):
        who, where = draw(st.sampled_from([None, *people])), draw(st.sampled_from(recordings))
        start, end = draw(spans())
        utterances.append(Utterance(new_id(), where.id, start, end, draw(WORDS), who.id if who else None))
    return Content(recordings, media, annotators, people, *map(tuple, (segments, values, comments, utterances)))


@st.composite
def spans(draw: Any) -> tuple[int, int]:
    start = draw(st.integers(0, DURATION_US - 1000))
    return start, draw(st.integers(start + 1000, DURATION_US))


def filled_in(field: Field, people: tuple[Participant, ...]) -> st.SearchStrategy[Json]:
    match field.kind:
        case FieldKind.TEXT:
            return WORDS
        case FieldKind.CHOICE:
            return st.sampled_from([choice.key for choice in field.choices])
        case FieldKind.CHOICES:
            return st.lists(st.sampled_from([choice.key for choice in field.choices]), min_size=1, unique=True)
        case FieldKind.SCALE | FieldKind.SLIDER:
            return st.integers(int(field.minimum), int(field.maximum))
        case FieldKind.PARTICIPANT:
            return st.sampled_from([person.id for person in people])


@contextmanager
def opened(content: Content) -> Iterator[Session]:
    """Open a study of this content, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        study = Study.create(Path(folder) / "study.greenroom")
        with study.without_history():
            study.set_property("schemes", [*SCHEMES])
            insert_collection(study, Collection(content.recordings[0].collection_id, "All"))
            for recording in content.recordings:
                insert_recording(study, recording)
            for medium in content.media:
                insert_medium(study, medium)
            for person in content.annotators:
                insert_annotator(study, person)
            for participant in content.participants:
                insert_participant(study, participant)
            insert_segments(study, content.segments)
            insert_values(study, content.values)
            insert_comments(study, content.comments)
            insert_utterances(study, content.utterances)
            for said in content.utterances:
                if said.participant_id:
                    set_appearance(study, said.recording_id, said.participant_id, True)
        with Session(study, "Somebody") as session:
            yield session


def compared(document: Document, *, ids: bool) -> list[Any]:
    """Return what must be the same after a round trip; the order of lanes does not matter."""
    return [
        (
            part.id,
            sorted(
                (
                    lane.kind,
                    lane.annotator,
                    lane.participant,
                    lane.scheme,
                    lane.track,
                    sorted(
                        repr((e.start_us, e.end_us, e.text, sorted(e.values.items()), e.id if ids else ""))
                        for e in lane.entries
                    ),
                )
                for lane in part.lanes
            ),
        )
        for part in document.recordings
    ]


def everything(session: Session) -> list[tuple[Any, ...]]:
    """Return every row of the journal and of the tables that an import may touch."""
    tables = ("annotator", "participant", "appearance", "segment", "segment_value", "comment", "utterance", "property")
    found = [(table, *row) for table in tables for row in session.study.rows(f"SELECT * FROM {table}")]
    return found + session.study.rows("SELECT count(*) FROM journal_step")
