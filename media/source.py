"""Opens media files safely, and turns every failure into one clear message.

Only single files of the listed containers are opened: playlists and files that name other files are refused.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.stream import VideoStream
from numpy.typing import NDArray

from project.errors import UserError
from project.files.filesystem import SpecialFileError, open_regular, read_regular
from project.text_format import escape_unprintable
from project.timebase import SECOND_US

_CONTAINERS = frozenset(
    {
        *("mov", "matroska", "avi", "mpegts", "mpeg", "flv", "ogg", "asf", "mxf", "dv", "nut", "ivf", "rm"),
        *("gxf", "wtv"),
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
_ALTERNATIVES = (b"rmra", b"rmda")
"""What a QuickTime reference movie holds instead of tracks (QuickTime File Format, Reference Movies)."""


@cache
def allowed_readers() -> str:
    """Return the readers of FFmpeg that read nothing but the file that they are given, for its `format_whitelist`."""
    return ",".join(sorted(_CONTAINERS & av.formats_available))


@cache
def reader_for(suffix: str) -> str | None:
    """Return the reader that a suffix, with its dot, belongs to; None where there is none, or it may not be used."""
    plain = suffix[1:].lower()
    offered = (av.ContainerFormat(name, "r") for name in allowed_readers().split(","))
    return next((reader.name.split(",")[0] for reader in offered if plain and plain in reader.extensions), None)


def require_no_playlist(handle: int, name: str) -> None:
    """Return quietly where a file does not begin like a list of other files.

    It is for a clear message. What protects is `allowed_readers`: a list in a disguise that this does not know has no
    reader.
    """
    head = os.pread(handle, _HEAD, 0)
    if _letters(head).lstrip().lower().startswith(_MARKS) or all(table in head for table in _ALTERNATIVES):
        raise _references_error(name)


def _letters(head: bytes) -> bytes:
    """Return how a file begins as plain letters: text in UTF-16, whether a mark says so or not, without its zeros."""
    begin = head.removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")
    even, odd = begin[0:16:2], begin[1:16:2]
    # The size of the first table of an MPEG-4 file has zeros too, but not at every second place.
    wide = begin != b"" and ((not any(even) and all(odd)) or (all(even) and not any(odd)))
    return begin.replace(b"\0", b"") if wide else begin


def _references_error(name: str) -> UserError:
    return UserError(
        f"{escape_unprintable(name)} is not a recording: it refers to other files, which are not opened.",
        "Choose a video or sound file.",
    )


_CHOOSE_ANOTHER = "Choose a video or sound file."
MAX_SAMPLE_RATE = 6_144_000
"""Samples a second; what says to hold more is damaged, and to resample it would take hours."""
DESCRIPTOR_FOLDER = Path("/proc/self/fd")
"""Where a process finds its open files, whatever they are called; see `media.encoding.UnnamedFile`."""
_NO_SPACE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def open_media(path: Path) -> Iterator[InputContainer]:
    """Open a media file for reading.

    Nothing but local files is ever touched, whatever the file refers to.
    """
    container = open_source(path)
    try:
        yield container
    finally:
        container.close()


def open_source(path: Path) -> InputContainer:
    """Open a media file for reading; the caller closes it. See `open_media`."""
    with explain_open_errors(path):
        handle = open_regular(path)
        try:
            return _checked(path, handle)
        finally:
            # FFmpeg reads from a duplicate of its own.
            os.close(handle)


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A media file that the reader has opened and taken for one, for a decoder that is given bytes and no path.

    Attributes:
        handle: a descriptor for reading, which stands at the file's first byte; the caller closes it.
        reader: the name that FFmpeg gives the reader of its container.
    """

    handle: int
    size: int
    reader: str


def open_checked(path: Path) -> CheckedFile:
    """Open a media file, check with the reader what it is, and return that very file."""
    with explain_open_errors(path):
        handle = open_regular(path)
        try:
            container = _checked(path, handle)
            reader = container.format.name.split(",")[0]
            container.close()
            os.lseek(handle, 0, os.SEEK_SET)
            return CheckedFile(handle, os.fstat(handle).st_size, reader)
        except BaseException:
            os.close(handle)
            raise


def _checked(path: Path, handle: int) -> InputContainer:
    """Open what a descriptor stands for, after a look at what it is; the path is only for messages and its suffix."""
    if os.fstat(handle).st_size == 0:
        raise UserError(f"{_name(path)} is empty (0 bytes).", "Copy it again from where it was recorded.")
    require_no_playlist(handle, path.name)
    return _read(path, handle)


def _read(path: Path, handle: int) -> InputContainer:
    """Let FFmpeg read from a descriptor: it is given no path, and may open none.

    Where a QuickTime file says that the data of a track is in another one (`dref`, ISO/IEC 14496-12, 8.7.2), the
    track is read from this one or left out.
    """
    options = {
        "fd": str(handle),
        "protocol_whitelist": "fd",
        "format_whitelist": allowed_readers(),
        "enable_drefs": "0",
    }
    for reader in (None, reader_for(path.suffix)):
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            return av.open("fd:", "r", format=reader, options=dict(options), metadata_errors="replace")
        except av.InvalidDataError:
            # Where the first megabytes do not show what a file is, its suffix says it.
            continue
        except (av.FFmpegError, ValueError):
            break
    raise _unreadable_error(path, os.pread(handle, 12, 0))


@contextmanager
def explain_open_errors(path: Path) -> Iterator[None]:
    """Turn what goes wrong with opening a file into one clear sentence."""
    try:
        yield
    except IsADirectoryError:
        raise UserError(f"{_name(path)} is a folder, not a video.", "Choose a file in it.") from None
    except SpecialFileError:
        raise UserError(f"{_name(path)} is not a file.", _CHOOSE_ANOTHER) from None
    except FileNotFoundError:
        raise UserError(f"{_name(path)} is missing.", "Put it back, or locate it.") from None
    except PermissionError:
        raise UserError(
            f"{_name(path)} cannot be read: permission denied.", "Check the permissions of the file."
        ) from None
    except (OSError, ValueError) as error:
        raise UserError(
            f"{_name(path)} cannot be reached: {_reason(error)}.", "Check its path and its permissions."
        ) from None


def unreadable_error(path: Path) -> UserError:
    """Say why a file that FFmpeg cannot read is not one it could."""
    with explain_open_errors(path), read_regular(path) as file:
        return _unreadable_error(path, file.read(12))


def _unreadable_error(path: Path, head: bytes) -> UserError:
    if head[4:8] in (b"ftyp", b"mdat", b"wide", b"free"):
        return UserError(
            f"{_name(path)} is cut short or damaged: its table of contents is missing.",
            "Copy it again from its source; a recorder that lost power may offer to repair it.",
        )
    return UserError(f"{_name(path)} is not a video or sound file that can be read.", _CHOOSE_ANOTHER)


@contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    """Turn what goes wrong with writing a file into one clear sentence."""
    try:
        yield
    except (OSError, av.FFmpegError) as error:
        name = "the file" if path.parent == DESCRIPTOR_FOLDER else _name(path)
        if error.errno in _NO_SPACE_ERRORS:
            raise UserError(
                f"{name} cannot be written: the disk is full.", "Free some space, or choose another folder."
            ) from None
        raise UserError(f"{name} cannot be written: {_reason(error)}.", "Choose a folder you may write to.") from None


def undecodable_error(name: str) -> UserError:
    """Return the error for a video whose picture FFmpeg cannot decode."""
    return UserError(f"The picture of {name} cannot be decoded.", "Convert it to MP4 (H.264) first.")


def require_picture_stream(container: InputContainer, name: str) -> VideoStream:
    """Return the picture of a file, and refuse a file without one."""
    stream = picture_stream(container)
    if stream is None:
        raise UserError(f"{name} has no picture.", "Use it as a sound file, or choose a video.")
    return stream


def picture_stream(container: InputContainer) -> VideoStream | None:
    """Return the stream that carries the picture; a cover image of a sound file is not one."""
    for stream in container.streams.video:
        if has_decoder(stream) and not stream.disposition & av.stream.Disposition.attached_pic:
            return stream
    return None


def sound_stream(container: InputContainer, track: int = 0) -> AudioStream | None:
    """Return the stream of a sound track, counted from 1; with 0 that of the container's default track, or the first.

    A stream whose rate nothing records with is damage, and no sound.
    """
    streams = [
        stream
        for number, stream in enumerate(container.streams.audio, 1)
        if track in (0, number) and has_decoder(stream)
        if 0 < stream.codec_context.sample_rate <= MAX_SAMPLE_RATE
    ]
    defaults = (stream for stream in streams if stream.disposition & av.stream.Disposition.default)
    return next(defaults, streams[0] if streams else None)


def require_sound_stream(container: InputContainer, path: Path, track: int = 0) -> AudioStream:
    """Return the stream of a sound track, see `sound_stream`."""
    stream = sound_stream(container, track)
    if stream is not None:
        return stream
    count = len(container.streams.audio)
    if track and count:
        raise UserError(f"{_name(path)} has no readable sound track {track}.", f"It has {count}; choose another track.")
    raise UserError(f"{_name(path)} has no sound.", "Choose a recording with sound.")


def has_decoder(stream: VideoStream | AudioStream) -> bool:
    """Whether there is a decoder for a stream; there is none where the description of it was cut off."""
    codec: object = stream.codec_context
    return codec is not None


def axis_start_us(container: InputContainer) -> int:
    """Return where the recording's axis begins, in microseconds of the file's own time stamps."""
    return int(container.start_time or 0)


def ticks_to_us(ticks: int, numerator: int, denominator: int) -> int:
    """Return ticks of numerator/denominator seconds as microseconds, to the nearest; halves go up."""
    return (2 * ticks * numerator * SECOND_US + denominator) // (2 * denominator)


def ticks_array_to_us(ticks: NDArray[np.int64], numerator: int, denominator: int) -> NDArray[np.int64]:
    """Do what `ticks_to_us` does for a whole array, without overflow."""
    whole, rest = np.divmod(ticks * numerator, denominator)
    rounded: NDArray[np.int64] = whole * SECOND_US + (2 * rest * SECOND_US + denominator) // (2 * denominator)
    return rounded


def _name(path: Path) -> str:
    return " ".join(path.name.split()) or str(path)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
