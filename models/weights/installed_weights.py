"""Installed weights: their place, verification, publication and removal, and the records of those that a lab added."""

import hashlib
import importlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from platformdirs import user_data_path

from models.weights.weights_catalogue import (
    Edition,
    EditionFile,
    NetworkSignature,
    OwnWeightsRecord,
    SignatureMatch,
    Weights,
    find_entry,
)
from project import codec
from project.errors import UserError
from project.files.atomic_files import explain_os_errors, write_atomically
from project.progress import Progress, Silent, SubtaskProgress
from project.text_format import format_size

FOLDER_VARIABLE = "GREENROOM_MODELS"
_BLOCK_BYTES = 1 << 20
# Files whose checksum was right, by path, with size and time of change: those are not read again.
_verified: dict[Path, tuple[tuple[int, int], ...]] = {}


def weights_folder() -> Path:
    """Return where weights are kept, `$GREENROOM_MODELS` or the user's data folder; it may not exist yet."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_data_path("greenroom", appauthor=False) / "models"


def installed_edition(name: str) -> Edition | None:
    """Return the edition whose file or folder is there, with what a lab added as one; None where none is."""
    wanted = find_entry(name)
    editions = wanted.editions
    if wanted.is_own:
        record = read_record(wanted)
        editions = (own_edition(wanted, record.files),) if record else ()
    return next((edition for edition in editions if _is_there(edition)), None)


def weights_location(name: str) -> Path:
    """Return where the file or folder of some weights is, or would be."""
    wanted = find_entry(name)
    there = installed_edition(name)
    return weights_folder() / (there.file if there else wanted.own_name if wanted.is_own else wanted.editions[0].file)


def is_installed(name: str) -> bool:
    """Tell whether they are there; whether they are the right ones is seen when they are used."""
    return installed_edition(name) is not None


def how_to_get(name: str) -> str:
    """Return the command that gets some weights."""
    wanted = find_entry(name)
    if not wanted.is_own:
        return f"greenroom model fetch {name}"
    return f"greenroom model add {name} {'FOLDER' if wanted.layout else 'FILE'}"


def verified_path(name: str) -> Path:
    """Return the file or folder of some weights, with checksums that are right."""
    place = _require_installed(name)
    with _explain_unreadable(name, place):
        stamps = _file_stamps(place)
    if _verified.get(place) == stamps:
        return place
    if damage := describe_damage(name):
        raise UserError(f"The weights “{name}” are damaged: {damage}.", f"Get them again: {how_to_get(name)}")
    _verified[place] = stamps
    return place


def describe_damage(name: str, progress: Progress | None = None) -> str:
    """Return what is wrong with the first file that is not the right one, with its sha256; "" where all are.

    Reads all files whole; progress is in bytes.
    """
    place, right = _require_installed(name), sha256s(name)
    with _explain_unreadable(name, place):
        there = list_files(place)
        total, done = _total_size(place), 0
        for inside in sorted({*there, *right}):
            file = place / inside if place.is_dir() else place
            if inside not in there:
                return f"{file} is missing"
            if inside not in right:
                return f"{file} does not belong there"
            size = file.stat().st_size
            with file.open("rb") as content:
                found = copy_with_digest(content, None, SubtaskProgress(progress or Silent(), done, size, total), size)
            if found != right[inside]:
                return f"the checksum of {file} is wrong (sha256 {found}, not {right[inside]})"
            done += size
    return ""


def sha256s(name: str) -> Mapping[str, str]:
    """Return the sha256 that each file of installed weights should have, by its path inside; none where nothing is."""
    there = installed_edition(name)
    return there.sha256s if there else {}


def digest(name: str) -> str:
    """Return the sha256 of installed weights, for the parameters of a run; of a folder, that of its files' list."""
    verified_path(name)
    there = installed_edition(name)
    assert there is not None
    return there.sha256


def signature_match(name: str) -> SignatureMatch:
    """Return how the added file of a network fits the catalogue: which one it is, and the names of its tensors."""
    verified_path(name)
    record = read_record(find_entry(name))
    if record is None or record.fit is None:
        raise UserError(f"“{name}” was not added by you.", "Only added networks have names of tensors.")
    return record.fit


def network(name: str) -> NetworkSignature:
    """Return what the added file of a network takes and gives, as the catalogue describes it."""
    key = signature_match(name).key
    return next(network for network in find_entry(name).networks if network.key == key)


def size_on_disk(name: str) -> int:
    """Return how many bytes installed weights take; 0 where they are not installed."""
    return _total_size(weights_location(name)) if is_installed(name) else 0


def partial_bytes(name: str) -> int:
    """Return how many bytes there are of weights whose fetch did not end."""
    return sum(map(_total_size, {partial_folder(edition) for edition in find_entry(name).editions}))


def licence(name: str) -> str:
    """Return under which licence some weights stand; of added ones, in the words of whoever added them."""
    wanted = find_entry(name)
    record = read_record(wanted) if wanted.is_own else None
    return record.licence if record else wanted.licence


def partial_folder(edition: Edition) -> Path:
    """Return the folder that holds what was fetched so far of an edition."""
    return weights_folder() / f"{edition.file}.part"


def require_room(name: str, needed: int) -> None:
    """Make the folder of the weights; raise where there is no room in it for so many bytes."""
    weights_folder().mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(weights_folder()).free
    if needed > free:
        raise UserError(
            f"There is not enough space for “{name}”: it needs {format_size(needed)}, and {format_size(free)} "
            "are free.",
            f"Free some space in {weights_folder()}, or choose another folder with {FOLDER_VARIABLE}.",
        )


def install(edition: Edition, held: Path) -> Path:
    """Build what is built, and give files that were found right their final name, in place of what is there.

    `held` is a folder beside the weights with the parts of the edition; it is gone afterwards.
    """
    if edition.built:
        module, function = edition.build.split(":")
        parts = [(held / part.file).read_bytes() for part in edition.parts]
        content: bytes = getattr(importlib.import_module(module), function)(*parts)
        found = hashlib.sha256(content).hexdigest()
        if found != edition.built.sha256:
            raise wrong_file_error(edition.built, found, f"what was built of {edition}")
        (held / edition.built.file).write_bytes(content)
    for inside, file in list_files(held).items():
        if inside in edition.sha256s:
            file.chmod(0o644)
        else:
            file.unlink()
    held.chmod(0o755)
    target = weights_folder() / edition.file
    if target.is_dir():
        shutil.rmtree(target)
    (held if edition.is_folder else held / edition.file).replace(target)
    _remove(held)
    return target


def remove(name: str) -> bool:
    """Delete weights, and what was fetched of them; return whether there were any."""
    wanted = find_entry(name)
    places = {
        place for edition in wanted.editions for place in (weights_folder() / edition.file, partial_folder(edition))
    }
    if wanted.is_own:
        places = {weights_folder() / wanted.own_name, _record_file(wanted)}
    with explain_os_errors(f"The weights “{name}” cannot be removed", f"Delete {weights_location(name)} yourself."):
        removed = [_remove(place) for place in places]
        return any(removed)


def wrong_file_error(part: EditionFile, found: str, origin: str) -> UserError:
    """Return the error for a file of an origin, in words, whose sha256 is not that of the catalogue."""
    return UserError(
        f"{part.file} in {origin} is not the file in the catalogue: its sha256 is {found}.",
        f"Nothing was installed. The file must have the sha256 {part.sha256}.",
    )


def own_edition(wanted: Weights, files: tuple[EditionFile, ...]) -> Edition:
    """Return what a lab added of some weights, as an edition."""
    return Edition("own", wanted.own_name, files, is_folder=wanted.layout is not None)


def read_record(wanted: Weights) -> OwnWeightsRecord | None:
    """Return what a lab added of some weights; None where nothing was, or where the record cannot be read."""
    try:
        data = json.loads(_record_file(wanted).read_text("utf-8"))
        record = codec.load(OwnWeightsRecord, data, _record_file(wanted).name)
    except (OSError, ValueError, RecursionError, UserError):
        return None
    return record if record.files else None


def write_record(wanted: Weights, record: OwnWeightsRecord) -> None:
    """Write down what a lab added."""
    with write_atomically(_record_file(wanted), private=False) as file:
        file.write(json.dumps(codec.dump(record), indent=1, ensure_ascii=False).encode())


def list_files(place: Path) -> dict[str, Path]:
    """Return the files of a folder by their path inside, or a single file by its name; hidden ones are left out."""
    if not place.is_dir():
        return {place.name: place} if place.exists() else {}
    files = {file.relative_to(place): file for file in place.rglob("*") if file.is_file()}
    return {
        inside.as_posix(): file
        for inside, file in files.items()
        if not any(part.startswith(".") for part in inside.parts)
    }


def copy_with_digest(content: IO[bytes], target: Path | None, progress: Progress, size: int) -> str:
    """Return the sha256 of what an open file gives, and write that to `target` where one is given.

    Progress is in bytes, `size` of which are expected.
    """
    sha256, done = hashlib.sha256(), 0
    with (target or Path(os.devnull)).open("wb") as copy:
        while block := content.read(_BLOCK_BYTES):
            sha256.update(block)
            copy.write(block)
            done += len(block)
            progress.progress(done, size, (target or Path(content.name)).name)
            progress.check_cancelled()
    return sha256.hexdigest()


def _require_installed(name: str) -> Path:
    if not is_installed(name):
        raise UserError(f"The weights “{name}” are not installed.", f"Get them: {how_to_get(name)}")
    return weights_location(name)


def _explain_unreadable(name: str, place: Path) -> AbstractContextManager[None]:
    return explain_os_errors(f"The weights “{name}” cannot be read", f"Check {place}.")


def _is_there(edition: Edition) -> bool:
    place = weights_folder() / edition.file
    return place.is_dir() if edition.is_folder else place.is_file()


def _file_stamps(place: Path) -> tuple[tuple[int, int], ...]:
    states = [file.stat() for file in sorted(list_files(place).values())]
    return tuple((state.st_size, state.st_mtime_ns) for state in states)


def _total_size(place: Path) -> int:
    return sum(file.stat().st_size for file in list_files(place).values())


def _remove(place: Path) -> bool:
    if place.is_dir():
        shutil.rmtree(place)
        return True
    existed = place.exists()
    place.unlink(missing_ok=True)
    return existed


def _record_file(wanted: Weights) -> Path:
    return weights_folder() / f"{wanted.name}.added.json"
