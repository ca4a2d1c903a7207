"""Observes each frame of a rendering beside the same frame of its source, and keeps compact rows of each face.

It also measures flicker that the source does not have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.masking.masks import MaskOptions, MaskSet, covered_share
from anonymize.measures.frame_measures import (
    MIN_OVERLAP,
    MIN_SCORE,
    Tools,
    interocular_distance,
    match_detections,
    normalized_error,
)
from anonymize.measures.privacy_report import MeasuredValue
from media.picture import DecodedFrame
from models.boxes import iou_matrix
from models.faces.landmarks import face_signals
from models.faces.landmarks.landmark_finders import LandmarkFinder, Landmarks
from models.flow.flow_consistency import warp
from models.flow.optical_flow import Flow, Picture
from project.entities.face_regions import Region, RegionKind
from project.entities.study_records import FaceTrack
from project.plugins.option_limits import check_limits, limited_field

SIGNALS = (
    *("mouth", "eye", "brow", "yaw", "pitch", "roll"),
    *("iris_left_x", "iris_left_y", "iris_right_x", "iris_right_y"),
)
"""Columns of the signals that are read from landmarks; NaN where a model has none."""
NO_SIGNALS = np.full(len(SIGNALS), np.nan, np.float32)

Signals = NDArray[np.float32]


@dataclass(slots=True, eq=False)
class FaceObservation:
    """One face in one frame.

    Attributes:
        track: position of its track among those that are hidden.
        look: position of the frame among those that are looked at.
        time_us: on the recording's axis.
        covered: share of its box that the masks hide.
        in_source: whether the detector finds it in the source; None without a detector.
        in_clip: whether it finds it in the clip.
        measured: `Tools.landmarks` found points in the source.
        visible: there is a face in the clip that points can lie on.
        error: normalized mean error of its landmarks; NaN where one side has none.
        source: (10,) of `SIGNALS` in the source.
        clip: (10,) the same in the clip.
        driver_source: (10,) of `Tools.driver` in the source.
        driver_clip: (10,) the same in the clip.
        flicker: sums of warp errors in the source and in the clip, and how many pixels they are over.
        raw: for each embedder, (d,) of the source; empty where it was not embedded.
        anonymous: the same of the clip.
        veiled: the same of the clip, with all that is outside the mask painted grey.
    """

    track: int
    look: int
    time_us: int
    covered: float
    in_source: bool | None = None
    in_clip: bool | None = None
    measured: bool = False
    visible: bool = False
    error: float = float("nan")
    source: Signals = field(default_factory=lambda: NO_SIGNALS)
    clip: Signals = field(default_factory=lambda: NO_SIGNALS)
    driver_source: Signals = field(default_factory=lambda: NO_SIGNALS)
    driver_clip: Signals = field(default_factory=lambda: NO_SIGNALS)
    flicker: tuple[float, float, int] = (0.0, 0.0, 0)
    raw: tuple[NDArray[np.float32], ...] = ()
    anonymous: tuple[NDArray[np.float32], ...] = ()
    veiled: tuple[NDArray[np.float32], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class FrameObservation:
    """What one frame showed.

    Attributes:
        time_us: of the frame, on the recording's axis.
        sightings: of the faces on tracks.
        strays: covered shares of faces that only the detector found in the source.
    """

    time_us: int
    sightings: tuple[FaceObservation, ...]
    strays: tuple[float, ...]


@dataclass(slots=True, eq=False)
class FrameObservations:
    """Everything that was seen.

    Attributes:
        end_us: when the last of the frames stops standing for others.
        times_us: of the frames that were looked at, on the recording's axis.
        sightings: of faces on tracks, in order of time.
        strays: look and covered share of faces that only the detector found in the source.
    """

    end_us: int
    times_us: list[int] = field(default_factory=list)
    sightings: list[FaceObservation] = field(default_factory=list)
    strays: list[tuple[int, float]] = field(default_factory=list)

    def add(self, look: FrameObservation) -> None:
        """Take what the next frame showed."""
        self.strays += [(len(self.times_us), covered) for covered in look.strays]
        self.times_us.append(look.time_us)
        self.sightings += look.sightings


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRendering:
    """A recording and a rendering of it.

    Attributes:
        start_us: where on the recording's axis the clip's zero lies.
        tracks: every face that is known in the recording, as it was when the clip was rendered.
        replaces: whether the method draws another face in the place of the one that it hides.
        identities: track id -> who that is: a pseudonym, or the track's id where nobody was named.
        named: ids of tracks of which somebody said who it is.
        exempt: ids of tracks that stay visible; nothing about them is measured.
        regions: drawn by hand: areas are hidden too, and in `nothing` there is no face.
        blanked_us: times of frames that were painted over wholly.
    """

    source: Path
    clip: Path
    start_us: int
    tracks: Sequence[FaceTrack]
    method: str
    replaces: bool = False
    identities: Mapping[str, str] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    exempt: frozenset[str] = frozenset()
    regions: Sequence[Region] = ()
    blanked_us: frozenset[int] = frozenset()
    masks: MaskOptions = field(default_factory=MaskOptions)

    def identity(self, track_id: str) -> str:
        """Return who the face of a track is."""
        return self.identities.get(track_id, track_id)


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """How closely a rendering is looked at.

    Faces that are compared in excess of `most_embeddings` are spread evenly over the track.
    """

    looks_per_second: float = limited_field(3.0, 0.1, 240.0, "Looks a second", "How often the clip is looked at.")
    most_looks: int = limited_field(2_000, 1, 1_000_000, "Looks", "How often a clip is looked at, at most.")
    most_embeddings: int = limited_field(200, 2, 10_000, "Faces of a track", "How many faces of a track are compared.")
    least_width: int = limited_field(40, 8, 512, "Least face", "Narrower faces are not recognised or measured.")

    def __post_init__(self) -> None:
        check_limits(self)


# Forward-backward check: a pixel whose way there and back differs by more than this was hidden or left the picture
# (Sundaram, Brox and Keutzer, ECCV 2010, as Ruder et al. and Lai et al. use it).
_RELATIVE, _ABSOLUTE = 0.01, 0.5
_MOTION_RELATIVE, _MOTION_ABSOLUTE = 0.01, 0.002


def mutual_visibility(forward: Flow, backward: Flow) -> NDArray[np.bool_]:
    """Return (h, w), where a pixel of the first picture is seen in the second too, off the borders of motion.

    Not so where |f + b(x + f)|^2 > 0.01 (|f|^2 + |b|^2) + 0.5, where the flow leaves the picture, or where
    |grad f|^2 > 0.01 |f|^2 + 0.002.
    """
    height, width = forward.shape[:2]
    back = np.asarray(warp(backward, forward), np.float32)
    both = (forward**2).sum(-1) + (back**2).sum(-1)
    kept = ((forward + back) ** 2).sum(-1) <= _RELATIVE * both + _ABSOLUTE
    rows, columns = np.mgrid[:height, :width]
    x, y = forward[..., 0] + columns, forward[..., 1] + rows
    kept &= (x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)
    if min(height, width) > 1:
        bends = sum(np.gradient(forward[..., axis], axis=way) ** 2 for axis in (0, 1) for way in (0, 1))
        kept &= bends <= _MOTION_RELATIVE * (forward**2).sum(-1) + _MOTION_ABSOLUTE
    return np.asarray(kept, np.bool_)


def warp_error(first: Picture, second: Picture, forward: Flow, mask: NDArray[np.bool_]) -> tuple[float, int]:
    """Return sum M ||A_t - warp(A_t+1)||^2 over three channels of 0..1, and the number of pixels in M.

    Lai et al., "Learning Blind Video Temporal Consistency", ECCV 2018, section 4.2. Flow and mask are those of the raw
    clip for both the source and the rendering, so that both are held to the same motion. `first` and `second` are (h,
    w, 3), `forward` is (h, w, 2), `mask` (h, w).
    """
    apart = (first.astype(np.float32) - warp(second.astype(np.float32), forward)) / 255
    return float((apart**2).sum(-1)[mask].sum()), int(mask.sum())


def warp_ratio(raw: float, other: float, pixels: int) -> MeasuredValue:
    """Return how many times the error of the source the error of the rendering is; None where the source has none."""
    if not pixels:
        return MeasuredValue(None, 0, "No pixel could be followed from a frame to the next.")
    if raw <= 0:
        return MeasuredValue(None, pixels, "The source does not change from a frame to the next.")
    return MeasuredValue(other / raw, pixels)


Image = NDArray[np.uint8]
Boxes = NDArray[np.float32]
_GREY = 128
# Motion is followed in the box and this share of it on every side.
_WINDOW_MARGIN = 0.25
_MIN_WINDOW = 16
# Larger windows are reduced to this many pixels: flicker is not a matter of fine detail, and flow takes its time.
_MAX_WINDOW = 160
_ALL_HIDDEN = 255


@dataclass(frozen=True, slots=True, eq=False)
class FramePair:
    """One frame of the source and of the clip."""

    frame: int
    time_us: int
    raw: Image
    other: Image

    @classmethod
    def from_frames(cls, source: DecodedFrame, clip: DecodedFrame) -> "FramePair":
        """Convert both; afterwards they belong to nobody's thread."""
        return cls(source.index, source.time_us, source.image, clip.image)


class FrameObserver:
    """Looks at frames, also in several threads at once."""

    def __init__(
        self, subject: MeasuredRendering, tools: Tools, options: MeasureOptions, embedded: Mapping[int, frozenset[int]]
    ) -> None:
        """Prepare; `embedded` says for each position of a track in which frames of the source its face is embedded."""
        self._subject, self._tools, self._options = subject, tools, options
        self._embedded = embedded
        self._masks = MaskSet(subject.tracks, subject.masks, subject.exempt)
        self.hidden = hidden_tracks(subject)
        self._seen_tracks = [t for t in subject.tracks if t.dismissed or t.id in subject.exempt]

    def observe(self, look: int, now: FramePair, after: FramePair | None) -> FrameObservation:
        """Look at the frame of a look, and at the one that follows; None after the last."""
        here = [(k, box) for k, track in enumerate(self.hidden) if (box := _box_at(track, now.frame)) is not None]
        alpha = self._alpha(now)
        boxes = np.array([box for _, box in here], np.float32).reshape(-1, 4)
        sightings = [
            FaceObservation(track, look, now.time_us, covered_share(alpha, box))
            for (track, _), box in zip(here, boxes, strict=True)
        ]
        strays = self._detect(now, boxes, sightings, alpha)
        large = [k for k, box in enumerate(boxes) if box[2] >= self._options.least_width]
        chosen = [sightings[k] for k in large]
        self._measure(now, alpha, boxes[large], chosen)
        if after is not None:
            for box, face in zip(boxes[large], chosen, strict=True):
                face.flicker = self._flicker(now, after, box)
        return FrameObservation(now.time_us, tuple(sightings), tuple(strays))

    def _alpha(self, now: FramePair) -> Image:
        height, width = now.raw.shape[:2]
        if now.time_us in self._subject.blanked_us:
            return np.full((height, width), _ALL_HIDDEN, np.uint8)
        alpha = self._masks.draw_alpha(now.frame, width, height)
        for region in self._subject.regions:
            if region.kind is RegionKind.AREA and region.is_active_at(now.time_us):
                x, y, w, h = region.boxes_at(np.array([now.time_us]))[0]
                left, top = max(0, round(x)), max(0, round(y))
                alpha[top : max(0, round(y + h)), left : max(0, round(x + w))] = _ALL_HIDDEN
        return alpha

    def _detect(self, now: FramePair, boxes: Boxes, sightings: Sequence[FaceObservation], alpha: Image) -> list[float]:
        """Look for the faces in both; returns the covered shares of those in the source that nobody knows of."""
        detector = self._tools.detector
        if detector is None:
            return []
        before, after = (detector.detect(image, MIN_SCORE) for image in (now.raw, now.other))
        found, left = (match_detections(boxes, answer.boxes, answer.scores) for answer in (before, after))
        for face, first, second in zip(sightings, found, left, strict=True):
            face.in_source, face.in_clip = bool(first), bool(second)
        known = [box for track in self._seen_tracks if (box := _box_at(track, now.frame)) is not None]
        known += [
            region.boxes_at(np.array([now.time_us]))[0]
            for region in self._subject.regions
            if region.kind is RegionKind.NOTHING and region.is_active_at(now.time_us)
        ]
        excused = np.array([*known, *boxes], np.float64).reshape(-1, 4)
        sure = before.boxes[before.scores >= MIN_SCORE]
        unknown = sure[~(iou_matrix(sure, excused) >= MIN_OVERLAP).any(axis=1)]
        return [covered_share(alpha, box) for box in unknown]

    def _measure(self, now: FramePair, alpha: Image, boxes: Boxes, sightings: Sequence[FaceObservation]) -> None:
        if not sightings:
            return
        tools, size = self._tools, (now.raw.shape[1], now.raw.shape[0])
        drivers, redrawn = _find(tools.driver, now.raw, boxes), _find(tools.driver, now.other, boxes)
        before = [self._is_face(face.in_source, found) for face, found in zip(sightings, drivers, strict=True)]
        after = [self._is_face(face.in_clip, found) for face, found in zip(sightings, redrawn, strict=True)]
        points, moves = _find(tools.landmarks, now.raw, boxes, before), _find(tools.landmarks, now.other, boxes, after)
        veiled = np.where(alpha[..., None] == _ALL_HIDDEN, now.other, np.uint8(_GREY))
        for face, driver, other, mine, moved in zip(sightings, drivers, redrawn, points, moves, strict=True):
            face.measured, face.visible = mine is not None, moved is not None
            if mine is not None and moved is not None:
                face.error = normalized_error(mine.points, moved.points, interocular_distance(mine.points, mine.layout))
            face.source, face.clip = read_signals(mine, size), read_signals(moved, size)
            face.driver_source, face.driver_clip = read_signals(driver, size), read_signals(other, size)
            best = driver or mine
            if best is not None and now.frame in self._embedded.get(face.track, ()):
                self._recognize(now, veiled, face_signals.five_points(best), face)

    def _is_face(self, detected: bool | None, driver: Landmarks | None) -> bool:
        """Tell whether points mean anything: some finders put them on whatever they are given."""
        judges = self._tools.detector is not None or self._tools.driver is not None
        return not judges or bool(detected) or driver is not None

    def _recognize(self, now: FramePair, veiled: Image, points: NDArray[np.float32], face: FaceObservation) -> None:
        """Embed a face in the source and in the clip, aligned alike: the attacker knows where the face was."""
        five = np.asarray(points, np.float32)[None]
        for name, image in (("raw", now.raw), ("anonymous", now.other), ("veiled", veiled)):
            setattr(face, name, tuple(embedder.embed(image, five)[0] for embedder in self._tools.embedders))

    def _flicker(self, now: FramePair, after: FramePair, box: NDArray[np.float32]) -> tuple[float, float, int]:
        flow = self._tools.flow
        window = _window(box, now.raw.shape[1], now.raw.shape[0])
        if flow is None or window is None:
            return 0.0, 0.0, 0
        images = (now.raw, after.raw, now.other, after.other)
        first, second, third, fourth = (_downscale(image[window]) for image in images)
        forward, backward = flow.between(first, second), flow.between(second, first)
        mask = mutual_visibility(forward, backward)
        source, pixels = warp_error(first, second, forward, mask)
        clip, _ = warp_error(third, fourth, forward, mask)
        return source, clip, pixels


def hidden_tracks(subject: MeasuredRendering) -> list[FaceTrack]:
    """Return the tracks whose faces should be hidden."""
    return [t for t in subject.tracks if len(t.frames) and not t.dismissed and t.id not in subject.exempt]


def read_signals(face: Landmarks | None, size: tuple[int, int]) -> Signals:
    """Return (10,) of `SIGNALS` of a face in a picture of width and height `size`; NaN where unknown."""
    if face is None:
        return NO_SIGNALS
    irises = face_signals.iris_offset(face)
    return np.array(
        [
            face_signals.mouth_opening(face),
            float(np.mean(face_signals.eye_closure(face))),
            float(np.mean(face_signals.brow_height(face))),
            *face_signals.head_pose(face, size),
            *(NO_SIGNALS[:4] if irises is None else np.asarray(irises).reshape(4)),
        ],
        np.float32,
    )


def _find(
    finder: LandmarkFinder | None, image: Image, boxes: Boxes, wanted: Sequence[bool] | None = None
) -> list[Landmarks | None]:
    """Find the points in the boxes that are wanted, all when None."""
    places = [k for k in range(len(boxes)) if wanted is None or wanted[k]]
    found: list[Landmarks | None] = [None] * len(boxes)
    if finder is not None and places:
        for k, landmarks in zip(places, finder.find(image, boxes[places]), strict=True):
            found[k] = landmarks
    return found


def _box_at(track: FaceTrack, frame: int) -> NDArray[np.float32] | None:
    place = int(np.searchsorted(track.frames, frame))
    if place == len(track.frames) or track.frames[place] != frame:
        return None
    box: NDArray[np.float32] = track.boxes[place]
    return box


def _window(box: NDArray[np.float32], width: int, height: int) -> tuple[slice, slice] | None:
    low, side = np.asarray(box[:2], float), np.asarray(box[2:], float)
    left, top = np.maximum(0, low - _WINDOW_MARGIN * side).astype(int)
    right, bottom = np.minimum((width, height), low + side * (1 + _WINDOW_MARGIN)).astype(int)
    if right - left < _MIN_WINDOW or bottom - top < _MIN_WINDOW:
        return None
    return slice(top, bottom), slice(left, right)


def _downscale(window: Image) -> Image:
    height, width = window.shape[:2]
    scale = _MAX_WINDOW / max(height, width)
    if scale >= 1:
        return np.ascontiguousarray(window)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(window, size, interpolation=cv2.INTER_AREA), np.uint8)
