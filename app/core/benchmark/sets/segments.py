"""Segments that people agree on, as candidates for items, and the stretches that nobody marked."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from app.core.agreement.compared_people import PERSON
from app.core.agreement.lanes import Mark, read_marks
from app.core.benchmark.sets.moments import Moment, Standing, moment_of
from app.core.benchmark.sets.wishes import DISAGREED, HELD_OUT, REVIEWED, UNREVIEWED, Wishes
from app.core.benchmark.sets.words import Words, checksum
from app.core.grouping import grouped
from app.core.judging.seeing.people import ROLES
from app.core.judging.seeing.told import Told, telling
from app.core.per_state import PerState
from app.core.session import Session
from benchmark.items.base import Candidate, Pool
from benchmark.items.reasons import SAME_MOMENT
from project.errors import UserError
from project.queries.annotators import all_annotators
from project.queries.comparison import completed, in_training
from project.queries.hold_outs import hold_outs
from project.queries.participants import all_participants, participants_there
from project.queries.recordings import all_recordings
from project.queries.segments import segments_of
from project.schemes.scheme import FieldKind, Scheme
from project.types import Json, Recording

REASONS = {
    Standing.DISAGREED: "people disagree about it",
    Standing.REVIEWED: "one person marked it, though others agree with it",
    Standing.UNREVIEWED: "one person marked it, and nobody reviewed it",
}
KEPT_BACK = "in a recording that is held out"
TRAINING = "made in a training round"
NO_PERSON = "not by a person: adjudicated, or by a model"
_WISHED = {Standing.DISAGREED: DISAGREED, Standing.REVIEWED: REVIEWED, Standing.UNREVIEWED: UNREVIEWED}
_AGREED = (Standing.AGREED, Standing.REVIEWED)
_WORKED = 2
"""People that must have worked on a recording before what they left unmarked counts as nothing."""


def segment_pool(session: Session, wishes: Wishes) -> Pool:
    """Return a candidate for each moment that people agree on; what they disagree about, where that is wished.

    Raises:
        UserError: there is no such scheme or track.
    """
    scheme = _scheme(session, wishes.scheme)
    track = _track(scheme, wishes.track)
    known = _POOLS.of(session)
    key = (scheme.key, scheme.version, track, tuple(sorted(wishes.include)))
    if key not in known:
        known[key] = _Gathering(session, scheme, track, frozenset(wishes.include)).pool()
    return known[key]


_POOLS: PerState[dict[tuple[object, ...], Pool]] = PerState(lambda _session: {})


def _scheme(session: Session, key: str) -> Scheme:
    found = session.schemes.known(key) if key else session.scheme
    if found is None:
        raise UserError(f"The scheme “{key}” is not part of this study.", "See which are: greenroom scheme list")
    return found


def _track(scheme: Scheme, key: str) -> str:
    known = [one.key for one in scheme.tracks]
    if key and key not in known:
        raise UserError(f"{scheme.name} has no track “{key}”.", f"It has {', '.join(known)}.")
    return key or known[0]


@dataclass(frozen=True, slots=True)
class _Home:
    """A recording while it is read."""

    recording: Recording
    words: Words
    told: Told


class _Gathering:
    """Reads the segments of one track, recording by recording."""

    def __init__(self, session: Session, scheme: Scheme, track: str, include: frozenset[str]) -> None:
        self._session, self._scheme, self._track, self._include = session, scheme, track, include
        self._people = {one.id for one in all_annotators(session.study) if one.kind == PERSON}
        self._annotators = [one.id for one in all_annotators(session.study)]
        self._training = in_training(session.study)
        self._completed = completed(session.study)
        self._roles = {one.id: one.role for one in all_participants(session.study)}
        self._left_out: Counter[str] = Counter()
        fields = scheme.fields_of(track)
        self._attributes = next((one.key for one in fields if one.kind is FieldKind.CHOICES), "")
        self._single = [one.key for one in fields if one.kind is FieldKind.CHOICE]
        self._texts = [one.key for one in fields if one.kind is FieldKind.TEXT]

    def pool(self) -> Pool:
        """Return all candidates and gaps."""
        study = self._session.study
        kept_back = hold_outs(study)
        candidates: list[Candidate] = []
        gaps: list[Candidate] = []
        for one in all_recordings(study):
            marks = [mark for mark in read_marks(self._session, one.id, self._annotators) if self._of_track(mark)]
            if one.id in kept_back and HELD_OUT not in self._include:
                self._left_out[KEPT_BACK] += len(marks)
                continue
            home = _Home(one, Words(self._session, one.id, self._roles), self._telling(one.id))
            candidates += self._candidates(home, marks)
            gaps += self._gaps(home, marks)
        return Pool(tuple(candidates), dict(self._left_out), self._scheme, self._track, tuple(gaps))

    def _of_track(self, mark: Mark) -> bool:
        return (mark.segment.scheme, mark.segment.track) == (self._scheme.key, self._track)

    def _telling(self, recording_id: str) -> Told:
        """Return how a text of a recording is told among the texts of others: its people by their roles alone."""
        people = participants_there(self._session.study, recording_id)
        return telling(people, {one.id: ROLES[one.role] for one in people}, str)

    def _candidates(self, home: _Home, marks: Sequence[Mark]) -> Iterator[Candidate]:
        kept = []
        for mark in marks:
            who = mark.segment.annotator_id
            if who not in self._people:
                self._left_out[NO_PERSON] += 1
            elif (home.recording.id, who) in self._training:
                self._left_out[TRAINING] += 1
            else:
                kept.append(mark)
        for group in grouped(kept):
            moment = moment_of(group)
            wished = _WISHED.get(moment.standing)
            if wished is not None and wished not in self._include:
                self._left_out[REASONS[moment.standing]] += len(group)
                continue
            if len(group) > 1:
                self._left_out[SAME_MOMENT] += len(group) - 1
            yield self._candidate(home, moment)

    def _candidate(self, home: _Home, moment: Moment) -> Candidate:
        mark, segment = moment.mark, moment.mark.segment
        values: dict[str, Json] = dict(mark.values)
        for key in self._texts:
            if values.get(key):
                values[key] = home.told(str(values[key]))
        content: dict[str, Json] = {"label": segment.label, "values": values, "traits": self._traits(home, moment)}
        said = home.words.exchange(segment.start_us, segment.end_us)
        if said is not None:
            content["words"] = [home.told(one) for one in said]
        about = [segment.label, segment.start_us, segment.end_us, mark.said, moment.standing.value]
        state = home.words.state(segment.start_us, segment.end_us)
        return Candidate(
            segment.id,
            segment.recording_id,
            home.recording.collection_id,
            segment.start_us,
            segment.end_us,
            f"{checksum(about)}.{state}",
            content,
        )

    def _traits(self, home: _Home, moment: Moment) -> dict[str, Json]:
        values = moment.mark.values
        found: dict[str, Json] = {
            "collection": home.recording.collection_id,
            "agreed": moment.standing in _AGREED,
            "same_attributes": moment.same(self._attributes),
        }
        if values.get(self._attributes):
            found["attributes"] = values[self._attributes]
        return found | {key: values[key] for key in self._single if values.get(key)}

    def _gaps(self, home: _Home, marks: Sequence[Mark]) -> Iterator[Candidate]:
        """Yield the stretches that nobody marked, of a recording on which enough people worked."""
        place = home.recording.id
        there = {one.segment.annotator_id for one in marks} | {who for where, who in self._completed if where == place}
        worked = {who for who in there & self._people if (place, who) not in self._training}
        if len(worked) < (1 if UNREVIEWED in self._include else _WORKED):
            return
        traits: dict[str, Json] = {"collection": home.recording.collection_id, "agreed": True, "negative": "unmarked"}
        make = partial(Candidate, "", place, home.recording.collection_id)
        for start, end in self.unmarked(home.recording):
            yield make(start, end, "", {"traits": traits})

    def unmarked(self, recording: Recording) -> Iterator[tuple[int, int]]:
        """Yield the stretches of a recording in which nobody at all marked anything on the track."""
        at = 0
        for one in segments_of(self._session.study, recording.id, scheme=self._scheme.key, unseen=True):
            if one.track != self._track:
                continue
            if one.start_us > at:
                yield at, min(one.start_us, recording.duration_us)
            at = max(at, one.end_us)
        if at < recording.duration_us:
            yield at, recording.duration_us


class Stretches:
    """Checksums of stretches that nobody marked."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._roles = {one.id: one.role for one in all_participants(session.study)}
        self._words: dict[str, Words] = {}

    def state(self, recording_id: str, start_us: int, end_us: int) -> str:
        """Return a checksum of a stretch as long as nobody marked anything in it."""
        if recording_id not in self._words:
            self._words[recording_id] = Words(self._session, recording_id, self._roles)
        return f"unmarked.{self._words[recording_id].state(start_us, end_us)}"
