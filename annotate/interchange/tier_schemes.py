"""Makes a scheme of the tiers of a file: a track for each that fits no track of the study, with labels and fields.

A scheme that a former import made gets what a further file has more, as its next version.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotate.interchange.document import COMMENTS, Document, InterchangeLane, ValueSet
from annotate.interchange.lane_mapping import COMMENT, OWN_TARGETS, EntryTarget, ImportMapping, LaneTarget
from annotate.interchange.tier_texts import code_key, is_closed_set
from annotate.interchange.value_text import to_text
from project.errors import UserError
from project.schemes.label_keys import WINDOW_KEYS, assign_keys, describe_keys
from project.schemes.scheme import (
    CHOICE_KINDS,
    Extent,
    Field,
    FieldChoice,
    FieldKind,
    Label,
    Scheme,
    TierConstraint,
    Track,
)
from project.schemes.scheme_file import MAX_SCHEME_BYTES, parse_scheme, write_scheme

PARTICIPANT = "participant"
"""Key of the field that says whom a segment is about."""
SPEAKER = "{participant}"
"""Stands in the name of a tier for who speaks."""


@dataclass(frozen=True, slots=True)
class TierSchemes:
    """What an import does to schemes.

    Attributes:
        mapping: in which every lane with a track of its own becomes segments of that track.
        schemes: key -> each scheme that it makes, extends or uses again.
        texts: key -> the text of each that is new, or a new version.
        keys: which labels of these got which keys, a line each track.
    """

    mapping: ImportMapping
    schemes: Mapping[str, Scheme]
    texts: Mapping[str, str]
    keys: tuple[str, ...]


def make_tier_schemes(
    find_scheme: Callable[[str], Scheme | None],
    document: Document,
    mapping: ImportMapping,
    keys_in_use: Collection[str] = WINDOW_KEYS,
) -> TierSchemes:
    """Return the schemes with the tracks that a mapping gives to lanes; nothing is written.

    Args:
        find_scheme: returns the scheme of a key, None for none.
        document: with the lanes.
        mapping: what they become.
        keys_in_use: keys that no label gets, in upper case.
    """
    lanes = document.lanes_by_name()
    groups: dict[str, dict[str, list[str]]] = {}
    for name, target in mapping.lanes.items():
        if target.becomes in OWN_TARGETS and name in lanes:
            groups.setdefault(target.scheme, {}).setdefault(target.track, []).append(name)
    resolved = dict(mapping.lanes)
    schemes: dict[str, Scheme] = {}
    texts: dict[str, str] = {}
    keys: list[str] = []
    for key, tracks in groups.items():
        base = find_scheme(key)
        if base is not None and not base.source:
            raise UserError(
                f"The scheme “{key}” was not made by an import, and gets no tracks of a file.", "Name another scheme."
            )
        builder = _SchemeBuilder(base, lanes, mapping)
        for track, names in tracks.items():
            builder.add_track(track, names)
        made = assign_keys(builder.build(key, document, speech=not schemes), base, keys_in_use)
        if made != base:
            texts[key] = write_scheme(made)
            if len(texts[key].encode()) > MAX_SCHEME_BYTES:
                raise UserError(
                    "The file has more codes than a scheme can hold.",
                    "Import the tier that has them as free text: --map TIER=text, or “Becomes” in the window.",
                )
            made = parse_scheme(texts[key], made.name)
            keys += describe_keys(made, base)
        schemes[key] = made
        resolved |= builder.targets(made)
    return TierSchemes(replace(mapping, lanes=resolved), schemes, texts, tuple(keys))


@dataclass(slots=True)
class _FieldUse:
    """What the lanes of a file have under the name of a value."""

    name: str
    declared: list[ValueSet] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    several: bool = False
    tracks: dict[str, None] = field(default_factory=dict)
    labels: dict[str, None] = field(default_factory=dict)

    def add(self, track: str, lane: InterchangeLane, name: str) -> None:
        self.tracks[track] = None
        if name in lane.value_sets:
            self.declared.append(lane.value_sets[name])
        for entry in lane.entries:
            value = entry.values.get(name)
            if value not in (None, "", []):
                self.labels[code_key(entry.text)] = None
                self.several |= isinstance(value, list)
                self.texts += map(to_text, value) if isinstance(value, list) else [to_text(value)]

    @property
    def kind(self) -> FieldKind:
        if not all(known.values for known in self.declared) or self.name.casefold() == "comment":
            return FieldKind.TEXT
        if not self.declared and not is_closed_set(self.texts):
            return FieldKind.TEXT
        return FieldKind.CHOICES if self.several or any(k.several for k in self.declared) else FieldKind.CHOICE

    @property
    def choices(self) -> dict[str, FieldChoice]:
        texts = [*(text for known in self.declared for text in known.values), *self.texts]
        return {key: FieldChoice(key, key) for key in map(code_key, texts)}

    @property
    def only_for(self) -> tuple[str, ...]:
        if not self.declared or not all(known.labels for known in self.declared):
            return ()
        named = (code_key(label) for known in self.declared for label in known.labels)
        return tuple(dict.fromkeys((*named, *self.labels)))


class _SchemeBuilder:
    def __init__(
        self, base: Scheme | None, lanes: Mapping[str, Sequence[InterchangeLane]], mapping: ImportMapping
    ) -> None:
        self._base = base
        self._lanes = lanes
        self._mapping = mapping
        self._tracks = {track.key: track for track in base.tracks} if base else {}
        self._fields = {known.key: known for known in base.fields} if base else {}
        self._named: dict[str, str] = {}
        self._made: dict[str, Sequence[str]] = {}
        self._uses: dict[str, _FieldUse] = {}

    def add_track(self, key: str, names: Sequence[str]) -> None:
        """Add a track for the lanes of these names, or what they have more to the one that is there."""
        same = [lane for name in names for lane in self._lanes[name]]
        before = self._tracks.get(key)
        self._named |= dict.fromkeys(names, key)
        if before is None:
            free = all(self._mapping.lanes[name].becomes is EntryTarget.OWN_TEXT for name in names)
            before = Track(key, key, (), extent=_extent(same))
            self._made[key] = names
            if free:
                before = replace(before, labels=(Label(key, key),))
                known = self._fields.get(key, Field(key, FieldKind.TEXT, key))
                self._fields[key] = replace(known, tracks=_joined(known.tracks, [key]))
        if not self._is_free_text(before):
            before = replace(before, labels=_add_labels(before, self._list_labels(names, same)))
        self._tracks[key] = before
        if any(self._mapping.lanes[name].participant for name in names):
            known = self._fields.get(PARTICIPANT, Field(PARTICIPANT, FieldKind.PARTICIPANT, "Participant"))
            self._fields[PARTICIPANT] = replace(known, tracks=_joined(known.tracks, [key]))
        for lane in same:
            chosen = self._mapping.lanes[lane.name].fields
            for name in _value_names(lane):
                if chosen.get(name, name) in ("", COMMENT):
                    continue
                self._uses.setdefault(name, _FieldUse(name)).add(key, lane, name)

    def build(self, key: str, document: Document, *, speech: bool) -> Scheme:
        """Return the scheme, the former one where nothing is new; with `speech`, it keeps the names of spoken tiers."""
        for use in self._uses.values():
            self._add_field(use)
        for track, names in self._made.items():
            self._set_parent(track, names)
        if self._base is None:
            # Codes come first: new segments go to the first track.
            order = sorted(self._tracks.values(), key=lambda t: (t.extent is Extent.RECORDING, self._is_free_text(t)))
            self._tracks = {track.key: track for track in order}
        labels = {label.key for track in self._tracks.values() for label in track.labels}
        fields = (
            replace(known, only_for=tuple(label for label in known.only_for if label in labels))
            for known in self._fields.values()
        )
        spoken = self._name_speech_tiers() if speech else ()
        base = self._base
        made = base or Scheme(key, document.name or key, 1, (), (), source=document.source or "file")
        made = replace(
            made,
            tracks=tuple(self._tracks.values()),
            fields=tuple(fields),
            speech_tiers=tuple(dict.fromkeys((*made.speech_tiers, *spoken))),
        )
        return made if base is None or made == base else replace(made, version=base.version + 1)

    def targets(self, scheme: Scheme) -> Iterator[tuple[str, LaneTarget]]:
        """Yield name and target of each lane that has a track in the scheme."""
        for name, key in self._named.items():
            target, free = self._mapping.lanes[name], scheme.free_text_field(key) is not None
            texts = {entry.text for lane in self._lanes[name] for entry in lane.entries}
            values = {value for lane in self._lanes[name] for entry in lane.entries for value in entry.values}
            labels = {} if free else {text: code_key(text) for text in sorted(texts) if code_key(text) != text}
            fields = {value: self._field_key(value) for value in sorted(values)}
            yield (
                name,
                replace(
                    target,
                    becomes=EntryTarget.SEGMENTS,
                    labels={**labels, **target.labels},
                    otherwise=scheme.track(key).labels[0].key if free else "",
                    text_field=key if free else "",
                    fields={**fields, **target.fields},
                ),
            )

    def _is_free_text(self, track: Track) -> bool:
        known = self._fields.get(track.key)
        return known is not None and known.kind is FieldKind.TEXT and [x.key for x in track.labels] == [track.key]

    def _list_labels(self, names: Sequence[str], lanes: Iterable[InterchangeLane]) -> Iterator[Label]:
        """Yield a label for each text of the vocabularies, then for each that is found and becomes no other label."""
        others = {
            text
            for name in names
            for text, label in self._mapping.lanes[name].labels.items()
            if label != code_key(text)
        }
        same = list(lanes)
        for lane in same:
            for text in lane.vocabulary:
                yield Label(
                    code_key(text),
                    code_key(text),
                    code_key(lane.definitions[text]) if lane.definitions.get(text, "").strip() else "",
                    colour=lane.colours.get(text, ""),
                    shortcut=lane.shortcuts.get(text, ""),
                )
        for lane in same:
            for text in dict.fromkeys(entry.text for entry in lane.entries):
                if text not in others:
                    yield Label(code_key(text), code_key(text))

    def _field_key(self, name: str) -> str:
        """Return the key of the field for values of a name."""
        if name.casefold() == COMMENTS:
            return COMMENT
        key = code_key(name)
        return f"{key} (value)" if key == PARTICIPANT or key in self._tracks else key

    def _add_field(self, use: _FieldUse) -> None:
        key = self._field_key(use.name)
        if key == COMMENT:
            return
        known = self._fields.get(key)
        if known is None:
            kind = use.kind
            choices = tuple(use.choices.values()) if kind in CHOICE_KINDS else ()
            self._fields[key] = Field(
                key, kind, code_key(use.name), choices=choices, only_for=use.only_for, tracks=tuple(use.tracks)
            )
            return
        if known.kind in CHOICE_KINDS:
            present = {choice.key for choice in known.choices}
            further = (choice for choice in use.choices.values() if choice.key not in present)
            known = replace(known, choices=(*known.choices, *further))
        tracks = _joined(known.tracks, use.tracks) if known.tracks else ()
        only_for = _joined(known.only_for, use.only_for or use.labels) if known.only_for else ()
        self._fields[key] = replace(known, tracks=tracks, only_for=only_for)

    def _set_parent(self, key: str, names: Sequence[str]) -> None:
        """Let a track depend on what all lanes of these names lie inside of: a track, or speech."""
        track, above = self._tracks[key], {self._find_parent(name) for name in names}
        constraints = {self._lanes[name][0].constraint for name in names}
        if len(above) != 1 or track.extent is Extent.RECORDING:
            return
        [(parent, direct)] = above
        constraint = constraints.pop() if direct and len(constraints) == 1 else TierConstraint.INCLUDED_IN
        if parent is None:
            self._tracks[key] = replace(track, inside="utterance", constraint=constraint)
        elif parent in self._tracks and self._tracks[parent].extent is Extent.SPAN and not self._depends(parent, key):
            self._tracks[key] = replace(track, parent=parent, constraint=constraint)

    def _find_parent(self, name: str) -> tuple[str | None, bool]:
        """Return what the entries of a lane lie inside of, and whether the file says that of the lane itself.

        It is the nearest track of this scheme, "" for none, or None for speech.
        """
        passed = {name}
        above = self._lanes[name][0].parent
        while above in self._lanes and above not in passed:
            passed.add(above)
            target = self._mapping.lanes.get(above)
            if target is not None and target.becomes is EntryTarget.UTTERANCES:
                return None, len(passed) == 2
            if above in self._named:
                return self._named[above], len(passed) == 2
            above = self._lanes[above][0].parent
        return "", False

    def _depends(self, key: str, other: str) -> bool:
        """Tell whether a track is another one or depends on it."""
        passed: set[str] = set()
        while key in self._tracks and key not in passed:
            passed.add(key)
            key = self._tracks[key].parent
        return other in passed

    def _name_speech_tiers(self) -> Iterator[str]:
        for name, target in self._mapping.lanes.items():
            if target.becomes is EntryTarget.UTTERANCES and name in self._lanes:
                who = target.participant
                if not who or who in name:
                    yield code_key(name.replace(who, SPEAKER, 1) if who else name)


def _extent(lanes: Sequence[InterchangeLane]) -> Extent:
    """Return what the segments of a track cover that is made for some lanes."""
    if all(lane.about_recording for lane in lanes):
        return Extent.RECORDING
    filled = [lane for lane in lanes if lane.entries] or lanes
    return Extent.POINT if all(lane.holds_points for lane in filled) else Extent.SPAN


def _add_labels(track: Track, labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return the labels of a track with further ones."""
    found = {label.key: label for label in track.labels}
    for label in labels:
        found.setdefault(label.key, label)
    return tuple(found.values())


def _value_names(lane: InterchangeLane) -> dict[str, None]:
    return dict.fromkeys((*lane.value_sets, *(name for entry in lane.entries for name in entry.values)))


def _joined(before: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *more)))
