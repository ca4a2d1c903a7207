"""The media files of recordings, and what probing found out about them."""

import json
import re
from dataclasses import asdict, fields
from math import isfinite
from typing import Any

from project.errors import UserError
from project.json_text import to_json
from project.names import shown
from project.queries.stored_values import damaged_value, is_whole, stored_choice
from project.store import Row, Study
from project.types import AudioFacts, MediaFacts, Medium, MediumRole, VideoFacts

_COLUMNS = "id, recording_id, role, position, offset_us, path, fingerprint, facts"
_ORDER = "ORDER BY recording_id, role <> 'main', role, position, id"

_FINGERPRINT = re.compile(r"[0-9A-Za-z_-]{0,64}")


def media_of(study: Study, recording_id: str) -> list[Medium]:
    """Return the files of a recording, the main one first."""
    rows = study.rows(f"SELECT {_COLUMNS} FROM medium WHERE recording_id = ? {_ORDER}", (recording_id,))
    return [_medium(row) for row in rows]


def all_media(study: Study) -> list[Medium]:
    """Return the files of every recording; those of one recording stand together, the main one first."""
    return [_medium(row) for row in study.rows(f"SELECT {_COLUMNS} FROM medium {_ORDER}")]


def insert_medium(study: Study, new: Medium) -> None:
    """Add a file to a recording; inside a step.

    Raises:
        UserError: the file's name is not valid text, so that no study can hold it.
    """
    _check_path(new.path)
    study.write(
        "INSERT INTO medium VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            new.id,
            new.recording_id,
            new.role.value,
            new.position,
            new.offset_us,
            new.path,
            new.fingerprint,
            facts_to_json(new.facts),
        ),
    )


def update_medium(study: Study, new: Medium) -> None:
    """Replace the medium of the same id; inside a step.

    Raises:
        UserError: the file's name is not valid text, so that no study can hold it.
    """
    _check_path(new.path)
    study.write(
        "UPDATE medium SET recording_id = ?, role = ?, position = ?, offset_us = ?, path = ?, fingerprint = ?, "
        "facts = ? WHERE id = ?",
        (
            new.recording_id,
            new.role.value,
            new.position,
            new.offset_us,
            new.path,
            new.fingerprint,
            facts_to_json(new.facts),
            new.id,
        ),
    )


def facts_to_json(facts: MediaFacts) -> str:
    """Write what probing found out."""
    return to_json(asdict(facts))


def facts_from_json(text: str) -> MediaFacts:
    """Read what `facts_to_json` wrote.

    Raises:
        ValueError: it is something else.
    """
    try:
        found: dict[str, Any] = json.loads(text)
        video, audio = found.pop("video"), found.pop("audio")
        facts = MediaFacts(
            **found,
            video=None if video is None else VideoFacts(**video),
            audio=None if audio is None else AudioFacts(**audio),
        )
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("no facts about a file") from None
    for part in (facts, facts.video, facts.audio):
        if part is not None and not all(_fits(getattr(part, field.name), field.type) for field in fields(part)):
            raise ValueError("no facts about a file")
    return facts


def _fits(value: object, kind: object) -> bool:
    """Tell whether a value is of the kind that a field of facts has."""
    if kind is int:
        return is_whole(value, -(1 << 62))
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _medium(row: Row) -> Medium:
    # Files are named by it, so it must not lead anywhere.
    if not _FINGERPRINT.fullmatch(row[6]):
        raise UserError(
            f"The fingerprint of “{shown(row[5])}” in this study is damaged.", "Find out what else is: greenroom check"
        )
    what = f"What is known of the file “{shown(row[5])}”"
    try:
        facts = facts_from_json(row[7])
    except ValueError:
        raise damaged_value(what) from None
    return Medium(row[0], row[1], stored_choice(MediumRole, row[2], what), row[3], row[4], row[5], row[6], facts)


def _check_path(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError:
        raise UserError(f"The name of “{shown(path)}” is not valid text.", "Rename the file, then add it.") from None
