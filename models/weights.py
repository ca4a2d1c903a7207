"""The weights on this machine: whether they are there, whether they are the right ones, how they come and go.

Nothing is fetched unless a person asks for it. A file appears under its final name when its checksum is right, and
not before.
"""

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from platformdirs import user_data_path

from models.catalogue import Weights, entry
from project.errors import UserError

FOLDER_VARIABLE = "GREENROOM_MODELS"
_BLOCK = 1 << 20
# Files whose checksum was right, by path, with size and time of change: those are not read again.
_verified: dict[Path, tuple[int, int]] = {}


def folder() -> Path:
    """Return where weights are kept, `$GREENROOM_MODELS` or the user's data folder; it may not exist yet."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_data_path("greenroom", appauthor=False) / "models"


def place(name: str) -> Path:
    """Return where the file of some weights is, or would be.

    Raises:
        UserError: the catalogue has none of that name.
    """
    return folder() / entry(name).file


def installed(name: str) -> bool:
    """Tell whether the file is there; whether it is the right one is seen when it is used.

    Raises:
        UserError: the catalogue has none of that name.
    """
    return place(name).is_file()


def path(name: str) -> Path:
    """Return the file of some weights, with a checksum that is right.

    Raises:
        UserError: it is missing, damaged, or cannot be read.
    """
    wanted, found = entry(name), place(name)
    if not installed(name):
        raise UserError(f"The weights “{name}” are not installed.", f"Get them with: greenroom models fetch {name}")
    try:
        state = found.stat()
        stamp = (state.st_size, state.st_mtime_ns)
        if _verified.get(found) == stamp:
            return found
        right = matches(wanted, found)
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be read: {error.strerror}.", f"Look at the file {found}."
        ) from None
    if not right:
        raise UserError(
            f"The weights “{name}” are damaged: the checksum of {found} is wrong.",
            f"Get them again with: greenroom models fetch {name}",
        )
    _verified[found] = stamp
    return found


def matches(wanted: Weights, file: Path) -> bool:
    """Tell whether a file has the size and checksum of the catalogue.

    Raises:
        OSError: it cannot be read.
    """
    if file.stat().st_size != wanted.size:
        return False
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest() == wanted.sha256


def add(name: str, source: Path) -> Path:
    """Install weights from a file, or from a folder that holds one of the catalogue's name.

    Raises:
        UserError: there is no such file, it is another one than the catalogue's, or it cannot be copied.
    """
    wanted = entry(name)
    file = source / wanted.file if source.is_dir() else source
    if not file.is_file():
        raise UserError(f"There is no file {file}.", f"Give {wanted.file} or the folder that holds it.")
    temporary: Path | None = None
    try:
        made = ready_folder()
        handle, held = tempfile.mkstemp(dir=made, prefix=f".{wanted.file}.")
        os.close(handle)
        temporary = Path(held)
        shutil.copyfile(file, temporary)
        return install(wanted, temporary, str(file))
    except OSError as error:
        raise UserError(
            f"{file} cannot be copied to {folder()}: {error.strerror}.", "Make room or mend the folder's permissions."
        ) from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def install(wanted: Weights, temporary: Path, origin: str) -> Path:
    """Give a whole file its final name, if it is the one of the catalogue; otherwise delete it.

    Raises:
        UserError: it is another one.
        OSError: it cannot be read or renamed.
    """
    if not matches(wanted, temporary):
        temporary.unlink()
        raise UserError(
            f"{origin} is not the file “{wanted.name}” of the catalogue: its checksum is wrong.",
            f"Nothing was installed. The right one has the sha256 {wanted.sha256}.",
        )
    target = folder() / wanted.file
    temporary.chmod(0o644)
    temporary.replace(target)
    return target


def ready_folder() -> Path:
    """Return the folder of the weights; make it where it is missing.

    Raises:
        OSError: it cannot be made.
    """
    folder().mkdir(parents=True, exist_ok=True)
    return folder()


def part(name: str) -> Path:
    """Return the file that holds what was fetched so far."""
    return folder() / f"{entry(name).file}.part"


def remove(name: str) -> bool:
    """Delete the file of some weights, and what was fetched of it; return whether there was any.

    Raises:
        UserError: it cannot be deleted.
    """
    there = [file for file in (place(name), part(name)) if file.is_file()]
    try:
        for file in there:
            file.unlink()
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be removed: {error.strerror}.", f"Delete {place(name)} yourself."
        ) from None
    return bool(there)
