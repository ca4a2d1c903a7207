"""A folder with a Whisper model for CTranslate2: whether all is there, and which model it is."""

import json
from dataclasses import dataclass
from pathlib import Path

from models import weights
from models.weights import catalogue
from project.checksums import sha256_of
from project.errors import UserError
from project.names import shown

MODEL = "model.bin"
OWN = "whisper"
"""The catalogue's name of a model that a lab brings itself."""
_NEEDED = (MODEL, "config.json", "tokenizer.json")
_VOCABULARIES = ("vocabulary.json", "vocabulary.txt")
_LEAST_BYTES = 1000


@dataclass(frozen=True, slots=True)
class WhisperFolder:
    """A folder that holds what a model needs.

    Attributes:
        path: of the folder.
        sha256: of its weights, in hexadecimal.
        name: of the catalogue's entry with the same weights; "" where it has none.
    """

    path: Path
    sha256: str
    name: str


def require_files(folder: Path) -> None:
    """Return quietly where all files of a model are there; none is read whole.

    Raises:
        UserError: it is no folder, or lacks a file; says which.
    """
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}.", "Name the folder of a Whisper model made for CTranslate2.")
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if not any((folder / name).is_file() for name in _VOCABULARIES):
        missing.append(_VOCABULARIES[0])
    if missing:
        name = shown(folder.absolute().name)
        raise UserError(
            f"{name} is no folder of a Whisper model for CTranslate2: {missing[0]} is missing.",
            "Name another folder, or get a model: greenroom models list",
        )


def examine(folder: Path) -> WhisperFolder:
    """Read a folder's weights once and say which model it is.

    Raises:
        UserError: a file is missing, cannot be read, or is damaged; says its checksum.
    """
    require_files(folder)
    try:
        size = (folder / MODEL).stat().st_size
        digest = sha256_of(folder / MODEL)
        json.loads((folder / "config.json").read_text("utf-8"))
    except OSError as error:
        raise UserError(f"The model in {folder} cannot be read: {error.strerror}.", "Look at its files.") from None
    except ValueError:
        raise UserError(f"The model in {folder} is damaged: config.json is no JSON.", "Get the model again.") from None
    listed = [
        (one.name, part)
        for one in catalogue.WEIGHTS.values()
        for edition in one.editions
        for part in edition.parts
        if part.file == MODEL
    ]
    known = {part.sha256: name for name, part in listed}
    known |= {sha256: OWN for file, sha256 in weights.sha256s(OWN).items() if file == MODEL}
    lookalike = next((name for name, part in listed if part.size == size), "")
    if digest not in known and (lookalike or size < _LEAST_BYTES):
        wanted = f", and that of {lookalike} is another one" if lookalike else ""
        raise damaged(folder, digest, f"the checksum of {MODEL} is {digest}{wanted}")
    return WhisperFolder(folder, digest, known.get(digest, ""))


def damaged(folder: Path, digest: str, why: str = "") -> UserError:
    """Return the error for weights that are not what they should be."""
    reason = why or f"{MODEL} with the checksum {digest} cannot be loaded"
    return UserError(
        f"The model in {folder} is damaged: {reason}.",
        "Get the model again, or, where it is one of your own, add it first: greenroom models add whisper FOLDER",
    )
