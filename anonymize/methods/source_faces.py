"""The faces that a deepfake may show: pictures that a lab put into one folder, each with a statement on its origin."""

import hashlib
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from models import weights
from project.errors import UserError

FOLDER = "source-faces"
"""Beside the weights."""
MANIFEST = "faces.toml"
ORIGINS = ("generated", "consented")
_PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".bmp"}
_LEAST_STATEMENT = 20


@dataclass(frozen=True, slots=True)
class SourceFace:
    """A face that may be shown.

    Attributes:
        file: its picture.
        origin: one of `ORIGINS`.
        statement: how it was made or who consented to what, in the lab's words.
    """

    file: Path
    origin: str
    statement: str


def folder() -> Path:
    """Return where the pictures and their manifest are expected."""
    return weights.folder() / FOLDER


def source_faces(place: Path | None = None) -> tuple[SourceFace, ...]:
    """Return the faces that may be shown, in the order of the manifest.

    Raises:
        UserError: there is no manifest, it cannot be read, a picture is not in it or missing, or a statement is.
    """
    place = place or folder()
    try:
        told = tomllib.loads((place / MANIFEST).read_text("utf-8")).get("face", [])
    except OSError:
        raise UserError(
            f"There is no list of source faces: {place / MANIFEST}.",
            "Put pictures of generated or consenting faces there and say in it where each is from.",
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{place / MANIFEST} cannot be read: {error}.", "Mend the file.") from None
    if not isinstance(told, list) or not told:
        raise UserError(f"{place / MANIFEST} names no face.", "Add a [[face]] with file, origin and statement.")
    faces = tuple(_face(place, one) for one in told)
    listed = {face.file.name for face in faces}
    for file in sorted(place.iterdir()):
        if file.suffix.lower() in _PICTURES and file.name not in listed:
            raise UserError(
                f"Nothing is said about the source face {file.name}.", f"Add it to {MANIFEST}, or take it away."
            )
    return faces


def assigned(identities: Iterable[str], faces: Sequence[SourceFace]) -> dict[str, SourceFace]:
    """Return a face for each identity: the first of its own order of the faces that no identity before it has.

    An identity's order follows from its name alone. There are two of one face only where there are more identities.
    """
    taken: dict[str, SourceFace] = {}
    free: list[SourceFace] = []
    for identity in sorted(set(identities)):
        free = free or list(faces)
        best = min(free, key=lambda face: hashlib.sha256(f"{identity}\0{face.file.name}".encode()).digest())
        free.remove(best)
        taken[identity] = best
    return taken


def _face(place: Path, told: object) -> SourceFace:
    if not isinstance(told, dict):
        raise UserError(f"{place / MANIFEST} is not as it should be.", "Each [[face]] has file, origin and statement.")
    name, origin, statement = (str(told.get(key, "")).strip() for key in ("file", "origin", "statement"))
    if not name or Path(name).name != name or not (place / name).is_file():
        raise UserError(f"The source face “{name}” is not in {place}.", f"Put it there, or take it out of {MANIFEST}.")
    if origin not in ORIGINS:
        raise UserError(
            f"The origin of the source face {name} is not stated.", f"Set origin to one of {', '.join(ORIGINS)}."
        )
    if len(statement) < _LEAST_STATEMENT:
        raise UserError(
            f"The statement on the source face {name} is missing.",
            "Say how it was generated, or who consented to what and when.",
        )
    return SourceFace(place / name, origin, statement)
