"""Annotators as a team: looked up and introduced by name."""

from collections.abc import Sequence

from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.queries.annotators import all_annotators, annotator_by_name, insert_annotator
from project.types import Annotator


def annotator_called(session: Session, name: str) -> Annotator:
    """Return the annotator of a name.

    Raises:
        UserError: nobody of that name is in the study.
    """
    found = annotator_by_name(session.study, name)
    if found is None:
        known = ", ".join(one.name for one in all_annotators(session.study)) or "nobody yet"
        raise UserError(f"No annotator is called “{name}”.", f"In this study: {known}.")
    return found


def introduced(session: Session, names: Sequence[str]) -> list[Annotator]:
    """Return the annotators of these names; those who are new are introduced.

    Raises:
        UserError: a name is empty or given twice, or the study is open for reading only.
    """
    wanted = [name.strip() for name in names]
    if not all(wanted):
        raise UserError("An annotator needs a name.", "Separate names by commas, such as Ada,Bo,Cy.")
    if len(set(wanted)) < len(wanted):
        raise UserError("An annotator is named twice.", "Name everybody once.")
    session.study.require_writable()
    unknown = [name for name in wanted if annotator_by_name(session.study, name) is None]
    # Ids made within a millisecond are in no order; annotators are listed by theirs.
    fresh = [Annotator(*both) for both in zip(sorted(new_id() for _ in unknown), unknown, strict=True)]
    if fresh:
        with session.study.step(f"Introduce {', '.join(one.name for one in fresh)}", undoable=False):
            for one in fresh:
                insert_annotator(session.study, one)
    by_name = {one.name: one for one in all_annotators(session.study)}
    return [by_name[name] for name in wanted]
