"""Writes a changed copy of a recording or of a stretch of it: same frames, times and sound, no metadata.

Pictures pass from the decoding to the encoding thread through a bounded queue, which either side can end.
`constant_rate_copy` instead writes at each tick the picture that is on screen then.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from threading import Condition, Thread
from typing import Generic, Literal, TypeAlias, TypeVar

import av
import numpy as np
from av.container import OutputContainer
from numpy.typing import NDArray

from media.decoding import frame_range, iterate_frames
from media.encoding import MP4_OPTIONS, EncodeOptions, VideoEncoder, atomic_output, clip_time_base, unnamed_file
from media.frame_index import FrameIndex, load_index
from media.picture import DecodedFrame
from media.sound import Silence, SoundFilter
from media.soundtrack import Soundtrack
from media.source import explain_write_errors, open_media, sound_stream
from project.errors import UserError
from project.files.fingerprints import file_changed_error, file_sha256
from project.progress import Progress, Silent
from project.timebase import SECOND_US, FrameTimes

T = TypeVar("T")
_TimedPicture: TypeAlias = tuple[int, DecodedFrame, int, int]
"""A picture of a clip after its time in microseconds; its time stamp and duration in ticks come last."""


class PipeClosedError(Exception):
    """The other side of a pipe has stopped."""


class Pipe(Generic[T]):
    """Hands items from one thread to another, at most `size` waiting.

    The giver ends with `finish`; the taker then sees the rest and an end. Whoever fails calls `stop`: the rest is
    dropped, waiting and later calls raise `PipeClosedError`.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: deque[T] = deque()
        self._finished = False
        self._stopped = False
        self._changed = Condition()

    def put(self, item: T) -> None:
        """Wait for room and hand an item over."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or len(self._items) < self._size)
            if self._stopped:
                raise PipeClosedError
            self._items.append(item)
            self._changed.notify_all()

    def finish(self) -> None:
        """Signal the end of the items."""
        with self._changed:
            self._finished = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Drop the remaining items and unblock the other side."""
        with self._changed:
            self._stopped = True
            self._items.clear()
            self._changed.notify_all()

    def __iter__(self) -> Iterator[T]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._finished or bool(self._items))
                if self._stopped:
                    raise PipeClosedError
                if not self._items:
                    return
                item = self._items.popleft()
                self._changed.notify_all()
            yield item


_QUEUE_SIZE = 6


@dataclass(frozen=True, slots=True)
class ClipResult:
    """What was written.

    Attributes:
        frames: how many; as many as the source has there.
        duration_us: from the clip's zero to the end of its last frame.
        width: of the coded picture; one more than the source's where that is odd.
        height: likewise.
        damaged: frames that the source could not give whole.
        sound: whether the sound was `copied`, `encoded` again or `treated`; None without any.
    """

    path: Path
    frames: int
    duration_us: int
    width: int
    height: int
    damaged: int
    sha256: str
    sound: Literal["copied", "encoded", "treated"] | None


def paint_clip(
    source: Path,
    destination: Path,
    paint: Callable[[DecodedFrame], None],
    *,
    start_us: int | None = None,
    end_us: int | None = None,
    progress: Progress | None = None,
    options: EncodeOptions | None = None,
    index: FrameIndex | None = None,
    overwrite: bool = False,
    examine: Callable[[Path], None] | None = None,
    sound: SoundFilter | Literal["keep", "none"] = "keep",
    track: int = 0,
) -> ClipResult:
    """Write a copy of a recording, or of a stretch of it, in which `paint` has changed each picture in place.

    The clip is an MP4 (H.264 8-bit 4:2:0 without B-frames, so that every player seeks it exactly), upright, with
    square pixels, with the source's colour tags. It has as many frames as the source, at the source's own time
    stamps. A stretch begins with the frame on screen at `start_us`, whose time stamp becomes zero, and its sound is
    cut to the sample and encoded again; the sound of a whole recording is copied where MP4 can hold it. Sound that a
    filter treats is stored without loss. Nothing else of the source is carried over: no tags, chapters, captions, data
    or subtitle streams, encoder notes.

    Decoding and encoding run in threads of their own; `paint` is called in the caller's thread, frame by frame in
    order. A damaged picture is passed with `damaged` set: whatever hides something must hide all of it.

    Args:
        source: the recording.
        destination: of the clip; its folder must exist.
        paint: changes a picture.
        start_us: start of the stretch on the recording's axis.
        end_us: end of the stretch; frames that begin before it are in.
        progress: told in frames.
        options: how to encode.
        index: of the source, when at hand.
        overwrite: whether an existing destination may be replaced. A source never is.
        examine: gets the finished clip under its temporary name; it takes its own name when this returns.
        sound: `keep`, `none`, or what changes it. Where the picture begins after the clip's zero, `none` leaves a
            track of silence: without it players would begin with the picture and show all of it too early.
        track: which sound track of the source, from 1; see `media.source.sound_stream`.
    """
    options = options or EncodeOptions()
    progress = progress or Silent()
    index = index or load_index(source)
    stretch = _clip_span(index, start_us, end_us)
    with atomic_output(destination, (source,), overwrite=overwrite) as temporary:
        job = _EncodingRun(source, index, paint, stretch, options, progress, sound, track)
        # Written where nobody else reaches it, so that its checksum is that of what was painted.
        with unnamed_file(temporary.parent) as clip:
            job.run(clip.path)
            sha256 = clip.copy_to(temporary, overwrite=True)
        written = load_index(temporary)
        if len(written) != job.frames:
            raise UserError(
                f"Only {len(written)} of {job.frames} frames reached {destination.name}.",
                "Check the disk, and try again.",
            )
        if examine is not None:
            examine(temporary)
        if file_sha256(temporary) != sha256:
            raise file_changed_error(destination.name)
    width, height = (side + side % 2 for side in (index.canvas.width, index.canvas.height))
    return ClipResult(destination, job.frames, job.duration_us, width, height, job.damaged, sha256, job.sound)


def _clip_span(index: FrameIndex, start_us: int | None, end_us: int | None) -> tuple[int, int] | None:
    """Return where the clip's zero and its end lie, or None for the whole recording."""
    if (start_us is None or start_us <= 0) and (end_us is None or end_us >= index.times.end_us):
        return None
    first, stop = frame_range(index, start_us, end_us)
    zero = min(start_us or 0, index.times.time_of(first)) if first == 0 else index.times.time_of(first)
    zero = max(0, zero)
    end = index.times.end_us if end_us is None else end_us
    if end <= zero or stop <= first:
        raise UserError("The interval to export is empty.", "Choose an end after the start.")
    return zero, min(end, index.times.time_of(stop) if stop < len(index) else index.times.end_us)


class _EncodingRun:
    """One run: a thread decodes, the caller paints, a thread encodes."""

    def __init__(
        self,
        source: Path,
        index: FrameIndex,
        paint: Callable[[DecodedFrame], None],
        stretch: tuple[int, int] | None,
        options: EncodeOptions,
        progress: Progress,
        treatment: SoundFilter | Literal["keep", "none"],
        track: int,
    ) -> None:
        self._source, self._index, self._paint = source, index, paint
        self._treatment, self._track = treatment, track
        self._stretch, self._options, self._progress = stretch, options, progress
        self._first, self._stop = (0, len(index)) if stretch is None else frame_range(index, *stretch)
        self._decoded: Pipe[DecodedFrame] = Pipe(_QUEUE_SIZE)
        self._painted: Pipe[DecodedFrame] = Pipe(_QUEUE_SIZE)
        self._failure: BaseException | None = None
        self.frames = self._stop - self._first
        self.damaged = 0
        self.sound: Literal["copied", "encoded", "treated"] | None = None
        self._zero_us = 0 if stretch is None else stretch[0]
        end = index.times.time_of(self._stop) if self._stop < len(index) else index.times.end_us
        self.duration_us = end - self._zero_us

    def run(self, temporary: Path) -> None:
        threads = [
            Thread(target=self._run_guarded, args=(self._decode,), name="clip-decode"),
            Thread(target=self._run_guarded, args=(self._encode, temporary), name="clip-encode"),
        ]
        for thread in threads:
            thread.start()
        try:
            self._paint_all()
        except PipeClosedError:
            pass
        except BaseException:
            self._stop_all()
            raise
        finally:
            for thread in threads:
                thread.join()
        if self._failure is not None:
            raise self._failure

    def _paint_all(self) -> None:
        for done, picture in enumerate(self._decoded, 1):
            self._progress.check_cancelled()
            self._paint(picture)
            self.damaged += picture.damaged
            self._painted.put(picture)
            self._progress.progress(done, self.frames, "Writing the clip")
        self._painted.finish()

    def _run_guarded(self, work: Callable[..., None], *arguments: Path) -> None:
        try:
            work(*arguments)
        except PipeClosedError:
            pass
        except BaseException as error:
            self._failure = self._failure or error
            self._stop_all()

    def _stop_all(self) -> None:
        self._decoded.stop()
        self._painted.stop()

    def _decode(self) -> None:
        times = self._index.times
        end = None if self._stop == len(self._index) else times.time_of(self._stop)
        for picture in iterate_frames(self._source, self._index, times.time_of(self._first), end):
            self._decoded.put(picture)
        self._decoded.finish()

    def _encode(self, temporary: Path) -> None:
        ticks = clip_time_base(self._index.time_base).denominator
        options = {**MP4_OPTIONS, "movie_timescale": str(ticks)}
        with av.open(f"file:{temporary.absolute()}", "w", format="mp4", options=options) as output:
            encoder = VideoEncoder(output, self._index, self._options)
            _mux_clip(output, encoder, self._soundtrack(output), self._timed_pictures(encoder.time_base))

    def _timed_pictures(self, base: Fraction) -> Iterator[_TimedPicture]:
        ticks = self._ticks(base).tolist()
        for picture in self._painted:
            begin, end = ticks[picture.index - self._first :][:2]
            yield picture.time_us - self._zero_us, picture, begin, end - begin

    def _ticks(self, base: Fraction) -> NDArray[np.int64]:
        """Time stamps of the frames, and the end of the last, in ticks of the clip: the source's own, shifted."""
        index = self._index
        finer = int(index.time_base / base)
        if self._stretch is not None and index.times.time_of(self._first) == self._zero_us:
            zero = int(index.pts[self._first]) * finer
        else:
            zero = round(Fraction(index.origin_us + self._zero_us, SECOND_US) / base)
        own = index.pts[self._first : self._stop] * finer - zero
        return np.append(own, max(int(own[-1]) + 1, round(Fraction(self.duration_us, SECOND_US) / base)))

    def _soundtrack(self, output: OutputContainer) -> Soundtrack | None:
        with open_media(self._source) as container:
            if sound_stream(container, self._track) is None:
                return None
        treatment = None if self._treatment == "keep" else self._treatment
        if treatment == "none":
            if self._index.times.time_of(self._first) <= self._zero_us:
                return None
            treatment = Silence()
        track = Soundtrack(output, self._source, self._stretch, self._options, treatment, self._track)
        self.sound = track.kind
        return track


def constant_rate_copy(
    source: Path, destination: Path, rate: int, *, sound: bool = False, progress: Progress | None = None
) -> int:
    """Write a clip of `rate` pictures a second, from time zero to the end; returns how many pictures it has.

    Before the first picture of the source, that one is shown.
    """
    progress = progress or Silent()
    index = load_index(source)
    count = count_ticks(index, rate)
    with open_media(source) as container:
        heard = sound and sound_stream(container) is not None
    times = np.arange(count, dtype=np.int64) * SECOND_US // rate
    steady = replace(
        index,
        times=FrameTimes(times, count * SECOND_US // rate),
        pts=np.arange(count, dtype=np.int64),
        time_base=Fraction(1, rate),
    )
    options = EncodeOptions()
    with (
        explain_write_errors(destination),
        av.open(f"file:{destination.absolute()}", "w", format="mp4", options=MP4_OPTIONS) as output,
    ):
        encoder = VideoEncoder(output, steady, options)
        track = Soundtrack(output, source, None, options) if heard else None
        finer = int(Fraction(1, rate) / encoder.time_base)

        def timed_pictures() -> Iterator[_TimedPicture]:
            for tick, picture in frames_at_ticks(source, index, rate):
                progress.check_cancelled()
                yield tick * SECOND_US // rate, picture, tick * finer, finer
                progress.progress(tick + 1, count, f"Writing at {rate} pictures a second")

        _mux_clip(output, encoder, track, timed_pictures())
    return count


def count_ticks(index: FrameIndex, rate: int) -> int:
    """Return how many ticks lie between zero and the end of a clip, at least one."""
    return max(1, -(-index.times.end_us * rate // SECOND_US))


def frames_at_ticks(source: Path, index: FrameIndex, rate: int) -> Iterator[tuple[int, DecodedFrame]]:
    """Yield every tick with the picture that is on screen then; the same picture may come several times."""
    count = count_ticks(index, rate)
    wanted = [index.times.frame_at(tick * SECOND_US // rate) for tick in range(count)]
    tick = 0
    for picture in iterate_frames(source, index):
        while tick < count and wanted[tick] == picture.index:
            yield tick, picture
            tick += 1


def _mux_clip(
    output: OutputContainer, encoder: VideoEncoder, sound: Soundtrack | None, pictures: Iterable[_TimedPicture]
) -> None:
    """Write pictures, and between them the sound that begins before each; the sound is closed in any case."""
    try:
        for time_us, picture, pts, duration in pictures:
            if sound is not None:
                output.mux(list(sound.packets_until(time_us)))
            output.mux(encoder.encode(picture.to_video_frame(), pts, duration))
        output.mux(encoder.flush())
        if sound is not None:
            output.mux(list(sound.packets_until(None)))
    finally:
        if sound is not None:
            sound.close()
