"""Files and folders that appear under their name when they are whole."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from project.errors import UserError
from project.names import shown
from resources.translation import tr

_MOST_NAMES = 1000


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, in place of one that is there.

    Raises:
        UserError: it cannot be written.
    """
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        _open_to_others(Path(temporary), 0o666)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise _refused(path, error) from None


def write_folder(parent: Path, name: str, files: Mapping[str, bytes]) -> Path:
    """Write a folder of files under a name that is not taken: a number is added where it is.

    Raises:
        UserError: it cannot be written.
    """
    temporary: str | None = None
    try:
        temporary = tempfile.mkdtemp(prefix=f".{name}.", dir=parent)
        for place, data in files.items():
            path = Path(temporary) / place
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        _open_to_others(Path(temporary), 0o777)
        free = (parent / (name if not number else f"{name} {number + 1}") for number in range(_MOST_NAMES))
        made = next(path for path in free if not path.exists())
        Path(temporary).rename(made)
    except OSError as error:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
        raise _refused(parent / name, error) from None
    return made


def _open_to_others(path: Path, wanted: int) -> None:
    """Give what was made for one's own eyes the rights of other files."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(wanted & ~mask)


def _refused(path: Path, error: OSError) -> UserError:
    return UserError(
        tr("{name} cannot be written: {strerror}.").format(name=shown(path.name), strerror=error.strerror),
        tr("Choose another folder."),
    )
