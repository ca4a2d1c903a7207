"""Gives a finished file its name."""

import os
from pathlib import Path


def put_in_place(unfinished: Path, path: Path) -> None:
    """Give a finished file its name, which must be free, and make sure that it stays after a power cut.

    Raises:
        FileExistsError: the name is taken.
        OSError: the folder cannot be written to.
    """
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: take the name first, so that nobody else's file is replaced.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        unfinished.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
