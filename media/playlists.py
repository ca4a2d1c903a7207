"""What is read as a recording: single files of the containers listed here, and nothing that names other files."""

import struct
import zlib
from collections.abc import Iterator
from functools import cache
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import BinaryIO

import av

from project.errors import UserError
from project.names import shown

_CONTAINERS = frozenset(
    {
        *(
            "mov",
            "matroska",
            "avi",
            "mpegts",
            "mpeg",
            "flv",
            "ogg",
            "asf",
            "mxf",
            "dv",
            "nut",
            "ivf",
            "rm",
            "gxf",
            "wtv",
        ),
        *("dhav", "gif", "h264", "hevc", "mpegvideo", "m4v", "mjpeg", "obu", "yuv4mpegpipe"),
        *("wav", "w64", "aiff", "caf", "au", "flac", "mp3", "aac", "loas", "ac3", "eac3", "dts", "amr", "ape", "wv"),
        *("tta", "tak", "truehd", "mpc", "mpc8", "voc", "dsf"),
        *("png_pipe", "jpeg_pipe", "bmp_pipe", "tiff_pipe", "webp_pipe"),
    }
)
"""FFmpeg's readers of containers, and of bare pictures and sound, that read one file and open no other.

Those of still pictures are among them for the message that says what such a file is.
"""
_HEAD = 1024
_MARKS = (
    *(b"<", b"[", b"#ext", b"ffconcat", b"rtsptext", b"smiltext", b"v=0", b"s=", b"o=-", b"webvtt", b"asf "),
    *(b"rtsp:", b"http:", b"https:", b"mms:", b'file "', b"rem ", b'title "', b'performer "'),
)
"""How playlists, manifests, cue sheets and descriptions of streams begin, in small letters."""
_MOST_TABLES = 100_000
_LARGEST_TABLE = 1 << 20
_LARGEST_PACKED = 16 << 20
_LARGEST_UNPACKED = 64 << 20
_FIRST = {b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot", b"uuid", b"styp"}
_NESTED = {b"moov", b"cmov", b"trak", b"mdia", b"minf", b"dinf"}
_INSIDE_THIS_FILE = 1


@cache
def readers() -> str:
    """Return the readers of FFmpeg that read nothing but the file that they are given, for its `format_whitelist`."""
    return ",".join(sorted(_CONTAINERS & av.formats_available))


def require_no_playlist(path: Path) -> None:
    """Return quietly where a file does not begin like a list of other files.

    It is for a clear message. What protects is `readers`: a list in a disguise that this does not know has no reader.

    Raises:
        UserError: it does.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    plain = _letters(head)
    if plain.lstrip().lower().startswith(_MARKS):
        raise _names_others(path.name)


def _letters(head: bytes) -> bytes:
    """Return how a file begins as plain letters: text in UTF-16, whether a mark says so or not, without its zeros."""
    begin = head.removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    even, odd = begin[0:16:2], begin[1:16:2]
    # The size of the first table of an MPEG-4 file has zeros too, but not at every second place.
    wide = begin != b"" and ((not any(even) and all(odd)) or (all(even) and not any(odd)))
    return begin.replace(b"\0", b"") if wide else begin


def require_own_data(file: BinaryIO, name: str, *, is_quicktime: bool = False) -> None:
    """Return quietly where a QuickTime or MPEG-4 file holds its pictures and sound itself; others are not looked at.

    Such a file may begin with a table of any kind: `is_quicktime` says that the reader took it for one.

    Reference movies name other files, in a table of alternatives (`rmra`) or as where a track's data is (`dref`,
    ISO/IEC 14496-12, 8.7.2). Those are never opened: a track would be made of what lies at the same place of this one.

    Raises:
        UserError: it names others.
        OSError: it cannot be read.
    """
    if any(_leads_outside(kind, content) for kind, content in _tables(file, is_quicktime)):
        raise _names_others(name)


def _leads_outside(kind: bytes, content: bytes) -> bool:
    if kind == b"rmra":
        return True
    at = 8
    while kind == b"dref" and at + 12 <= len(content):
        size, form, flags = struct.unpack_from(">I4sI", content, at)
        # Some recorders forget to say that the data is inside; without a place, it can be nowhere else.
        if size > 12 and form in (b"url ", b"urn ", b"alis", b"rsrc") and not flags & _INSIDE_THIS_FILE:
            return True
        at += max(size, 12)
    return False


def _tables(file: BinaryIO, is_quicktime: bool) -> Iterator[tuple[bytes, bytes]]:
    """Yield the tables of a QuickTime file that can name others, wherever they are nested."""
    end = file.seek(0, 2)
    file.seek(4)
    places = [(0, end)] if is_quicktime or file.read(4) in _FIRST else []
    for _ in range(_MOST_TABLES):
        while places and places[-1][0] + 8 > places[-1][1]:
            places.pop()
        if not places:
            return
        at, until = places.pop()
        file.seek(at)
        size, kind = struct.unpack(">I4s", file.read(8))
        head = 8
        if size == 1:
            size, head = int.from_bytes(file.read(8), "big"), 16
        elif size == 0:
            size = until - at
        if size < head or at + size > until:
            # What follows is damage, or no table at all.
            continue
        places.append((at + size, until))
        if kind == b"moov":
            # There is one, and the pieces of a long recording may come after it.
            places.clear()
        if kind in _NESTED:
            places.append((at + head, at + size))
        elif kind == b"cmvd" and isinstance(file, BufferedReader):
            yield from _tables(_unpacked(file.read(min(size - head, _LARGEST_PACKED))), is_quicktime=True)
        elif kind in (b"dref", b"rmra"):
            yield kind, file.read(min(size - head, _LARGEST_TABLE))


def _unpacked(content: bytes) -> BinaryIO:
    """Return the tables of a compressed movie (`cmov`; QuickTime File Format, Compressed Movie Resources).

    One inside another is none: it is not looked for in these.
    """
    try:
        # Its size when unpacked comes first.
        return BytesIO(zlib.decompressobj().decompress(content[4:], _LARGEST_UNPACKED))
    except zlib.error:
        return BytesIO()


def _names_others(name: str) -> UserError:
    return UserError(
        f"{shown(name)} is no recording: it names other files, which are not opened.", "Choose a video or sound file."
    )
