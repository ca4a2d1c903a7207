"""Reads the observations of a study: a recording by an annotator, and of each participant where segments name them."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from annotate.agreement.annotation_arrays import NamedKey, list_labels, read_value_columns
from annotate.agreement.study_agreement import PERSON
from annotate.statistics.observations import CodedObservation, MarkedSpan, TimeSpan, intersect_spans, unite_spans
from annotate.study.participant_variables import variable_kinds, variables_by_participant
from annotate.study.people import require_annotator
from project.entities.study_records import Annotator, Recording
from project.errors import UserError, unknown_choice
from project.queries import segment_rows
from project.queries.annotator_rows import all_annotators, completions
from project.queries.recording_rows import (
    all_collections,
    all_recordings,
    appearances,
    pseudonyms,
)
from project.schemes.scheme import FieldKind, Scheme, Track
from project.session.session import Session

PARTICIPANT, ANNOTATOR, RECORDING, COLLECTION, PHASE = "participant", "annotator", "recording", "collection", "phase"
GROUPINGS: Mapping[str, str] = {
    PARTICIPANT: "Participant",
    ANNOTATOR: "Annotator",
    RECORDING: "Recording",
    COLLECTION: "Collection",
    PHASE: "Phase",
}
"""Key of what observations can be grouped by -> its name. Variables of participants are called by their names."""


@dataclass(frozen=True, slots=True)
class ObservationQuery:
    """What is counted.

    Attributes:
        scheme: key of a scheme in use; the study's default one when it is "".
        track: key of its track; the first one when it is "".
        by: keys of `GROUPINGS`, names of variables of participants; None for participants where the track names them,
            else for nothing.
        field: key of the field that says whom a segment is about; the first such field of the track when it is "".
        phases: track whose segments divide each recording, as SCHEME/TRACK or the TRACK of this scheme; "" for none.
        annotators: names; everybody who is a person when it is empty.
        recordings: ids; all when it is empty.
        start_us: what lies before it in a recording is left out.
        end_us: what lies behind it is left out; None for the end of each recording.
    """

    scheme: str = ""
    track: str = ""
    by: tuple[str, ...] | None = None
    field: str = ""
    phases: str = ""
    annotators: tuple[str, ...] = ()
    recordings: tuple[str, ...] = ()
    start_us: int = 0
    end_us: int | None = None


@dataclass(frozen=True, slots=True)
class StudyObservations:
    """What was read.

    Attributes:
        keys: by which the observations are grouped.
        labels: of the track, then those that only older versions of its scheme had.
    """

    scheme: Scheme
    track: Track
    keys: tuple[NamedKey, ...]
    labels: tuple[NamedKey, ...]
    observations: tuple[CodedObservation, ...] = field(repr=False)


def participant_field(scheme: Scheme, track: str, key: str = "") -> str:
    """Return the key of the field that says whom a segment of a track is about; "" where there is none."""
    fields = [field.key for field in scheme.fields_of(track) if field.kind is FieldKind.PARTICIPANT]
    if key and key not in fields:
        known = ", ".join(fields) or "none"
        raise UserError(f"No field “{key}” of the track names a participant.", f"Fields that do: {known}.")
    return key or next(iter(fields), "")


def default_groupings(session: Session, scheme: str = "", track: str = "", about: str = "") -> tuple[str, ...]:
    """Return by what observations of a track are grouped when nothing is said: participants, where it names any."""
    known, tracked = _scheme_and_track(session, scheme, track)
    return (PARTICIPANT,) if participant_field(known, tracked.key, about) else ()


def available_groupings(session: Session, scheme: str = "", track: str = "", *, phases: bool) -> tuple[str, ...]:
    """Return by what observations of a track can be grouped, with phases or without."""
    people = default_groupings(session, scheme, track)
    people += tuple(variable_kinds(session.study)) if people else ()
    return (*people, ANNOTATOR, RECORDING, COLLECTION, *((PHASE,) if phases else ()))


def _scheme_and_track(session: Session, scheme: str, track: str) -> tuple[Scheme, Track]:
    found = session.schemes.get(scheme or None)
    return found, found.track(track) if track else found.tracks[0]


def read_observations(
    session: Session, query: ObservationQuery | None = None, *, split_participants: bool = False
) -> StudyObservations:
    """Read what is to be counted, in a few queries. What was given for training is left out.

    Where the observations are grouped by participants, and with `split_participants`, each is of one participant: of
    those who appear in the recording or whom a segment names. What names nobody is an observation of its own.
    """
    query = query or ObservationQuery()
    scheme, track = _scheme_and_track(session, query.scheme, query.track)
    about = participant_field(scheme, track.key, query.field)
    by = default_groupings(session, scheme.key, track.key, query.field) if query.by is None else query.by
    _check(query, by, about, track, variable_kinds(session.study).keys() - GROUPINGS.keys())
    return _ObservationReader(session, query, scheme, track, by, about, split_participants).read()


def _check(query: ObservationQuery, by: Sequence[str], about: str, track: Track, variables: Set[str]) -> None:
    for key in by:
        if key not in GROUPINGS and key not in variables:
            raise unknown_choice("grouping", key, (*GROUPINGS, *sorted(variables)))
    if not about and any(key == PARTICIPANT or key in variables for key in by):
        raise UserError(
            f"{track.name} has no field that names a participant.",
            "Add a field of the kind “participant” to its scheme, or group by something else.",
        )
    if PHASE in by and not query.phases:
        raise UserError("No track with phases is named.", "Name the track whose segments are the phases.")
    if query.end_us is not None and query.end_us <= query.start_us:
        raise UserError("The time ends before it begins.", "Give an end that is later than the start.")


class _ObservationReader:
    def __init__(
        self,
        session: Session,
        query: ObservationQuery,
        scheme: Scheme,
        track: Track,
        by: tuple[str, ...],
        about: str,
        split_participants: bool,
    ) -> None:
        study = session.study
        self._session, self._query, self._scheme, self._track, self._by = session, query, scheme, track, by
        by_person = any(key == PARTICIPANT or key not in GROUPINGS for key in by)
        self._about = about if by_person or split_participants else ""
        self._variables = variables_by_participant(study) if by_person else {}
        wanted = set(query.recordings)
        self._recordings = [each for each in all_recordings(study) if not wanted or each.id in wanted]
        self._annotators = [require_annotator(session, name) for name in query.annotators] or [
            annotator for annotator in all_annotators(study) if annotator.kind == PERSON
        ]
        self._collections = {collection.id: collection.name for collection in all_collections(study)}
        self._people = pseudonyms(study)
        self._present = appearances(study) if self._about else {}
        self._training = segment_rows.training_work(study)

    def read(self) -> StudyObservations:
        rows = segment_rows.segment_rows(self._session.study, self._scheme.key, self._track.key)
        filled: Mapping[int, object] = {}
        if self._about:
            places = {row[0]: place for place, row in enumerate(rows)}
            columns = read_value_columns(self._session.study, self._scheme.key, self._track.key, [self._about], places)
            filled = columns[self._about]
        marks: dict[tuple[str, str], dict[str, list[MarkedSpan]]] = {}
        for place, (_, recording, annotator, label, start, end) in enumerate(rows):
            named = filled.get(place)
            person = named if isinstance(named, str) and named in self._people else ""
            marks.setdefault((recording, annotator), {}).setdefault(person, []).append((label, start, end))
        keys = tuple(NamedKey(key, GROUPINGS.get(key, key)) for key in self._by)
        labels = list_labels(self._scheme, self._track.key, [row[3] for row in rows])
        return StudyObservations(self._scheme, self._track, keys, labels, tuple(self._observations(marks)))

    def _observations(self, marks: Mapping[tuple[str, str], dict[str, list[MarkedSpan]]]) -> Iterator[CodedObservation]:
        done = completions(self._session.study)
        phases = self._phases()
        for recording in self._recordings:
            for annotator in self._annotators:
                work = recording.id, annotator.id
                if work in self._training or (work not in marks and work not in done):
                    continue
                by_person = marks.get(work, {})
                last = max((end for spans in by_person.values() for _, _, end in spans), default=0)
                whole = self._observed(max(recording.duration_us, last))
                for person in self._persons(recording, by_person):
                    spans = tuple(by_person.get(person, ()))
                    for phase, stretches in phases.get(work, phases.get((recording.id, ""), {"": [whole]})).items():
                        group = tuple(self._value(key, recording, annotator, person, phase) for key in self._by)
                        yield CodedObservation(group, intersect_spans(stretches, [whole]), spans)

    def _observed(self, end_us: int) -> TimeSpan:
        last = end_us if self._query.end_us is None else min(end_us, self._query.end_us)
        return self._query.start_us, max(self._query.start_us, last)

    def _persons(self, recording: Recording, by_person: Mapping[str, object]) -> list[str]:
        """Return the ids of those who were observed, "" for what names nobody."""
        if not self._about:
            return [""]
        seen = self._present.get(recording.id, set()) | by_person.keys()
        people = [person for person in self._people if person in seen]
        return [*people, *([""] if "" in by_person or not people else [])]

    def _phases(self) -> dict[tuple[str, str], dict[str, list[TimeSpan]]]:
        """Return (recording, annotator) -> name of a phase -> its time.

        The annotator "" has the phases of those who marked none: by the first annotator who marked any.
        """
        if not self._query.phases:
            return {}
        scheme, track = _find_track(self._session, self._scheme, self._query.phases)
        found: dict[tuple[str, str], dict[str, list[TimeSpan]]] = {}
        for _, recording, annotator, label, start, end in segment_rows.segment_rows(
            self._session.study, scheme.key, track.key
        ):
            name = scheme.label_name(track.key, label)
            found.setdefault((recording, annotator), {}).setdefault(name, []).append((start, end))
        order = [label.name for label in track.labels]
        united = {
            work: {
                name: unite_spans(phases[name])
                for name in sorted(phases, key=lambda name: order.index(name) if name in order else len(order))
            }
            for work, phases in found.items()
        }
        for recording, annotator in sorted(united, key=lambda work: work[1]):
            united.setdefault((recording, ""), united[recording, annotator])
        return united

    def _value(self, key: str, recording: Recording, annotator: Annotator, person: str, phase: str) -> str:
        match key:
            case "participant":
                return self._people.get(person, "")
            case "annotator":
                return annotator.name
            case "recording":
                return f"{recording.number} {recording.name}"
            case "collection":
                return self._collections.get(recording.collection_id, "")
            case "phase":
                return phase
        return self._variables.get(person, {}).get(key, "")


def _find_track(session: Session, scheme: Scheme, name: str) -> tuple[Scheme, Track]:
    """Return the track that is named as SCHEME/TRACK, or by its key in a scheme."""
    owner, separator, key = name.partition("/")
    found = session.schemes.get(owner) if separator else scheme
    return found, found.track(key if separator else name)
