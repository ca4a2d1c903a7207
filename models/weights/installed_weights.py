"""Installed weights: their place, verification, publication and removal."""

import importlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from platformdirs import user_data_path

from models.weights import own_weights, weight_folders
from models.weights.editions import Edition, EditionFile, NetworkSignature
from models.weights.own_weights import SignatureMatch
from models.weights.weight_folders import Damage
from models.weights.weights_catalogue import find_entry
from project.errors import UserError
from project.files.fingerprints import file_sha256
from project.progress import Progress
from project.text_format import format_size

FOLDER_VARIABLE = "GREENROOM_MODELS"
# Files whose checksum was right, by path, with size and time of change: those are not read again.
_verified: dict[Path, tuple[tuple[int, int], ...]] = {}


def weights_folder() -> Path:
    """Return where weights are kept, `$GREENROOM_MODELS` or the user's data folder; it may not exist yet."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_data_path("greenroom", appauthor=False) / "models"


def installed_edition(name: str) -> Edition | None:
    """Return the edition whose file or folder is there; None where none is, and of weights that a lab brings itself."""
    return next((edition for edition in find_entry(name).editions if _is_there(edition)), None)


def weights_location(name: str) -> Path:
    """Return where the file or folder of some weights is, or would be."""
    wanted = find_entry(name)
    if wanted.is_own:
        return own_weights.own_location(weights_folder(), wanted)
    return weights_folder() / (installed_edition(name) or wanted.editions[0]).file


def is_installed(name: str) -> bool:
    """Tell whether they are there; whether they are the right ones is seen when they are used."""
    wanted = find_entry(name)
    return own_weights.is_installed(weights_folder(), wanted) if wanted.is_own else installed_edition(name) is not None


def how_to_get(name: str) -> str:
    """Return the command that gets some weights."""
    wanted = find_entry(name)
    if not wanted.is_own:
        return f"greenroom models fetch {name}"
    return f"greenroom models add {name} {'FOLDER' if wanted.layout else 'FILE'}"


def verified_path(name: str) -> Path:
    """Return the file or folder of some weights, with checksums that are right."""
    if not is_installed(name):
        raise UserError(f"The weights “{name}” are not installed.", f"Get them with: {how_to_get(name)}")
    found = weights_location(name)
    try:
        stamp = _file_stamps(name)
        if _verified.get(found) == stamp:
            return found
        wrong = find_damage(name)
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


def find_damage(name: str, progress: Progress | None = None) -> Damage | None:
    """Return the first file that is not the right one; None where all are. Reads them whole.

    Args:
        name: in the catalogue.
        progress: told in bytes.

    Raises:
        OSError: one cannot be read.
        Cancelled: the user stopped it.
    """
    return weight_folders.find_damage(weights_location(name), sha256s(name), progress)


def sha256s(name: str) -> Mapping[str, str]:
    """Return the sha256 that each file of installed weights should have, by its path inside; none where nothing is."""
    known = installed_edition(name)
    if known is not None:
        return known.sha256s
    told = own_weights.read_record(weights_folder(), find_entry(name)) if is_installed(name) else None
    return told.files if told else {}


def digest(name: str) -> str:
    """Return the sha256 of installed weights, for the parameters of a run; of a folder, that of its files' list."""
    verified_path(name)
    known = installed_edition(name)
    if known is not None:
        return known.sha256
    told = own_weights.read_record(weights_folder(), find_entry(name))
    assert told is not None
    if len(told.files) == 1:
        return next(iter(told.files.values()))
    return weight_folders.list_digest(told.files)


def signature_match(name: str) -> SignatureMatch:
    """Return how the added file of a network fits the catalogue: which one it is, and the names of its tensors."""
    verified_path(name)
    told = own_weights.read_record(weights_folder(), find_entry(name))
    if told is None or told.fit is None:
        raise UserError(f"“{name}” is not a network that you brought.", "This is known of such networks only.")
    return told.fit


def network(name: str) -> NetworkSignature:
    """Return what the added file of a network takes and gives, as the catalogue describes it."""
    key = signature_match(name).key
    return next(network for network in find_entry(name).networks if network.key == key)


def size_on_disk(name: str) -> int:
    """Return how many bytes installed weights take; 0 where they are not installed.

    Raises:
        OSError: they cannot be looked at.
    """
    return (
        sum(file.stat().st_size for file in weight_folders.list_files(weights_location(name)).values())
        if is_installed(name)
        else 0
    )


def partial_bytes(name: str) -> int:
    """Return how many bytes there are of weights whose fetch did not end.

    Raises:
        OSError: they cannot be looked at.
    """
    started = {partial_path(file) for edition in find_entry(name).editions for file in edition.fetched_files}
    return sum(file.stat().st_size for path in started for file in weight_folders.list_files(path).values())


def licence(name: str) -> str:
    """Return under which licence some weights stand; of added ones, in the words of whoever added them."""
    wanted = find_entry(name)
    told = own_weights.read_record(weights_folder(), wanted) if wanted.is_own else None
    return told.licence if told else wanted.licence


def partial_path(file: str) -> Path:
    """Return the file or folder that holds what was fetched so far of another."""
    return weights_folder() / f"{file}.part"


def remove(name: str) -> bool:
    """Delete weights, and what was fetched of them; return whether there were any."""
    wanted = find_entry(name)
    places = {weights_folder() / edition.file for edition in wanted.editions}
    places |= {partial_path(file) for edition in wanted.editions for file in edition.fetched_files}
    there = [place for place in places if place.exists()]
    try:
        for path in there:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return own_weights.remove(weights_folder(), wanted) if wanted.is_own else bool(there)
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be removed: {error.strerror}.", f"Delete {weights_location(name)} yourself."
        ) from None


def _file_stamps(name: str) -> tuple[tuple[int, int], ...]:
    states = [file.stat() for file in sorted(weight_folders.list_files(weights_location(name)).values())]
    return tuple((state.st_size, state.st_mtime_ns) for state in states)


def _is_there(edition: Edition) -> bool:
    at = weights_folder() / edition.file
    return at.is_dir() if edition.is_folder else at.is_file()


def create_folder() -> Path:
    """Return the folder of the weights; make it where it is missing.

    Raises:
        OSError: it cannot be made.
    """
    weights_folder().mkdir(parents=True, exist_ok=True)
    return weights_folder()


def require_room(name: str, needed: int) -> None:
    """Raise where there is no room for so many bytes beside the other weights.

    Raises:
        OSError: the folder cannot be looked at.
    """
    free = shutil.disk_usage(create_folder()).free
    if needed > free:
        raise UserError(
            f"There is no room for “{name}”: {format_size(needed)} are needed, {format_size(free)} are free.",
            f"Make room in {weights_folder()}, or choose another folder with {FOLDER_VARIABLE}.",
        )


def matches(wanted: Edition, file: Path) -> bool:
    """Tell whether a file has the size and checksum of the catalogue.

    Raises:
        OSError: it cannot be read.
    """
    return file.stat().st_size == wanted.size and file_sha256(file) == wanted.sha256


def install(name: str, wanted: Edition, temporary: Path, origin: str) -> Path:
    """Give a whole file its final name, if it is the one of the catalogue; otherwise delete it.

    Raises:
        OSError: it cannot be read or renamed.
    """
    if not matches(wanted, temporary):
        temporary.unlink()
        raise UserError(
            f"{origin} is not the file “{name}” of the catalogue: its checksum is wrong.",
            f"Nothing was installed. The right one has the sha256 {wanted.sha256}.",
        )
    temporary.chmod(0o644)
    return publish(wanted, temporary)


def publish(wanted: Edition, temporary: Path) -> Path:
    """Give a file or folder that was found right its final name, in place of what is there.

    Raises:
        OSError: it cannot be renamed.
    """
    target = weights_folder() / wanted.file
    if wanted.is_folder and target.is_dir():
        shutil.rmtree(target)
    temporary.replace(target)
    return target


def wrong_file_error(part: EditionFile, found: str, origin: str) -> UserError:
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


def build_file(edition: Edition, contents: Sequence[bytes]) -> bytes:
    """Return the bytes of an edition's file, made of those of its parts in their order."""
    module, function = edition.build.split(":")
    return cast(bytes, getattr(importlib.import_module(module), function)(*contents))
