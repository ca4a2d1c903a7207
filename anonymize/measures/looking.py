"""Looks at one frame of the source and the same frame of the rendering."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.masks import MaskSet, covered_share
from anonymize.measures.detection import LEAST_OVERLAP, LEAST_SCORE, still_found
from anonymize.measures.landmarks_error import interocular, normalized_error
from anonymize.measures.observed import NO_SIGNALS, Look, Sighting, Signals
from anonymize.measures.subject import MeasureOptions, Subject
from anonymize.measures.tools import Tools
from anonymize.measures.warp import seen_in_both, warp_error
from media.picture import Picture
from models.boxes import overlaps
from models.faces.landmarks import signals
from models.faces.landmarks.base import LandmarkFinder, Landmarks
from project.regions import RegionKind
from project.types import FaceTrack

Image = NDArray[np.uint8]
Boxes = NDArray[np.float32]
_GREY = 128
# Motion is followed in the box and this share of it on every side.
_AROUND = 0.25
_LEAST_WINDOW = 16
# Larger windows are reduced to this many pixels: flicker is not a matter of fine detail, and flow takes its time.
_WIDEST_WINDOW = 160
_ALL_HIDDEN = 255


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One frame of the source and of the clip.

    Attributes:
        frame: its position in the source.
        time_us: on the recording's axis.
        raw: (h, w, 3) RGB of the source.
        other: (h, w, 3) RGB of the clip.
    """

    frame: int
    time_us: int
    raw: Image
    other: Image

    @classmethod
    def of(cls, source: Picture, clip: Picture) -> "Moment":
        """Convert both; afterwards they belong to nobody's thread."""
        return cls(source.index, source.time_us, source.image, clip.image)


class Looker:
    """Looks at frames, also in several threads at once."""

    def __init__(
        self, subject: Subject, tools: Tools, options: MeasureOptions, embedded: Mapping[int, frozenset[int]]
    ) -> None:
        """Prepare.

        Args:
            subject: what is measured.
            tools: with what.
            options: how closely.
            embedded: position of a track -> frames of the source in which its face is embedded.
        """
        self._subject, self._tools, self._options = subject, tools, options
        self._embedded = embedded
        self._masks = MaskSet(subject.tracks, subject.masks, subject.exempt)
        self.hidden = hidden_tracks(subject)
        self._seen_tracks = [t for t in subject.tracks if t.dismissed or t.id in subject.exempt]

    def look(self, look: int, now: Moment, after: Moment | None) -> Look:
        """Look at a frame.

        Args:
            look: its position among those that are looked at.
            now: the frame.
            after: the one that follows; None after the last.
        """
        here = [(k, box) for k, track in enumerate(self.hidden) if (box := _box_in(track, now.frame)) is not None]
        alpha = self._alpha(now)
        boxes = np.array([box for _, box in here], np.float32).reshape(-1, 4)
        sightings = [
            Sighting(track, look, now.time_us, covered_share(alpha, box))
            for (track, _), box in zip(here, boxes, strict=True)
        ]
        strays = self._detect(now, boxes, sightings, alpha)
        large = [k for k, box in enumerate(boxes) if box[2] >= self._options.least_width]
        chosen = [sightings[k] for k in large]
        self._measure(now, alpha, boxes[large], chosen)
        if after is not None:
            for box, one in zip(boxes[large], chosen, strict=True):
                one.flicker = self._flicker(now, after, box)
        return Look(now.time_us, tuple(sightings), tuple(strays))

    def _alpha(self, now: Moment) -> Image:
        height, width = now.raw.shape[:2]
        if now.time_us in self._subject.blanked_us:
            return np.full((height, width), _ALL_HIDDEN, np.uint8)
        alpha = self._masks.alpha(now.frame, width, height)
        for region in self._subject.regions:
            if region.kind is RegionKind.AREA and region.lasts_at(now.time_us):
                x, y, w, h = region.boxes_at(np.array([now.time_us]))[0]
                left, top = max(0, round(x)), max(0, round(y))
                alpha[top : max(0, round(y + h)), left : max(0, round(x + w))] = _ALL_HIDDEN
        return alpha

    def _detect(self, now: Moment, boxes: Boxes, sightings: Sequence[Sighting], alpha: Image) -> list[float]:
        """Look for the faces in both; returns the covered shares of those in the source that nobody knows of."""
        detector = self._tools.detector
        if detector is None:
            return []
        before, after = (detector.detect(image, LEAST_SCORE) for image in (now.raw, now.other))
        for one, first, second in zip(
            sightings,
            still_found(boxes, before.boxes, before.scores),
            still_found(boxes, after.boxes, after.scores),
            strict=True,
        ):
            one.in_source, one.in_clip = bool(first), bool(second)
        known = [box for track in self._seen_tracks if (box := _box_in(track, now.frame)) is not None]
        known += [
            region.boxes_at(np.array([now.time_us]))[0]
            for region in self._subject.regions
            if region.kind is RegionKind.NOTHING and region.lasts_at(now.time_us)
        ]
        excused = np.array([*known, *boxes], np.float64).reshape(-1, 4)
        sure = before.boxes[before.scores >= LEAST_SCORE]
        unknown = sure[~(overlaps(sure, excused) >= LEAST_OVERLAP).any(axis=1)]
        return [covered_share(alpha, box) for box in unknown]

    def _measure(self, now: Moment, alpha: Image, boxes: Boxes, sightings: Sequence[Sighting]) -> None:
        if not sightings:
            return
        tools, size = self._tools, (now.raw.shape[1], now.raw.shape[0])
        drivers, redrawn = _find(tools.driver, now.raw, boxes), _find(tools.driver, now.other, boxes)
        before = [self._is_face(one.in_source, driver) for one, driver in zip(sightings, drivers, strict=True)]
        after = [self._is_face(one.in_clip, driver) for one, driver in zip(sightings, redrawn, strict=True)]
        points, moves = _find(tools.landmarks, now.raw, boxes, before), _find(tools.landmarks, now.other, boxes, after)
        veiled = np.where(alpha[..., None] == _ALL_HIDDEN, now.other, np.uint8(_GREY))
        for one, driver, other, mine, moved in zip(sightings, drivers, redrawn, points, moves, strict=True):
            one.measured, one.visible = mine is not None, moved is not None
            if mine is not None and moved is not None:
                one.error = normalized_error(mine.points, moved.points, interocular(mine.points, mine.layout))
            one.source, one.clip = read_signals(mine, size), read_signals(moved, size)
            one.driver_source, one.driver_clip = read_signals(driver, size), read_signals(other, size)
            best = driver or mine
            if best is not None and now.frame in self._embedded.get(one.track, ()):
                self._recognize(now, veiled, signals.five_points(best), one)

    def _is_face(self, detected: bool | None, driver: Landmarks | None) -> bool:
        """Tell whether points mean anything: some finders put them on whatever they are given."""
        judges = self._tools.detector is not None or self._tools.driver is not None
        return not judges or bool(detected) or driver is not None

    def _recognize(self, now: Moment, veiled: Image, points: NDArray[np.float32], one: Sighting) -> None:
        """Embed a face in the source and in the clip, aligned alike: the attacker knows where the face was."""
        five = np.asarray(points, np.float32)[None]
        for name, image in (("raw", now.raw), ("anonymous", now.other), ("veiled", veiled)):
            setattr(one, name, tuple(each.embed(image, five)[0] for each in self._tools.embedders))
        if (reader := self._tools.expressions) is not None:
            one.expressions = (reader.read(now.raw, five)[0], reader.read(now.other, five)[0])

    def _flicker(self, now: Moment, after: Moment, box: NDArray[np.float32]) -> tuple[float, float, int]:
        flow = self._tools.flow
        window = _window(box, now.raw.shape[1], now.raw.shape[0])
        if flow is None or window is None:
            return 0.0, 0.0, 0
        first, second, third, fourth = (
            _reduced(image[window]) for image in (now.raw, after.raw, now.other, after.other)
        )
        forward, backward = flow.between(first, second), flow.between(second, first)
        mask = seen_in_both(forward, backward)
        source, pixels = warp_error(first, second, forward, mask)
        clip, _ = warp_error(third, fourth, forward, mask)
        return source, clip, pixels


def hidden_tracks(subject: Subject) -> list[FaceTrack]:
    """Return the tracks whose faces should be hidden."""
    return [t for t in subject.tracks if len(t.frames) and not t.dismissed and t.id not in subject.exempt]


def read_signals(face: Landmarks | None, size: tuple[int, int]) -> Signals:
    """Return (10,) of `SIGNALS` of a face in a picture of width and height `size`; NaN where unknown."""
    if face is None:
        return NO_SIGNALS
    irises = signals.iris_offset(face)
    return np.array(
        [
            signals.mouth_opening(face),
            float(np.mean(signals.eye_closure(face))),
            float(np.mean(signals.brow_height(face))),
            *signals.head_pose(face, size),
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
        for k, one in zip(places, finder.find(image, boxes[places]), strict=True):
            found[k] = one
    return found


def _box_in(track: FaceTrack, frame: int) -> NDArray[np.float32] | None:
    place = int(np.searchsorted(track.frames, frame))
    if place == len(track.frames) or track.frames[place] != frame:
        return None
    box: NDArray[np.float32] = track.boxes[place]
    return box


def _window(box: NDArray[np.float32], width: int, height: int) -> tuple[slice, slice] | None:
    x, y, across, down = (float(v) for v in box)
    left, top = max(0, int(x - _AROUND * across)), max(0, int(y - _AROUND * down))
    right, bottom = min(width, int(x + across * (1 + _AROUND))), min(height, int(y + down * (1 + _AROUND)))
    if right - left < _LEAST_WINDOW or bottom - top < _LEAST_WINDOW:
        return None
    return slice(top, bottom), slice(left, right)


def _reduced(window: Image) -> Image:
    height, width = window.shape[:2]
    scale = _WIDEST_WINDOW / max(height, width)
    if scale >= 1:
        return np.ascontiguousarray(window)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(window, size, interpolation=cv2.INTER_AREA), np.uint8)
