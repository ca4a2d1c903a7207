"""What is personal in items that are frozen: replacing texts of the study does not reach them, they never change."""

from collections.abc import Iterator

from app.core.release.private import scrubber_of
from app.core.session import Session
from project.ids import is_id
from project.queries.item_sets import all_sets, items_of
from project.types import Json


def frozen_personal(session: Session) -> dict[str, int]:
    """Return name of an item set -> how many of its items hold what would be replaced in a text of the study.

    Such a set is drawn anew from the texts as they are now; a withdrawal takes out the items that are somebody's.
    """
    scrubber = scrubber_of(session, quoting=True)
    known: dict[str, bool] = {}

    def personal(text: str) -> bool:
        if text not in known:
            known[text] = bool(scrubber.scrub(text).replacements)
        return known[text]

    found: dict[str, int] = {}
    for one in all_sets(session.study):
        held = sum(
            any(personal(text) for text in _texts(dict(item.content))) for item in items_of(session.study, one.id)
        )
        if held:
            found[one.name] = held
    return found


def _texts(value: Json) -> Iterator[str]:
    """Yield texts of a value that may be words of somebody: all but ids."""
    match value:
        case str():
            if value.strip() and not is_id(value):
                yield value
        case list():
            for one in value:
                yield from _texts(one)
        case dict():
            for one in value.values():
                yield from _texts(one)
