"""A segment as what a task is about."""

from collections.abc import Sequence

from app.core.session import Session
from benchmark.tasks.base import Item
from project.errors import UserError
from project.queries.segments import segment, values_of
from project.schemes.scheme import Scheme
from project.types import Json, Segment


def seen_segment(session: Session, segment_id: str) -> Segment:
    """Return a segment that who works here may see.

    Raises:
        UserError: it is no longer part of the study, or a training round hides it.
    """
    found = segment(session.study, segment_id)
    if found is None:
        raise UserError("This segment is no longer part of the study, or not to be seen yet.", "Choose another one.")
    return found


def scheme_of(session: Session, key: str) -> Scheme:
    """Return the scheme of a segment.

    Raises:
        UserError: its text is nowhere.
    """
    found = session.schemes.known(key)
    if found is None:
        raise UserError(f"The scheme “{key}” is not part of this study.", "Add it: greenroom scheme add")
    return found


def item_of(session: Session, one: Segment, people: Sequence[tuple[str, str]] = (), agent: str = "") -> Item:
    """Return a segment with what is filled in about it.

    Raises:
        UserError: the text of its scheme is nowhere.
    """
    values: dict[str, Json] = {key: value.value for key, value in values_of(session.study, one.id).items()}
    return Item(scheme_of(session, one.scheme), one.track, one.label, values, people, agent)
