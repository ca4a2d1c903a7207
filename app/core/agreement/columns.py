"""Turns the rows of segments and what was filled in about them into the columns that are compared."""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from benchmark.agreement.material import ChosenField, Named, RatedField
from benchmark.agreement.types import Ints
from project.queries.comparison import value_rows
from project.schemes.scheme import Field, FieldKind, Scheme
from project.store import Study
from project.types import Json

Column = Mapping[int, Json]
"""Place of a segment -> what was filled in."""


def columns(
    study: Study, scheme: str, track: str, fields: Sequence[str], places: Mapping[str, int]
) -> dict[str, Column]:
    """Return field -> what was filled in, in the newest version; `places` says where each segment goes."""
    found: dict[str, dict[int, Json]] = {key: {} for key in fields}
    for segment, key, text in value_rows(study, scheme, track, fields) if fields else ():
        if segment in places:
            found[key][places[segment]] = json.loads(text)
    return dict(found)


def labels_of(scheme: Scheme, track: str, used: Sequence[str]) -> tuple[Named, ...]:
    """Return the labels of the track, then those that only older versions of the scheme had."""
    known = tuple(Named(label.key, label.name) for label in scheme.track(track).labels)
    keys = {label.key for label in known}
    return known + tuple(Named(label, label) for label in sorted({*used} - keys))


def axes(recording: Ints, within: Sequence[Column], recordings: int) -> tuple[Ints, Ints]:
    """Return the axis of each segment and the recording of each axis; segments on different axes are not compared."""
    if not within:
        return recording, np.arange(recordings)
    kept = [(owner, *(str(column.get(at)) for column in within)) for at, owner in enumerate(recording.tolist())]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(kept))}
    return np.array([numbers[key] for key in kept], np.int64), np.array([key[0] for key in numbers], np.int64)


def chosen(field: Field, filled: Column, size: int) -> ChosenField:
    """Return the choices of each segment; choices that the scheme no longer has are left out."""
    table = np.zeros((size, len(field.choices)), bool)
    places = {choice.key: place for place, choice in enumerate(field.choices)}
    for at, value in filled.items():
        for one in value if isinstance(value, list) else [value]:
            if one in places:
                table[at, places[str(one)]] = True
    choices = tuple(Named(choice.key, choice.name) for choice in field.choices)
    return ChosenField(field.key, field.name, choices, table, field.kind is FieldKind.CHOICES)


def rated(field: Field, filled: Column, size: int) -> RatedField:
    """Return the number of each segment; those off the scale are left out."""
    numbers = np.full(size, np.nan)
    for at, value in filled.items():
        if isinstance(value, int | float) and field.minimum <= value <= field.maximum:
            numbers[at] = value
    return RatedField(field.key, field.name, numbers, field.minimum, field.maximum, field.step)
