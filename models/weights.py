"""The weights on this machine: whether they are there, whether they are the right ones, how they go.

Nothing is fetched unless a person asks for it. A file appears under its final name when its checksum is right, and
not before; `models.adding` and `models.fetching` bring it there.
"""

import hashlib
import os
from pathlib import Path

from platformdirs import user_data_path

from models import own_weights
from models.catalogue import entry
from models.entry import Edition, Network
from models.signature import Fit
from project.checksums import sha256_of
from project.errors import UserError

FOLDER_VARIABLE = "GREENROOM_MODELS"
# Files whose checksum was right, by path, with size and time of change: those are not read again.
_verified: dict[Path, tuple[tuple[int, int], ...]] = {}


def folder() -> Path:
    """Return where weights are kept, `$GREENROOM_MODELS` or the user's data folder; it may not exist yet."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_data_path("greenroom", appauthor=False) / "models"


def edition(name: str) -> Edition | None:
    """Return the edition whose file is there; None where there is none, and of weights that a lab brings itself.

    Raises:
        UserError: the catalogue has none of that name.
    """
    return next((each for each in entry(name).editions if (folder() / each.file).is_file()), None)


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
            f"The weights “{name}” are damaged: the checksum of {wrong} is wrong.",
            f"Get them again with: {how_to_get(name)}",
        )
    _verified[found] = stamp
    return found


def problem(name: str) -> Path | None:
    """Return the first file whose checksum is wrong; None where all are right. Reads them whole.

    Raises:
        UserError: the catalogue has none of that name.
        OSError: one cannot be read.
    """
    wanted, known = entry(name), edition(name)
    if known is not None:
        file = folder() / known.file
        return None if matches(known, file) else file
    wrong = own_weights.damaged(folder(), wanted)
    at = place(name)
    return (at / wrong if at.is_dir() else at) if wrong else None


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
    listed = "".join(f"{sha256}  {file}\n" for file, sha256 in sorted(told.files.items()))
    return hashlib.sha256(listed.encode()).hexdigest()


def fit(name: str) -> Fit:
    """Return how the added file of a network fits the catalogue: which one it is, and the names of its tensors.

    Raises:
        UserError: it is missing, damaged, or cannot be read, or it is no network that a lab brings itself.
    """
    path(name)
    told = own_weights.record(folder(), entry(name))
    if told is None or told.fit is None:
        raise UserError(f"“{name}” is not a network that you brought.", "This is known of such networks only.")
    return told.fit


def network(name: str) -> Network:
    """Return what the added file of a network takes and gives, as the catalogue describes it.

    Raises:
        UserError: as of `fit`.
    """
    key = fit(name).key
    return next(each for each in entry(name).networks if each.key == key)


def licence(name: str) -> str:
    """Return under which licence some weights stand; of added ones, in the words of whoever added them.

    Raises:
        UserError: the catalogue has none of that name.
    """
    wanted = entry(name)
    told = own_weights.record(folder(), wanted) if wanted.own else None
    return told.licence if told else wanted.licence


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


def part(file: str) -> Path:
    """Return the file that holds what was fetched so far of another."""
    return folder() / f"{file}.part"


def remove(name: str) -> bool:
    """Delete weights, and what was fetched of them; return whether there were any.

    Raises:
        UserError: they cannot be deleted.
    """
    wanted = entry(name)
    files = [folder() / each.file for each in wanted.editions]
    parts = [part(file) for each in wanted.editions for file in each.fetched_files]
    there = [file for file in files + parts if file.is_file()]
    try:
        for file in there:
            file.unlink()
        return own_weights.remove(folder(), wanted) if wanted.own else bool(there)
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be removed: {error.strerror}.", f"Delete {place(name)} yourself."
        ) from None


def _stamp(name: str) -> tuple[tuple[int, int], ...]:
    wanted, known = entry(name), edition(name)
    files = [folder() / known.file] if known else [*own_weights.files(folder(), wanted).values()]
    states = [file.stat() for file in sorted(files)]
    return tuple((state.st_size, state.st_mtime_ns) for state in states)
