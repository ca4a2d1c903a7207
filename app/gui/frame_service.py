"""Exact frames from a thread of its own: of many requests only the latest is answered."""

import logging
import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from media.cache import cache_folder
from project.errors import UserError
from project.progress import Silent

_log = logging.getLogger(__name__)


class FrameService(QObject):
    """Opens one file at a time, indexes it, and decodes the frames that are asked for.

    The decoder lives in the thread and never leaves it. While nothing is asked for, the reader decodes ahead by
    itself, so that the next step is answered at once.

    Signals:
        opened: (generation, FrameTimes) the index of the file is there.
        failed: (generation, UserError) the file has no picture or cannot be read.
        ready: (generation, frame index, time_us, QImage) the frame that was asked for last.
    """

    opened = Signal(int, object)
    failed = Signal(int, object)
    ready = Signal(int, int, object, QImage)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wake = threading.Condition()
        self._path: Path | None = None
        self._generation = 0
        self._wanted: int | None = None
        self._closing = False
        self._thread: threading.Thread | None = None

    def open(self, path: Path | None) -> int:
        """Change to another file, or to none; return the generation that its signals carry."""
        with self._wake:
            self._generation += 1
            self._path = path
            self._wanted = None
            if self._thread is None and path is not None:
                self._thread = threading.Thread(target=self._run, name="frames", daemon=True)
                self._thread.start()
            self._wake.notify()
            return self._generation

    def request_time(self, time_us: int) -> None:
        """Ask for the frame on screen at a time; replaces a request that is still waiting."""
        with self._wake:
            self._wanted = time_us
            self._wake.notify()

    def close(self) -> None:
        """End the thread."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        generation = 0
        while not self._closing:
            generation, path = self._newest(generation)
            if path is None:
                continue
            try:
                self._serve(generation, path)
            except UserError as error:
                self.failed.emit(generation, error)
            except Exception as error:
                _log.exception("The frames of %s could not be read", path)
                self.failed.emit(generation, UserError(f"The picture cannot be read: {error}"))

    def _newest(self, served: int) -> tuple[int, Path | None]:
        with self._wake:
            self._wake.wait_for(lambda: self.replaced(served))
            return self._generation, None if self._closing else self._path

    def _serve(self, generation: int, path: Path) -> None:
        from media.frames import FrameReader
        from media.index import load_index

        watch = _StopsWhenReplaced(self, generation)
        try:
            index = load_index(path, cache_folder(), watch)
        except _Replaced:
            return
        with FrameReader(path, index) as reader:
            self.opened.emit(generation, reader.times)
            while True:
                wanted = self._next(generation)
                if wanted is None:
                    return
                frame = reader.at_time(wanted)
                height, width = frame.image.shape[:2]
                image = QImage(frame.image.tobytes(), width, height, width * 3, QImage.Format.Format_RGB888).copy()
                self.ready.emit(generation, frame.index, frame.time_us, image)

    def _next(self, generation: int) -> int | None:
        """Wait for the newest request, a time; None when another file is wanted."""
        with self._wake:
            self._wake.wait_for(lambda: self.replaced(generation) or self._wanted is not None)
            if self.replaced(generation):
                return None
            wanted, self._wanted = self._wanted, None
            return wanted

    def replaced(self, generation: int) -> bool:
        """Whether another file is wanted by now, or none."""
        return self._closing or self._generation != generation


class _Replaced(Exception):
    pass


class _StopsWhenReplaced(Silent):
    def __init__(self, service: FrameService, generation: int) -> None:
        self._service = service
        self._generation = generation

    def check_cancelled(self) -> None:
        if self._service.replaced(self._generation):
            raise _Replaced
