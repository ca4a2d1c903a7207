"""Decoding what may be asked for next in a thread, while nobody waits."""

from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Thread

import av

from media.decoding import Decoded, Decoder
from media.index import FrameIndex
from project.errors import UserError


class Background:
    """Decodes one stretch of positions at a time. Whatever fails is left to whoever asks for it next."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stretch = range(0)
        self._thread: Thread | None = None
        self._found: deque[Decoded] = deque()
        self._stopped = False

    @property
    def busy(self) -> bool:
        """Whether a stretch is under way."""
        return self._thread is not None and self._thread.is_alive()

    def __contains__(self, position: int) -> bool:
        return position in self._stretch

    def start(self, stretch: range, decoder: AbstractContextManager[Decoder]) -> None:
        """Begin with a stretch, in place of what was under way.

        Args:
            stretch: ascending positions.
            decoder: stands at or before the first of them once entered. Nobody else uses it until the stretch is
                done or stopped.
        """
        self.stop()
        self._stretch = stretch
        self._stopped = False
        self._thread = Thread(target=self._run, args=(stretch, decoder), name=self._name)
        self._thread.start()

    def found(self) -> Iterator[Decoded]:
        """Hand over what was decoded by now, each picture once."""
        while self._found:
            yield self._found.popleft()

    def wait(self) -> None:
        """Wait until the stretch is done."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def stop(self) -> None:
        """End after the picture that is being decoded."""
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


@contextmanager
def decoder_at(path: Path, index: FrameIndex, position: int) -> Iterator[Decoder]:
    """Open a decoder that gives whole pictures from a position on."""
    decoder = Decoder(path, index)
    try:
        decoder.restart(index.key_of(position))
        decoder.skip_to(position)
        yield decoder
    finally:
        decoder.close()
