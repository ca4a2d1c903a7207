"""What may stand in the content of an item, so that whoever reads one can rely on it."""

from collections.abc import Callable, Mapping
from typing import cast

from project.judging import Subject, about_from
from project.questions import question_from
from project.types import Json


def why_unfit(about: str, content: Mapping[str, Json]) -> str:
    """Return why the content of an item cannot be used, in words that follow its name; "" where it can be.

    Args:
        about: what the item was made from, as `About.key`; "" for nothing.
        content: as `FrozenItem.content` describes it; keys that are not named there are passed over.
    """
    if about and about_from(about).subject is Subject.ITEM:
        return "was made from another item"
    for key, fits in _FITS.items():
        if key in content and not fits(content[key]):
            return f"cannot be read: {key}"
    options, place = content.get("options", []), content.get("place", 0)
    if isinstance(options, list) and options and not 0 <= cast(int, place) < len(options):
        return "has no option at the place of the right one"
    return ""


def _text(value: Json) -> bool:
    return isinstance(value, str)


def _number(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _told(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


def _object(value: Json) -> bool:
    return isinstance(value, dict)


def _objects(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())


def _question(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    try:
        found = question_from(value)
        texts = (found.id, found.recording_id, found.text, found.answer, found.explanation, *found.options)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        return False
    return all(isinstance(one, str) for one in texts)


_FITS: Mapping[str, Callable[[Json], bool]] = {
    **dict.fromkeys(("scheme", "track", "label", "person"), _text),
    **dict.fromkeys(("values", "traits"), _object),
    **dict.fromkeys(("options", "homes"), _texts),
    "place": _number,
    "facts": _told,
    "question": _question,
    "truth": _objects,
}
"""Key -> whether a value is what stands there."""
