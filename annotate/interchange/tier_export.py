"""Exports tracks that an import made of tiers as the tiers that they were: names, texts, people and vocabularies."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotate.interchange.document import InterchangeEntry, InterchangeLane, LaneSubject, ValueSet, unique_name
from annotate.interchange.tier_schemes import SPEAKER
from annotate.interchange.tier_texts import NO_TEXT
from project.schemes.scheme import CHOICE_KINDS, Extent, FieldKind, Scheme, Track

TrackPlace = tuple[str, str]
"""Keys of a scheme and of one of its tracks."""


def tier_exports(schemes: Iterable[Scheme]) -> dict[TrackPlace, "TierExport"]:
    """Return how each track is exported that an import made."""
    made = (scheme for scheme in schemes if scheme.source)
    return {(scheme.key, track.key): TierExport(scheme, track) for scheme in made for track in scheme.tracks}


@dataclass(frozen=True, slots=True)
class TierExport:
    """How one track that an import made is exported."""

    scheme: Scheme
    track: Track

    def split_lane(
        self,
        about: LaneSubject,
        entries: Sequence[InterchangeEntry],
        taken: set[str],
        several: bool,
    ) -> Iterator[InterchangeLane]:
        """Yield a lane for each participant that entries are about, called as the tier was.

        `taken` has the names of other lanes; with `several`, further people annotated the track.
        """
        kind, annotator, _, scheme, track = about
        text, who = self.scheme.free_text_field(track), self.scheme.participant_field(track)
        people: dict[str, list[InterchangeEntry]] = {}
        for entry in entries:
            values = dict(entry.values)
            participant = values.pop(who.key, "") if who is not None else ""
            said = entry.text if entry.text != NO_TEXT else ""
            if text is not None:
                said = str(values.pop(text.key, ""))
            made = replace(entry, text=said, values=values)
            people.setdefault(participant if isinstance(participant, str) else "", []).append(made)
        for participant, same in people.items():
            words = (self.track.name, participant if len(people) > 1 else "", annotator if several else "")
            name = unique_name(" ".join(word for word in words if word), taken)
            yield self.build_lane((kind, annotator, participant, scheme, track), same, name)

    def build_lane(self, about: LaneSubject, entries: Sequence[InterchangeEntry], name: str) -> InterchangeLane:
        """Return a lane with what the track says about its entries."""
        labels = [label for label in self.track.labels if label.key != NO_TEXT]
        free = self.scheme.free_text_field(self.track.key) is not None
        who = self.scheme.participant_field(self.track.key)
        return InterchangeLane(
            name,
            tuple(entries),
            *about,
            () if free else tuple(label.key for label in labels),
            tier=self.track.name,
            definitions={label.key: label.definition for label in labels if label.definition},
            shortcuts={label.key: label.shortcut for label in labels if label.shortcut},
            colours={label.key: label.colour for label in labels if label.colour.startswith("#")},
            value_sets=dict(self._value_sets()),
            about_recording=self.track.extent is Extent.RECORDING,
            free_text=self.track.key if free else "",
            participant_value=who.key if who is not None else "",
            declares_points=self.track.holds_points,
        )

    def _value_sets(self) -> Iterator[tuple[str, ValueSet]]:
        for known in self.scheme.fields_of(self.track.key):
            if known.kind in CHOICE_KINDS:
                choices = tuple(choice.key for choice in known.choices)
                yield known.key, ValueSet(choices, known.kind is FieldKind.CHOICES, known.only_for)


def name_speech_lanes(
    lanes: Iterable[InterchangeLane], tiers: Sequence[str], taken: set[str]
) -> Iterator[InterchangeLane]:
    """Yield what is said in a recording, in lanes called as the tiers were that it came from; their names are taken.

    `tiers` are the `speech_tiers` of schemes.
    """
    for lane in lanes:
        fitting = (name for name in tiers if (SPEAKER in name) == bool(lane.participant))
        name = next(fitting, "").replace(SPEAKER, lane.participant)
        yield replace(lane, name=unique_name(name or lane.name, taken), tier=name)


def link_parents(
    lanes: Sequence[InterchangeLane], speech: Sequence[InterchangeLane], tracks: Mapping[TrackPlace, Track]
) -> Iterator[InterchangeLane]:
    """Yield lanes of a recording, each with the lane in which all of it lies, if its track depends on that."""
    for lane in lanes:
        track = tracks.get((lane.scheme, lane.track))
        if track is None or not (track.inside or track.parent):
            yield lane
            continue
        above = [other for other in lanes if (other.scheme, other.track) == (lane.scheme, track.parent)]
        around = [
            (other.annotator != lane.annotator, other.participant != lane.participant, enclosing, other.name)
            for other in (speech if track.inside else above)
            if (enclosing := _enclosing_us(lane.entries, other.entries)) is not None
        ]
        # Of the same person's, the lane whose entries are the tightest.
        *_, parent = min(around, default=("",))
        yield replace(lane, parent=parent, constraint=track.constraint)


def _enclosing_us(inner: Sequence[InterchangeEntry], outer: Sequence[InterchangeEntry]) -> int | None:
    """Return how long the entries are that enclose all of others; None where they do not."""
    spans = sorted(entry.span for entry in outer)
    starts = [start for start, _ in spans]
    places = [(bisect_right(starts, entry.start_us) - 1, entry) for entry in inner]
    if any(place < 0 or entry.end_us > spans[place][1] for place, entry in places):
        return None
    return sum(spans[place][1] - spans[place][0] for place in {place for place, _ in places})
