"""What is in a release, file by file, and what each was made of: the same study always gives the same."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from project.checksums import sha256_of
from project.errors import UserError
from project.types import Json

NAME = "manifest.json"
ENCODED = (".mp4", ".jpg")
"""Files whose checksum may differ between machines: an encoder's result depends on its version and threads."""
FIXED_TIME = 946_684_800
"""1 January 2000: the time that every file of a release has."""


def manifest(
    folder: Path, written: Mapping[str, str], made_of: Mapping[str, Sequence[str]], facts: Mapping[str, Json]
) -> str:
    """Return the text of a release's manifest.

    Args:
        folder: of the release, with all other files.
        written: path of a file in it -> SHA-256 of what was written there.
        made_of: path of a file in it -> keys of `facts["sources"]` that it was made of.
        facts: about the release; its sources by key, raw files only as sealed checksums.

    Raises:
        UserError: the folder does not hold those files as they were written.
    """
    _require(folder, written, "made")
    files: list[Json] = [
        {
            "path": name,
            "bytes": (folder / name).stat().st_size,
            "sha256": written[name],
            "encoded": Path(name).suffix in ENCODED,
            "made_of": [*made_of.get(name, ())],
        }
        for name in sorted(written)
    ]
    whole = {"format": "greenroom-release", "version": 1, **facts, "files": files}
    return json.dumps(whole, indent=1, sort_keys=True) + "\n"


def require_as_written(folder: Path, text: str) -> None:
    """Refuse a release that somebody changed after its manifest was made.

    Args:
        folder: of the release.
        text: of its manifest, as it was written.

    Raises:
        UserError: a file was changed, added or removed.
    """
    listed = {str(one["path"]): one["sha256"] for one in json.loads(text)["files"]}
    listed[NAME] = hashlib.sha256(text.encode()).hexdigest()
    _require(folder, listed, "checked")


def _require(folder: Path, listed: Mapping[str, object], when: str) -> None:
    try:
        same = {name: sha256_of(folder / name) for name in files_in(folder)} == listed
    except OSError:
        same = False
    if not same:
        raise UserError(
            f"The files of the release were changed while it was {when}, so it was removed.", "Release again."
        )


def files_in(folder: Path) -> list[str]:
    """Return the path of every file in a folder, relative and with forward slashes, in order."""
    found = (Path(base) / name for base, _, names in os.walk(folder) for name in names)
    return sorted(path.relative_to(folder).as_posix() for path in found)


def set_times(folder: Path) -> None:
    """Give a folder and all that is in it the same time, which tells nothing. Links are not followed."""
    for base, _, names in os.walk(folder, topdown=False):
        for name in names:
            os.utime(Path(base) / name, (FIXED_TIME, FIXED_TIME), follow_symlinks=False)
        os.utime(base, (FIXED_TIME, FIXED_TIME))
