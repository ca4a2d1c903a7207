"""Time sampling: which samples of a track are taken and which are missing, and the answer to one.

A sample is a segment of a track with `sampling`, a point or an interval; in a scan, of a track with a field for a
participant, there is one for each participant of the recording.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from annotate.segments.segment_edits import add_segment, set_label
from project.entities.study_records import Changes, Participant, Segment
from project.errors import UserError
from project.queries.recording_rows import participants_in
from project.queries.segment_rows import segments_of, values_in
from project.schemes.scheme import FieldKind, Sampling
from project.session.session import Session


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """One label that is asked for.

    Attributes:
        number: of the sample, from 1.
        start_us: of the sample.
        end_us: of the sample; `start_us` of an instantaneous one.
        participant: whom it is about, in a scan; else None.
    """

    number: int
    start_us: int
    end_us: int
    participant: Participant | None = None

    @property
    def key(self) -> tuple[int, str]:
        """Tells it from the other questions of the recording."""
        return self.number, self.participant.id if self.participant is not None else ""


@dataclass(frozen=True)
class SampleSheet:
    """The samples of one track in one recording, and those that the annotator of the session took.

    Attributes:
        field: key of the field that says whom a sample is about, in a scan; else "".
        people: whom a scan goes over.
        answers: key of a question -> its segment.
    """

    recording_id: str
    scheme: str
    track: str
    sampling: Sampling
    samples: int
    field: str
    people: tuple[Participant, ...]
    answers: Mapping[tuple[int, str], Segment]

    @cached_property
    def questions(self) -> tuple[SampleQuestion, ...]:
        """All questions, in the order in which they are asked."""
        return tuple(
            SampleQuestion(number, *self.sampling.span(number), participant)
            for number in range(1, self.samples + 1)
            for participant in (self.people or (None,))
        )

    @cached_property
    def missing(self) -> tuple[SampleQuestion, ...]:
        """The questions without an answer."""
        return tuple(question for question in self.questions if question.key not in self.answers)

    def first_from(self, time_us: int) -> SampleQuestion | None:
        """Return the first missing one at a time or later, else the first missing one; None where none is."""
        return next(
            (question for question in self.missing if question.end_us >= time_us), next(iter(self.missing), None)
        )

    def next_missing(self, after: SampleQuestion) -> SampleQuestion | None:
        """Return the next missing one, going on from the start after the last; None where none is."""
        place = self.questions.index(after)
        ahead = (*self.questions[place + 1 :], *self.questions[:place])
        return next((question for question in ahead if question.key not in self.answers), None)

    def neighbour(self, question: SampleQuestion, step: int) -> SampleQuestion:
        """Return the question that is so many steps away; at either end, the last one there is."""
        place = self.questions.index(question) + step
        return self.questions[min(max(place, 0), len(self.questions) - 1)]


def read_sample_sheet(session: Session, recording_id: str, scheme_key: str, track_key: str) -> SampleSheet:
    """Return the samples of a track in a recording."""
    scheme = session.schemes.get(scheme_key)
    track = scheme.track(track_key)
    if track.sampling is None:
        raise UserError(f"{track.name} is not sampled.", "Choose a track whose scheme says when samples are taken.")
    field = next((field.key for field in scheme.fields_of(track_key) if field.kind is FieldKind.PARTICIPANT), "")
    people = tuple(participants_in(session.study, recording_id)) if field else ()
    author = session.annotator()
    values = values_in(session.study, recording_id) if field else {}
    answers: dict[tuple[int, str], Segment] = {}
    for segment in segments_of(session.study, recording_id, scheme=scheme_key):
        number = track.sampling.number_of(segment.start_us, segment.end_us)
        if segment.track == track_key and author is not None and segment.annotator_id == author.id and number:
            about = values.get(segment.id, {}).get(field, "") if people else ""
            answers.setdefault((number, str(about or "")), segment)
    count = track.sampling.count(session.recording(recording_id).duration_us)
    return SampleSheet(recording_id, scheme_key, track_key, track.sampling, count, field, people, answers)


def answer_sample(session: Session, sheet: SampleSheet, question: SampleQuestion, label: str) -> Changes:
    """Take a sample; one that was taken before gets another label."""
    taken = sheet.answers.get(question.key)
    if taken is not None:
        return set_label(session, [taken.id], label)
    values = {sheet.field: question.participant.id} if question.participant is not None else None
    _, changes = add_segment(
        session,
        sheet.recording_id,
        question.start_us,
        question.end_us,
        label,
        values,
        scheme=sheet.scheme,
        track=sheet.track,
    )
    return changes
