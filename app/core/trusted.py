"""What somebody on this machine allowed a study, which may come from a stranger and say of itself whatever it likes.

It is kept beside the settings and never in a study: folders outside the study's own that its media may be read from,
files of models that its judges may load, and the policy that may let something of it leave. What a study says counts
for nothing here until a person on this machine did it: added or relinked a file, set up a judge, set the policy.
"""

import hashlib
import os
from collections.abc import Collection, Iterable
from enum import StrEnum
from pathlib import Path

import platformdirs

from app.core.settings import read_object, rewrite_object, write_object
from project.json_text import to_json
from project.types import Json

_MOST = 200
"""How many entries of one kind are kept for a study; the oldest go."""


class Kind(StrEnum):
    """What was allowed."""

    FOLDER = "folders"
    MODEL = "models"
    POLICY = "policies"


def trusted(study_id: str, kind: Kind) -> tuple[str, ...]:
    """Return what was allowed to a study on this machine, the oldest first."""
    found = read_object(_place()).get(study_id)
    listed = found.get(kind.value) if isinstance(found, dict) else None
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()


def trust(study_id: str, kind: Kind, what: Iterable[str]) -> None:
    """Remember that a person allowed something to a study; a folder that cannot be written is no reason to stop."""
    before = trusted(study_id, kind)
    now = [*dict.fromkeys((*before, *what))][-_MOST:]
    if (*now,) == before or not study_id:
        return
    every = read_object(_place())
    found = every.get(study_id)
    of_study: dict[str, Json] = dict(found) if isinstance(found, dict) else {}
    write_object(_place(), {**every, study_id: {**of_study, kind.value: [*now]}})


def trusted_paths(study_id: str) -> tuple[str, ...]:
    """Return the folders and files that were allowed to a study on this machine."""
    return *trusted(study_id, Kind.FOLDER), *trusted(study_id, Kind.MODEL)


def forget_paths(study_id: str, paths: Collection[str]) -> None:
    """Allow a study some folders and files no more; what stood there is overwritten.

    Raises:
        OSError: it cannot be written.
    """
    every = read_object(_place())
    found = every.get(study_id)
    if not isinstance(found, dict):
        return
    kept: dict[str, Json] = {
        kind: [one for one in listed if one not in paths] if isinstance(listed, list) else listed
        for kind, listed in found.items()
    }
    if kept != found:
        rewrite_object(_place(), {**every, study_id: kept})


def digest(found: Json) -> str:
    """Return what stands for an object that was allowed."""
    return hashlib.sha256(to_json(found).encode()).hexdigest()


def folders_of(file: Path) -> list[str]:
    """Return the folders by which a file that a person pointed to may be reached: as it was named, and as it is."""
    return [*dict.fromkeys((os.path.normpath(file.absolute().parent), str(file.resolve().parent)))]


def reaches(folder: Path, others: Iterable[str], place: Path) -> bool:
    """Tell whether a place lies in a study's folder or in one that was allowed, links followed.

    What leads out by its letters alone is not even looked at, since looking can mount a folder of another machine.
    """
    roots = [str(folder), *others]
    try:
        return _inside(os.path.normpath(place), roots) and _inside(os.path.realpath(place), roots)
    except (OSError, ValueError):
        return False


def _inside(place: str, roots: Iterable[str]) -> bool:
    return any(place == root or place.startswith(root.rstrip(os.sep) + os.sep) for root in roots)


def _place() -> Path:
    return platformdirs.user_config_path("greenroom", appauthor=False) / "trusted.json"
