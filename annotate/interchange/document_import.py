"""Plans what an interchange document adds to a study and applies the plan as one step."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from annotate.interchange.document import (
    POINT_LENGTH_US,
    Document,
    InterchangeEntry,
    InterchangeLane,
    RecordingPart,
    split_comment_author,
)
from annotate.interchange.lane_entries import (
    MILLISECOND,
    NEW_RECORDING,
    LaneImport,
    LaneReader,
    StudyContentIndex,
    clip_to_recording,
    move_to_recording,
    segment_key,
    utterance_key,
)
from annotate.interchange.lane_mapping import EntryTarget, ImportMapping, LaneTarget
from annotate.interchange.tier_schemes import make_tier_schemes
from annotate.study.recording_edits import home_collection
from project.entities.study_records import (
    Annotator,
    Changes,
    Comment,
    FieldValue,
    Json,
    Participant,
    ParticipantRole,
    Recording,
    Segment,
    Utterance,
)
from project.erasure.withdrawal_guard import guard_import
from project.errors import UserError
from project.ids import is_id, new_id
from project.queries import annotator_rows, recording_rows, segment_rows, study_schemes, transcript_rows
from project.schemes.label_keys import WINDOW_KEYS
from project.schemes.scheme import Scheme
from project.schemes.scheme_file import shipped_names
from project.session.session import Session
from project.store.study import UndoStep
from project.text_format import escape_unprintable
from project.timebase import utc_now


@contextmanager
def import_step(
    session: Session, title: str, brought: Mapping[str, str] = MappingProxyType({}), *, keep_rest: bool = False
) -> Iterator[UndoStep]:
    """Open a step that imports a file; nobody who withdrew comes back by it.

    `brought` has name and id of the annotators that the step adds. Where the session's own is among them, nobody is
    introduced before it: an annotator has the same id in every copy of a study. With `keep_rest`, what looks like
    somebody who withdrew comes in all the same.
    """
    own = brought.get(session.annotator_name) if session.annotator() is None else None
    with (
        session.step(title) if own is None else session.study.step(title, own) as step,
        guard_import(session.study, keep_rest=keep_rest),
    ):
        yield step


MAX_PREVIEW_ROWS = 20


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One entry as it comes in: its span, the key of its label ("" for an utterance), and its text in the file."""

    start_us: int
    end_us: int
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class LanePlan:
    """The planned import of one lane into one recording.

    Attributes:
        part: name of the recording in the document.
        target: what it becomes; a lane with a track of its own becomes segments of that.
        recording_id: where it goes; "" where no recording of the study fits.
        left_out: reason -> how many entries are left out for it.
        remarks: what is changed on the way in -> how often.
        rows: the first entries as they come in.
    """

    part: str
    lane: str
    target: LaneTarget
    recording_id: str
    entries: int
    added: int
    known: int
    left_out: Mapping[str, int]
    remarks: Mapping[str, int]
    rows: tuple[PreviewRow, ...] = ()


@dataclass(slots=True)
class Plan:
    """Everything that an import adds; nothing is written before `apply_document_import`.

    Attributes:
        lanes: the plan of each lane, in the order of the document.
        remarks: what the format left out or read in another way, one line each.
        unread: how many entries of the file are in no lane.
        schemes: key -> each scheme that is used.
        new_versions: key -> text of each of them that is new or has a new version.
        default: key of the one that new segments are made under from then on; "" where that stays.
    """

    lanes: tuple[LanePlan, ...] = ()
    remarks: tuple[str, ...] = ()
    unread: int = 0
    new_annotators: list[Annotator] = field(default_factory=list)
    new_participants: list[Participant] = field(default_factory=list)
    appearances: list[tuple[str, str]] = field(default_factory=list)
    new_segments: list[Segment] = field(default_factory=list)
    new_values: list[FieldValue] = field(default_factory=list)
    new_comments: list[Comment] = field(default_factory=list)
    new_utterances: list[Utterance] = field(default_factory=list)
    new_recordings: list[Recording] = field(default_factory=list)
    schemes: dict[str, Scheme] = field(default_factory=dict)
    new_versions: Mapping[str, str] = field(default_factory=dict)
    default: str = ""

    @property
    def added(self) -> int:
        """How many segments and utterances are new."""
        return len(self.new_segments) + len(self.new_utterances)

    @property
    def other_row_count(self) -> int:
        """How many other rows are new: schemes, recordings, people, values and comments."""
        people = len(self.new_annotators) + len(self.new_participants) + len(self.new_recordings)
        return people + len(self.new_versions) + len(self.new_values) + len(self.new_comments)

    @property
    def known(self) -> int:
        """How many entries are in the study already."""
        return sum(lane.known for lane in self.lanes)

    @property
    def left_out(self) -> int:
        """How many entries are left out."""
        return self.unread + sum(sum(lane.left_out.values()) for lane in self.lanes)


def plan_document_import(
    session: Session,
    document: Document,
    mapping: ImportMapping,
    places: Sequence[str],
    keys_in_use: Collection[str] = WINDOW_KEYS,
) -> Plan:
    """Say what an import would do.

    Lanes that the mapping does not name are left out. `places` has the id of the study's recording for each part of the
    document, "" for none and `NEW_RECORDING` for one without media that is made for it. `keys_in_use` are keys that no
    label gets.
    """
    return _DocumentImportPlanner(session, document, mapping, keys_in_use).build_plan(places)


def apply_document_import(session: Session, found: Plan, name: str, *, keep_rest: bool = False) -> Changes:
    """Write a plan as one step, called after `name` of the file; nothing is written if anything of it fails."""
    session.study.require_writable()
    if not found.added and not found.new_versions:
        return Changes()
    brought = {annotator.name: annotator.id for annotator in found.new_annotators}
    with import_step(session, f"Import {name}", brought, keep_rest=keep_rest) as step:
        insert_planned(session, found)
    session.schemes.reload()
    return step.changes


def insert_planned(session: Session, found: Plan) -> None:
    """Write the rows of a plan; inside a step."""
    study = session.study
    home = home_collection(session) if found.new_recordings else None
    for recording in found.new_recordings:
        assert home is not None
        recording_rows.insert_recording(study, replace(recording, collection_id=home.id))
    for annotator in found.new_annotators:
        annotator_rows.insert_annotator(study, annotator)
    for person in found.new_participants:
        recording_rows.insert_participant(study, person)
    for recording_id, participant_id in found.appearances:
        recording_rows.set_appearance(study, recording_id, participant_id, True)
    used = study_schemes.schemes_in_use(study)
    first = [found.default] if found.default else []
    for scheme in found.schemes.values():
        if scheme.key in found.new_versions:
            study_schemes.insert_version(study, scheme.key, scheme.version, found.new_versions[scheme.key])
        else:
            session.schemes.store_text(scheme)
    wanted = dict.fromkeys((*first, *used, *found.schemes))
    if [*wanted] != used:
        study.set_property(study_schemes.SCHEMES_PROPERTY, [*wanted])
    segment_rows.insert_segments(study, found.new_segments)
    segment_rows.insert_values(study, found.new_values)
    segment_rows.insert_comments(study, found.new_comments)
    transcript_rows.insert_utterances(study, found.new_utterances)


SHORTEST_RECORDING_US = 1_000_000
_DIFFERENT = "in the study already with another time or label, and stay as they are there"


class _DocumentImportPlanner:
    def __init__(
        self, session: Session, document: Document, mapping: ImportMapping, keys_in_use: Collection[str]
    ) -> None:
        self._session = session
        self._document = document
        made = make_tier_schemes(session.schemes.find, document, mapping, keys_in_use)
        self._mapping = made.mapping
        unread = tuple(f"{count} left out: {what}." for what, count in document.unread.items())
        told = (*(_describe_scheme(made.schemes[key]) for key in made.texts), *made.keys)
        self._found = Plan(
            remarks=(*told, *document.remarks, *unread),
            unread=sum(document.unread.values()),
            schemes=dict(made.schemes),
            new_versions=made.texts,
        )
        self._known = StudyContentIndex(session.study)
        self._annotators = {annotator.name: annotator.id for annotator in annotator_rows.all_annotators(session.study)}
        self._people = {
            participant.pseudonym: participant.id for participant in recording_rows.all_participants(session.study)
        }
        self._ids = self._known.people
        self._appearing: set[tuple[str, str]] = set()
        self._recordings = {recording.id: recording for recording in recording_rows.all_recordings(session.study)}
        self._readers: dict[str, LaneReader] = {}
        self._rows: list[PreviewRow] = []
        self._at = utc_now()

    def build_plan(self, places: Sequence[str]) -> Plan:
        places = [
            self._make_recording(part) if place == NEW_RECORDING else place
            for part, place in zip(self._document.recordings, places, strict=True)
        ]
        lanes = [
            self._lane(part, lane, place)
            for part, place in zip(self._document.recordings, places, strict=True)
            for lane in part.lanes
        ]
        self._found.lanes = tuple(lanes)
        self._leave_out_unused()
        self._choose_default()
        return self._found

    def _make_recording(self, part: RecordingPart) -> str:
        """Plan a recording without media that is as long as a part."""
        ends = (entry.end_us + self._mapping.point_us for lane in part.lanes for entry in lane.entries)
        number = recording_rows.next_number(self._session.study) + len(self._found.new_recordings)
        made = Recording(new_id(), "", number, part.name, part.duration_us or max((*ends, SHORTEST_RECORDING_US)))
        self._found.new_recordings.append(made)
        self._recordings[made.id] = made
        return made.id

    def _leave_out_unused(self) -> None:
        """Forget people who were made for entries that turned out to be in the study already."""
        found = self._found
        authors = {segment.annotator_id for segment in found.new_segments} | {
            comment.annotator_id for comment in found.new_comments
        }
        found.new_annotators = [annotator for annotator in found.new_annotators if annotator.id in authors]
        about = {utterance.participant_id for utterance in found.new_utterances}
        about |= {value.value for value in found.new_values if isinstance(value.value, str)}
        found.new_participants = [participant for participant in found.new_participants if participant.id in about]

    def _choose_default(self) -> None:
        """Let the largest scheme that is made be the default, where that comes with the program and has no segments."""
        found, default = self._found, self._session.schemes.default.key
        marked = Counter(segment.scheme for segment in found.new_segments)
        marked.update(study_schemes.scheme_segment_counts(self._session.study))
        made = [key for key in found.new_versions if not self._session.schemes.is_in_use(key)]
        if made and default in shipped_names() and not marked[default]:
            found.default = max(made, key=lambda key: marked[key])
            name = escape_unprintable(found.schemes[found.default].name)
            place = len(found.new_versions)
            told = f"New segments go to “{name}” from then on."
            found.remarks = (*found.remarks[:place], told, *found.remarks[place:])

    def _lane(self, part: RecordingPart, lane: InterchangeLane, place: str) -> LanePlan:
        target = self._mapping.lanes.get(lane.name, LaneTarget(EntryTarget.NOTHING))
        left_out, remarks = Counter[str](), Counter[str]()
        self._rows = []
        added = known = 0
        if target.becomes is EntryTarget.NOTHING:
            left_out["the lane is left out: choose what it becomes"] = len(lane.entries)
        elif place not in self._recordings:
            left_out["no recording is chosen for it: choose one, or a new one"] = len(lane.entries)
        else:
            add = self._segments if target.becomes is EntryTarget.SEGMENTS else self._utterances
            lane = move_to_recording(lane, part, recording_rows.media_of(self._session.study, place))
            added, known = add(lane, target, LaneImport(self._recordings[place], self._mapping, left_out, remarks))
        return LanePlan(
            part.name,
            lane.name,
            target,
            place,
            len(lane.entries),
            added,
            known,
            {why: count for why, count in left_out.items() if count},
            remarks,
            tuple(self._rows),
        )

    def _segments(self, lane: InterchangeLane, target: LaneTarget, importing: LaneImport) -> tuple[int, int]:
        reader = self._reader(lane, target)
        scheme = self._find_scheme(target.scheme)
        about = self._participant(target.participant) if target.participant else ""
        author = self._annotator(target.annotator)
        present, keys = self._known.segments(importing.recording.id)
        added = known = 0
        place = importing.recording.id
        for entry in lane.entries:
            if entry.id in self._known.segment_ids:
                known += 1
                if entry.id in present and _differs(present[entry.id], entry, reader.find_label(entry.text)):
                    importing.remarks[_DIFFERENT] += 1
                continue
            read = reader.read_entry(entry, importing, about)
            if read is None:
                continue
            start, end, label, values, comments = read
            if len(self._rows) < MAX_PREVIEW_ROWS:
                self._rows.append(PreviewRow(start, end, label, entry.text))
            made = Segment(_own_id(entry), place, author, label, start, end, scheme.key, target.track)
            if segment_key(made, self._known.subject_of(values) if values else "") in keys:
                known += 1
                continue
            self._known.segment_ids.add(made.id)
            self._known.utterance_ids.add(made.id)
            self._found.new_segments.append(made)
            if values or comments:
                self._add_values(made, values, comments, scheme)
            added += 1
        return added, known

    def _add_values(self, made: Segment, values: Mapping[str, Json], comments: Sequence[str], scheme: Scheme) -> None:
        for key, value in values.items():
            if value is not None:
                self._found.new_values.append(FieldValue(made.id, scheme.key, scheme.version, key, value))
        for text in comments:
            who, said = split_comment_author(text)
            by, said = (self._annotators[who], said) if who in self._annotators else (made.annotator_id, text)
            self._found.new_comments.append(Comment(new_id(), made.id, by, said, self._at))

    def _utterances(self, lane: InterchangeLane, target: LaneTarget, importing: LaneImport) -> tuple[int, int]:
        who = self._participant(target.participant) if target.participant else None
        place = importing.recording.id
        added = known = 0
        for entry in lane.entries:
            if entry.id in self._known.utterance_ids:
                known += 1
                continue
            span = clip_to_recording(entry, importing)
            if span is None:
                continue
            if len(self._rows) < MAX_PREVIEW_ROWS:
                self._rows.append(PreviewRow(*span, "", entry.text))
            made = Utterance(_own_id(entry), place, *span, entry.text, who, checked=False)
            if utterance_key(made) in self._known.utterance_keys(place):
                known += 1
                continue
            for value in entry.values:
                importing.remarks[f"values of “{value}” have no place beside an utterance, and are left out"] += 1
            self._known.segment_ids.add(made.id)
            self._known.utterance_ids.add(made.id)
            self._found.new_utterances.append(made)
            if lane.parent:
                importing.remarks[f"lie inside “{lane.parent}” in the file, which utterances do not keep"] += 1
            if who is not None and (place, who) not in self._appearing:
                self._appearing.add((place, who))
                self._found.appearances.append((place, who))
            added += 1
        return added, known

    def _reader(self, lane: InterchangeLane, target: LaneTarget) -> LaneReader:
        if lane.name not in self._readers:
            self._readers[lane.name] = LaneReader(target, self._find_scheme(target.scheme), self._participant)
        return self._readers[lane.name]

    def _find_scheme(self, key: str) -> Scheme:
        if key not in self._found.schemes:
            self._found.schemes[key] = self._session.schemes.get(key)
        return self._found.schemes[key]

    def _annotator(self, name: str) -> str:
        wanted = name.strip()
        if not wanted:
            raise UserError("A lane of segments needs an annotator.", "Choose who made the segments.")
        if wanted not in self._annotators:
            made = Annotator(new_id(), wanted)
            self._annotators[wanted] = made.id
            self._found.new_annotators.append(made)
        return self._annotators[wanted]

    def _participant(self, name: str) -> str:
        if name in self._ids:
            return name
        wanted = name.strip()
        if wanted not in self._people:
            made = Participant(new_id(), wanted, ParticipantRole.USER)
            self._people[wanted] = made.id
            self._ids.add(made.id)
            self._found.new_participants.append(made)
        return self._people[wanted]


def _own_id(entry: InterchangeEntry) -> str:
    return entry.id if is_id(entry.id) else new_id()


def _describe_scheme(scheme: Scheme) -> str:
    tracks = ", ".join(track.name for track in scheme.tracks)
    verb = "A scheme is made" if scheme.version == 1 else f"Version {scheme.version} of a scheme is made"
    noun = "track" if len(scheme.tracks) == 1 else "tracks"
    return f"{verb}: “{scheme.name}”, with the {noun} {tracks}. Rename what names a person: a release keeps its keys."


def _differs(segment: Segment, entry: InterchangeEntry, label: str) -> bool:
    end_us = entry.end_us if not segment.is_point or entry.end_us > entry.start_us + POINT_LENGTH_US else segment.end_us
    times = zip((segment.start_us, segment.end_us), (entry.start_us, end_us), strict=True)
    return segment.label != label or any(old // MILLISECOND != new // MILLISECOND for old, new in times)
