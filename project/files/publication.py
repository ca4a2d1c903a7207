"""Publishes finished files and folders under their final names, and writes the manifest of a release.

A release is staged beside its place until it is complete and verified. The same study always gives the same manifest.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from project.entities.study_records import Json
from project.errors import UserError, path_not_found, require_utf8
from project.files.atomic_files import explain_os_errors
from project.files.fingerprints import file_sha256
from project.files.temporary_files import cache_folder, claim_folder, is_abandoned, is_claimed, remove_abandoned
from project.text_format import escape_unprintable

_PREFIX = ".greenroom-release-"
_ABANDONED_AFTER_S = 24 * 3600
_KEPT = 8
"""Releases of one process that may wait side by side."""


def require_free(folder: Path) -> None:
    """Refuse a place that holds anything: a release never mixes with other files."""
    require_utf8(folder)
    if not folder.absolute().parent.is_dir():
        raise path_not_found("folder", folder.absolute().parent, "Create it first.")
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UserError(f"“{escape_unprintable(folder.name)}” is not a folder.", "Name a new folder.")
    with explain_os_errors(f"The folder “{escape_unprintable(folder.name)}” cannot be read", "Name a new folder."):
        if folder.is_dir() and any(folder.iterdir()):
            raise UserError(f"The folder “{escape_unprintable(folder.name)}” is not empty.", "Name a new folder.")


@contextmanager
def staging_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes `folder` when the block ends without an error; otherwise it is removed."""
    require_free(folder)
    _sweep(folder.absolute().parent)
    with explain_os_errors(
        f"Nothing can be written beside “{escape_unprintable(folder.name)}”", "Choose a folder you may write to."
    ):
        temporary, lock = claim_folder(_PREFIX, folder.absolute().parent)
    try:
        yield temporary
        temporary.chmod(0o755)
        require_free(folder)
        times = temporary.stat()
        if folder.is_dir():
            folder.rmdir()
        temporary.rename(folder)
        os.utime(folder, (times.st_atime, times.st_mtime))
    except OSError as error:
        raise UserError(
            f"The release cannot be written to “{escape_unprintable(folder.name)}”: {error.strerror or error}.",
            "Free some space, or choose another folder.",
        ) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        os.close(lock)


def _sweep(parent: Path) -> None:
    """Delete the staging folders of killed releases."""
    for old in parent.glob(f"{_PREFIX}*"):
        remove_abandoned(old)
        with suppress(OSError):
            if is_abandoned_release(old):
                shutil.rmtree(old)


def is_abandoned_release(folder: Path) -> bool:
    """Tell whether a folder is of a release that was killed: nobody holds its lock.

    Some network drives know no locks; what is a day old counts as left there.

    Raises:
        OSError: it is gone.
    """
    if is_abandoned(folder):
        return True
    return not is_claimed(folder) and time.time() - folder.stat().st_ctime > _ABANDONED_AFTER_S


@contextmanager
def lend_texts_folder(path: Path) -> Iterator[Path]:
    """Lend the folder of texts that was prepared for a job, and remove it when the block ends, whatever happens."""
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def create_texts_folder() -> Path:
    """Make a folder for texts on their way to a job, and remove what processes left that are gone."""
    base = cache_folder() / "release-texts"
    with explain_os_errors(f"The texts cannot be kept in {base}", "Name another cache folder in XDG_CACHE_HOME."):
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        sweep_texts_folders(base)
        own = _process_folder(base)
        if not own.is_dir():
            _process_folder.cache_clear()
            own = _process_folder(base)
        made = Path(tempfile.mkdtemp(dir=own))
    newest = sorted(own.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in newest[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return made


@cache
def _process_folder(base: Path) -> Path:
    """Make the folder of this process, which is locked for as long as the process lives, however that ends."""
    return claim_folder("", base)[0]


def sweep_texts_folders(base: Path) -> None:
    """Remove the folders that no living process holds: they have the private words in them."""
    for old in base.glob("*"):
        remove_abandoned(old)


MANIFEST_NAME = "manifest.json"
ENCODED_SUFFIXES = (".mp4", ".jpg")
"""Files whose checksum may differ between machines: an encoder's result depends on its version and threads."""
FIXED_TIME = 946_684_800
"""1 January 2000: the time that every file of a release has."""


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """A file of a release, as it was written.

    Attributes:
        made_of: keys of the sources that it was made of, in the manifest.
        sha256: of the very bytes that were written; what lies in its place later may be another.
    """

    made_of: tuple[str, ...]
    sha256: str


def build_manifest(folder: Path, files: Mapping[str, ReleasedFile], facts: Mapping[str, Json]) -> str:
    """Return the text of a release's manifest.

    Args:
        folder: of the release, with all other files.
        files: path in it -> what was written there; `made_of` are keys of `facts["sources"]`.
        facts: about the release; its sources by key, raw files only as sealed checksums.
    """
    _require_listed_files(folder, {name: file.sha256 for name, file in files.items()}, "made")
    listed: list[Json] = [
        {
            "path": name,
            "bytes": (folder / name).stat().st_size,
            "sha256": files[name].sha256,
            "encoded": Path(name).suffix in ENCODED_SUFFIXES,
            "made_of": [*files[name].made_of],
        }
        for name in sorted(files)
    ]
    whole = {"format": "greenroom-release", "version": 1, **facts, "files": listed}
    return json.dumps(whole, indent=1, sort_keys=True) + "\n"


def require_unchanged_release(folder: Path, text: str) -> None:
    """Refuse a release that somebody changed after its manifest was made.

    Args:
        folder: of the release.
        text: of its manifest, as it was written.
    """
    listed = {str(load["path"]): load["sha256"] for load in json.loads(text)["files"]}
    listed[MANIFEST_NAME] = hashlib.sha256(text.encode()).hexdigest()
    _require_listed_files(folder, listed, "checked")


def _require_listed_files(folder: Path, listed: Mapping[str, object], when: str) -> None:
    try:
        same = {name: file_sha256(folder / name) for name in list_files(folder)} == listed
    except OSError:
        same = False
    if not same:
        raise UserError(
            f"The files of the release were changed while it was {when}, so the release was removed.",
            "Make the release again.",
        )


def list_files(folder: Path) -> list[str]:
    """Return the path of every file in a folder, relative and with forward slashes, in order."""
    found = (Path(base) / name for base, _, names in os.walk(folder) for name in names)
    return sorted(path.relative_to(folder).as_posix() for path in found)


def set_fixed_times(folder: Path) -> None:
    """Give a folder and all that is in it the same time, which tells nothing. Links are not followed."""
    for base, _, names in os.walk(folder, topdown=False):
        for name in names:
            os.utime(Path(base) / name, (FIXED_TIME, FIXED_TIME), follow_symlinks=False)
        os.utime(base, (FIXED_TIME, FIXED_TIME))
