"""Lists, copies and verifies folders of weights by checksum; long reads can be cancelled."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from project.progress import Progress, Silent, SubtaskProgress

_BLOCK = 1 << 20


def copy_with_digest(content: IO[bytes], target: Path, size: int, progress: Progress) -> str:
    """Write what an open file gives to another; return its sha256.

    Args:
        content: open at its start.
        target: is written anew.
        size: how many bytes are expected.
        progress: told in bytes.

    Raises:
        Cancelled: the user stopped it.
        OSError: it cannot be read or written.
    """
    digest = hashlib.sha256()
    with target.open("wb") as copy:
        for block in _blocks(content, size, progress, target.name):
            copy.write(block)
            digest.update(block)
    return digest.hexdigest()


def file_digest(file: Path, progress: Progress) -> str:
    """Return the sha256 of a file.

    Raises:
        Cancelled: the user stopped it.
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    with file.open("rb") as content:
        for block in _blocks(content, file.stat().st_size, progress, file.name):
            digest.update(block)
    return digest.hexdigest()


def _blocks(content: IO[bytes], size: int, progress: Progress, text: str) -> Iterator[bytes]:
    done = 0
    while block := content.read(_BLOCK):
        yield block
        done += len(block)
        progress.progress(done, size, text)
        progress.check_cancelled()


@dataclass(frozen=True, slots=True)
class Damage:
    """A file that is not what it should be.

    Attributes:
        found: its sha256; "" where it is missing.
        wanted: the right sha256; "" where there should be no such file.
    """

    file: Path
    found: str
    wanted: str

    def __str__(self) -> str:
        if not self.found:
            return f"{self.file} is missing"
        if not self.wanted:
            return f"{self.file} does not belong there"
        return f"the checksum of {self.file} is wrong (sha256 {self.found}, not {self.wanted})"


def list_files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by their path inside, or a single file by its name; hidden ones are left out."""
    if not folder.is_dir():
        return {folder.name: folder} if folder.exists() else {}
    found = {file.relative_to(folder): file for file in folder.rglob("*") if file.is_file()}
    return {
        inside.as_posix(): file
        for inside, file in found.items()
        if not any(part.startswith(".") for part in inside.parts)
    }


def find_damage(place: Path, wanted: Mapping[str, str], progress: Progress | None = None) -> Damage | None:
    """Return the first file of a folder, or the single file, that is not what it should be; None where all are.

    Args:
        place: the folder or file.
        wanted: sha256 by path inside; of a single file by its name.
        progress: told in bytes.

    Raises:
        OSError: one cannot be read.
        Cancelled: the user stopped it.
    """
    there = list_files(place)
    total, done = sum(file.stat().st_size for file in there.values()), 0
    for name in sorted({*there, *wanted}):
        known = place / name if place.is_dir() else place
        if name not in there:
            return Damage(known, "", wanted[name])
        size = there[name].stat().st_size
        found = file_digest(there[name], SubtaskProgress(progress or Silent(), done, size, total))
        if found != wanted.get(name):
            return Damage(known, found, wanted.get(name, ""))
        done += size
    return None


def list_digest(sha256s: Mapping[str, str]) -> str:
    """Return one sha256 that stands for all files of a folder: that of their list as `sha256sum` writes it."""
    listed = "".join(f"{sha256}  {file}\n" for file, sha256 in sorted(sha256s.items()))
    return hashlib.sha256(listed.encode()).hexdigest()
