"""Annotation schemes: tracks, labels and fields as data, and what a segment still lacks under its scheme."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from project.entities.study_records import Json, Segment, Utterance
from project.errors import UserError


class FieldKind(StrEnum):
    """How a field is filled in, and what its value is."""

    CHOICES = "choices"
    """Several of the choices: a list of their keys, in the scheme's order."""
    CHOICE = "choice"
    """One of the choices: its key."""
    TEXT = "text"
    """Free text."""
    SCALE = "scale"
    """A whole number from `minimum` to `maximum`, each shown."""
    SLIDER = "slider"
    """A number from `minimum` to `maximum` in steps of `step`."""
    PARTICIPANT = "participant"
    """Who of the recording it is about: a participant's id."""


NUMERIC_KINDS = (FieldKind.SCALE, FieldKind.SLIDER)
CHOICE_KINDS = (FieldKind.CHOICE, FieldKind.CHOICES)


class Extent(StrEnum):
    """What the segments of a track cover."""

    SPAN = "span"
    """A part of the recording, free at both ends."""
    RECORDING = "recording"
    """The whole recording, always."""
    EITHER = "either"
    """The whole recording or a part of it, as the annotator likes."""
    POINT = "point"
    """A moment: one time, and no length."""


class TierConstraint(StrEnum):
    """How segments lie within those of the track, or the utterances, that theirs depends on: ELAN's stereotypes."""

    INCLUDED_IN = "included in"
    """Anywhere inside, with gaps."""
    TIME_SUBDIVISION = "time subdivision"
    """They share its time out, without gaps."""
    SYMBOLIC_SUBDIVISION = "symbolic subdivision"
    """They are its parts in order, which have no times of their own in ELAN."""
    SYMBOLIC_ASSOCIATION = "symbolic association"
    """One for each, of the same time."""


class SamplingKind(StrEnum):
    """What the label of a sample says."""

    INSTANTANEOUS = "instantaneous"
    """What holds at the moment of the sample."""
    PARTIAL = "partial"
    """What happened at any time in the interval that just passed."""
    WHOLE = "whole"
    """What lasted through the interval that just passed."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """When the samples of a track are taken: every so many seconds, the first time after the first interval.

    Of a recording that lasts no whole number of intervals, the rest is not sampled.

    Attributes:
        every: seconds from sample to sample.
        kind: what a sample says. An instantaneous one is a point, any other the interval before it.

    Source: Altmann (1974), Observational study of behavior: sampling methods.
    """

    every: int | float
    kind: SamplingKind

    @property
    def every_us(self) -> int:
        """Microseconds from sample to sample."""
        return round(self.every * 1_000_000)

    def count(self, duration_us: int) -> int:
        """Return how many samples a recording has."""
        return duration_us // self.every_us

    def span(self, number: int) -> tuple[int, int]:
        """Return start and end of a sample, counted from 1; both are the same of an instantaneous one."""
        end = number * self.every_us
        return (end if self.kind is SamplingKind.INSTANTANEOUS else end - self.every_us), end

    def number_of(self, start_us: int, end_us: int) -> int | None:
        """Return which sample a span is, counted from 1, or None where it is none."""
        number = end_us // self.every_us
        return number if number > 0 and self.span(number) == (start_us, end_us) else None


class Pattern(StrEnum):
    """What the ground of a label is drawn with."""

    SOLID = "solid"
    HATCH = "hatch"
    DOTS = "dots"
    BACK_HATCH = "back hatch"
    BARS = "bars"
    POSTS = "posts"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """One answer of a field.

    Attributes:
        key: what is stored; never changed once somebody worked with it.
        name: what people read.
        definition: what it means, for the form and the guidelines.
        shortcut: the key that ticks it; unique in its track.
        examples: one sentence each, shown with the definition.
        hint: how annotators work with it; no judge is told.
    """

    key: str
    name: str
    definition: str = ""
    shortcut: str = ""
    examples: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the form.

    Attributes:
        key: what is stored; never changed once somebody worked with it.
        kind: how it is filled in.
        name: what people read.
        definition: what is to be filled in.
        choices: of a field with choices.
        shortcut: the key that goes to the field; unique in its track.
        only_for: the labels that it belongs to, empty for all.
        tracks: the tracks that it belongs to, empty for all.
        minimum: of a scale or a slider.
        maximum: of a scale or a slider.
        step: between the values of a slider; its values are whole numbers when it is whole.
        ends: what the lowest and the highest value of a scale or slider mean; empty or two texts.
        hint: how annotators work with it; no judge is told.
    """

    key: str
    kind: FieldKind
    name: str
    definition: str = ""
    choices: tuple[FieldChoice, ...] = ()
    shortcut: str = ""
    only_for: tuple[str, ...] = ()
    tracks: tuple[str, ...] = ()
    minimum: int | float = 0
    maximum: int | float = 0
    step: int | float = 1
    ends: tuple[str, ...] = ()
    hint: str = ""

    def applies_to(self, label: str, track: str | None = None) -> bool:
        """Tell whether a segment with this label, on this track, has the field; None asks for no track."""
        return (not self.only_for or label in self.only_for) and (
            track is None or not self.tracks or track in self.tracks
        )

    def holds(self, value: Json) -> bool:
        """Tell whether a value is one that the field can have."""
        known = [choice.key for choice in self.choices]
        match self.kind:
            case FieldKind.CHOICE:
                return value in known
            case FieldKind.CHOICES:
                return isinstance(value, list) and all(choice in known for choice in value)
            case FieldKind.TEXT | FieldKind.PARTICIPANT:
                return isinstance(value, str)
            case FieldKind.SCALE | FieldKind.SLIDER:
                return (
                    isinstance(value, int | float)
                    and not isinstance(value, bool)
                    and self.minimum <= value <= self.maximum
                    and (self.kind is FieldKind.SLIDER or float(value).is_integer())
                )

    def known_value(self, value: Json) -> Json:
        """Return a value as far as the field can have it: of several choices those that it has; None for nothing."""
        if self.kind is FieldKind.CHOICES and isinstance(value, list):
            return [choice.key for choice in self.choices if choice.key in value] or None
        return value if value is not None and self.holds(value) else None


@dataclass(frozen=True, slots=True)
class Label:
    """One label as a track shows it.

    Attributes:
        key: what is stored; never changed once somebody worked with it.
        name: what people read.
        definition: what it means, for the form and the guidelines.
        colour: one of `error`, `competence`, `uncertain`, `muted`, `accent`, or `#rrggbb`.
        shortcut: the key that makes a segment with it; unique in its track.
        examples: one sentence each, shown with the definition.
        hint: how annotators work with it; no judge is told.
        pattern: one of `Pattern`; "" for one that the other labels of the track leave.
        retired: whether segments keep it, and no other gets it.
    """

    key: str
    name: str
    definition: str = ""
    colour: str = ""
    shortcut: str = ""
    examples: tuple[str, ...] = ()
    hint: str = ""
    pattern: str = ""
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Track:
    """A kind of lane, and the labels that its segments can have.

    Attributes:
        key: what is stored; never changed once somebody worked with it.
        name: what people read.
        labels: at least one.
        definition: what the lane is for.
        extent: what its segments cover.
        inside: `utterance` where every segment must lie inside an utterance of the transcript, else "".
        parent: key of the track in whose segments every segment must lie, else "".
        constraint: how its segments lie in an utterance or in those of the parent.
        coding: `one` where, coding while it plays, a label ends the one that is open; else `several`.
        sampling: where its segments are samples: when they are taken; else None.
    """

    key: str
    name: str
    labels: tuple[Label, ...]
    definition: str = ""
    extent: Extent = Extent.SPAN
    inside: str = ""
    parent: str = ""
    constraint: TierConstraint = TierConstraint.INCLUDED_IN
    coding: str = "several"
    sampling: Sampling | None = None

    @property
    def holds_points(self) -> bool:
        """Whether its segments are points."""
        return self.extent is Extent.POINT

    def span_problem(self, start_us: int, end_us: int, duration_us: int) -> str:
        """Return what is wrong with start and end of a segment of this track, in a recording of this length.

        A sentence; "" where nothing is.
        """
        if self.holds_points and start_us != end_us:
            return "It has a length, and its track holds points."
        if not self.holds_points and start_us == end_us:
            return "It is a point, and its track holds none."
        if self.extent is Extent.RECORDING and (start_us, end_us) != (0, duration_us):
            return "It does not cover the whole recording."
        if self.sampling is not None and self.sampling.number_of(start_us, end_us) is None:
            return f"It is none of the samples, which are taken every {self.sampling.every:g} s."
        return ""

    @property
    def offered_labels(self) -> tuple[Label, ...]:
        """The labels that a segment can get: all that are not retired."""
        return tuple(label for label in self.labels if not label.retired)

    def label(self, key: str) -> Label | None:
        """Return one label, or None where the track has none of that key (it may have had one in an older version)."""
        return next((label for label in self.labels if label.key == key), None)


@dataclass(frozen=True, slots=True)
class RequiredFieldsRule:
    """Which fields a segment with a label needs before the work on it is done.

    Attributes:
        label: key of a label.
        needs: keys of fields.
        track: the only one on which it holds; every track where it is empty.
    """

    label: str
    needs: tuple[str, ...]
    track: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example for the guidelines.

    Attributes:
        title: a few words.
        situation: what happens.
        label: what a trained annotator marks.
        values: and fills in, by field.
        why: their reason.
    """

    title: str
    situation: str
    label: str
    values: Mapping[str, Json]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Scheme:
    """What can be annotated. Values are stored under `key` and `version`, so that a new version breaks no old study.

    Attributes:
        key: what is stored; never changed once somebody worked with it.
        name: what people read.
        version: raised with every change after somebody worked with it.
        tracks: at least one.
        fields: the form, from top to bottom.
        rules: what a segment needs before it counts as complete.
        definition: what it is for.
        examples: worked ones, for the guidelines.
        source: key of the file format that an import made it from, or "". Its tracks are exported as the tiers that
            they were, under their names.
        speech_tiers: names of the tiers of that file that became utterances; `{participant}` stands for who speaks.
    """

    key: str
    name: str
    version: int
    tracks: tuple[Track, ...]
    fields: tuple[Field, ...]
    rules: tuple[RequiredFieldsRule, ...] = ()
    definition: str = ""
    examples: tuple[Example, ...] = ()
    source: str = ""
    speech_tiers: tuple[str, ...] = ()

    def track(self, key: str) -> Track:
        """Return one track."""
        for track in self.tracks:
            if track.key == key:
                return track
        known = ", ".join(track.key for track in self.tracks)
        raise UserError(f"{self.name} has no track “{key}”.", f"Choose one of {known}.")

    def track_or_empty(self, key: str) -> Track:
        """Return one track; one without labels where this version has none of that key, so that it can be shown."""
        return next((track for track in self.tracks if track.key == key), None) or Track(key, key, ())

    def field(self, key: str) -> Field:
        """Return one field."""
        for field in self.fields:
            if field.key == key:
                return field
        known = ", ".join(field.key for field in self.fields)
        raise UserError(f"{self.name} has no field “{key}”.", f"Choose one of {known}.")

    def label_name(self, track: str, label: str) -> str:
        """Return what people read for a label; the key where this version has none of that key."""
        found = self.track_or_empty(track).label(label)
        return found.name if found is not None else label

    def field_name(self, key: str) -> str:
        """Return what people read for a field; the key where this version has none of that key."""
        return next((field.name for field in self.fields if field.key == key), key)

    def choice_name(self, field: str, key: str) -> str:
        """Return what people read for a choice of a field; the key where this version has none of that key."""
        choices = (choice for known_field in self.fields if known_field.key == field for choice in known_field.choices)
        return next((choice.name for choice in choices if choice.key == key), key)

    def fields_of(self, track: str) -> tuple[Field, ...]:
        """Return the fields that the segments of a track have."""
        return tuple(field for field in self.fields if not field.tracks or track in field.tracks)

    def free_text_field(self, track: str) -> Field | None:
        """Return the field that holds the texts of a track for free text: one with a single label, of the same key."""
        if [label.key for label in self.track_or_empty(track).labels] != [track]:
            return None
        texts = (field for field in self.fields_of(track) if field.kind is FieldKind.TEXT)
        return next((field for field in texts if field.key == track), None)

    def participant_field(self, track: str) -> Field | None:
        """Return the first field of a track that says who a segment is about."""
        return next((field for field in self.fields_of(track) if field.kind is FieldKind.PARTICIPANT), None)

    def shortcuts(self) -> tuple[str, ...]:
        """Return every shortcut that it names, once."""
        named: list[Label | Field | FieldChoice] = [label for track in self.tracks for label in track.offered_labels]
        for field in self.fields:
            named += [field, *field.choices]
        return tuple(dict.fromkeys(item.shortcut for item in named if item.shortcut))

    def check_label(self, track: str, label: str, *, retired: bool = False) -> str:
        """Return the label where the track offers it; with `retired`, also where it only has it."""
        found = self.track(track)
        known = found.label(label)
        offered = ", ".join(label.key for label in found.offered_labels)
        if known is None:
            raise UserError(f"{found.name} has no label “{label}”.", f"Choose one of {offered}.")
        if known.retired and not retired:
            raise UserError(
                f"The label {known.name} is retired: no further segment gets it.", f"Choose one of {offered}."
            )
        return label

    def check_value(self, key: str, value: Json) -> Json:
        """Return a value as it is stored: choices without repeats and in the scheme's order, None for nothing."""
        field = self.field(key)
        if value is None or value in ("", []):
            return None
        match field.kind:
            case FieldKind.TEXT:
                if not isinstance(value, str):
                    raise UserError(f"{field.name} must be text.", "Give text.")
                return value if value.strip() else None
            case FieldKind.CHOICE:
                return _require_known_choices(field, [value])[0]
            case FieldKind.CHOICES:
                if not isinstance(value, list):
                    raise UserError(
                        f"{field.name} must be a list of choices.", "Give a list, also for a single choice."
                    )
                wanted = _require_known_choices(field, value)
                return [choice.key for choice in field.choices if choice.key in wanted]
            case FieldKind.SCALE | FieldKind.SLIDER:
                return _number(field, value)
            case FieldKind.PARTICIPANT:
                if not isinstance(value, str):
                    raise UserError(f"{field.name} must be a participant.", "Give the participant's id.")
                return value

    def missing_fields(self, label: str, values: Mapping[str, Json], track: str | None = None) -> tuple[str, ...]:
        """Return the fields that a segment with this label needs, and has no value of that this version knows."""
        needed = dict.fromkeys(
            key
            for rule in self.rules
            if rule.label == label and (track is None or not rule.track or rule.track == track)
            for key in rule.needs
        )
        if not needed:
            return ()
        fields = {field.key: field for field in (self.fields if track is None else self.fields_of(track))}
        return tuple(
            key for key in needed if key not in fields or fields[key].known_value(values.get(key)) in (None, "", [])
        )

    def known_values(self, track: str, values: Mapping[str, Json]) -> dict[str, Json]:
        """Return the values that this version has a place for; of several choices, those that it still has."""
        known = ((field.key, field.known_value(values.get(field.key))) for field in self.fields_of(track))
        return {key: value for key, value in known if value is not None}

    def orphaned_values(self, track: str, values: Mapping[str, Json]) -> dict[str, Json]:
        """Return the values that this version has no place for: of fields or choices that an older version had."""
        fields = {field.key: field for field in self.fields_of(track)}
        return {key: value for key, value in values.items() if key not in fields or not fields[key].holds(value)}


def _require_known_choices(field: Field, values: Sequence[Json]) -> list[str]:
    keys = [choice.key for choice in field.choices]
    for value in values:
        if value not in keys:
            raise UserError(f"{field.name} has no choice “{value}”.", f"Choose one of {', '.join(keys)}.")
    return [str(value) for value in values]


def _number(field: Field, value: Json) -> int | float:
    whole = field.kind is FieldKind.SCALE or float(field.step).is_integer()
    if isinstance(value, bool) or not isinstance(value, int | float) or not field.minimum <= value <= field.maximum:
        raise UserError(
            f"{field.name} must be a number from {field.minimum:g} to {field.maximum:g}.",
            "Give a number in this range.",
        )
    if not whole:
        return float(value)
    if value != int(value):
        raise UserError(f"{field.name} must be a whole number.", "Give a number without decimals.")
    return int(value)


def segment_problems(
    scheme: Scheme,
    segment: Segment,
    values: Mapping[str, Json],
    duration_us: int,
    utterances: Sequence[Utterance] = (),
    *,
    in_parent: bool = True,
) -> tuple[str, ...]:
    """Say what is missing or out of place about a segment, a short line each; none where it is complete.

    Args:
        scheme: the newest version of the segment's scheme.
        segment: the segment.
        values: what is filled in, by field.
        duration_us: of its recording.
        utterances: of its recording, in any order; empty where there is no transcript.
        in_parent: whether it lies inside a segment of the track that its own depends on.
    """
    track = scheme.track_or_empty(segment.track)
    missing = scheme.missing_fields(segment.label, values, segment.track)
    found = [f"{scheme.field(key).name} is missing." for key in missing]
    if not track.labels:
        found.append(f"Its track “{segment.track}” is no longer in the scheme.")
    elif track.label(segment.label) is None:
        found.append(f"Its label “{segment.label}” is no longer in the scheme.")
    if track.labels and (problem := track.span_problem(segment.start_us, segment.end_us, duration_us)):
        found.append(problem)
    if track.inside == "utterance":
        if not utterances:
            found.append("It belongs inside an utterance, and the recording has no transcript.")
        elif not any(
            utterance.start_us <= segment.start_us and segment.end_us <= utterance.end_us for utterance in utterances
        ):
            found.append("It does not lie inside one utterance.")
    if track.parent and not in_parent:
        found.append(f"It does not lie inside a segment of {scheme.track_or_empty(track.parent).name}.")
    return tuple(found)


def clip_to_utterance(start_us: int, end_us: int, utterances: Sequence[Utterance]) -> tuple[int, int] | None:
    """Return a span cut to the utterance that it shares most time with, or None where it touches none."""
    best = max(
        utterances,
        key=lambda utterance: min(end_us, utterance.end_us) - max(start_us, utterance.start_us),
        default=None,
    )
    if best is None or min(end_us, best.end_us) <= max(start_us, best.start_us):
        return None
    return max(start_us, best.start_us), min(end_us, best.end_us)
