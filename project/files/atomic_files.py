"""Writes files that appear whole under their names or not at all, and tells in one way why a file cannot be written."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from project.errors import UserError
from project.text_format import escape_unprintable

_NO_FOLDER_FLUSH = (errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)
"""What network drives, and folders that may be written to and not be read, answer to `flush_folder`."""


@contextmanager
def explain_os_errors(problem: str, hint: str, taken: UserError | None = None) -> Iterator[None]:
    """Turn an error of the file system inside the block into a message.

    Args:
        problem: what cannot be done, as a clause; the system's reason is added.
        hint: what to do.
        taken: raised instead where a new file has the name of one that is there.
    """
    try:
        yield
    except OSError as error:
        if taken is not None and isinstance(error, FileExistsError):
            raise taken from None
        raise UserError(f"{problem}: {(error.strerror or str(error)).lower()}.", hint) from None


def explain_unwritable(path: Path) -> AbstractContextManager[None]:
    """Turn an error of the file system inside the block into the message that a new file cannot be written."""
    name = f"“{escape_unprintable(path.name)}”"
    return explain_os_errors(f"{name} cannot be written", "Choose another folder.", name_taken_error(path))


def name_taken_error(path: Path) -> UserError:
    """Return the message for a new file whose name another one has."""
    return UserError(
        f"“{escape_unprintable(path.name)}” already exists.",
        "Choose another name; existing files are never overwritten.",
    )


@contextmanager
def write_atomically(
    path: Path, *, private: bool = True, durable: bool = False, replace: bool = True
) -> Iterator[BinaryIO]:
    """Lend a new file that takes a name when the block ends well.

    Args:
        path: the name; its folder is there.
        private: nobody but the user can read it; else it has the rights of other files.
        durable: it is there after a power cut too.
        replace: it takes the place of what is there; else the name must be free.

    Raises:
        FileExistsError: the name is taken.
        OSError: it cannot be written; what was there is as it was.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if not private:
            apply_umask(temporary, 0o666)
        if replace:
            temporary.replace(path)
        else:
            publish_file(temporary, path)
            temporary.unlink(missing_ok=True)
        if durable:
            flush_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


@contextmanager
def new_private_file(folder: Path, suffix: str) -> Iterator[tuple[Path, BinaryIO]]:
    """Lend a new file in a folder, which is made where it is missing; it is removed where the block fails.

    Nobody but the user can read either.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(suffix=suffix, dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            yield Path(name), file
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def publish_file(unfinished: Path, path: Path) -> None:
    """Publish a finished file under its name, which must be free, durably even after a power cut.

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
    flush_folder(path.parent)


def flush_file(path: Path) -> None:
    """Return once the content of a file is on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Return once the names in a folder are on the disk, where its file system can say so."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_FLUSH:
            raise


def apply_umask(path: Path, wanted: int) -> None:
    """Give what was made for one's own eyes the rights of other files."""
    mask = os.umask(0o077)
    os.umask(mask)
    path.chmod(wanted & ~mask)
