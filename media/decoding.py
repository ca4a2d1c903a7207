"""Decodes a file's pictures in display order, from any keyframe, and accounts for every frame position."""

import errno
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import av
from av.packet import Packet
from av.video.stream import VideoStream

from media.frame_index import FrameIndex, load_index
from media.packet_scan import packets_from_key
from media.picture import DecodedFrame
from media.source import open_source
from project.errors import UserError

T = TypeVar("T")
R = TypeVar("R")

_LAYERS_AT = 21
_MAX_THREADS = 17
_MACHINE_ERRORS = (errno.ENOMEM, errno.EAGAIN)
_FILLER = b"\x0c\x80"


@dataclass(frozen=True, slots=True)
class DecodedPosition:
    """One position of the index: its picture, or None where it could not be decoded."""

    index: int
    frame: av.VideoFrame | None
    damaged: bool


class Decoder:
    """Decodes forward from a keyframe.

    A position is damaged when its packet could not be decoded, when the decoder had to invent parts of it, or when
    that happened earlier in the same group of pictures, which later pictures are built on. Where the machine has no
    memory or no thread left to decode with, `restart` and `next` raise a UserError: that says nothing of the file.
    One thread owns it.
    """

    def __init__(self, path: Path, index: FrameIndex) -> None:
        self._path = path
        self._index = index
        self._container = open_source(path)
        self._packets: Iterator[Packet[VideoStream]] = iter(())
        self._ready: deque[tuple[int, av.VideoFrame]] = deque()
        self._ended = False
        self._damaged_until = -1
        self._whole_from = 0
        self._lead = 0
        self._key = 0
        self._was_sought = False
        self._is_astray = False
        self.position = 0
        self._attach()

    def close(self) -> None:
        """Release the file."""
        self._ready.clear()
        self._container.close()

    def restart(self, key: int) -> None:
        """Continue from the keyframe with this number in the index; the next position is that keyframe."""
        index = self._index
        self._key = key
        self._reset_to(int(index.keyframes[key]))
        self._was_sought = True
        self._was_read |= key > self._lead
        for wanted in range(key - self._lead, 0, -1):
            # Some containers seek by the one stamp, some by the other; the wrong one costs a whole group of pictures.
            for stamp in (int(index.pts[index.keyframes[wanted]]), int(index.key_dts[wanted])):
                try:
                    self._container.seek(stamp, stream=self._stream)
                except av.FFmpegError as error:
                    self._require_machine(error)
                    continue
                first = self._first_key()
                if first is not None and first.pts is not None and first.pts <= index.pts[self.position]:
                    self._feed(first)
                    return
        self._was_sought = False
        if self._was_read:
            self._container.close()
            self._container = open_source(self._path)
            self._attach()

    def skip_to(self, position: int) -> None:
        """Let the decoder skip pictures before `position` that no other picture refers to."""
        self._whole_from = max(position, self.position)

    def next(self) -> DecodedPosition | None:
        """Return the next position, or None after the last.

        Positions that `skip_to` allowed to be left out may be passed over.
        """
        while True:
            if self._is_astray:
                self._start_earlier()
            while self._ready and self._ready[0][0] < self.position:
                self._ready.popleft()
            if self._ready:
                found, frame = self._ready[0]
                if self._is_unsure_key() and (
                    found != self.position or frame.pict_type != av.video.frame.PictureType.I
                ):
                    self._start_earlier()
                    continue
                if found == self.position:
                    self._ready.popleft()
                    if frame.is_corrupt:
                        self._mark_damaged(found)
                    return self._emit(frame)
                if self.position < self._whole_from:
                    self.position = min(found, self._whole_from)
                    continue
                self._mark_damaged(self.position)
                return self._emit(None)
            if self._ended:
                if self.position >= len(self._index):
                    return None
                if self._is_unsure_key():
                    self._start_earlier()
                    continue
                self._mark_damaged(self.position)
                return self._emit(None)
            self._pull()

    def _is_unsure_key(self) -> bool:
        """Whether the next position is a keyframe that may only begin a periodic intra refresh.

        If it does, its picture is incomplete, or nothing is output until the refresh is complete.
        """
        index = self._index
        return (
            index.codec == "h264"
            and not self._lead
            and self._key > 0
            and self.position == int(index.keyframes[self._key])
        )

    def _start_earlier(self) -> None:
        position, whole = self.position, self._whole_from
        self._lead = 2 * self._lead + 1
        self.restart(self._key)
        self.position, self._whole_from = position, whole

    def _attach(self) -> None:
        stream = self._container.streams[self._index.stream]
        assert isinstance(stream, VideoStream)
        stream.thread_type = "AUTO"
        if self._index.codec == "h264":
            # By default data that is left over after a slice, the mark of many a damaged one, is not held an error.
            stream.codec_context.options = {"err_detect": "aggressive"}
        self._stream = stream
        self._packets = packets_from_key(self._container.demux(stream))
        self._was_read = False
        self._counted = 0
        self._skips = not self._index.counted_by_decoding and _marks_references(stream)

    def _reset_to(self, position: int) -> None:
        self.position = position
        self._ready.clear()
        self._ended = False
        self._is_astray = False
        self._stream.codec_context.skip_frame = "DEFAULT"
        self._damaged_until = -1
        self._whole_from = 0

    def _first_key(self) -> "Packet[VideoStream] | None":
        self._packets = self._container.demux(self._stream)
        try:
            for packet in self._packets:
                # One that an edit list hides has the time of another picture.
                if packet.is_keyframe and packet.size and not packet.is_discard:
                    return packet
        except av.FFmpegError as error:
            self._require_machine(error)
        return None

    def _pull(self) -> None:
        self._was_read = True
        try:
            packet = next(self._packets)
        except StopIteration:
            self._flush()
            return
        except av.FFmpegError as error:
            self._require_machine(error)
            self._flush()
            return
        if packet.size == 0:
            self._flush()
            return
        self._feed(packet)

    def _feed(self, packet: "Packet[VideoStream]") -> None:
        index = self._index
        # With four or more threads FFmpeg misses the end of a periodic intra refresh if pictures are skipped.
        if self._skips and not self._lead and packet.pts is not None:
            unneeded = packet.pts < int(index.pts[min(self._whole_from, len(index) - 1)])
            wanted = "NONREF" if unneeded else "DEFAULT"
            if self._stream.codec_context.skip_frame != wanted:
                self._stream.codec_context.skip_frame = wanted  # type: ignore[assignment]
        if packet.is_corrupt:
            self._mark_damaged(self.position)
        if self._was_sought and not packet.is_discard and packet.pts is not None:
            # After a jump into an MPEG program stream, FFmpeg guesses other time stamps than it reads in order.
            position = index.position_of(packet.pts)
            self._is_astray |= position is not None and packet.size != int(index.sizes[position])
        try:
            self._take(self._stream.codec_context.decode(packet))
        except av.FFmpegError as error:
            self._fail(error)

    def _flush(self) -> None:
        self._ended = True
        self._finish_threads()
        try:
            self._take(self._stream.codec_context.decode(None))
        except av.FFmpegError as error:
            self._fail(error)

    def _finish_threads(self) -> None:
        """Let every thread of an H.264 decoder finish its picture before the delayed ones are asked for.

        Otherwise those are handed out while other threads still decode them, and lack the mark of damage that is
        found later. Each thread takes a packet of nothing but filler data (ITU-T H.264, 7.4.2.7), and a thread
        takes one when it is done with its picture.
        """
        if self._index.codec != "h264":
            return
        codec = self._stream.codec_context
        codec.skip_frame = "NONREF"
        head = codec.extradata or b""
        start = len(_FILLER).to_bytes((head[4] & 3) + 1, "big") if head[:1] == b"\x01" else b"\0\0\0\1"
        for _ in range(_MAX_THREADS):
            try:
                self._take(codec.decode(Packet(start + _FILLER)))
            except av.FFmpegError as error:
                self._fail(error)

    def _take(self, frames: list[av.VideoFrame]) -> None:
        canvas = self._index.canvas
        due = int(self._index.pts[min(self.position, len(self._index) - 1)])
        for frame in frames:
            if self._index.counted_by_decoding:
                position: int | None = self._counted
                self._counted += 1
            else:
                position = None if frame.pts is None else self._index.position_of(frame.pts)
                is_unknown = position is None and frame.pts is not None and frame.pts >= due
                self._is_astray |= self._was_sought and is_unknown
            if position is not None and (frame.width, frame.height) == (canvas.stored_width, canvas.stored_height):
                self._ready.append((position, frame))

    def _fail(self, error: av.FFmpegError) -> None:
        self._require_machine(error)
        self._mark_damaged(self.position)

    def _require_machine(self, error: av.FFmpegError) -> None:
        """Raise a UserError where the machine failed, and not the file."""
        if error.errno in _MACHINE_ERRORS:
            raise UserError(
                f"There is not enough memory in this computer to decode {self._path.name}.",
                "Close other programs and try again; if that does not help, the file may be damaged.",
            ) from None

    def _mark_damaged(self, position: int) -> None:
        key = self._index.keyframe_number(position) + 1
        keys = self._index.keyframes
        self._damaged_until = max(self._damaged_until, int(keys[key]) if key < len(keys) else len(self._index))

    def _emit(self, frame: av.VideoFrame | None) -> DecodedPosition:
        position = self.position
        self.position += 1
        return DecodedPosition(position, frame, position < self._damaged_until)


def _marks_references(stream: VideoStream) -> bool:
    """Whether a stream says reliably of every picture that no other refers to it.

    In HEVC that mark is about pictures of the same temporal layer only (ITU-T H.265, 7.4.2.2), so there must be but
    one layer, as the configuration record says (ISO/IEC 14496-15, 8.3.2.1).
    """
    codec = stream.codec_context
    if codec.name == "h264":
        return True
    record = codec.extradata or b""
    return (
        codec.name == "hevc" and record[:1] == b"\x01" and len(record) > _LAYERS_AT and record[_LAYERS_AT] >> 3 & 7 == 1
    )


_LOOK_BACK = 16


@contextmanager
def decoder_at(path: Path, index: FrameIndex, position: int) -> Iterator[Decoder]:
    """Open a decoder that gives whole pictures from a position on; it may give others before."""
    with closing(Decoder(path, index)) as decoder:
        decoder.restart(index.keyframe_number(position))
        decoder.skip_to(position)
        yield decoder


def iterate_frames(
    path: Path, index: FrameIndex | None = None, start_us: int | None = None, end_us: int | None = None
) -> Iterator[DecodedFrame]:
    """Yield every frame on screen between two times without converting any.

    Exactly one picture comes for every position of the index from the one on screen at `start_us` to the last that
    begins before `end_us`. Positions that cannot be decoded come black, and these and all that may be built on them
    are marked damaged.
    """
    index = index or load_index(path)
    first, stop = frame_range(index, start_us, end_us)
    with decoder_at(path, index, first) as decoder:
        for found in _mark_earlier_damage(decoder, index):
            if found.index >= stop:
                return
            if found.index >= first:
                yield DecodedFrame(
                    found.index, index.times.time_of(found.index), found.frame, index.canvas, damaged=found.damaged
                )


def map_ahead(function: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
    """Yield what a function makes of items, in order; it works on several at once, in threads."""
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(workers, "map") as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for answer in waiting:
                answer.cancel()


def frame_range(index: FrameIndex, start_us: int | None, end_us: int | None) -> tuple[int, int]:
    """Return the first position on screen between two times, and the one after the last."""
    first = 0 if start_us is None else index.times.frame_at(start_us)
    stop = len(index) if end_us is None else index.times.frame_at(end_us - 1) + 1
    return first, stop


def _mark_earlier_damage(decoder: Decoder, index: FrameIndex) -> Iterator[DecodedPosition]:
    """Delay pictures a little: damage shows only after pictures that were already predicted from it."""
    held: deque[DecodedPosition] = deque()
    before = False
    while (found := decoder.next()) is not None:
        if found.damaged and not before:
            key = int(index.keyframes[index.keyframe_number(found.index)])
            held = deque(replace(decoded, damaged=True) if decoded.index >= key else decoded for decoded in held)
        before = found.damaged
        held.append(found)
        if len(held) > _LOOK_BACK:
            yield held.popleft()
    yield from held
