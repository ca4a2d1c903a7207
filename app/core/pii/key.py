"""The key: who and what is behind each replacement. It belongs to nobody but those who keep the study."""

import os
from pathlib import Path

from app.core.csv_cells import write_csv
from app.core.pii.hits import hits
from app.core.session import Session
from project.errors import UserError
from project.queries.participants import all_participants

COLUMNS = ("replacement", "kind", "participant", "texts", "places")
_OWNER_ONLY = 0o600


def key_rows(session: Session) -> list[tuple[str, str, str, str, str]]:
    """Return replacement, kind, participant's pseudonym, what it stands for, and in how many places."""
    people = {one.id: one.pseudonym for one in all_participants(session.study)}
    found: dict[tuple[str, str], tuple[set[str], set[str], list[int]]] = {}
    for one in hits(session):
        if one.hidden:
            who, texts, places = found.setdefault((one.replacement, one.kind), (set(), set(), [0]))
            texts.add(one.hit.text)
            places[0] += 1
            if one.hit.participant_id in people:
                who.add(people[one.hit.participant_id or ""])
    return [
        (after, kind, ", ".join(sorted(who)), " | ".join(sorted(texts)), str(places[0]))
        for (after, kind), (who, texts, places) in sorted(found.items())
    ]


def write_key(session: Session, path: Path) -> int:
    """Write the key as CSV, readable by its owner alone; return the number of its rows.

    Raises:
        UserError: there is such a file already, or it cannot be written.
    """
    rows = key_rows(session)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    except FileExistsError:
        raise UserError(f"There is a file {path} already.", "Name a new one: an old key is still needed.") from None
    except OSError as error:
        raise UserError(f"The key cannot be written to {path}: {error.strerror}.", "Name another folder.") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        write_csv(file, COLUMNS, rows)
    return len(rows)
