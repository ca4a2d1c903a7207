"""Values of a form as they are typed on a command line: FIELD=VALUE."""

from collections.abc import Sequence

from app.core.session import Session
from project.errors import UserError
from project.queries.participants import all_participants
from project.schemes.scheme import FieldKind, Scheme
from project.types import Json


def typed_values(session: Session, scheme: Scheme, given: Sequence[str]) -> dict[str, Json]:
    """Return field -> value, None for an empty text.

    Several choices are given as one text with commas, a participant as their pseudonym.

    Raises:
        UserError: one is not written so, its field is not the scheme's, or a number or a participant is none.
    """
    values: dict[str, Json] = {}
    for one in given:
        key, sign, text = one.partition("=")
        if not sign:
            raise UserError(f"“{one}” is no value of a field.", "Write FIELD=VALUE, such as channel=verbal.")
        values[key] = _value(session, scheme, key, text)
    return values


def _value(session: Session, scheme: Scheme, key: str, text: str) -> Json:
    field = scheme.field(key)
    if not text:
        return None
    match field.kind:
        case FieldKind.CHOICES:
            return [part.strip() for part in text.split(",") if part.strip()]
        case FieldKind.SCALE | FieldKind.SLIDER:
            try:
                return float(text)
            except ValueError:
                raise UserError(f"“{text}” is no number.", f"{field.name} is one.") from None
        case FieldKind.PARTICIPANT:
            people = all_participants(session.study)
            found = next((person.id for person in people if text in (person.pseudonym, person.id)), None)
            if found is None:
                known = ", ".join(person.pseudonym for person in people) or "nobody yet"
                raise UserError(f"No participant is called “{text}”.", f"There are: {known}.")
            return found
        case _:
            return text
