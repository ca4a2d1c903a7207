"""Reads exactly the requested frame, by position or time, and prefetches its neighbours in a thread."""

from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Self

import av

from media.decoding import DecodedPosition, Decoder, decoder_at
from media.frame_index import FrameIndex, load_index
from media.picture import DecodedFrame
from project.errors import UserError
from project.timebase import SECOND_US, FrameTimes


class FramePrefetcher:
    """Decodes one stretch of positions at a time. Errors are left to the next caller that asks for the frame."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stretch = range(0)
        self._thread: Thread | None = None
        self._found: deque[DecodedPosition] = deque()
        self._stopped = False

    @property
    def is_busy(self) -> bool:
        """Whether a stretch is being decoded."""
        return self._thread is not None and self._thread.is_alive()

    def __contains__(self, position: int) -> bool:
        return position in self._stretch

    def start(self, stretch: range, decoder: AbstractContextManager[Decoder]) -> None:
        """Start decoding a stretch, in place of the one before.

        `decoder` stands at or before its first position once entered. Nobody else uses it until the stretch is done or
        stopped.
        """
        self.stop()
        self._stretch = stretch
        self._stopped = False
        self._thread = Thread(target=self._run, args=(stretch, decoder), name=self._name)
        self._thread.start()

    def take_decoded(self) -> Iterator[DecodedPosition]:
        """Return the pictures decoded by now, each once."""
        while self._found:
            yield self._found.popleft()

    def wait(self) -> None:
        """Wait until the stretch is decoded."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def stop(self) -> None:
        """Stop after the picture that is being decoded."""
        self._stopped = True
        self.wait()

    def _run(self, stretch: range, borrowed: AbstractContextManager[Decoder]) -> None:
        try:
            with borrowed as decoder:
                while not self._stopped and (found := decoder.next()) is not None:
                    if found.index in stretch:
                        self._found.append(found)
                    if found.index >= stretch.stop - 1:
                        return
        except (UserError, av.FFmpegError):
            return


DEFAULT_MEMORY_BYTES = 256 << 20
_BEHIND_US = SECOND_US + SECOND_US // 4
_NEAR = 8
_TAIL = 3


class FrameReader:
    """Random access to the pictures of one file.

    Decoded pictures around the last ones asked for are kept in their compact planes (1.4 MB for 1280x720), at most
    `memory` bytes of them. Going to a far place decodes from the keyframe before it and leaves out what nothing
    refers to until a second before the target; from there on everything is kept, so that stepping back is free.
    A jump ahead leaves out the same on its way. While nobody asks, threads of the reader's own decode what comes
    next, and, where stepping back comes near to what is not kept, what lies before it.

    One thread owns a reader: make one for each thread.
    """

    def __init__(self, path: Path, index: FrameIndex | None = None, *, memory: int = DEFAULT_MEMORY_BYTES) -> None:
        """Open a file, whose index is read again when not given; `memory` bounds the kept pictures, in bytes."""
        self.index = index or load_index(path)
        self._decoder = Decoder(path, self.index)
        canvas = self.index.canvas
        size = canvas.stored_width * canvas.stored_height * 3 // 2
        most = max(4, memory // max(size, 1))
        self._stretch = most // 5
        self._most = most - 2 * self._stretch
        self._kept: dict[int, DecodedPosition] = {}
        self._path = path
        self._ahead = FramePrefetcher("frames-ahead")
        self._behind = FramePrefetcher("frames-behind")
        self._last = 0

    @property
    def times(self) -> FrameTimes:
        """Time stamps of all frames."""
        return self.index.times

    def frame_at(self, index: int) -> DecodedFrame:
        """Return the frame at a position; an IndexError where there is none."""
        if not 0 <= index < len(self.index):
            raise IndexError(f"frame {index} of {len(self.index)}")
        back = 0 < self._last - index <= self._stretch
        self._last = index
        self._gather()
        if index not in self._kept:
            self._ahead.stop()
            if index in self._behind:
                self._behind.wait()
            self._behind.stop()
            self._gather()
        found = self._kept.get(index) or self._decode(index)
        if back and not self._behind.is_busy:
            self._read_behind(index)
        if not self._ahead.is_busy:
            self._read_ahead(index)
        return DecodedFrame(index, self.times.time_of(index), found.frame, self.index.canvas, damaged=found.damaged)

    def close(self) -> None:
        """Release the file and the kept pictures."""
        self._ahead.stop()
        self._behind.stop()
        self._kept.clear()
        self._decoder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _gather(self) -> None:
        for found in self._ahead.take_decoded():
            self._keep(found)
        for found in self._behind.take_decoded():
            if found.frame is not None:
                self._keep(found)

    def _read_ahead(self, index: int) -> None:
        """Let the decoder go on where it stands soon after a position."""
        here = self._decoder.position
        stop = min(index + 1 + self._stretch, len(self.index))
        if index < here <= index + self._stretch // 2 and here < stop:
            self._ahead.start(range(here, stop), nullcontext(self._decoder))

    def _read_behind(self, index: int) -> None:
        """Start on what lies before the pictures that are kept, once few of those are left before a position."""
        lowest = index
        while lowest - 1 in self._kept:
            lowest -= 1
        if lowest and index - lowest < self._stretch // 2:
            first = max(0, lowest - self._stretch)
            self._behind.start(range(first, lowest), decoder_at(self._path, self.index, first))

    def _decode(self, index: int) -> DecodedPosition:
        key = self.index.keyframe_number(index)
        found = self._decode_forward(index, key)
        if found.frame is None:
            # A keyframe that cannot really be started from: go one further back before giving up.
            found = self._decode_forward(index, max(0, key - 1))
        self._keep(found)
        return found

    def _decode_forward(self, index: int, key: int) -> DecodedPosition:
        decoder = self._decoder
        first = max(self.times.frame_at(self.times.time_of(index) - _BEHIND_US), index - self._most // 2)
        if not int(self.index.keyframes[key]) <= decoder.position <= index:
            decoder.restart(key)
            decoder.skip_to(first)
        elif index - decoder.position > _NEAR:
            decoder.skip_to(index - _TAIL)
        while True:
            found = decoder.next()
            if found is None:
                return DecodedPosition(index, None, True)
            if found.index >= first:
                self._keep(found)
            if found.index >= index:
                return found

    def _keep(self, found: DecodedPosition) -> None:
        self._kept[found.index] = found
        if len(self._kept) > self._most:
            del self._kept[max(self._kept, key=lambda position: abs(position - self._last))]
