"""Fetches weights over the network, when a person asked for it, and goes on where an earlier try was cut off."""

import http.client
import ssl
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from models.catalogue import Weights, entry
from models.weights import install, part, ready_folder
from project.errors import UserError
from project.progress import Progress, Silent
from project.version import __version__

_BLOCK = 1 << 16
_PATIENCE_S = 30
_PARTIAL, _NOTHING_THERE = 206, 416


def fetch(name: str, progress: Progress | None = None) -> Path:
    """Fetch weights from the catalogue's source, check them and install them.

    What arrives is kept in a file that ends in `.part`: after a cut connection or a cancelled try, the next one
    asks for the rest only.

    Args:
        name: in the catalogue.
        progress: told in bytes.

    Raises:
        UserError: the source cannot be reached, what it sends is not the file of the catalogue, or it cannot be kept.
        Cancelled: the user stopped it.
    """
    wanted, progress = entry(name), progress or Silent()
    try:
        ready_folder()
        held = part(name)
        if _size(held) != wanted.size:
            with held.open("ab") as file:
                _take(wanted, file, progress)
        if _size(held) < wanted.size:
            raise _cut(wanted, "the connection ended early")
        return install(wanted, held, wanted.source)
    except (urllib.error.URLError, http.client.HTTPException, ssl.SSLError, TimeoutError, ConnectionError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
            if error.code == _NOTHING_THERE:
                part(name).unlink(missing_ok=True)
        raise _cut(wanted, _reason(error)) from None
    except OSError as error:
        raise UserError(
            f"The weights “{name}” cannot be kept: {error.strerror}.", "Make room or mend the folder's permissions."
        ) from None


def _take(wanted: Weights, file: BinaryIO, progress: Progress) -> None:
    """Append what is missing to a file; stop at the size that it must have."""
    done = file.tell()
    if done > wanted.size:
        file.truncate(0)
        done = 0
    headers = {"User-Agent": f"greenroom/{__version__}"} | ({"Range": f"bytes={done}-"} if done else {})
    request = urllib.request.Request(wanted.source, headers=headers)
    with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:
        if done and answer.status != _PARTIAL:
            file.truncate(0)
            done = 0
        progress.progress(done, wanted.size, wanted.file)
        while done < wanted.size and (block := answer.read(min(_BLOCK, wanted.size - done))):
            file.write(block)
            done += len(block)
            progress.progress(done, wanted.size, wanted.file)
            progress.check_cancelled()


def _size(file: Path) -> int:
    with suppress(FileNotFoundError):
        return file.stat().st_size
    return 0


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code}"
    reason = getattr(error, "reason", error)
    return str(getattr(reason, "strerror", None) or reason or type(error).__name__)


def _cut(wanted: Weights, why: str) -> UserError:
    return UserError(
        f"The weights “{wanted.name}” could not be fetched: {why}.",
        "Try again: what has arrived is kept."
        f" Or get the file elsewhere and give it to “greenroom models add {wanted.name}”.",
    )
