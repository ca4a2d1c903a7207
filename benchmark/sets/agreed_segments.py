"""Candidates from segments that people agree on (SHREC, appendix H), and unmarked spans for negatives."""

import hashlib
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial

from annotate.agreement.annotator_lanes import Mark, group_marks, read_marks
from annotate.agreement.span_matching import compared_span
from annotate.agreement.study_agreement import ADJUDICATED as ADJUDICATED_KIND
from annotate.agreement.study_agreement import PERSON
from annotate.study.leave_permission import LeaveUse, may_leave
from benchmark.disclosure.cast_names import ROLE_NAMES, TextRewriter, make_name_rewriter
from benchmark.items.candidates import DUPLICATE_MOMENT, CandidatePool, ItemCandidate
from benchmark.items.sampling import (
    ADJUDICATED,
    DISAGREED,
    HELD_OUT,
    INTERSECTION,
    MAJORITY,
    ONE_ANNOTATOR,
    REVIEWED,
    UNION,
    UNREVIEWED,
    SamplingOptions,
)
from project.entities.study_records import Json, ParticipantRole, Recording, ReviewDecision, Utterance
from project.errors import UserError
from project.queries.annotator_rows import all_annotators, completions
from project.queries.recording_rows import all_participants, all_recordings, present_participants
from project.queries.segment_rows import segments_of, training_work
from project.queries.transcript_rows import utterances_of
from project.schemes.scheme import Field, FieldKind, Scheme
from project.session.session import PerState, Session


class LabelAgreement(StrEnum):
    """How people agree on the label of a moment."""

    AGREED = "agreed"
    """Two or more marked it, and all support the same label."""
    REVIEWED = "reviewed"
    """One person marked it, and others agree with it."""
    UNREVIEWED = "unreviewed"
    """One person marked it, and nobody reviewed it."""
    DISAGREED = "disagreed"


@dataclass(frozen=True, slots=True)
class SegmentConsensus:
    """Segments of several people about the same moment.

    Attributes:
        mark: the representative segment: of the chosen label, the one that most others agree with.
        agreement: how people agree.
        marks: all of the segments.
    """

    mark: Mark
    agreement: LabelAgreement
    marks: tuple[Mark, ...]

    @property
    def supporting_marks(self) -> tuple[Mark, ...]:
        return tuple(mark for mark in self.marks if mark.segment.label == self.mark.segment.label)

    def has_same_value(self, field: str) -> bool:
        """Tell whether all segments with the chosen label have the same value of a field."""
        return all(mark.values.get(field) == self.mark.values.get(field) for mark in self.supporting_marks)

    def combined_choices(self, field: Field, truth: str) -> list[Json]:
        """Return the choices of a multiple-choice field that count, in the order of the scheme."""
        if truth in (ONE_ANNOTATOR, ADJUDICATED):
            value = self.mark.values.get(field.key)
            return value if isinstance(value, list) else []
        chosen = [mark.values.get(field.key) for mark in self.supporting_marks]
        counts = Counter(str(choice) for value in chosen if isinstance(value, list) for choice in value)
        needed = {UNION: 1, INTERSECTION: len(chosen), MAJORITY: len(chosen) // 2 + 1}[truth]
        return [choice.key for choice in field.choices if counts[choice.key] >= needed]


def build_consensus(group: Sequence[Mark]) -> SegmentConsensus:
    """Return the consensus about one moment.

    A person supports the label that they agreed with in review, else the one that they marked; a person who only
    disagreed in review opposes it (SHREC, appendix H).
    """
    owners = {mark.segment.annotator_id for mark in group}
    reviewers = {review.reviewer_id for mark in group for review in mark.reviews}
    labels: Counter[str] = Counter()
    against = False
    for person in sorted(owners | reviewers):
        chosen = [mark for mark in group if _agrees(mark, person)]
        chosen = chosen or [mark for mark in group if mark.segment.annotator_id == person]
        if chosen:
            labels[_best_mark(chosen).segment.label] += 1
        else:
            against = True
    most = max(labels.values())
    mark = _best_mark([mark for mark in group if labels[mark.segment.label] == most])
    if against or len(labels) > 1:
        return SegmentConsensus(mark, LabelAgreement.DISAGREED, tuple(group))
    if len(owners) > 1:
        return SegmentConsensus(mark, LabelAgreement.AGREED, tuple(group))
    return SegmentConsensus(mark, LabelAgreement.REVIEWED if reviewers else LabelAgreement.UNREVIEWED, tuple(group))


def _agrees(mark: Mark, person: str) -> bool:
    review = mark.review_by(person)
    return review is not None and review.decision is ReviewDecision.AGREE


def _best_mark(marks: Sequence[Mark]) -> Mark:
    return min(marks, key=lambda mark: (-mark.agree_count, mark.sort_key, mark.segment.id))


_CHECKSUM_CHARS = 8


@dataclass(frozen=True, slots=True)
class ExchangedWords:
    """What people say, and what the agent answers.

    Attributes:
        texts: of the people, of the agent.
        spans: in which each side speaks, in microseconds on the recording's axis.
    """

    texts: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


class RecordingTranscript:
    """The transcript of one recording."""

    def __init__(self, session: Session, recording_id: str, roles: Mapping[str, ParticipantRole]) -> None:
        self._said = utterances_of(session.study, recording_id)
        self._roles = roles

    @cached_property
    def _longest_us(self) -> int:
        return max((utterance.end_us - utterance.start_us for utterance in self._said), default=0)

    def utterances_between(self, start_us: int, end_us: int) -> list[Utterance]:
        first = bisect_left(self._said, start_us - self._longest_us, key=lambda utterance: utterance.start_us)
        last = bisect_left(self._said, end_us, key=lambda utterance: utterance.start_us)
        return [utterance for utterance in self._said[first:last] if utterance.end_us > start_us]

    def checksum(self, start_us: int, end_us: int) -> str:
        """Return a checksum of the conversation that a judge is shown for a span."""
        lines = [
            [utterance.start_us, utterance.end_us, utterance.participant_id, utterance.text]
            for utterance in self.utterances_between(start_us, end_us)
        ]
        return hashlib.sha256(json.dumps(lines, ensure_ascii=True).encode()).hexdigest()[:_CHECKSUM_CHARS]

    def exchange(self, start_us: int, end_us: int) -> "ExchangedWords | None":
        """Return what people say in a span and what the agent answers; None if the agent answers nobody.

        It is the first turns of the agent after people, and all turns of people before. Turns that lie in the span by
        less than half are ignored.
        """
        inside = [
            utterance
            for utterance in self.utterances_between(start_us, end_us)
            if _mostly_inside(utterance, start_us, end_us)
        ]
        asked: list[Utterance] = []
        answered: list[Utterance] = []
        for utterance in inside:
            role = self._roles.get(utterance.participant_id or "")
            if role is None or not utterance.text.strip():
                continue
            if role is ParticipantRole.ROBOT:
                if asked:
                    answered.append(utterance)
            elif answered:
                break
            else:
                asked.append(utterance)
        if not answered:
            return None
        sides = (asked, answered)
        return ExchangedWords(
            tuple(" ".join(utterance.text.strip() for utterance in side) for side in sides),
            tuple((side[0].start_us, max(utterance.end_us for utterance in side)) for side in sides),
        )


def _mostly_inside(utterance: Utterance, start_us: int, end_us: int) -> bool:
    shared = min(utterance.end_us, end_us) - max(utterance.start_us, start_us)
    return 2 * shared >= utterance.end_us - utterance.start_us


class TranscriptChecksums:
    """Checksums of the conversation in spans; each transcript is read once, and each span computed once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._roles = {participant.id: participant.role for participant in all_participants(session.study)}
        self._transcripts: dict[str, RecordingTranscript] = {}
        self._known: dict[tuple[str, int, int], str] = {}

    def checksum(self, recording_id: str, start_us: int, end_us: int) -> str:
        span = recording_id, start_us, end_us
        if span not in self._known:
            if recording_id not in self._transcripts:
                self._transcripts[recording_id] = RecordingTranscript(self._session, recording_id, self._roles)
            self._known[span] = self._transcripts[recording_id].checksum(start_us, end_us)
        return self._known[span]

    def unmarked_checksum(self, recording_id: str, start_us: int, end_us: int) -> str:
        return f"unmarked.{self.checksum(recording_id, start_us, end_us)}"


def checksum(parts: Sequence[object]) -> str:
    """Return a checksum over JSON values."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True, sort_keys=True).encode()).hexdigest()[:16]


EXCLUSION_REASONS = {
    LabelAgreement.DISAGREED: "people disagree about it",
    LabelAgreement.REVIEWED: "one person marked it, though others agree with it",
    LabelAgreement.UNREVIEWED: "one person marked it, and nobody reviewed it",
}
IN_HOLD_OUT = "in a recording that is held out"
IN_TRAINING = "made in a training round"
NOT_BY_PERSON = "not by a person: adjudicated, or by a model"
NOT_ADJUDICATED = "not of the adjudicated lane, which alone counts"
_INCLUDE_KEYS = {
    LabelAgreement.DISAGREED: DISAGREED,
    LabelAgreement.REVIEWED: REVIEWED,
    LabelAgreement.UNREVIEWED: UNREVIEWED,
}
_AGREED_STATES = (LabelAgreement.AGREED, LabelAgreement.REVIEWED)
_MIN_WORKERS = 2
"""People that must have worked on a recording before its unmarked spans count as negatives."""


def segment_pool(session: Session, wishes: SamplingOptions) -> CandidatePool:
    """Return a candidate for each moment that people agree on, and for others that the options include."""
    scheme = _scheme(session, wishes.scheme)
    track = _track(scheme, wishes.track)
    known = _POOLS.get(session)
    key = (scheme.key, scheme.version, track, tuple(sorted(wishes.include)), wishes.truth)
    if key not in known:
        builder = _PoolBuilder(session, scheme, track, frozenset(wishes.include), wishes.truth)
        known[key] = builder.build_pool()
    return known[key]


_POOLS: PerState[dict[tuple[object, ...], CandidatePool]] = PerState(lambda _session: {})


def _scheme(session: Session, key: str) -> Scheme:
    found = session.schemes.find(key) if key else session.scheme
    if found is None:
        raise UserError(f"The scheme “{key}” is not in this study.", "List the schemes: greenroom scheme list")
    return found


def _track(scheme: Scheme, key: str) -> str:
    known = [track.key for track in scheme.tracks]
    if key and key not in known:
        raise UserError(f"{scheme.name} has no track “{key}”.", f"Choose one of {', '.join(known)}.")
    return key or known[0]


@dataclass(frozen=True, slots=True)
class _RecordingSource:
    """A recording with its transcript, while the pool is built."""

    recording: Recording
    transcript: RecordingTranscript
    rewrite: TextRewriter


class _PoolBuilder:
    """Builds the pool from the segments of one track, recording by recording."""

    def __init__(self, session: Session, scheme: Scheme, track: str, include: frozenset[str], truth: str) -> None:
        self._session, self._scheme, self._track, self._include = session, scheme, track, include
        self._truth = truth
        kinds = {annotator.id: annotator.kind for annotator in all_annotators(session.study)}
        self._people = {who for who, kind in kinds.items() if kind == PERSON}
        self._adjudicated = {who for who, kind in kinds.items() if kind == ADJUDICATED_KIND}
        self._annotators = [*kinds]
        self._training = training_work(session.study)
        self._completed = completions(session.study)
        self._roles = {participant.id: participant.role for participant in all_participants(session.study)}
        self._left_out: Counter[str] = Counter()
        fields = scheme.fields_of(track)
        self._multiple = [field for field in fields if field.kind is FieldKind.CHOICES]
        self._attributes = next((field.key for field in self._multiple), "")
        self._single = [field.key for field in fields if field.kind is FieldKind.CHOICE]
        self._texts = [field.key for field in fields if field.kind is FieldKind.TEXT]

    def build_pool(self) -> CandidatePool:
        study = self._session.study
        candidates: list[ItemCandidate] = []
        gaps: list[ItemCandidate] = []
        for recording in all_recordings(study):
            marks = [
                mark for mark in read_marks(self._session, recording.id, self._annotators) if self._is_on_track(mark)
            ]
            if HELD_OUT not in self._include and not may_leave(self._session, recording.id, LeaveUse.ITEM_SET):
                self._left_out[IN_HOLD_OUT] += len(marks)
                continue
            source = _RecordingSource(
                recording,
                RecordingTranscript(self._session, recording.id, self._roles),
                self._name_rewriter(recording.id),
            )
            candidates += self._candidates(source, marks)
            gaps += self._gaps(source, marks)
        return CandidatePool(tuple(candidates), dict(self._left_out), self._scheme, self._track, tuple(gaps))

    def _is_on_track(self, mark: Mark) -> bool:
        return (mark.segment.scheme, mark.segment.track) == (self._scheme.key, self._track)

    def _name_rewriter(self, recording_id: str) -> TextRewriter:
        """Return the rewriter of texts that are shown among those of other recordings: people are named by role."""
        people = present_participants(self._session.study, recording_id)
        return make_name_rewriter(people, {person.id: ROLE_NAMES[person.role] for person in people}, str)

    def _candidates(self, home: _RecordingSource, marks: Sequence[Mark]) -> Iterator[ItemCandidate]:
        if self._truth == ADJUDICATED:
            yield from self._adjudicated_candidates(home, marks)
            return
        kept = []
        for mark in marks:
            who = mark.segment.annotator_id
            if who not in self._people:
                self._left_out[NOT_BY_PERSON] += 1
            elif (home.recording.id, who) in self._training:
                self._left_out[IN_TRAINING] += 1
            else:
                kept.append(mark)
        for group in group_marks(kept):
            moment = build_consensus(group)
            wished = _INCLUDE_KEYS.get(moment.agreement)
            if wished is not None and wished not in self._include:
                self._left_out[EXCLUSION_REASONS[moment.agreement]] += len(group)
                continue
            if len(group) > 1:
                self._left_out[DUPLICATE_MOMENT] += len(group) - 1
            yield self._candidate(home, moment)

    def _adjudicated_candidates(self, home: _RecordingSource, marks: Sequence[Mark]) -> Iterator[ItemCandidate]:
        """Yield the segments of the adjudicated lane; they agree unless people disagreed about the moment."""
        people = [
            mark
            for mark in marks
            if mark.segment.annotator_id in self._people
            and (home.recording.id, mark.segment.annotator_id) not in self._training
        ]
        disputed = [
            compared_span(mark.segment)
            for moment in map(build_consensus, group_marks(people))
            if moment.agreement is LabelAgreement.DISAGREED
            for mark in moment.marks
        ]
        lane = [mark for mark in marks if mark.segment.annotator_id in self._adjudicated]
        if len(lane) < len(marks):
            self._left_out[NOT_ADJUDICATED] += len(marks) - len(lane)
        for group in group_marks(lane):
            segment = group[0].segment
            own_start, own_end = compared_span(segment)
            is_disputed = any(start < own_end and own_start < end for start, end in disputed)
            agreement = LabelAgreement.DISAGREED if is_disputed else LabelAgreement.AGREED
            yield self._candidate(home, SegmentConsensus(group[0], agreement, tuple(group[:1])))

    def _candidate(self, home: _RecordingSource, moment: SegmentConsensus) -> ItemCandidate:
        mark, segment = moment.mark, moment.mark.segment
        values: dict[str, Json] = dict(mark.values)
        for field in self._multiple:
            values[field.key] = moment.combined_choices(field, self._truth) or None
        told = {key: value for key, value in values.items() if value is not None}
        values = dict(told)
        for key in self._texts:
            if values.get(key):
                values[key] = home.rewrite(str(values[key]))
        content: dict[str, Json] = {
            "label": segment.label,
            "values": values,
            "traits": self._traits(home, moment, values),
        }
        start, end = segment.shown_span(home.recording.duration_us)
        said = home.transcript.exchange(start, end)
        if said is not None:
            content["words"] = [home.rewrite(text) for text in said.texts]
            content["word_spans"] = [[*span] for span in said.spans]
        about = [segment.label, segment.start_us, segment.end_us, told, moment.agreement.value]
        state = home.transcript.checksum(start, end)
        return ItemCandidate(
            segment.id,
            segment.recording_id,
            home.recording.collection_id,
            start,
            end,
            f"{checksum(about)}.{state}",
            content,
        )

    def _traits(self, home: _RecordingSource, moment: SegmentConsensus, values: Mapping[str, Json]) -> dict[str, Json]:
        found: dict[str, Json] = {
            "collection": home.recording.collection_id,
            "agreed": moment.agreement in _AGREED_STATES,
            "same_attributes": moment.has_same_value(self._attributes),
        }
        if values.get(self._attributes):
            found["attributes"] = values[self._attributes]
        return found | {key: values[key] for key in self._single if values.get(key)}

    def _gaps(self, home: _RecordingSource, marks: Sequence[Mark]) -> Iterator[ItemCandidate]:
        """Yield the unmarked spans of a recording on which enough people worked."""
        recording_id = home.recording.id
        workers = {mark.segment.annotator_id for mark in marks} | {
            who for worked_recording_id, who in self._completed if worked_recording_id == recording_id
        }
        worked = {who for who in workers & self._people if (recording_id, who) not in self._training}
        if len(worked) < (1 if UNREVIEWED in self._include else _MIN_WORKERS):
            return
        traits: dict[str, Json] = {"collection": home.recording.collection_id, "agreed": True, "negative": "unmarked"}
        make = partial(ItemCandidate, "", recording_id, home.recording.collection_id)
        for start, end in self.unmarked_spans(home.recording):
            yield make(start, end, "", {"traits": traits})

    def unmarked_spans(self, recording: Recording) -> Iterator[tuple[int, int]]:
        """Yield the spans of a recording in which nobody marked anything on the track."""
        at = 0
        for segment in segments_of(self._session.study, recording.id, scheme=self._scheme.key, unseen=True):
            if segment.track != self._track:
                continue
            start, end = segment.shown_span(recording.duration_us)
            if start > at:
                yield at, min(start, recording.duration_us)
            at = max(at, end)
        if at < recording.duration_us:
            yield at, recording.duration_us
