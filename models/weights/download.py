"""Gets bytes from an address into a file, and goes on where an earlier try was cut off."""

import base64
import http.client
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from project.errors import UserError
from project.progress import Progress
from project.version import __version__

_BLOCK = 1 << 16
_PATIENCE_S = 30
_PARTIAL, _NOTHING_THERE = 206, 416


class Unreachable(UserError):
    """A source that cannot be reached, or that sends less than it should."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes at an address.

    Attributes:
        size: how many.
        start: of the first in what the address gives; the piece reaches to its end where this is 0.
    """

    url: str
    size: int
    start: int = 0


def get(piece: Piece, held: Path, progress: Progress, text: str) -> None:
    """Append what is missing of a piece to a file.

    Args:
        piece: what is wanted.
        held: what arrives is kept here, also when the connection is cut or the user stops it.
        progress: told in bytes.
        text: what the user reads meanwhile.

    Raises:
        Unreachable: the source cannot be reached, or the connection ended early.
        Cancelled: the user stopped it.
        OSError: it cannot be kept.
    """
    done = _size(held)
    if done > piece.size:
        held.unlink()
        done = 0
    if done == piece.size:
        progress.progress(done, piece.size, text)
        return
    try:
        with asked(piece.url, _range(piece, done)) as answer, held.open("ab") as file:
            if (done or piece.start) and answer.status != _PARTIAL:
                if piece.start:
                    raise Unreachable(f"{host(piece.url)} does not send pieces of files")
                file.truncate(0)
                done = 0
            progress.progress(done, piece.size, text)
            while done < piece.size and (block := answer.read(min(_BLOCK, piece.size - done))):
                file.write(block)
                done += len(block)
                progress.progress(done, piece.size, text)
                progress.check_cancelled()
    except urllib.error.HTTPError as error:
        if error.code == _NOTHING_THERE:
            held.unlink(missing_ok=True)
        raise unreachable(piece.url, error) from None
    except (urllib.error.URLError, http.client.HTTPException, ssl.SSLError, TimeoutError, ConnectionError) as error:
        raise unreachable(piece.url, error) from None
    if _size(held) < piece.size:
        raise Unreachable(f"{host(piece.url)}: the connection ended early")


@contextmanager
def asked(url: str, headers: Mapping[str, str]) -> Iterator[http.client.HTTPResponse]:
    """Ask for an address, which may hold a name and a password, and give the answer.

    Raises:
        OSError: of urllib, when there is none.
    """
    bare, account = _without_account(url)
    request = urllib.request.Request(bare, headers={"User-Agent": f"greenroom/{__version__}", **account, **headers})
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        error.close()
        raise


def unreachable(url: str, error: Exception) -> Unreachable:
    """Return the error that says why an address could not be read, in a few words."""
    if isinstance(error, urllib.error.HTTPError):
        return Unreachable(f"{host(url)} answers {error.code}")
    why = getattr(error, "reason", error)
    return Unreachable(f"{host(url)}: {getattr(why, 'strerror', None) or why or type(error).__name__}")


def host(url: str) -> str:
    """Return which machine an address is of, without the name and password in it."""
    return urlsplit(_without_account(url)[0]).netloc


def _range(piece: Piece, done: int) -> dict[str, str]:
    if piece.start:
        return {"Range": f"bytes={piece.start + done}-{piece.start + piece.size - 1}"}
    return {"Range": f"bytes={done}-"} if done else {}


def _without_account(url: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(url)
    account, _, place = parts.netloc.rpartition("@")
    if not account:
        return url, {}
    word = base64.b64encode(unquote(account).encode()).decode()
    return urlunsplit(parts._replace(netloc=place)), {"Authorization": f"Basic {word}"}


def _size(file: Path) -> int:
    with suppress(FileNotFoundError):
        return file.stat().st_size
    return 0
