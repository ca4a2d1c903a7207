"""What a person chooses before an import, without any widget: targets of lanes, labels of texts, fields of values."""

from collections import Counter
from dataclasses import dataclass, replace
from types import MappingProxyType

from app.core.interchange.document import Document, Lane
from app.core.interchange.files import plan_import
from app.core.interchange.guessing import guess_mapping, target_on
from app.core.interchange.importing import Plan
from app.core.interchange.lossless.restoring import RowsPlan
from app.core.interchange.mapping import COMMENT, Becomes, Mapping, Outside, Target
from app.core.interchange.places import guess_places
from app.core.session import Session
from project.queries.recordings import all_recordings
from project.schemes.scheme import Track
from resources.translation import tr

Choices = tuple[tuple[str, str], ...]
_NOTHING, _SPEECH = "nothing", "utterances"
_BETWEEN = "\x1f"
_MOST_TEXTS = 200


@dataclass(frozen=True, slots=True)
class Detail:
    """One text or value of a lane, and what it becomes; `key` is "" for nothing."""

    is_text: bool
    name: str
    count: int
    choices: Choices
    key: str


@dataclass(frozen=True, slots=True)
class Counts:
    """What becomes of all lanes of one name, over all recordings; `notes` are one line each."""

    entries: int
    added: int
    known: int
    left_out: int
    notes: tuple[str, ...]


class ImportChoices:
    """One document on its way into a study."""

    def __init__(self, session: Session, document: Document) -> None:
        self._session = session
        self.document = document
        self.whole = bool(document.rows)
        self.mapping = guess_mapping(session, document)
        self.places = list(guess_places(session, document))
        self._lanes: dict[str, list[Lane]] = {}
        for part in document.recordings:
            for lane in part.lanes:
                self._lanes.setdefault(lane.name, []).append(lane)

    @property
    def names(self) -> list[str]:
        """The names of the lanes."""
        return list(self._lanes)

    def plan(self) -> Plan | RowsPlan:
        """Return what would be imported now."""
        return plan_import(self._session, self.document, self.mapping, self.places)

    def targets(self) -> Choices:
        """Return what a lane can become: (key, words)."""
        tracks = [
            (f"{scheme.key}{_BETWEEN}{track.key}", f"{track.name} ({scheme.name})")
            for scheme in self._session.schemes
            for track in scheme.tracks
        ]
        return ((_NOTHING, tr("Nothing")), (_SPEECH, tr("Utterances")), *tracks)

    def target(self, name: str) -> str:
        """Return the key of what a lane becomes."""
        target = self.mapping.lanes[name]
        if target.becomes is Becomes.SEGMENTS:
            return f"{target.scheme}{_BETWEEN}{target.track}"
        return _SPEECH if target.becomes is Becomes.UTTERANCES else _NOTHING

    def set_target(self, name: str, key: str) -> None:
        """Let a lane become something else; its labels and fields are guessed anew."""
        first = self._lanes[name][0]
        if key == _NOTHING:
            self._set(name, Target(Becomes.NOTHING))
        elif key == _SPEECH:
            self._set(name, Target(Becomes.UTTERANCES, participant=first.participant))
        else:
            scheme_key, track_key = key.split(_BETWEEN)
            scheme = self._session.schemes.get(scheme_key)
            self._set(name, target_on(self._session, self._lanes[name], scheme, scheme.track(track_key)))

    def who(self, name: str) -> str:
        """Return who made the segments of a lane, or who speaks."""
        target = self.mapping.lanes[name]
        return target.participant if target.becomes is Becomes.UTTERANCES else target.annotator

    def set_who(self, name: str, who: str) -> None:
        """Say who made the segments of a lane, or who speaks."""
        target = self.mapping.lanes[name]
        if target.becomes is Becomes.UTTERANCES:
            self._set(name, replace(target, participant=who.strip()))
        elif target.becomes is Becomes.SEGMENTS and who.strip():
            self._set(name, replace(target, annotator=who.strip()))

    def recordings(self) -> Choices:
        """Return the recordings of the study: (id, words)."""
        present = all_recordings(self._session.study)
        return (("", tr("None")), *((one.id, f"{one.number}. {one.name}") for one in present))

    def set_outside(self, outside: Outside) -> None:
        """Say what is done with entries that reach outside the recording."""
        self.mapping = replace(self.mapping, outside=outside)

    def set_point(self, point_us: int) -> None:
        """Say how long a point becomes; 0 leaves points out."""
        self.mapping = replace(self.mapping, point_us=point_us)

    def details(self, name: str) -> list[Detail]:
        """Return the texts of a lane, the most frequent first, and its values, where it becomes segments."""
        target = self.mapping.lanes[name]
        if target.becomes is not Becomes.SEGMENTS or self.whole:
            return []
        scheme = self._session.schemes.get(target.scheme)
        track = scheme.track(target.track)
        labels = (("", tr("Nothing")), *((label.key, label.name) for label in track.labels))
        fields = (
            ("", tr("Nothing")),
            *((field.key, field.name) for field in scheme.fields_of(track.key)),
            (COMMENT, tr("A comment")),
        )
        entries = [entry for lane in self._lanes[name] for entry in lane.entries]
        texts = Counter(entry.text for entry in entries)
        values = Counter(key for entry in entries for key in entry.values)
        found = [
            Detail(True, text, count, labels, _label(target, track, text))
            for text, count in texts.most_common(_MOST_TEXTS)
        ]
        return found + [
            Detail(False, key, count, fields, target.fields.get(key, "")) for key, count in values.most_common()
        ]

    def set_detail(self, name: str, detail: Detail, key: str) -> None:
        """Let a text become another label, or a value another field; "" for nothing."""
        target = self.mapping.lanes[name]
        if detail.is_text:
            self._set(name, replace(target, labels=MappingProxyType({**target.labels, detail.name: key})))
        else:
            self._set(name, replace(target, fields=MappingProxyType({**target.fields, detail.name: key})))

    def counts(self, plan: Plan | RowsPlan) -> dict[str, Counts]:
        """Return what a plan says about each lane, over all recordings."""
        found: dict[str, Counts] = {}
        for name in self._lanes:
            same = [lane for lane in plan.lanes if lane.lane == name]
            reasons: Counter[str] = Counter()
            for lane in same:
                reasons.update(lane.left_out)
            notes = [tr("{count} left out: {why}").format(count=count, why=why) for why, count in reasons.items()]
            notes += [remark for lane in same for remark in lane.remarks]
            found[name] = Counts(
                sum(lane.entries for lane in same),
                sum(lane.added for lane in same),
                sum(lane.known for lane in same),
                reasons.total(),
                tuple(notes),
            )
        return found

    def _set(self, name: str, target: Target) -> None:
        self.mapping = Mapping(
            MappingProxyType({**self.mapping.lanes, name: target}), self.mapping.outside, self.mapping.point_us
        )


def _label(target: Target, track: Track, text: str) -> str:
    if text in target.labels:
        return target.labels[text]
    plain = text.strip().casefold()
    fits = (label.key for label in track.labels if plain in (label.key.casefold(), label.name.casefold()))
    return next(fits, target.otherwise)
