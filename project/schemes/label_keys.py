"""Gives labels the keys that mark segments with them."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from project.schemes.scheme import Extent, Field, FieldChoice, Label, Scheme, Track
from project.text_format import pluralize

WINDOW_KEYS = frozenset("0ABFIJKLMORSUXZ")
"""Digits and letters that the window uses itself, unless somebody changed its shortcuts; no label gets them."""
_KEYS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0"


def assign_keys(scheme: Scheme, base: Scheme | None, keys_in_use: Collection[str]) -> Scheme:
    """Return a scheme in which each label has a key that works, while there are free ones.

    A label keeps its own key where the window does not use it and no other of its track has it. Labels that `base` has
    stay as they are, and what is about whole recordings needs no keys.

    Args:
        scheme: the scheme.
        base: its version before; None for a new one.
        keys_in_use: the keys of the window's own actions, in upper case.
    """
    tracks = (
        track
        if track.extent is Extent.RECORDING
        else replace(track, labels=_assign_labels(scheme, track, _known_labels(base, track), keys_in_use))
        for track in scheme.tracks
    )
    return replace(scheme, tracks=tuple(tracks))


def describe_keys(scheme: Scheme, base: Scheme | None) -> Iterator[str]:
    """Yield a line for each track on the keys of its labels that `base` lacks."""
    for track in scheme.tracks:
        known = _known_labels(base, track)
        labels = [label for label in track.offered_labels if label.key not in known]
        keys = ", ".join(f"{label.shortcut} {label.name}" for label in labels if label.shortcut)
        left = sum(not label.shortcut for label in labels)
        told = [*([keys] if keys else []), *([f"no key is left for {pluralize(left, 'label')}"] if left else [])]
        if told and track.extent is not Extent.RECORDING:
            yield f"Keys of {track.name}: {'; '.join(told)}."


def _known_labels(base: Scheme | None, track: Track) -> set[str]:
    return {label.key for label in base.track_or_empty(track.key).labels} if base is not None else set()


def _assign_labels(
    scheme: Scheme, track: Track, known: Collection[str], keys_in_use: Collection[str]
) -> tuple[Label, ...]:
    others: list[Label | Field | FieldChoice] = [label for label in track.labels if label.key in known]
    for field in scheme.fields_of(track.key):
        others += [field, *field.choices]
    taken = {part.shortcut.upper() for part in others} | {*keys_in_use}
    kept: dict[str, str] = {}
    for label in track.offered_labels:
        key = label.shortcut.upper()
        if label.key not in known and key and key not in taken:
            kept[label.key] = label.shortcut
            taken.add(key)
    free = (key for key in _KEYS if key not in taken)
    return tuple(
        label if label.key in known or label.retired else replace(label, shortcut=kept.get(label.key) or next(free, ""))
        for label in track.labels
    )
