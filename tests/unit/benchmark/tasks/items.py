"""Items of every scheme that the program ships."""

from collections.abc import Iterator

from benchmark.tasks.base import Item
from project.schemes.loader import load_scheme, shipped_names
from project.schemes.scheme import FieldKind
from project.types import Json

PEOPLE = (("Agent", "p1"), ("User", "p2"))


def shrec(label: str = "error", **values: Json) -> Item:
    """Return a segment of the scheme of social errors."""
    return Item(load_scheme("shrec"), "segments", label, values, PEOPLE, "Agent")


def every_item() -> Iterator[Item]:
    """Yield an item of every label of every track of every scheme, filled in by a worked example where there is one."""
    for name in shipped_names():
        scheme = load_scheme(name)
        for track in scheme.tracks:
            for label in ("", *(one.key for one in track.labels)):
                example = next((one for one in scheme.examples if one.label == label), None)
                values = dict(example.values) if example else {}
                for field in scheme.fields_of(track.key):
                    if field.kind is FieldKind.PARTICIPANT and label:
                        values[field.key] = "p2"
                yield Item(scheme, track.key, label, values, PEOPLE, "Agent")
