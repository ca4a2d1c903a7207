"""The weights on this machine: whether they are there, whether they are the right ones, how they go.

Gives weights their names among the others: once they are found to be the right ones, and where there is room. Makes the
file of an edition of what was fetched for it.
"""

import importlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from platformdirs import user_data_path

from models.weights import own_weights
from models.weights import weight_folders as folders
from models.weights.editions import Edition, EditionFile, NetworkSignature
from models.weights.own_weights import SignatureMatch
from models.weights.weight_folders import Damage
from models.weights.weights_catalogue import entry
from project.errors import UserError
from project.files.fingerprints import sha256_of
from project.progress import Progress
from project.text_format import size_text

FOLDER_VARIABLE = "GREENROOM_MODELS"
# Files whose checksum was right, by path, with size and time of change: those are not read again.
_verified: dict[Path, tuple[tuple[int, int], ...]] = {}


def folder() -> Path:
    """Return where weights are kept, `$GREENROOM_MODELS` or the user's data folder; it may not exist yet."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_data_path("greenroom", appauthor=False) / "models"


def edition(name: str) -> Edition | None:
    """Return the edition whose file or folder is there; None where none is, and of weights that a lab brings itself.

    Raises:
        UserError: the catalogue has none of that name.
    """
    return next((each for each in entry(name).editions if _there(each)), None)


def place(name: str) -> Path:
    """Return where the file or folder of some weights is, or would be.

    Raises:
        UserError: the catalogue has none of that name.
    """
    wanted = entry(name)
    if wanted.own:
        return own_weights.place(folder(), wanted)
    return folder() / (edition(name) or wanted.editions[0]).file


def installed(name: str) -> bool:
    """Tell whether they are there; whether they are the right ones is seen when they are used.

    Raises:
        UserError: the catalogue has none of that name.
    """
    wanted = entry(name)
    return own_weights.installed(folder(), wanted) if wanted.own else edition(name) is not None


def how_to_get(name: str) -> str:
    """Return the command that gets some weights.

    Raises:
        UserError: the catalogue has none of that name.
    """
    wanted = entry(name)
    if not wanted.own:
        return f"greenroom models fetch {name}"
    return f"greenroom models add {name} {'FOLDER' if wanted.layout else 'FILE'}"


def path(name: str) -> Path:
    """Return the file or folder of some weights, with checksums that are right.

    Raises:
        UserError: it is missing, damaged, or cannot be read.
    """
    if not installed(name):
        raise UserError(f"The weights “{name}” are not installed.", f"Get them with: {how_to_get(name)}")
    found = place(name)
    try:
        stamp = _stamp(name)
        if _verified.get(found) == stamp:
            return found
        wrong = problem(name)
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be read: {error.strerror}.", f"Look at the file {found}."
        ) from None
    if wrong:
        raise UserError(
            f"The weights “{name}” are damaged: {wrong}.",
            f"Get them again with: {how_to_get(name)}",
        )
    _verified[found] = stamp
    return found


def problem(name: str, progress: Progress | None = None) -> Damage | None:
    """Return the first file that is not the right one; None where all are. Reads them whole.

    Args:
        name: in the catalogue.
        progress: told in bytes.

    Raises:
        UserError: the catalogue has none of that name.
        OSError: one cannot be read.
        Cancelled: the user stopped it.
    """
    return folders.damage(place(name), sha256s(name), progress)


def sha256s(name: str) -> Mapping[str, str]:
    """Return the sha256 that each file of installed weights should have, by its path inside; none where nothing is.

    Raises:
        UserError: the catalogue has none of that name.
    """
    known = edition(name)
    if known is not None:
        return known.sha256s
    told = own_weights.record(folder(), entry(name)) if installed(name) else None
    return told.files if told else {}


def digest(name: str) -> str:
    """Return the sha256 of installed weights, for the parameters of a run; of a folder, that of its files' list.

    Raises:
        UserError: they are missing, damaged, or cannot be read.
    """
    path(name)
    known = edition(name)
    if known is not None:
        return known.sha256
    told = own_weights.record(folder(), entry(name))
    assert told is not None
    if len(told.files) == 1:
        return next(iter(told.files.values()))
    return folders.digest(told.files)


def fit(name: str) -> SignatureMatch:
    """Return how the added file of a network fits the catalogue: which one it is, and the names of its tensors.

    Raises:
        UserError: it is missing, damaged, or cannot be read, or it is no network that a lab brings itself.
    """
    path(name)
    told = own_weights.record(folder(), entry(name))
    if told is None or told.fit is None:
        raise UserError(f"“{name}” is not a network that you brought.", "This is known of such networks only.")
    return told.fit


def network(name: str) -> NetworkSignature:
    """Return what the added file of a network takes and gives, as the catalogue describes it.

    Raises:
        UserError: as of `fit`.
    """
    key = fit(name).key
    return next(each for each in entry(name).networks if each.key == key)


def size_on_disk(name: str) -> int:
    """Return how many bytes installed weights take; 0 where they are not installed.

    Raises:
        UserError: the catalogue has none of that name.
        OSError: they cannot be looked at.
    """
    return sum(file.stat().st_size for file in folders.files(place(name)).values()) if installed(name) else 0


def arrived(name: str) -> int:
    """Return how many bytes there are of weights whose fetch did not end.

    Raises:
        UserError: the catalogue has none of that name.
        OSError: they cannot be looked at.
    """
    started = {part(file) for each in entry(name).editions for file in each.fetched_files}
    return sum(file.stat().st_size for one in started for file in folders.files(one).values())


def licence(name: str) -> str:
    """Return under which licence some weights stand; of added ones, in the words of whoever added them.

    Raises:
        UserError: the catalogue has none of that name.
    """
    wanted = entry(name)
    told = own_weights.record(folder(), wanted) if wanted.own else None
    return told.licence if told else wanted.licence


def part(file: str) -> Path:
    """Return the file or folder that holds what was fetched so far of another."""
    return folder() / f"{file}.part"


def remove(name: str) -> bool:
    """Delete weights, and what was fetched of them; return whether there were any.

    Raises:
        UserError: they cannot be deleted.
    """
    wanted = entry(name)
    places = {folder() / each.file for each in wanted.editions}
    places |= {part(file) for each in wanted.editions for file in each.fetched_files}
    there = [one for one in places if one.exists()]
    try:
        for one in there:
            shutil.rmtree(one) if one.is_dir() else one.unlink()
        return own_weights.remove(folder(), wanted) if wanted.own else bool(there)
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be removed: {error.strerror}.", f"Delete {place(name)} yourself."
        ) from None


def _stamp(name: str) -> tuple[tuple[int, int], ...]:
    states = [file.stat() for file in sorted(folders.files(place(name)).values())]
    return tuple((state.st_size, state.st_mtime_ns) for state in states)


def _there(one: Edition) -> bool:
    at = folder() / one.file
    return at.is_dir() if one.folder else at.is_file()


def ready_folder() -> Path:
    """Return the folder of the weights; make it where it is missing.

    Raises:
        OSError: it cannot be made.
    """
    folder().mkdir(parents=True, exist_ok=True)
    return folder()


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
            f"Make room in {folder()}, or choose another folder with {FOLDER_VARIABLE}.",
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
    target = folder() / wanted.file
    if wanted.folder and target.is_dir():
        shutil.rmtree(target)
    temporary.replace(target)
    return target


def another(part: EditionFile, found: str, origin: str) -> UserError:
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


def build(edition: Edition, contents: Sequence[bytes]) -> bytes:
    """Return the bytes of an edition's file, made of those of its parts in their order."""
    module, function = edition.build.split(":")
    return cast(bytes, getattr(importlib.import_module(module), function)(*contents))
