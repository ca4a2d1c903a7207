"""Files that somebody names to the program or drops on its window: a study to open, or recordings for a new one."""

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from media.suffixes import RECORDINGS
from project import schema
from project.errors import UserError
from project.names import shown
from project.opening import SUFFIX
from project.sealing.container import MAGIC as SEALED

_SQLITE = b"SQLite format 3\0"
_ID_AT = 68
_HEAD = 100


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """What the files are: one study, or recordings that are no study yet."""

    study: Path | None = None
    recordings: tuple[Path, ...] = ()


def sort_given_files(paths: Sequence[Path]) -> GivenFiles:
    """Tell what files are meant for, by their names and first bytes.

    Raises:
        UserError: one of them is not there, or neither a study nor a recording, or they do not go together.
    """
    studies = [path for path in paths if is_study(path)]
    if len(studies) > 1:
        raise UserError("One window shows one study.", f"Open the first one: greenroom {shown(studies[0])}")
    if studies and len(paths) > 1:
        raise UserError(
            "A study is opened alone.", f"Add recordings to it: greenroom add {shown(studies[0])} RECORDING..."
        )
    return GivenFiles(study=studies[0]) if studies else GivenFiles(recordings=tuple(paths))


def is_study(path: Path) -> bool:
    """Tell whether a file is a study, and not a recording.

    A file that ends in `.greenroom` counts as one, whatever is in it: opening it says what is wrong.

    Raises:
        UserError: it is not there, cannot be read, or is neither.
    """
    name = shown(path.name or str(path))
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UserError(f"“{name}” is a folder, not a study.", _in_folder(path))
        if not stat.S_ISREG(mode):
            raise UserError(f"“{name}” is not a file.", f"Choose a file that ends in {SUFFIX}.")
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except (FileNotFoundError, NotADirectoryError):
        if path.suffix == SUFFIX:
            raise UserError(f"There is no study “{shown(path)}”.", f"Make it: greenroom new {shown(path)}") from None
        raise UserError(f"There is no file “{shown(path)}”.", "Look at how its name is spelled.") from None
    except OSError as error:
        raise UserError(f"“{shown(path)}” cannot be read: {error.strerror}.", "See who may read the file.") from None
    if path.suffix == SUFFIX or _begins_as_study(head):
        return True
    if path.suffix.lower() in RECORDINGS:
        return False
    raise UserError(
        f"“{name}” is neither a study nor a recording.",
        f"Studies end in {SUFFIX}; recordings are video or sound, such as .mp4 or .wav.",
    )


def _begins_as_study(head: bytes) -> bool:
    ours = schema.APPLICATION_ID.to_bytes(4)
    return head.startswith(SEALED) or (head.startswith(_SQLITE) and head[_ID_AT : _ID_AT + 4] == ours)


def _in_folder(folder: Path) -> str:
    """Say what to choose in a folder that was named in place of a study."""
    try:
        studies = sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and path.is_file())
    except OSError:
        studies = []
    if not studies:
        return f"Choose a file that ends in {SUFFIX}."
    more = f" (or one of {len(studies) - 1} more)" if len(studies) > 1 else ""
    return f"Choose the study in it: {shown(studies[0])}{more}"
