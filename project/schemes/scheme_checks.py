"""Checks of a scheme that no type makes: what is empty, named twice, out of range or not there, and where."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Any

from project.errors import UserError
from project.schemes.scheme import (
    CHOICE_KINDS,
    NUMERIC_KINDS,
    Extent,
    Field,
    FieldChoice,
    FieldKind,
    Label,
    SamplingKind,
    Scheme,
    Track,
)

COLOURS = ("error", "competence", "uncertain", "muted", "accent")
"""The names of the theme's colours that a label can have."""
MIN_SAMPLING_US = 100_000
SchemePath = tuple[str | int, ...]
"""Such as `("tracks", 0, "labels", 2, "colour")`."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_COLOUR = re.compile("|".join((*COLOURS, "#[0-9a-fA-F]{6}")))


@dataclass(frozen=True, slots=True)
class SchemeProblem:
    """Something that is wrong with a scheme.

    Attributes:
        path: names and places, counted from 0, down to what is wrong.
        what: goes on after the name of what is wrong, without a full stop.
    """

    path: SchemePath
    what: str

    @property
    def where(self) -> str:
        """The path as in a message: `tracks[1].labels[3].colour`, counted from 1."""
        return "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in self.path).lstrip(".")


def find_scheme_problems(scheme: Scheme) -> Iterator[SchemeProblem]:
    """Yield everything that is wrong with a scheme."""
    for path, part in _walk(scheme, ()):
        yield from _text_problems(path, part)
        match part:
            case Track():
                yield from _track_problems(path, part)
            case Label() if part.colour and not _COLOUR.fullmatch(part.colour):
                what = f"“{part.colour}” is neither #rrggbb nor one of {', '.join(COLOURS)}"
                yield SchemeProblem((*path, "colour"), what)
            case Field():
                yield from _field_problems(path, part)
    if not scheme.tracks:
        yield SchemeProblem(("tracks",), "a scheme needs at least one track")
    yield from _repeated_keys(("tracks",), scheme.tracks)
    yield from _repeated_keys(("fields",), scheme.fields)
    yield from _unknown_names(scheme)
    yield from _wrong_parents(scheme)
    yield from _wrong_examples(scheme)
    # A field of several tracks can have the same conflict in each.
    yield from dict.fromkeys(problem for track in scheme.tracks for problem in _shortcut_conflicts(scheme, track))


def _walk(part: Any, path: SchemePath) -> Iterator[tuple[SchemePath, Any]]:
    """Yield a part of a scheme and every part in it."""
    yield path, part
    for spec in fields(part):
        value = getattr(part, spec.name)
        if is_dataclass(value):
            yield from _walk(value, (*path, spec.name))
        for place, item in enumerate(value if isinstance(value, tuple) else ()):
            if is_dataclass(item):
                yield from _walk(item, (*path, spec.name, place))


def _text_problems(path: SchemePath, part: Any) -> Iterator[SchemeProblem]:
    for spec in fields(part):
        value = getattr(part, spec.name)
        if isinstance(value, str) and spec.default is MISSING and not value.strip():
            yield SchemeProblem((*path, spec.name), "must be a text, and not empty")
        texts = value if isinstance(value, tuple) else (value,)
        if any(isinstance(text, str) and _CONTROL.search(text) for text in texts):
            yield SchemeProblem((*path, spec.name), "must be without control characters")


def _track_problems(path: SchemePath, track: Track) -> Iterator[SchemeProblem]:
    if not track.labels:
        yield SchemeProblem((*path, "labels"), "a track needs at least one label")
    elif not track.offered_labels:
        yield SchemeProblem((*path, "labels"), "a track needs at least one label that is not retired")
    yield from _repeated_keys((*path, "labels"), track.labels)
    sampling = track.sampling
    if sampling is None:
        return
    wanted = Extent.POINT if sampling.kind is SamplingKind.INSTANTANEOUS else Extent.SPAN
    if sampling.every_us < MIN_SAMPLING_US:
        yield SchemeProblem((*path, "sampling", "every"), f"must be {MIN_SAMPLING_US / 1e6:g} seconds or more")
    if track.extent is not wanted:
        yield SchemeProblem((*path, "extent"), f"{sampling.kind} samples need “{wanted}”")
    if track.inside:
        yield SchemeProblem((*path, "inside"), "samples do not depend on utterances")
    if track.parent:
        yield SchemeProblem((*path, "parent"), "samples do not depend on another track")


def _wrong_parents(scheme: Scheme) -> Iterator[SchemeProblem]:
    """Yield tracks that depend on one that is not there or is no interval, on utterances as well, or on themselves."""
    tracks = {track.key: track for track in scheme.tracks}
    for place, track in enumerate(scheme.tracks):
        path = ("tracks", place, "parent")
        yield from _unknown(path, [track.parent] if track.parent else [], tracks, "a track")
        if track.parent and track.inside:
            yield SchemeProblem(path, "a track depends on utterances or on another track, not on both")
        if track.parent in tracks and tracks[track.parent].extent in (Extent.POINT, Extent.RECORDING):
            yield SchemeProblem(path, f"nothing lies inside segments of “{tracks[track.parent].name}”")
        above, passed = track.parent, set[str]()
        while above in tracks and above not in passed:
            passed.add(above)
            above = tracks[above].parent
        if track.key in passed:
            yield SchemeProblem(path, "a track does not depend on itself")


def _field_problems(path: SchemePath, field: Field) -> Iterator[SchemeProblem]:
    if bool(field.choices) != (field.kind in CHOICE_KINDS):
        kind = "an" if field.kind[0] in "aeiou" else "a"
        what = f"{kind} {field.kind} field has no choices" if field.choices else "the field needs at least one choice"
        yield SchemeProblem((*path, "choices"), what)
    if field.kind in NUMERIC_KINDS and not field.minimum < field.maximum:
        yield SchemeProblem((*path, "maximum"), "must be more than minimum")
    if field.kind not in NUMERIC_KINDS and (field.minimum or field.maximum or field.ends):
        yield SchemeProblem((*path, "minimum"), f"only {' and '.join(NUMERIC_KINDS)} fields have a range")
    if field.step <= 0 or (field.kind is FieldKind.SCALE and not _has_whole_numbers(field)):
        yield SchemeProblem((*path, "step"), "must be more than 0, and a scale has whole numbers only")
    if field.ends and len(field.ends) != 2:
        yield SchemeProblem((*path, "ends"), "must be two texts: what the lowest and the highest value mean")
    yield from _repeated_keys((*path, "choices"), field.choices)


def _has_whole_numbers(field: Field) -> bool:
    return all(float(value).is_integer() for value in (field.minimum, field.maximum, field.step))


def _repeated_keys(path: SchemePath, parts: Iterable[Track | Label | Field | FieldChoice]) -> Iterator[SchemeProblem]:
    names: dict[str, str] = {}
    for place, part in enumerate(parts):
        if part.key and part.key in names:
            yield SchemeProblem((*path, place, "key"), f"“{part.key}” is the key of “{names[part.key]}” already")
        names.setdefault(part.key, part.name)


def _unknown_names(scheme: Scheme) -> Iterator[SchemeProblem]:
    known_fields, tracks = {field.key for field in scheme.fields}, {track.key for track in scheme.tracks}
    labels = {label.key for track in scheme.tracks for label in track.labels}
    for place, field in enumerate(scheme.fields):
        yield from _unknown(("fields", place, "only_for"), field.only_for, labels, "a label")
        yield from _unknown(("fields", place, "tracks"), field.tracks, tracks, "a track")
    for place, rule in enumerate(scheme.rules):
        yield from _unknown(("rules", place, "label"), [rule.label], labels, "a label")
        yield from _unknown(("rules", place, "track"), [rule.track] if rule.track else [], tracks, "a track")
        yield from _unknown(("rules", place, "needs"), rule.needs, known_fields, "a field")


def _unknown(path: SchemePath, values: Iterable[str], known: Collection[str], what: str) -> Iterator[SchemeProblem]:
    yield from (SchemeProblem(path, f"“{value}” is not {what}") for value in values if value not in known)


def _wrong_examples(scheme: Scheme) -> Iterator[SchemeProblem]:
    labels = {label.key for track in scheme.tracks for label in track.labels}
    for place, example in enumerate(scheme.examples):
        yield from _unknown(("examples", place, "label"), [example.label], labels, "a label")
        for key, value in example.values.items():
            try:
                scheme.check_value(key, value)
            except UserError as error:
                yield SchemeProblem(("examples", place, "values", key), error.message.rstrip("."))


def _shortcut_conflicts(scheme: Scheme, track: Track) -> Iterator[SchemeProblem]:
    """Yield the shortcuts of a track that another label, field or choice of it has; case does not part them."""
    owners: dict[str, str] = {}
    for path, part in _with_shortcuts(scheme, track):
        if part.shortcut and (key := part.shortcut.upper()) in owners:
            yield SchemeProblem((*path, "shortcut"), f"“{part.shortcut}” is the key of “{owners[key]}” already")
        owners.setdefault(part.shortcut.upper(), part.name)


def _with_shortcuts(scheme: Scheme, track: Track) -> Iterator[tuple[SchemePath, Label | Field | FieldChoice]]:
    where = scheme.tracks.index(track)
    for place, label in enumerate(track.labels):
        if not label.retired:
            yield ("tracks", where, "labels", place), label
    for at, field in enumerate(scheme.fields):
        if not field.tracks or track.key in field.tracks:
            yield ("fields", at), field
            yield from ((("fields", at, "choices", place), choice) for place, choice in enumerate(field.choices))
