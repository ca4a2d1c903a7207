"""Which copies with annotations alone were made of a study, so that a withdrawal can say that they are somewhere."""

import json
from dataclasses import dataclass

from project.store import Study
from project.types import Changes

KEY = "shared"
"""The property that lists them; each file has its own."""
STEP = "Share annotations"


@dataclass(frozen=True, slots=True)
class SharedCopy:
    """When a copy was made, UTC, ISO 8601, and its name; where it is by now is not known."""

    at: str
    name: str


def note_shared(study: Study, copy: SharedCopy, annotator_id: str | None) -> Changes:
    """Write down that a copy was made; no undo reaches it.

    Raises:
        UserError: the study is read-only, or the disk is full.
    """
    with study.step(STEP, annotator_id, undoable=False) as step:
        before = study.get_property(KEY)
        listed = before if isinstance(before, list) else []
        study.set_property(KEY, [*listed, {"at": copy.at, "name": copy.name}])
    return step.changes


def shared_copies(value: str) -> tuple[SharedCopy, ...]:
    """Return the copies that the property lists; what is damaged in it is left out."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return ()
    listed = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return tuple(SharedCopy(str(one.get("at", "")), str(one.get("name", ""))) for one in listed)
