"""Encodes pictures as H.264 without metadata, and publishes an output file only once it is complete."""

import fcntl
import glob
import hashlib
import os
import socket  # noqa: TID251
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.bitstream import BitStreamFilterContext
from av.codec.context import Flags
from av.container import OutputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from media.frame_index import FrameIndex
from media.picture import planes
from media.source import DESCRIPTOR_FOLDER, explain_write_errors
from project.errors import UserError, path_not_found
from project.files.atomic_files import apply_umask, flush_file, flush_folder, publish_file
from project.files.fingerprints import file_changed_error

_FINEST_TICK = Fraction(1, 90_000)
_SEI = "filter_units=remove_types=6"


@dataclass(frozen=True, slots=True)
class EncodeOptions:
    """How a clip is encoded.

    Attributes:
        preset: x264's; slower ones make smaller files.
        crf: x264's constant quality; 18 is hard to tell from the source.
        keyframe_seconds: at most this long from one keyframe to the next, for quick seeking.
        audio_bit_rate: of sound that has to be encoded again, bits a second.
    """

    preset: str = "veryfast"
    crf: int = 19
    keyframe_seconds: float = 2.0
    audio_bit_rate: int = 160_000


def clip_time_base(source: Fraction) -> Fraction:
    """Return a whole fraction of the source's tick that is fine enough for any shift of the zero."""
    return source / max(1, -(-source // _FINEST_TICK))


def pad_to_even(frame: av.VideoFrame) -> av.VideoFrame:
    """Return the frame with odd sides made even by repeating the last column and row: 4:2:0 knows no odd ones."""
    if frame.width % 2 == 0 and frame.height % 2 == 0:
        return frame
    padded = av.VideoFrame(frame.width + frame.width % 2, frame.height + frame.height % 2, "yuv420p")
    for target, source in zip(planes(padded), planes(frame), strict=True):
        more = [(0, wide - have) for wide, have in zip(target.shape, source.shape, strict=True)]
        target[:] = np.pad(source, more, mode="edge")
    padded.colorspace, padded.color_range = frame.colorspace, frame.color_range
    padded.color_trc, padded.color_primaries = frame.color_trc, frame.color_primaries
    return padded


class VideoEncoder:
    """The picture stream of a clip. Pictures are shown in the order they are stored: no B-frames."""

    def __init__(self, output: OutputContainer, index: FrameIndex, options: EncodeOptions) -> None:
        self.time_base = clip_time_base(index.time_base)
        stream = output.add_stream("libx264")
        width, height = index.canvas.width, index.canvas.height
        stream.width, stream.height = width + width % 2, height + height % 2
        stream.pix_fmt = "yuv420p"
        stream.time_base = self.time_base
        codec = stream.codec_context
        codec.time_base = self.time_base
        spread = index.times.end_us - index.times.time_of(0)
        rate = Fraction(len(index) * 1_000_000, max(1, spread)).limit_denominator(1001) or Fraction(1)
        codec.framerate = rate
        codec.gop_size = max(1, round(options.keyframe_seconds * rate))
        codec.max_b_frames = 0
        codec.thread_type = "AUTO"  # Whole frames side by side: slices of one leave processors idle.
        codec.flags |= Flags.bitexact
        codec.options = {"preset": options.preset, "crf": str(options.crf), "a53cc": "0"}
        self._stream = stream
        self._plain = BitStreamFilterContext(_SEI, "h264")
        self._durations: dict[int, int] = {}
        self._opened = False

    def encode(self, frame: av.VideoFrame, pts: int, duration: int) -> "list[Packet[VideoStream]]":
        """Encode the next picture; `pts` and `duration` are in `time_base`."""
        frame = pad_to_even(frame)
        codec = self._stream.codec_context
        if not self._opened:
            codec.color_range, codec.colorspace = frame.color_range, frame.colorspace
            codec.color_trc, codec.color_primaries = frame.color_trc, frame.color_primaries
            self._opened = True
        frame.pts, frame.time_base = pts, self.time_base
        self._durations[pts] = duration
        return self._finished(codec.encode(frame))

    def flush(self) -> "list[Packet[VideoStream]]":
        """Return the packets that the encoder still holds."""
        return self._finished(self._stream.codec_context.encode(None))

    def _finished(self, packets: "list[Packet[VideoStream]]") -> "list[Packet[VideoStream]]":
        done = []
        for packet in packets:
            duration = self._durations.pop(packet.pts or 0, 0)
            base = packet.time_base
            for plain in self._plain.filter(packet):
                plain.stream = self._stream
                plain.time_base = base
                plain.duration = duration
                done.append(plain)
        return done


_PIECE_BYTES = 8 << 20


class UnnamedFile:
    """A file that nobody else can open by a name, so that what is read of it is what this program wrote.

    Attributes:
        path: where this process reaches it, for reading and for writing.
    """

    def __init__(self, handle: int, path: Path) -> None:
        self._handle = handle
        self.path = path

    @contextmanager
    def require_unchanged(self) -> Iterator[None]:
        """Raise at the end of the block where another process wrote to the file meanwhile."""
        before = self._state()
        yield
        if self._state() != before:
            raise file_changed_error("The file")

    def copy_to(self, target: Path, *, overwrite: bool = False) -> str:
        """Write its content to a file with a name and return the SHA-256 of the very bytes that were written.

        A link in its place is not followed.
        """
        digest, at = hashlib.sha256(), 0
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_TRUNC if overwrite else os.O_EXCL)
        with explain_write_errors(target), os.fdopen(os.open(target, flags, 0o644), "wb") as written:
            while piece := os.pread(self._handle, _PIECE_BYTES, at):
                digest.update(piece)
                written.write(piece)
                at += len(piece)
        return digest.hexdigest()

    def _state(self) -> tuple[int, ...]:
        facts = os.fstat(self._handle)
        return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


@contextmanager
def unnamed_file(folder: Path) -> Iterator[UnnamedFile]:
    """Lend a file on the disk of a folder that has no name, and is gone when the block ends.

    Where the system offers no way to write to one, it has a name that nobody knows.
    """
    with explain_write_errors(folder):
        number, path = _create_unnamed(folder)
    try:
        yield UnnamedFile(number, path)
    finally:
        if path.parent != DESCRIPTOR_FOLDER:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        os.close(number)


def _create_unnamed(folder: Path) -> tuple[int, Path]:
    """Make a file without a name and return where it is reached; one with a name where there is no other way."""
    number, named = _claim(folder, ".part")
    try:
        path = DESCRIPTOR_FOLDER / str(number)
        if not _can_open(path):
            return number, named
        named.unlink(missing_ok=True)
        if _can_open(path):
            return number, path
    except BaseException:
        os.close(number)
        raise
    # A network drive may not open a file again whose name is gone.
    os.close(number)
    return _claim(folder, ".part")


def _can_open(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


MP4_OPTIONS = {"movflags": "+faststart", "fflags": "+bitexact"}
"""Of the MP4 writer: nothing is told about when and with what it was written."""


@contextmanager
def atomic_output(destination: Path, sources: tuple[Path, ...], *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary path in the destination's folder; what is written there takes the name when the block ends well.

    Whatever goes wrong, the temporary file is removed and an existing destination stays as it was. What a killed
    process left is removed by the next one that writes into the folder.
    """
    _check_destination(destination, sources, overwrite)
    with explain_write_errors(destination):
        _sweep(destination.parent)
        number, temporary = _claim(destination.parent, f".part{destination.suffix}")
    try:
        # Memory cards and some network drives keep no rights and refuse this.
        with suppress(OSError):
            apply_umask(temporary, 0o666)
        with explain_write_errors(destination):
            yield temporary
            flush_file(temporary)
            _check_destination(destination, sources, overwrite)
            if overwrite:
                temporary.replace(destination)
                flush_folder(destination.parent)
            else:
                try:
                    publish_file(temporary, destination)
                except FileExistsError:
                    raise _exists_error(destination) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        os.close(number)


def _claim(folder: Path, suffix: str) -> tuple[int, Path]:
    """Create a temporary file that is locked while its descriptor is open: the sign that it is being written."""
    while True:
        number, name = tempfile.mkstemp(prefix=_prefix(), suffix=suffix, dir=folder)
        temporary = Path(name)
        with suppress(OSError):
            fcntl.flock(number, fcntl.LOCK_EX)
        # Another export may have taken it for abandoned before it was locked.
        if temporary.exists():
            return number, temporary
        os.close(number)


def _sweep(folder: Path) -> None:
    """Remove temporary files of killed exports from a folder: files of this machine that nobody holds locked."""
    for path in folder.glob(f"{glob.escape(_prefix())}*.part*"):
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def _prefix() -> str:
    return f".greenroom-{socket.gethostname()}-"


def _check_destination(destination: Path, sources: tuple[Path, ...], overwrite: bool) -> None:
    name = " ".join(destination.name.split())
    if not destination.parent.is_dir():
        raise path_not_found("folder", destination.parent.name or destination.parent, "Create it first.")
    if not os.path.lexists(destination):
        return
    if destination.is_dir():
        raise UserError(f"{name} is a folder.", "Choose another name.")
    if any(destination.exists() and source.exists() and destination.samefile(source) for source in sources):
        raise UserError(f"{name} is the source file, which is never overwritten.", "Choose another name or folder.")
    if not overwrite:
        raise _exists_error(destination)


def _exists_error(destination: Path) -> UserError:
    name = " ".join(destination.name.split())
    return UserError(f"{name} already exists.", "Choose another name, or allow the file to be replaced.")
