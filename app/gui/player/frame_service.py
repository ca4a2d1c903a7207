"""Decodes exact frames in a thread of its own. Of several pending requests only the latest is answered."""

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from models.connection.network_sandbox import refuse_network
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.progress import Silent
from resources.translation import tr

if TYPE_CHECKING:
    from media.picture import DecodedFrame

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

    def __init__(self, parent: QObject | None = None, memory: int = 256 << 20) -> None:
        """Make a service; `memory` bounds the pictures that it keeps, in bytes."""
        super().__init__(parent)
        self._memory = memory
        self._wake = threading.Condition()
        self._path: Path | None = None
        self._generation = 0
        self._wanted: tuple[int, int] | None = None
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

    def request_time(self, time_us: int, longest: int = 0) -> None:
        """Ask for the frame on screen at a time; replaces a request that is still waiting.

        With `longest` the picture comes made smaller, no side longer than that, which is quicker while playing.
        """
        with self._wake:
            self._wanted = (time_us, longest)
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
        # FFmpeg reads a stranger's file here.
        refuse_network(local_sockets=False)
        generation = 0
        while not self._closing:
            generation, path = self._await_file(generation)
            if path is None:
                continue
            try:
                self._serve(generation, path)
            except UserError as error:
                self.failed.emit(generation, error)
            except Exception as error:
                _log.exception("The frames of %s could not be read", path)
                self.failed.emit(
                    generation,
                    UserError(
                        tr("The picture cannot be read: {error}").format(error=error),
                        tr("Check that the file is complete and in its place."),
                    ),
                )

    def _await_file(self, served: int) -> tuple[int, Path | None]:
        with self._wake:
            self._wake.wait_for(lambda: self.is_replaced(served))
            return self._generation, None if self._closing else self._path

    def _serve(self, generation: int, path: Path) -> None:
        from media.exact_frames import FrameReader
        from media.frame_index import load_index

        watch = _StopsWhenReplaced(self, generation)
        try:
            index = load_index(path, cache_folder(), watch)
        except _Replaced:
            return
        with FrameReader(path, index, memory=self._memory) as reader:
            self.opened.emit(generation, reader.times)
            while True:
                wanted = self._await_request(generation)
                if wanted is None:
                    return
                time_us, longest = wanted
                picture = reader.frame_at(reader.times.frame_at(time_us))
                self.ready.emit(generation, picture.index, picture.time_us, _to_qimage(picture, longest))

    def _await_request(self, generation: int) -> tuple[int, int] | None:
        """Wait for the newest request, a time and a longest side; None when another file is wanted."""
        with self._wake:
            self._wake.wait_for(lambda: self.is_replaced(generation) or self._wanted is not None)
            if self.is_replaced(generation):
                return None
            wanted, self._wanted = self._wanted, None
            return wanted

    def is_replaced(self, generation: int) -> bool:
        """Whether another file is wanted by now, or none."""
        return self._closing or self._generation != generation


def _to_qimage(picture: "DecodedFrame", longest: int) -> QImage:
    if longest:
        pixels, form = picture.preview(longest), QImage.Format.Format_RGB32
    else:
        pixels, form = picture.image, QImage.Format.Format_RGB888
    height, width, depth = pixels.shape
    return QImage(pixels.data, width, height, width * depth, form).copy()


class _Replaced(Exception):
    pass


class _StopsWhenReplaced(Silent):
    def __init__(self, service: FrameService, generation: int) -> None:
        self._service = service
        self._generation = generation

    def check_cancelled(self) -> None:
        if self._service.is_replaced(self._generation):
            raise _Replaced
