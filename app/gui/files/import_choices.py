"""What a person chooses about an import: what each tier becomes, its texts and values, and which recording it is of."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from annotate.interchange.annotation_files import plan_import
from annotate.interchange.document import Document
from annotate.interchange.document_import import LanePlan, Plan
from annotate.interchange.lane_entries import NEW_RECORDING, guess_recordings
from annotate.interchange.lane_mapping import (
    COMMENT,
    OWN_TARGETS,
    EntryTarget,
    LaneTarget,
    OutsideRule,
    TargetChoice,
    choose_target,
    guess_mapping,
    own_track_key,
)
from annotate.interchange.lossless_format import RowsPlan
from annotate.interchange.tier_texts import code_key
from project.queries.recording_rows import all_recordings
from project.schemes.scheme import Scheme, Track
from project.session.session import Session
from resources.translation import tr

Choices = tuple[tuple[str, str], ...]
_MAX_TEXTS = 200


@dataclass(frozen=True, slots=True)
class Detail:
    """One text or value of a lane, and what it becomes; `key` is "" for nothing."""

    is_text: bool
    name: str
    count: int
    choices: Choices
    key: str


@dataclass(frozen=True, slots=True)
class LaneImportCounts:
    """What becomes of all lanes of one name, over all recordings; `notes` are one line each."""

    entries: int
    added: int
    known: int
    left_out: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FirstRow:
    """One of the first entries of a lane, as it comes in."""

    key: str
    part: str
    start_us: int
    end_us: int
    label: str
    text: str


class ImportChoices:
    """One document on its way into a study."""

    def __init__(self, session: Session, document: Document, keys_in_use: frozenset[str]) -> None:
        """Begin with what is guessed; no label gets one of `keys_in_use`."""
        self._session = session
        self._keys_in_use = keys_in_use
        self.document = document
        self.whole = bool(document.rows)
        self.mapping = guess_mapping(session, document)
        self.places = list(guess_recordings(session, document))
        self._lanes = document.lanes_by_name()
        self._plans: dict[str, LanePlan] = {}
        self._schemes: Mapping[str, Scheme] = {}

    @property
    def names(self) -> list[str]:
        """The names of the lanes."""
        return list(self._lanes)

    def plan(self, session: Session) -> Plan | RowsPlan:
        """Return what would be imported now; it may be asked for in a thread, with a session of its own."""
        return plan_import(session, self.document, self.mapping, self.places, self._keys_in_use)

    def show(self, plan: Plan | RowsPlan) -> None:
        """Take the lanes and schemes of a plan; texts, values and first rows come from them."""
        self._plans = {lane.lane: lane for lane in plan.lanes}
        self._schemes = plan.schemes if isinstance(plan, Plan) else {}

    def targets(self, name: str) -> Choices:
        """Return what a lane can become: (key, words)."""
        own = self._find_own_track(name)
        tracks = [
            (f"{scheme.key}.{track.key}", f"{track.name} ({scheme.name})")
            for scheme in self._session.schemes
            for track in scheme.tracks
            if own is None or (scheme.key, track.key) != (own[0].key, own[1].key)
        ]
        if own is None:
            key = own_track_key(self._lanes[name][0])
            named = tr("New track") if key == name else tr("New track {track}").format(track=key)
            new: Choices = ((TargetChoice.NEW, named), (TargetChoice.TEXT, tr("New track for free text")))
        else:
            scheme, track = own
            new = ((TargetChoice.NEW, f"{track.name} ({scheme.name})"),)
        return (*new, (TargetChoice.UTTERANCES, tr("Utterances")), *tracks, (TargetChoice.OUT, tr("Leave out")))

    def target(self, name: str) -> str:
        """Return the key of what a lane becomes."""
        target = self.mapping.lanes[name]
        match target.becomes:
            case EntryTarget.SEGMENTS:
                return f"{target.scheme}.{target.track}"
            case EntryTarget.OWN_TEXT if self._find_own_track(name) is None:
                return TargetChoice.TEXT
            case EntryTarget.OWN_TRACK | EntryTarget.OWN_TEXT:
                return TargetChoice.NEW
            case EntryTarget.UTTERANCES:
                return TargetChoice.UTTERANCES
            case EntryTarget.NOTHING:
                return TargetChoice.OUT

    def set_target(self, name: str, key: str) -> None:
        """Let a lane become something else; its labels and fields are guessed again."""
        self._set_lane_target(name, choose_target(self._session, self.document, name, key))

    def lane_author(self, name: str) -> str:
        """Return who made the segments of a lane, or who speaks."""
        target = self.mapping.lanes[name]
        return target.participant if target.becomes is EntryTarget.UTTERANCES else target.annotator

    def set_lane_author(self, name: str, who: str) -> None:
        """Say who made the segments of a lane, or who speaks."""
        target = self.mapping.lanes[name]
        if target.becomes is EntryTarget.UTTERANCES:
            self._set_lane_target(name, replace(target, participant=who.strip()))
        elif target.becomes is not EntryTarget.NOTHING and who.strip():
            self._set_lane_target(name, replace(target, annotator=who.strip()))

    def recordings(self) -> Choices:
        """Return what a recording of the file can be: one of the study, a new one, or none."""
        present = all_recordings(self._session.study)
        known = ((recording.id, f"{recording.number}. {recording.name}") for recording in present)
        return (("", tr("None: leave out")), (NEW_RECORDING, tr("New recording, without video")), *known)

    def make_missing_recordings(self) -> None:
        """Let every recording of the file that is none of the study become a new one."""
        self.places = [place or NEW_RECORDING for place in self.places]

    def set_outside_rule(self, outside: OutsideRule) -> None:
        """Say what is done with entries that reach outside the recording."""
        self.mapping = replace(self.mapping, outside=outside)

    def set_point_duration(self, point_us: int) -> None:
        """Say how long a point becomes; 0 leaves points out."""
        self.mapping = replace(self.mapping, point_us=point_us)

    def details(self, name: str) -> list[Detail]:
        """Return the texts of a lane, the most frequent first, and its values, where it becomes segments."""
        target = self._plans[name].target if name in self._plans else LaneTarget(EntryTarget.NOTHING)
        if target.becomes is not EntryTarget.SEGMENTS or self.whole:
            return []
        own = self.mapping.lanes[name].becomes in OWN_TARGETS
        scheme = self._schemes.get(target.scheme) or self._session.schemes.get(target.scheme)
        track = scheme.track(target.track)
        labels = {label.key: label.name for label in track.labels}
        fields = {field.key: field.name for field in scheme.fields_of(track.key)}
        entries = [entry for lane in self._lanes[name] for entry in lane.entries]
        texts = Counter(entry.text for entry in entries)
        values = Counter(key for entry in entries for key in entry.values)
        found = [
            Detail(
                True,
                text,
                count,
                (("", tr("Leave out")), *({code_key(text): code_key(text), **labels} if own else labels).items()),
                _label_for_text(target, track, text),
            )
            for text, count in texts.most_common(_MAX_TEXTS)
            if scheme.free_text_field(track.key) is None
        ]
        for key, count in values.most_common():
            known = {code_key(key): code_key(key), **fields} if own else fields
            choices = (("", tr("Leave out")), *known.items(), (COMMENT, tr("A comment")))
            found.append(Detail(False, key, count, choices, target.fields.get(key, "")))
        return found

    def set_detail(self, name: str, detail: Detail, key: str) -> None:
        """Let a text become another label, or a value another field; "" for nothing."""
        target = self.mapping.lanes[name]
        if detail.is_text:
            self._set_lane_target(name, replace(target, labels={**target.labels, detail.name: key}))
        else:
            self._set_lane_target(name, replace(target, fields={**target.fields, detail.name: key}))

    def first_rows(self, plan: Plan | RowsPlan, name: str) -> list[FirstRow]:
        """Return the first entries of a lane as a plan brings them in."""
        rows = [(lane, row) for lane in plan.lanes if lane.lane == name for row in lane.rows]
        return [
            FirstRow(str(at), lane.part, row.start_us, row.end_us, self._label_name(lane.target, row.label), row.text)
            for at, (lane, row) in enumerate(rows)
        ]

    def counts(self, plan: Plan | RowsPlan) -> dict[str, LaneImportCounts]:
        """Return what a plan says about each lane, over all recordings."""
        found: dict[str, LaneImportCounts] = {}
        for name in self._lanes:
            same = [lane for lane in plan.lanes if lane.lane == name]
            reasons, changes = Counter[str](), Counter[str]()
            for lane in same:
                reasons.update(lane.left_out)
                changes.update(lane.remarks)
            notes = [tr("{count} left out: {why}").format(count=count, why=why) for why, count in reasons.items()]
            notes += [f"{count} {remark}" for remark, count in changes.items()]
            found[name] = LaneImportCounts(
                sum(lane.entries for lane in same),
                sum(lane.added for lane in same),
                sum(lane.known for lane in same),
                reasons.total(),
                tuple(notes),
            )
        return found

    def _find_own_track(self, name: str) -> tuple[Scheme, Track] | None:
        """Return the track that a former import made for such lanes, and its scheme."""
        key = own_track_key(self._lanes[name][0])
        tracks = ((scheme, track) for scheme in self._session.schemes if scheme.source for track in scheme.tracks)
        return next(((scheme, track) for scheme, track in tracks if track.key == key), None)

    def _label_name(self, target: LaneTarget, label: str) -> str:
        scheme = self._schemes.get(target.scheme)
        return label if scheme is None else scheme.label_name(target.track, label)

    def _set_lane_target(self, name: str, target: LaneTarget) -> None:
        self.mapping = replace(self.mapping, lanes={**self.mapping.lanes, name: target})


def _label_for_text(target: LaneTarget, track: Track, text: str) -> str:
    if text in target.labels:
        return target.labels[text]
    if track.label(text.strip()) is not None:
        return text.strip()
    plain = text.strip().casefold()
    fits = (label.key for label in track.labels if plain in (label.key.casefold(), label.name.casefold()))
    return next(fits, target.otherwise)
