"""Opening a media file so that whatever is wrong with it becomes one clear sentence."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.stream import VideoStream
from numpy.typing import NDArray

from media.playlists import reader_for, readers, require_no_playlist, require_own_data
from project.errors import UserError
from project.regular_file import SpecialFileError, open_regular, read_regular
from project.timebase import SECOND

_ANOTHER = "Choose a video or sound file."
FASTEST_SOUND = 6_144_000
"""Samples a second; what says to hold more is damaged, and to resample it would take hours."""
UNNAMED = Path("/proc/self/fd")
"""Where a process finds its open files, whatever they are called; see `media.destination.UnnamedFile`."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def opened(path: Path) -> Iterator[InputContainer]:
    """Open a media file for reading.

    Nothing but local files is ever touched, whatever the file refers to.

    Raises:
        UserError: missing, a folder, unreadable, empty, cut short, or not a video or sound file.
    """
    container = open_source(path)
    try:
        yield container
    finally:
        container.close()


def open_source(path: Path) -> InputContainer:
    """Open a media file for reading; the caller closes it. See `opened`."""
    with told_of(path):
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
        size: in bytes.
        reader: the name that FFmpeg gives the reader of its container.
    """

    handle: int
    size: int
    reader: str


def open_checked(path: Path) -> CheckedFile:
    """Open a media file, look with the reader what it is, and return that very file. See `opened` for the errors."""
    with told_of(path):
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
        raise UserError(f"{_name(path)} is empty: it has no bytes.", "Copy it again from where it was recorded.")
    require_no_playlist(handle, path.name)
    looked_at = require_own_data(handle, path.name)
    container = _read(path, handle)
    try:
        if not looked_at and "mov" in container.format.name.split(","):
            require_own_data(handle, path.name, is_quicktime=True)
    except BaseException:
        container.close()
        raise
    return container


def _read(path: Path, handle: int) -> InputContainer:
    """Let FFmpeg read from a descriptor: it is given no path, and may open none."""
    options = {"fd": str(handle), "protocol_whitelist": "fd", "format_whitelist": readers()}
    for reader in (None, reader_for(path.suffix)):
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            return av.open("fd:", "r", format=reader, options=dict(options), metadata_errors="replace")
        except av.InvalidDataError:
            # Where the first megabytes do not show what a file is, its suffix says it.
            continue
        except (av.FFmpegError, ValueError):
            break
    raise _unreadable(path, os.pread(handle, 12, 0))


@contextmanager
def told_of(path: Path) -> Iterator[None]:
    """Turn what goes wrong with opening a file into one clear sentence."""
    try:
        yield
    except IsADirectoryError:
        raise UserError(f"{_name(path)} is a folder, not a video.", "Choose a file inside it.") from None
    except SpecialFileError:
        raise UserError(f"{_name(path)} is not a file.", _ANOTHER) from None
    except FileNotFoundError:
        raise UserError(f"{_name(path)} is missing.", "Locate it, or put it back where it was.") from None
    except PermissionError:
        raise UserError(f"{_name(path)} may not be read.", "Ask for the right to read it, or copy it.") from None
    except (OSError, ValueError) as error:
        raise UserError(
            f"{_name(path)} cannot be reached: {_reason(error)}.", "Check the path and its rights."
        ) from None


def unreadable(path: Path) -> UserError:
    """Say why a file that FFmpeg cannot read is not one it could."""
    with told_of(path), read_regular(path) as file:
        return _unreadable(path, file.read(12))


def _unreadable(path: Path, head: bytes) -> UserError:
    if head[4:8] in (b"ftyp", b"mdat", b"wide", b"free"):
        return UserError(
            f"{_name(path)} is cut short or damaged: its table of contents is missing.",
            "Copy it again from where it was recorded; a recorder that lost power may offer to repair it.",
        )
    return UserError(f"{_name(path)} is not a video or sound file that can be read.", _ANOTHER)


def write_error(path: Path, error: OSError | av.FFmpegError) -> UserError:
    """Turn a failed write into a message."""
    name = "the file" if path.parent == UNNAMED else _name(path)
    if error.errno in _NO_ROOM:
        return UserError(f"There is no room left to write {name}.", "Free some space or choose another folder.")
    return UserError(f"{name} cannot be written: {_reason(error)}.", "Choose a folder you may write to.")


def picture_stream(container: InputContainer) -> VideoStream | None:
    """Return the stream that carries the picture; a cover image of a sound file is not one."""
    for stream in container.streams.video:
        if _known(stream) and not stream.disposition & av.stream.Disposition.attached_pic:
            return stream
    return None


def sound_stream(container: InputContainer) -> AudioStream | None:
    """Return the stream that carries the sound; one whose rate nothing records with is damage, and no sound."""
    streams = (stream for stream in container.streams.audio if _known(stream))
    return next((stream for stream in streams if 0 < stream.codec_context.sample_rate <= FASTEST_SOUND), None)


def _known(stream: VideoStream | AudioStream) -> bool:
    """Whether there is a decoder for a stream; there is none where the description of it was cut off."""
    codec: object = stream.codec_context
    return codec is not None


def start_of(container: InputContainer) -> int:
    """Return where the recording's axis begins, in microseconds of the file's own time stamps."""
    return int(container.start_time or 0)


def to_us(ticks: int, numerator: int, denominator: int) -> int:
    """Return ticks of numerator/denominator seconds as microseconds, to the nearest; halves go up."""
    return (2 * ticks * numerator * SECOND + denominator) // (2 * denominator)


def all_to_us(ticks: NDArray[np.int64], numerator: int, denominator: int) -> NDArray[np.int64]:
    """Do what `to_us` does for a whole array, without overflow."""
    whole, rest = np.divmod(ticks * numerator, denominator)
    rounded: NDArray[np.int64] = whole * SECOND + (2 * rest * SECOND + denominator) // (2 * denominator)
    return rounded


def _name(path: Path) -> str:
    return " ".join(path.name.split()) or str(path)


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
