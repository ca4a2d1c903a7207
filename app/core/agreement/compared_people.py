"""Whose work is compared: people by default, whoever is named otherwise, and never what was made from several."""

from app.core.commands.people import annotator_called
from app.core.session import Session
from project.errors import UserError
from project.queries.annotators import all_annotators
from project.types import Annotator

PERSON, ADJUDICATED = "person", "adjudicated"


def compared_people(session: Session, pair: tuple[str, ...], third: str) -> tuple[list[Annotator], int]:
    """Return who is compared, and the place of the third annotator among them, or -1.

    Args:
        session: where they annotate.
        pair: two names, or none for everybody who is a person.
        third: name of the one who is compared with the others; "" for none.

    Raises:
        UserError: a name is nobody's, or stands twice, or for an adjudicated lane.
    """
    named = [*pair, *([third] if third else [])]
    if len(pair) not in (0, 2) or len({*named}) != len(named):
        raise UserError("A comparison needs different annotators.", "Name each one once.")
    chosen = [_called(session, name) for name in pair] or [
        one for one in all_annotators(session.study) if one.kind == PERSON
    ]
    if not third:
        return chosen, -1
    last = _called(session, third)
    rest = [one for one in chosen if one.id != last.id]
    return [*rest, last], len(rest)


def _called(session: Session, name: str) -> Annotator:
    found = annotator_called(session, name)
    if found.kind == ADJUDICATED:
        raise UserError(
            f"“{name}” was made from several people's work.", "Choose somebody who annotates by themselves."
        )
    return found
