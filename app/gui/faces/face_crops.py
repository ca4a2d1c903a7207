"""Builds the cards and boxes of a recording's faces, and decodes thumbnails in a thread.

Thumbnails stay in memory and are never written to disk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from anonymize.faces.face_review import is_undecided
from anonymize.masking.mask_coverage import CertaintySpan
from app.gui.faces.face_cards import CardState, FaceCard
from app.gui.study.background import BackgroundPool
from project.entities.face_regions import Region, RegionKind
from project.entities.study_records import FaceTrack, Participant
from project.files.temporary_files import cache_folder
from project.progress import Progress
from resources.translation import tr
from widgets.player.player_view import FaceState

_REGION_NAMES = {
    RegionKind.FACE: tr("Drawn face"),
    RegionKind.AREA: tr("Area"),
    RegionKind.NOTHING: tr("Nothing to hide"),
}
_REGION_STATES = {
    RegionKind.FACE: CardState.DRAWN,
    RegionKind.AREA: CardState.AREA,
    RegionKind.NOTHING: CardState.NOTHING,
}
_REGION_LOOKS = {RegionKind.FACE: None, RegionKind.AREA: FaceState.AREA, RegionKind.NOTHING: FaceState.NOTHING}
_CROP_FACTOR = 1.25


@dataclass(frozen=True, slots=True)
class ThumbnailCrop:
    """A square to cut from a frame: its position, and x, y, side in pixels; it may reach outside of the picture."""

    frame: int
    x: int
    y: int
    side: int


def build_cards(
    tracks: Sequence[FaceTrack],
    regions: Sequence[Region],
    people: Mapping[str, Participant],
    waiting: Sequence[CertaintySpan],
    frame_us: int,
) -> list[FaceCard]:
    """Return a card for each found track, then for each region."""
    places: dict[str, list[int]] = {}
    for rank, certainty_span in enumerate(waiting):
        places.setdefault(certainty_span.track_id or "", []).append(rank)
    cards = [
        FaceCard(
            face_track.id,
            tr("Face {number}").format(number=number),
            _track_state(face_track),
            int(face_track.times_us[0]),
            int(face_track.times_us[-1] - face_track.times_us[0]) + frame_us,
            float(face_track.scores.max()),
            *_person_of(people, face_track.participant_id),
            len(places.get(face_track.id, ())),
            places.get(face_track.id, [1 << 30])[0],
        )
        for number, face_track in enumerate(tracks, 1)
        if len(face_track.frames)
    ]
    cards += [
        FaceCard(
            region.id,
            region.label or _REGION_NAMES[region.kind],
            _REGION_STATES[region.kind],
            region.start_us,
            region.end_us - region.start_us,
            None,
            *_person_of(people, region.participant_id),
            len(places.get(region.id, ())),
            places.get(region.id, [1 << 30])[0],
            is_drawn=True,
        )
        for region in regions
    ]
    return cards


def region_styles(regions: Sequence[Region]) -> dict[str, tuple[str, FaceState | None]]:
    """Return region id -> its name on the picture, and how its box looks where it is no face."""
    return {region.id: (region.label or _REGION_NAMES[region.kind], _REGION_LOOKS[region.kind]) for region in regions}


def track_crops(track: FaceTrack) -> tuple[ThumbnailCrop, ThumbnailCrop, ThumbnailCrop]:
    """Return what shows a track: its best, its worst and its last frame."""
    ends = (int(track.scores.argmax()), int(track.scores.argmin()), len(track.frames) - 1)
    if track.scores.min() == track.scores.max():
        ends = (0, len(track.frames) // 2, len(track.frames) - 1)
    best, worst, last = (_track_crop(track, at) for at in ends)
    return best, worst, last


def _track_crop(track: FaceTrack, at: int) -> ThumbnailCrop:
    x, y, width, height = np.asarray(track.boxes[at], np.float64).tolist()
    side = max(8.0, _CROP_FACTOR * max(width, height))
    return ThumbnailCrop(
        int(track.frames[at]), round(x + (width - side) / 2), round(y + (height - side) / 2), max(1, round(side))
    )


def _track_state(track: FaceTrack) -> CardState:
    if track.dismissed:
        return CardState.DISMISSED
    if not is_undecided(track):
        return CardState.ASSIGNED
    return CardState.DOUBTFUL if track.is_doubtful else CardState.UNDECIDED


def _person_of(people: Mapping[str, Participant], participant_id: str | None) -> tuple[str, str | None]:
    who = people.get(participant_id or "")
    return (who.pseudonym, who.id) if who is not None else ("", None)


_BATCH_SIZE = 6
_CROP_PX = 120


class Crops(QObject):
    """Answers the newest requests first, so that what is in sight comes before what was scrolled past.

    Signals:
        ready (str, list[QImage]): key, and its pictures in the order they were asked for; a null one where a frame
            cannot be decoded.
    """

    ready = Signal(str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = BackgroundPool(self, threads=1)
        self._path: Path | None = None
        self._waiting: dict[str, tuple[ThumbnailCrop, ...]] = {}
        self._busy = False

    def set_source(self, path: Path | None) -> bool:
        """Take pictures from another file; returns whether those of one before have to be asked for again.

        What is asked for while there is no file waits for one.
        """
        if path == self._path:
            return False
        left = self._path is not None
        if left:
            self._waiting.clear()
            self._background.cancel_all()
            self._busy = False
        self._path = path
        self._decode_next()
        return left

    def request(self, key: str, crops: Sequence[ThumbnailCrop]) -> None:
        """Ask for the pictures of a face."""
        self._waiting.pop(key, None)
        self._waiting[key] = tuple(crops)
        self._decode_next()

    def close(self) -> None:
        """End the thread."""
        self._waiting.clear()
        self._background.close()

    def _decode_next(self) -> None:
        if self._busy or self._path is None or not self._waiting:
            return
        keys = [*self._waiting][-_BATCH_SIZE:]
        wanted = {key: self._waiting.pop(key) for key in keys}
        path = self._path
        self._busy = True
        self._background.run_confined(
            lambda progress: _decode_crops(path, wanted, progress), self._deliver, lambda _e: self._fail()
        )

    def _deliver(self, found: Mapping[str, Sequence[QImage]]) -> None:
        self._busy = False
        for key, images in found.items():
            self.ready.emit(key, images)
        self._decode_next()

    def _fail(self) -> None:
        self._busy = False
        self._decode_next()


def _decode_crops(
    path: Path, wanted: Mapping[str, Sequence[ThumbnailCrop]], progress: Progress
) -> dict[str, list[QImage]]:
    from media.exact_frames import FrameReader
    from media.frame_index import load_index

    found = {key: [QImage()] * len(crops) for key, crops in wanted.items()}
    order = sorted((crop.frame, key, place) for key, crops in wanted.items() for place, crop in enumerate(crops))
    with FrameReader(path, load_index(path, cache_folder()), memory=0) as reader:
        frame, image = -1, np.zeros((0, 0, 3), np.uint8)
        for position, key, place in order:
            progress.check_cancelled()
            if position >= len(reader.index):
                continue
            if position != frame:
                frame, image = position, reader.frame_at(position).image
            found[key][place] = _crop_image(image, wanted[key][place])
    return found


def _crop_image(image: NDArray[np.uint8], crop: ThumbnailCrop) -> QImage:
    height, width = image.shape[:2]
    left, top = max(0, crop.x), max(0, crop.y)
    part = image[top : max(top, min(height, crop.y + crop.side)), left : max(left, min(width, crop.x + crop.side))]
    if not part.size:
        return QImage()
    square = np.zeros((crop.side, crop.side, 3), np.uint8)
    square[top - crop.y : top - crop.y + part.shape[0], left - crop.x : left - crop.x + part.shape[1]] = part
    step = max(1, crop.side // _CROP_PX)
    small = np.ascontiguousarray(square[::step, ::step])
    rows, columns = small.shape[:2]
    return QImage(small.data, columns, rows, columns * 3, QImage.Format.Format_RGB888).copy()
