"""Gets bytes from an address into a file, and goes on where an earlier try was cut off."""

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from models.connection import Authority, Guard, Parcel, carrying
from models.connection.trouble import trouble
from project.errors import UserError
from project.policy import Forbidden, Purpose
from project.progress import Progress
from project.version import __version__

if TYPE_CHECKING:
    import httpx2

_BLOCK = 1 << 16
_PATIENCE_S = 30
_PARTIAL, _NOTHING_THERE = 206, 416
_client: "ContextVar[httpx2.Client | None]" = ContextVar("client", default=None)


class Unreachable(UserError):
    """A source that cannot be reached, or that sends less than it should."""


class Refused(Unreachable):
    """A source that answers with an error; `status` is the code of it."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


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
        Forbidden: the authority does not permit it.
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
    except Refused as error:
        if error.status == _NOTHING_THERE:
            held.unlink(missing_ok=True)
        raise
    if _size(held) < piece.size:
        raise Unreachable(f"{host(piece.url)}: the connection ended early")


@contextmanager
def permitted_by(authority: Authority) -> Iterator[None]:
    """Let an authority decide about, and write down, every request that is made in this block."""
    parcel = Parcel(Purpose.DOWNLOAD)
    with carrying(parcel), Guard(authority).client() as client:
        token = _client.set(client)
        try:
            yield
        finally:
            _client.reset(token)


class Answer:
    """What an address gives, as it comes in."""

    def __init__(self, response: "httpx2.Response") -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self._parts = response.iter_raw()
        self._held = b""

    def read(self, size: int) -> bytes:
        """Return what came, at most `size` bytes; b"" at the end."""
        if not self._held:
            self._held = next(self._parts, b"")
        given, self._held = self._held[:size], self._held[size:]
        return given

    def read_all(self, most: int) -> bytes:
        """Return all of it, or the first `most` bytes."""
        found = bytearray()
        while len(found) < most and (block := self.read(most - len(found))):
            found += block
        return bytes(found)


@contextmanager
def asked(url: str, headers: Mapping[str, str]) -> Iterator[Answer]:
    """Ask for an address, which may hold a name and a password, and give the answer.

    Raises:
        Unreachable: there is none, or its end does not come.
        Forbidden: the authority does not permit it, or nobody said which one decides (`permitted_by`).
    """
    client = _client.get()
    if client is None:
        raise Forbidden("recorded", "A download that nobody accounts for is not made.", "Report this (rule recorded)")
    bare, account = _without_account(url)
    sent = {"User-Agent": f"greenroom/{__version__}", **account, **headers}
    try:
        with client.stream("GET", bare, headers=sent, timeout=_PATIENCE_S) as response:
            if not response.is_success:
                raise Refused(f"{host(url)} answers {response.status_code}", response.status_code)
            yield Answer(response)
    except Forbidden as error:
        if error.rule == "redirects":
            raise Unreachable(error.message.removesuffix(".")) from None
        raise
    except Exception as error:
        if why := trouble(error):
            raise Unreachable(f"{host(url) or 'no machine'}: {why}") from None
        raise


def host(url: str) -> str:
    """Return which machine an address is of, without the name and password in it."""
    return urlsplit(_without_account(url)[0]).netloc


def _range(piece: Piece, done: int) -> dict[str, str]:
    if piece.start:
        return {"Range": f"bytes={piece.start + done}-{piece.start + piece.size - 1}"}
    return {"Range": f"bytes={done}-"} if done else {}


def _without_account(url: str) -> tuple[str, dict[str, str]]:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise Unreachable("an address that was set cannot be read") from None
    account, _, place = parts.netloc.rpartition("@")
    if not account:
        return url, {}
    word = base64.b64encode(unquote(account).encode()).decode()
    return urlunsplit(parts._replace(netloc=place)), {"Authorization": f"Basic {word}"}


def _size(file: Path) -> int:
    with suppress(FileNotFoundError):
        return file.stat().st_size
    return 0
