"""Gives weights their names among the others: once they are found to be the right ones, and where there is room."""

import shutil
from pathlib import Path

from models import weights
from models.weights.editions import Edition, Part
from project.checksums import sha256_of
from project.errors import UserError
from project.sizes import size_text


def ready_folder() -> Path:
    """Return the folder of the weights; make it where it is missing.

    Raises:
        OSError: it cannot be made.
    """
    weights.folder().mkdir(parents=True, exist_ok=True)
    return weights.folder()


def require_room(name: str, needed: int) -> None:
    """Return quietly where there is room for so many bytes beside the other weights.

    Raises:
        UserError: there is not.
        OSError: the folder cannot be looked at.
    """
    free = shutil.disk_usage(ready_folder()).free
    if needed > free:
        raise UserError(
            f"There is no room for “{name}”: {size_text(needed)} are needed, {size_text(free)} are free.",
            f"Make room in {weights.folder()}, or choose another folder with {weights.FOLDER_VARIABLE}.",
        )


def matches(wanted: Edition, file: Path) -> bool:
    """Tell whether a file has the size and checksum of the catalogue.

    Raises:
        OSError: it cannot be read.
    """
    return file.stat().st_size == wanted.size and sha256_of(file) == wanted.sha256


def install(name: str, wanted: Edition, temporary: Path, origin: str) -> Path:
    """Give a whole file its final name, if it is the one of the catalogue; otherwise delete it.

    Raises:
        UserError: it is another one.
        OSError: it cannot be read or renamed.
    """
    if not matches(wanted, temporary):
        temporary.unlink()
        raise UserError(
            f"{origin} is not the file “{name}” of the catalogue: its checksum is wrong.",
            f"Nothing was installed. The right one has the sha256 {wanted.sha256}.",
        )
    temporary.chmod(0o644)
    return put(wanted, temporary)


def put(wanted: Edition, temporary: Path) -> Path:
    """Give a file or folder that was found right its final name, in place of what is there.

    Raises:
        OSError: it cannot be renamed.
    """
    target = weights.folder() / wanted.file
    if wanted.folder and target.is_dir():
        shutil.rmtree(target)
    temporary.replace(target)
    return target


def another(part: Part, found: str, origin: str) -> UserError:
    """Return the error that says that a file is not the one of the catalogue.

    Args:
        part: what it should be.
        found: its sha256.
        origin: where it comes from, in words.
    """
    return UserError(
        f"{part.file} in {origin} is not the file of the catalogue: its checksum is wrong (sha256 {found}).",
        f"Nothing was installed. The right one has the sha256 {part.sha256}.",
    )
