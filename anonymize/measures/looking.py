"""Looks at one frame of the source and the same frame of the rendering."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from anonymize.masks import MaskSet, covered_share
from anonymize.measures.detection import LEAST_OVERLAP, LEAST_SCORE, overlaps, still_found
from anonymize.measures.landmarks_error import interocular, normalized_error
from anonymize.measures.observed import NO_SIGNALS, Observed, Sighting, Signals
from anonymize.measures.subject import MeasureOptions, Subject
from anonymize.measures.tools import Tools
from anonymize.measures.warp import seen_in_both, warp_error
from media.picture import Picture
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
_ALL_HIDDEN = 255


class Looker:
    """Fills an `Observed`, frame by frame."""

    def __init__(
        self,
        subject: Subject,
        tools: Tools,
        options: MeasureOptions,
        embedded: Mapping[int, frozenset[int]],
        found: Observed,
    ) -> None:
        """Prepare.

        Args:
            subject: what is measured.
            tools: with what.
            options: how closely.
            embedded: position of a track -> frames of the source in which its face is embedded.
            found: is filled.
        """
        self._subject, self._tools, self._options = subject, tools, options
        self._embedded, self._found = embedded, found
        self._masks = MaskSet(subject.tracks, subject.masks, subject.exempt)
        self.hidden = hidden_tracks(subject)
        self._seen_tracks = [t for t in subject.tracks if t.dismissed or t.id in subject.exempt]

    def look(self, source: Picture, clip: Picture, after: tuple[Picture, Picture] | None) -> None:
        """Look at a frame; `after` is the one that follows, in the source and in the clip."""
        look = len(self._found.times_us)
        self._found.times_us.append(source.time_us)
        here = [(k, box) for k, track in enumerate(self.hidden) if (box := _box_in(track, source.index)) is not None]
        raw, other = source.image, clip.image
        alpha = self._alpha(source)
        boxes = np.array([box for _, box in here], np.float32).reshape(-1, 4)
        sightings = [
            Sighting(track, look, source.time_us, covered_share(alpha, box))
            for (track, _), box in zip(here, boxes, strict=True)
        ]
        self._detect(raw, other, boxes, sightings, alpha, source)
        large = [k for k, box in enumerate(boxes) if box[2] >= self._options.least_width]
        chosen = [sightings[k] for k in large]
        self._measure(raw, other, alpha, boxes[large], chosen, source.index)
        if after is not None:
            follow = (after[0].image, after[1].image)
            for box, one in zip(boxes[large], chosen, strict=True):
                one.flicker = self._flicker(raw, other, *follow, box)
        self._found.sightings += sightings

    def _alpha(self, source: Picture) -> Image:
        if source.time_us in self._subject.blanked_us:
            return np.full((source.height, source.width), _ALL_HIDDEN, np.uint8)
        alpha = self._masks.alpha(source.index, source.width, source.height)
        for region in self._subject.regions:
            if region.kind is RegionKind.AREA and region.lasts_at(source.time_us):
                x, y, width, height = region.boxes_at(np.array([source.time_us]))[0]
                left, top = max(0, round(x)), max(0, round(y))
                alpha[top : max(0, round(y + height)), left : max(0, round(x + width))] = _ALL_HIDDEN
        return alpha

    def _detect(
        self, raw: Image, other: Image, boxes: Boxes, sightings: Sequence[Sighting], alpha: Image, source: Picture
    ) -> None:
        detector = self._tools.detector
        if detector is None:
            return
        before, after = (detector.detect(image, LEAST_SCORE) for image in (raw, other))
        for one, first, second in zip(
            sightings,
            still_found(boxes, before.boxes, before.scores),
            still_found(boxes, after.boxes, after.scores),
            strict=True,
        ):
            one.in_source, one.in_clip = bool(first), bool(second)
        known = [box for track in self._seen_tracks if (box := _box_in(track, source.index)) is not None]
        known += [
            region.boxes_at(np.array([source.time_us]))[0]
            for region in self._subject.regions
            if region.kind is RegionKind.NOTHING and region.lasts_at(source.time_us)
        ]
        excused = np.array([*known, *boxes], np.float64).reshape(-1, 4)
        sure = before.boxes[before.scores >= LEAST_SCORE]
        for box, nears in zip(sure, overlaps(sure, excused), strict=True):
            if not (nears >= LEAST_OVERLAP).any():
                self._found.strays.append((len(self._found.times_us) - 1, covered_share(alpha, box)))

    def _measure(
        self, raw: Image, other: Image, alpha: Image, boxes: Boxes, sightings: Sequence[Sighting], frame: int
    ) -> None:
        if not sightings:
            return
        points = [_find(finder, raw, boxes) for finder in (self._tools.landmarks, self._tools.driver)]
        after = [_find(finder, other, boxes) for finder in (self._tools.landmarks, self._tools.driver)]
        size = raw.shape[1], raw.shape[0]
        for k, one in enumerate(sightings):
            driver = points[1][k]
            mine = points[0][k] if self._is_face(one.in_source, driver) else None
            moved = after[0][k] if self._is_face(one.in_clip, after[1][k]) else None
            one.measured, one.visible = mine is not None, moved is not None
            if mine is not None and moved is not None:
                one.error = normalized_error(mine.points, moved.points, interocular(mine.points, mine.layout))
            one.source, one.clip = read_signals(mine, size), read_signals(moved, size)
            one.driver_source, one.driver_clip = read_signals(driver, size), read_signals(after[1][k], size)
            best = driver or mine
            if best is not None and frame in self._embedded.get(one.track, ()):
                self._recognize(raw, other, alpha, signals.five_points(best), one)

    def _is_face(self, detected: bool | None, driver: Landmarks | None) -> bool:
        """Tell whether points mean anything: some finders put them on whatever they are given."""
        judges = self._tools.detector is not None or self._tools.driver is not None
        return not judges or bool(detected) or driver is not None

    def _recognize(self, raw: Image, other: Image, alpha: Image, points: NDArray[np.float32], one: Sighting) -> None:
        """Embed a face in the source and in the clip, aligned alike: the attacker knows where the face was."""
        five = np.asarray(points, np.float32)[None]
        veiled = np.where(alpha[..., None] == _ALL_HIDDEN, other, np.uint8(_GREY))
        for name, image in (("raw", raw), ("anonymous", other), ("veiled", veiled)):
            setattr(one, name, tuple(each.embed(image, five)[0] for each in self._tools.embedders))
        if (reader := self._tools.expressions) is not None:
            one.expressions = (reader.read(raw, five)[0], reader.read(other, five)[0])

    def _flicker(
        self, raw: Image, other: Image, raw_after: Image, other_after: Image, box: NDArray[np.float32]
    ) -> tuple[float, float, int]:
        flow = self._tools.flow
        window = _window(box, raw.shape[1], raw.shape[0])
        if flow is None or window is None:
            return 0.0, 0.0, 0
        first, second = np.ascontiguousarray(raw[window]), np.ascontiguousarray(raw_after[window])
        forward, backward = flow.between(first, second), flow.between(second, first)
        mask = seen_in_both(forward, backward)
        source, pixels = warp_error(first, second, forward, mask)
        clip, _ = warp_error(other[window], other_after[window], forward, mask)
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


def _find(finder: LandmarkFinder | None, image: Image, boxes: Boxes) -> list[Landmarks | None]:
    return [None] * len(boxes) if finder is None else finder.find(image, boxes)


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
