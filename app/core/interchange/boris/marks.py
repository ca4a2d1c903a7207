"""What our own BORIS projects say beyond BORIS's format: an object of their own, which BORIS keeps when it saves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KEY = "greenroom"
_MOST_FIELDS = 200
SPEECH = "speech"
"""Code of the state event that an utterance becomes."""


@dataclass(frozen=True, slots=True)
class Code:
    """What the code of a behavior stands for; `fields` are the values that its events have in their comments."""

    kind: str
    scheme: str
    track: str
    text: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Which recording an observation is about, and who made it."""

    recording: str
    name: str
    annotator: str


@dataclass(frozen=True, slots=True)
class Marks:
    """Observation -> what it is about, code -> what it stands for, subject -> participant."""

    places: Mapping[str, Place]
    codes: Mapping[str, Code]
    subjects: Mapping[str, str]


def read_marks(project: Mapping[str, Any]) -> Marks:
    """Return the marks of a project; none where it is not one of ours, or where they are no longer sound."""
    found = _object(project.get(KEY))
    places = {
        name: Place(_text(one, "recording"), _text(one, "name"), _text(one, "annotator"))
        for name, one in _objects(found.get("observations"))
    }
    codes = {
        name: Code(
            "utterances" if one.get("kind") == "utterances" else "segments",
            _text(one, "scheme"),
            _text(one, "track"),
            _text(one, "text"),
            _texts(one.get("fields")),
        )
        for name, one in _objects(found.get("behaviors"))
    }
    subjects = {name: who for name, who in _object(found.get("subjects")).items() if isinstance(who, str)}
    return Marks(places, codes, subjects)


def marks_json(marks: Marks) -> dict[str, Any]:
    """Return the object that a project keeps under `KEY`."""
    return {
        "observations": {
            name: {"recording": one.recording, "name": one.name, "annotator": one.annotator}
            for name, one in marks.places.items()
        },
        "behaviors": {
            name: {
                "kind": one.kind,
                "scheme": one.scheme,
                "track": one.track,
                "text": one.text,
                "fields": [*one.fields],
            }
            for name, one in marks.codes.items()
        },
        "subjects": dict(marks.subjects),
    }


def _texts(found: Any) -> tuple[str, ...]:
    return tuple(one for one in found[:_MOST_FIELDS] if isinstance(one, str)) if isinstance(found, list) else ()


def _object(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _objects(found: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(name, one) for name, one in _object(found).items() if isinstance(one, dict)]


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key, "")
    return value if isinstance(value, str) else ""
