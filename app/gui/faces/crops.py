"""Small pictures of faces, decoded in a thread of their own. They are kept in memory only: none is left on disk."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.gui.background import Background
from app.gui.faces.cards import Crop
from media.cache import cache_folder
from project.progress import Progress

_AT_ONCE = 6
_SIDE = 120


class Crops(QObject):
    """Answers the newest requests first, so that what is in sight comes before what was scrolled past.

    Signals:
        ready (str, list[QImage]): key, and its pictures in the order they were asked for; a null one where a frame
            cannot be decoded.
    """

    ready = Signal(str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background(self, threads=1)
        self._path: Path | None = None
        self._waiting: dict[str, tuple[Crop, ...]] = {}
        self._busy = False

    def open(self, path: Path | None) -> bool:
        """Take pictures from another file; returns whether those of one before have to be asked for anew.

        What is asked for while there is no file waits for one.
        """
        if path == self._path:
            return False
        left = self._path is not None
        if left:
            self._waiting.clear()
            self._background.forget()
            self._busy = False
        self._path = path
        self._next()
        return left

    def request(self, key: str, crops: Sequence[Crop]) -> None:
        """Ask for the pictures of a face."""
        self._waiting.pop(key, None)
        self._waiting[key] = tuple(crops)
        self._next()

    def close(self) -> None:
        """End the thread."""
        self._waiting.clear()
        self._background.close()

    def _next(self) -> None:
        if self._busy or self._path is None or not self._waiting:
            return
        keys = [*self._waiting][-_AT_ONCE:]
        wanted = {key: self._waiting.pop(key) for key in keys}
        path = self._path
        self._busy = True
        self._background.run_confined(
            lambda progress: _decoded(path, wanted, progress), self._deliver, lambda _e: self._fail()
        )

    def _deliver(self, found: Mapping[str, Sequence[QImage]]) -> None:
        self._busy = False
        for key, images in found.items():
            self.ready.emit(key, images)
        self._next()

    def _fail(self) -> None:
        self._busy = False
        self._next()


def _decoded(path: Path, wanted: Mapping[str, Sequence[Crop]], progress: Progress) -> dict[str, list[QImage]]:
    from media.frames import FrameReader
    from media.index import load_index

    found = {key: [QImage()] * len(crops) for key, crops in wanted.items()}
    order = sorted((crop.frame, key, place) for key, crops in wanted.items() for place, crop in enumerate(crops))
    with FrameReader(path, load_index(path, cache_folder()), memory=0) as reader:
        frame, image = -1, np.zeros((0, 0, 3), np.uint8)
        for position, key, place in order:
            progress.check_cancelled()
            if position >= len(reader.index):
                continue
            if position != frame:
                frame, image = position, reader.picture_at(position).image
            found[key][place] = _cut(image, wanted[key][place])
    return found


def _cut(image: NDArray[np.uint8], crop: Crop) -> QImage:
    height, width = image.shape[:2]
    left, top = max(0, crop.x), max(0, crop.y)
    part = image[top : max(top, min(height, crop.y + crop.side)), left : max(left, min(width, crop.x + crop.side))]
    if not part.size:
        return QImage()
    square = np.zeros((crop.side, crop.side, 3), np.uint8)
    square[top - crop.y : top - crop.y + part.shape[0], left - crop.x : left - crop.x + part.shape[1]] = part
    step = max(1, crop.side // _SIDE)
    small = np.ascontiguousarray(square[::step, ::step])
    rows, columns = small.shape[:2]
    return QImage(small.data, columns, rows, columns * 3, QImage.Format.Format_RGB888).copy()
