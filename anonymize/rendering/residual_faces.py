"""Detects faces that remain in a rendering."""

import math
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.masking.masks import MIN_MARGIN, FaceMask
from media.decoding import iterate_frames, map_ahead
from media.frame_index import load_index
from media.picture import DecodedFrame, FrameGeometry
from models.boxes import iou
from models.faces.detector_ensemble import merge, search_faces
from models.faces.face_detectors import Detections, FaceDetector
from project.entities.face_regions import Region, RegionKind
from project.entities.study_records import FaceTrack
from project.progress import Progress, Silent

MIN_SCORE = 0.5
MIN_OVERLAP = 0.3
# How far a rendering's time stamps may be from the source's, and a track may reach past its ends.
_SLACK_US = 20_000
_MAX_PARALLEL_PIXELS = 4_000_000


# A hit of which this share lies under masks, or in a region that a person dismissed, needs no second look.
_MIN_HIDDEN_SHARE = 0.9


class ResidualFaceStatus(StrEnum):
    """What a hit means; where several would do, the first."""

    FACE_LEFT = "face left"
    """It lies on a face that should be hidden."""
    REPLACED = "replaced"
    """It lies on a face in whose place the method drew another."""
    EXEMPT = "exempt"
    """It lies on a face that may stay visible."""
    COVERED = "covered"
    """It lies on no track, but under masks."""
    DISMISSED = "dismissed"
    """It lies on a track, or in a region, of which somebody said that there is nothing to hide."""
    DOUBTFUL = "doubtful"
    """A person has to look."""


@dataclass(frozen=True, slots=True)
class ResidualFace:
    """Something that looks like a face in a rendering.

    Attributes:
        time_us: on the axis of the source recording.
        box: x, y, width, height in pixels.
        score: the detector's confidence.
        finding: what it means.
        track_id: of the source track that it lies on; None where it lies on none.
    """

    time_us: int
    box: tuple[float, float, float, float]
    score: float
    finding: ResidualFaceStatus
    track_id: str | None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What the check of a rendering found.

    Attributes:
        frames: how many frames were looked at: all of the rendering.
        hits: what was found, in order of time.
        unreadable_us: times of frames of the rendering that could not be decoded whole.
    """

    frames: int
    hits: tuple[ResidualFace, ...]
    unreadable_us: tuple[int, ...]

    @property
    def faces_left(self) -> list[int]:
        """Times of frames with a face that should be hidden, in microseconds on the recording's axis."""
        return self._times(ResidualFaceStatus.FACE_LEFT)

    @property
    def doubtful(self) -> list[int]:
        """Times of frames that a person should look at; unreadable ones count."""
        return sorted({*self._times(ResidualFaceStatus.DOUBTFUL), *self.unreadable_us})

    @property
    def exempt(self) -> list[int]:
        """Times of frames in which a face is visible that may be."""
        return self._times(ResidualFaceStatus.EXEMPT)

    def _times(self, finding: ResidualFaceStatus) -> list[int]:
        return sorted({hit.time_us for hit in self.hits if hit.finding is finding})


def check_rendering(
    rendering: Path,
    tracks: Sequence[FaceTrack],
    detector: FaceDetector,
    *,
    exempt: Collection[str] = frozenset(),
    replaced: bool = False,
    regions: Sequence[Region] = (),
    source: FrameGeometry | None = None,
    start_us: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> CheckResult:
    """Run a face detector over every frame of a rendering and compare what it finds with the source's tracks.

    A hit with a score of at least 0.5 that overlaps a source track of that frame by an IoU of at least 0.3 is a
    face left; where the method draws other faces, it is a replaced one. On an exempt track it is exempt; on both it is
    a face left. On a track that somebody dismissed it is dismissed, and so is one of which nine tenths lie in a region
    that somebody marked as nothing. One of which nine tenths lie under masks is covered. Anywhere else it is doubtful.
    Hits with lower scores are left aside: on the test recordings most of them are things, and a face that is hidden
    badly scores higher.

    Every frame is looked at, large ones first at half their size and around the tracks; see
    `models.faces.detector_ensemble`. Where the source's pixels are not square, each frame is also looked at as it is
    stored: where a file gives a wrong aspect, that shows the faces.

    Args:
        rendering: the clip.
        tracks: of the source, all of them.
        detector: best the one that found the tracks.
        exempt: ids of tracks that stay visible.
        replaced: whether the method draws other faces in the place of those that are hidden.
        regions: drawn by hand: areas count as masks, and hits in what is marked as nothing are dismissed.
        source: shape of the source's stored pictures; None where its pixels are square.
        start_us: where on the recording's axis the rendering's zero lies.
        workers: pictures that are looked at side by side; see `count_parallel_frames` when None.
        progress: told after every frame.
    """
    progress = progress or Silent()
    index = load_index(rendering, progress=progress)
    courses = [_TrackCourse(track, track.id in exempt, replaced) for track in tracks if len(track.frames)]
    hits: list[ResidualFace] = []
    unreadable: list[int] = []
    looks = FrameSearch(detector, source)

    def search(picture: DecodedFrame) -> tuple[DecodedFrame, Detections]:
        near = [box for _, box in _boxes_at_time(courses, picture.time_us + start_us)]
        return picture, looks.search(picture.image, near)

    workers = workers or count_parallel_frames(index.canvas.width, index.canvas.height)
    pictures = iterate_frames(rendering, index)
    for done, (picture, found) in enumerate(map_ahead(search, pictures, workers), 1):
        progress.check_cancelled()
        time_us = picture.time_us + start_us
        if picture.damaged:
            unreadable.append(time_us)
        here = _boxes_at_time(courses, time_us)
        drawn = [region for region in regions if region.is_active_at(time_us)]
        for box, score in zip(found.boxes, found.scores, strict=True):
            if score >= MIN_SCORE:
                hits.append(_classify_hit(box, float(score), time_us, here, drawn))
        progress.progress(done, len(index), "Looking for faces that are left")
    return CheckResult(len(index), tuple(hits), tuple(unreadable))


class FrameSearch:
    """Looks for faces in a frame as it is shown, and as it is stored where its pixels are not square."""

    def __init__(self, detector: FaceDetector, source: FrameGeometry | None = None) -> None:
        self._detector = detector
        turned = source is not None and source.rotation % 180 != 0
        aspect = 1.0 if source is None else float(source.pixel_aspect)
        self._aspect = (1.0, aspect) if turned else (aspect, 1.0)

    def search(self, image: NDArray[np.uint8], near: Sequence[NDArray[np.float64]]) -> Detections:
        """Return the faces of an HxWx3 RGB picture, known to be near some boxes."""
        shown = search_faces(self._detector, image, near, MIN_SCORE)
        if self._aspect == (1.0, 1.0):
            return shown
        height, width = image.shape[:2]
        size = max(1, round(width / self._aspect[0])), max(1, round(height / self._aspect[1]))
        scale = np.array([width / size[0], height / size[1]] * 2, np.float32)
        stored = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        found = search_faces(self._detector, stored, [box / scale for box in near], MIN_SCORE)
        return merge([shown, Detections(found.boxes * scale, found.scores, None)], MIN_SCORE)


def count_parallel_frames(width: int, height: int) -> int:
    """Return how many pictures of a size are looked at at once: one a processor, as far as memory is bounded.

    A search of 1920x1080 at full size takes CenterFace about 320 MB.
    """
    return max(1, min(os.cpu_count() or 1, _MAX_PARALLEL_PIXELS // max(1, width * height)))


class _TrackCourse:
    """Where the face of a track is at any time, also between its frames."""

    def __init__(self, track: FaceTrack, exempt: bool, replaced: bool) -> None:
        self.track_id = track.id
        self.finding = (
            ResidualFaceStatus.EXEMPT
            if exempt
            else ResidualFaceStatus.REPLACED
            if replaced
            else ResidualFaceStatus.FACE_LEFT
        )
        if track.dismissed:
            self.finding = ResidualFaceStatus.DISMISSED
        self._times = np.asarray(track.times_us, np.float64)
        self._boxes = np.asarray(track.boxes, np.float64)

    def box_at(self, time_us: int) -> NDArray[np.float64] | None:
        if not self._times[0] - _SLACK_US <= time_us <= self._times[-1] + _SLACK_US:
            return None
        return np.array([np.interp(time_us, self._times, column) for column in self._boxes.T])


def _boxes_at_time(courses: Sequence[_TrackCourse], time_us: int) -> list[tuple[_TrackCourse, NDArray[np.float64]]]:
    return [(course, box) for course in courses if (box := course.box_at(time_us)) is not None]


def _classify_hit(
    box: NDArray[np.floating],
    score: float,
    time_us: int,
    here: Sequence[tuple[_TrackCourse, NDArray[np.float64]]],
    drawn: Sequence[Region],
) -> ResidualFace:
    shape = (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
    under = [(iou(box, other), course) for course, other in here]
    under = [pair for pair in sorted(under, key=lambda pair: -pair[0]) if pair[0] >= MIN_OVERLAP]
    for finding in ResidualFaceStatus:
        for _, course in under:
            if course.finding is finding:
                return ResidualFace(time_us, shape, score, finding, course.track_id)
    if _hidden_share(box, _boxes(drawn, RegionKind.NOTHING, time_us), []) >= _MIN_HIDDEN_SHARE:
        return ResidualFace(time_us, shape, score, ResidualFaceStatus.DISMISSED, None)
    hidden = [
        (course, at)
        for course, at in here
        if course.finding in (ResidualFaceStatus.FACE_LEFT, ResidualFaceStatus.REPLACED)
    ]
    if _hidden_share(box, _boxes(drawn, RegionKind.AREA, time_us), hidden) >= _MIN_HIDDEN_SHARE:
        return ResidualFace(time_us, shape, score, ResidualFaceStatus.COVERED, None)
    return ResidualFace(time_us, shape, score, ResidualFaceStatus.DOUBTFUL, None)


def _boxes(regions: Sequence[Region], kind: RegionKind, time_us: int) -> list[NDArray[np.float64]]:
    return [region.boxes_at(np.array([time_us]))[0] for region in regions if region.kind is kind]


def _hidden_share(
    box: NDArray[np.floating],
    rectangles: Sequence[NDArray[np.float64]],
    faces: Sequence[tuple[_TrackCourse, NDArray[np.float64]]],
) -> float:
    """Return which share of a box lies in rectangles or under the smallest masks that faces can have."""
    x, y, width, height = (round(float(v)) for v in box)
    if width < 1 or height < 1:
        return 0.0
    alpha = np.zeros((height, width), np.uint8)
    for left, top, across, down in rectangles:
        rows = slice(max(0, math.ceil(top - y)), max(0, math.floor(top + down - y)))
        columns = slice(max(0, math.ceil(left - x)), max(0, math.floor(left + across - x)))
        alpha[rows, columns] = 255
    for course, at in faces:
        ellipse = np.concatenate([at[:2] + at[2:] / 2 - (x, y), at[2:] * (MIN_MARGIN - 0.5)])
        area = FaceMask(course.track_id, float(at[2]), at, ellipse[None], 0.0).draw_area(width, height)
        if area is not None:
            rows, columns = (slice(at, at + size) for at, size in zip((area.y, area.x), area.alpha.shape, strict=True))
            np.maximum(alpha[rows, columns], area.alpha, out=alpha[rows, columns])
    return float((alpha == 255).mean())
