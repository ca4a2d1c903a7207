"""Time sampling: which samples of a track are taken and which are missing, and the answer to one.

A sample is a segment of a track with `sampling`, a point or an interval; in a scan, of a track with a field for a
participant, there is one for each participant of the recording.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotate.segments.segment_edits import add_segment, set_label
from project.entities.study_records import Changes, Json, Participant, Recording, Segment
from project.errors import UserError
from project.queries.recording_rows import participants_in
from project.queries.segment_rows import segments_of, values_in
from project.schemes.scheme import Sampling, Scheme
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

    @property
    def size(self) -> int:
        """How many questions there are."""
        return self.samples * max(1, len(self.people))

    @property
    def taken(self) -> int:
        """How many of them have an answer."""
        people = {participant.id for participant in self.people} or {""}
        return sum(number <= self.samples and who in people for number, who in self.answers)

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
    """Return the samples of a track in a recording, with those that the annotator of the session took."""
    author, values = session.annotator(), values_in(session.study, recording_id)
    own = [
        (segment, values.get(segment.id, {}))
        for segment in segments_of(session.study, recording_id, scheme=scheme_key)
        if segment.track == track_key and author is not None and segment.annotator_id == author.id
    ]
    people = participants_in(session.study, recording_id)
    return fill_sample_sheet(session.recording(recording_id), session.schemes.get(scheme_key), track_key, people, own)


def fill_sample_sheet(
    recording: Recording,
    scheme: Scheme,
    track_key: str,
    people: Sequence[Participant],
    own: Iterable[tuple[Segment, Mapping[str, Json]]],
) -> SampleSheet:
    """Return the samples of a track in a recording.

    Args:
        recording: that is sampled.
        scheme: of the track.
        track_key: of the track.
        people: the participants of the recording, whom a scan goes over.
        own: the segments of one annotator on the track there, with their values.
    """
    track = scheme.track(track_key)
    if track.sampling is None:
        raise UserError(f"{track.name} is not sampled.", "Choose a track whose scheme says when samples are taken.")
    about = scheme.participant_field(track_key)
    field, scanned = ("", ()) if about is None else (about.key, tuple(people))
    answers: dict[tuple[int, str], Segment] = {}
    for segment, values in own:
        if number := track.sampling.number_of(segment.start_us, segment.end_us):
            whom = values.get(field, "") if scanned else ""
            answers.setdefault((number, str(whom or "")), segment)
    count = track.sampling.count(recording.duration_us)
    return SampleSheet(recording.id, scheme.key, track_key, track.sampling, count, field, scanned, answers)


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
