"""Detects and tracks the faces of a recording, and embeds the tracks: tracks with stable identities."""

import os
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.decoding import iterate_frames
from media.frame_index import FrameIndex, load_index
from media.picture import DecodedFrame
from models.boxes import crop_windows
from models.faces.detector_ensemble import quick_detector
from models.faces.face_detectors import FaceDetector
from models.faces.frame_detections import DESCRIPTION_LENGTH, Observation, ObservationLog, describe_face
from models.faces.identity.face_embeddings import Embedder
from models.faces.scene_changes import FRAMES_AHEAD, FRAMES_BEFORE, Scenes
from models.faces.track_extension import extend_tracks
from models.faces.track_linking import TrackGroupSuggestion, describe_tracks, link_detections, suggest_groups
from models.faces.tracking_options import FaceOptions
from project.entities.study_records import FaceTrack, Json, Origin
from project.files.fingerprints import WholeFile, hash_whole_file
from project.progress import Progress, Silent
from project.timebase import SECOND_US

_VIEWS = 3
_LEAST_SCORE = 0.5
_LEAST_SIDE = 24
_SAME_FACE = 0.5

Box = NDArray[np.float32]


def embed_tracks(
    path: Path,
    index: FrameIndex,
    tracks: Sequence[FaceTrack],
    detector: FaceDetector,
    embedder: Embedder,
    progress: Progress,
) -> dict[str, NDArray[np.float32]]:
    """Return (d,) unit vectors of the tracks that show a face well enough, by id.

    The detector finds the five points that faces are aligned by; one without points gives no vectors.
    """
    wanted: dict[int, list[tuple[str, Box]]] = {}
    for track in tracks:
        for place in _best_views(track):
            wanted.setdefault(int(track.frames[place]), []).append((track.id, track.boxes[place]))
    sums: dict[str, NDArray[np.float32]] = {}
    for frame, faces in sorted(wanted.items()):
        progress.check_cancelled()
        time_us = index.times.time_of(frame)
        image = next(iterate_frames(path, index, time_us, time_us + 1)).image
        for track_id, box in faces:
            points = _find_points(image, box, detector)
            if points is not None:
                vector = embedder.embed(image, points[None])[0]
                sums[track_id] = sums.get(track_id, np.zeros_like(vector)) + vector
    return {track_id: total / max(float(np.linalg.norm(total)), 1e-9) for track_id, total in sums.items()}


def _best_views(track: FaceTrack) -> list[int]:
    """Return the places of the surest hit in each third of the track."""
    good = (track.origins == Origin.DETECTED) & (track.scores >= _LEAST_SCORE)
    good &= track.boxes[:, 2:].min(axis=1) >= _LEAST_SIDE
    thirds = np.array_split(np.flatnonzero(good), _VIEWS)
    return [int(part[track.scores[part].argmax()]) for part in thirds if len(part)]


def _find_points(image: NDArray[np.uint8], box: Box, detector: FaceDetector) -> NDArray[np.float32] | None:
    height, width = image.shape[:2]
    for left, top, right, bottom in crop_windows([box], width, height):
        found = detector.detect(np.ascontiguousarray(image[top:bottom, left:right]), _LEAST_SCORE)
        if found.landmarks is None or not len(found):
            return None
        middle = box[:2] + box[2:] / 2 - (left, top)
        away = np.abs(found.boxes[:, :2] + found.boxes[:, 2:] / 2 - middle).max(axis=1)
        nearest = int(away.argmin())
        if away[nearest] <= _SAME_FACE * max(box[2:]):
            points: NDArray[np.float32] = found.landmarks[nearest] + np.array((left, top), np.float32)
            return points
    return None


_SLACK_US = 2_000
_LONG_AGO = -(1 << 62)

Found = tuple[NDArray[np.float32], NDArray[np.uint8]]
_NOTHING: Found = (np.zeros((0, 5), np.float32), np.zeros((0, DESCRIPTION_LENGTH), np.uint8))


class _Pending:
    """A frame on its way through the detectors."""

    def __init__(self, picture: DecodedFrame, may_begin: bool) -> None:
        self.picture: DecodedFrame | None = picture
        self.frame, self.time_us, self.damaged = picture.index, picture.time_us, picture.damaged
        self.may_begin, self.cut, self.thorough = may_begin, False, False
        self.found: Future[Found] | None = None

    def decide_cut(self, scenes: Scenes) -> None:
        self.cut = self.may_begin and scenes.is_scene_start(self.frame)

    def observation(self) -> Observation:
        hits, looks = _NOTHING if self.found is None else self.found.result()
        looked = self.found is not None
        return Observation(self.frame, self.time_us, looked, self.thorough, self.cut, self.damaged, hits, looks)


class _Turns:
    """Decides which frames a detector looks at."""

    def __init__(self, per_second: float) -> None:
        self._interval = SECOND_US / per_second - _SLACK_US if per_second else None
        self._last = _LONG_AGO

    def is_due(self, time_us: int) -> bool:
        return self._interval is not None and time_us - self._last >= self._interval

    def mark_taken(self, time_us: int) -> None:
        self._last = time_us


def detect_in_frames(
    path: Path,
    index: FrameIndex,
    detector: FaceDetector,
    quick: FaceDetector,
    options: FaceOptions,
    seen: Sequence[Observation] = (),
) -> Iterator[Observation]:
    """Yield one observation for every frame that is not in `seen` yet, in order.

    `detector` looks a few times a second and at scene changes, `quick` in between. Decoding, and the detectors on up
    to `workers` frames, run side by side. The answers do not depend on how many workers there are, nor on where an
    earlier run stopped.
    """
    done = len(seen)
    if done >= len(index):
        return
    workers = options.workers or os.cpu_count() or 1
    thorough, glances = _Turns(options.looks_per_second), _Turns(options.glances_per_second)
    for observation in seen:
        if observation.thorough:
            thorough.mark_taken(observation.time_us)
        if observation.was_searched:
            glances.mark_taken(observation.time_us)
    scenes = Scenes(options.cut_level, options.cut_ratio)
    waiting: deque[_Pending] = deque()
    pool = ThreadPoolExecutor(workers, "faces")

    def search(picture: DecodedFrame, who: FaceDetector, before: Future[Found] | None) -> Found:
        if before is not None:
            before.result()  # One thread uses a picture at a time.
        found = who.detect(picture.image, options.weak)
        looks = [describe_face(picture.planes, box) for box in found.boxes]
        hits = np.concatenate([found.boxes, found.scores[:, None]], axis=1).astype(np.float32)
        return hits, np.array(looks, np.uint8).reshape(-1, DESCRIPTION_LENGTH)

    def start(pending: _Pending, thoroughly: bool) -> None:
        if pending.picture is not None and (pending.found is None or thoroughly > pending.thorough):
            who = detector if thoroughly else quick
            pending.found = pool.submit(search, pending.picture, who, pending.found)
            pending.thorough = thoroughly

    try:
        for picture in iterate_frames(path, index, start_us=index.times.time_of(max(0, done - FRAMES_BEFORE))):
            may_begin = scenes.add(picture.index, picture.planes)
            if picture.index < done:
                # A frame is never written before the next one was seen, so its side of a scene change is settled.
                continue
            if waiting:
                if may_begin:
                    start(waiting[-1], thoroughly=True)
                waiting[-1].picture = None
            waiting.append(_Pending(picture, may_begin))
            time_us = picture.time_us
            if may_begin or thorough.is_due(time_us) or picture.index == len(index) - 1:
                start(waiting[-1], thoroughly=True)
                thorough.mark_taken(time_us)
                glances.mark_taken(time_us)
            elif glances.is_due(time_us):
                start(waiting[-1], thoroughly=False)
                glances.mark_taken(time_us)
            if len(waiting) > FRAMES_AHEAD:
                waiting[-1 - FRAMES_AHEAD].decide_cut(scenes)
            while len(waiting) > 2 * workers + FRAMES_AHEAD:
                yield waiting.popleft().observation()
        for pending in [*waiting][-FRAMES_AHEAD:]:
            pending.decide_cut(scenes)
        while waiting:
            yield waiting.popleft().observation()
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True, eq=False)
class FacesResult:
    """The result of a face tracking run.

    Attributes:
        frames_with_face: frames that at least one track covers.
        seconds: the run took, without what an interrupted run had done before.
        damaged: frames that could not be decoded properly; a face may be in them although no track says so.
        cuts: frames with which a scene begins, but for the first.
        looked: frames that a detector looked at.
        suggested: tracks that may show one person; nobody said so.
        source_sha256: of the whole file, which nobody touched while it was looked at.
    """

    tracks: list[FaceTrack]
    frames: int
    frames_with_face: int
    seconds: float
    damaged: tuple[int, ...] = ()
    cuts: tuple[int, ...] = ()
    looked: int = 0
    suggested: tuple[TrackGroupSuggestion, ...] = ()
    source_sha256: str = ""


def _describe_work(
    source: WholeFile, detector: FaceDetector, quick: FaceDetector, options: FaceOptions
) -> Mapping[str, Json]:
    """Return everything that the observations depend on."""
    knobs = asdict(options)
    del knobs["workers"]
    return {
        "source": source.sha256,
        "detector": detector.key,
        "parameters": dict(detector.parameters),
        "quick": {**quick.parameters, "detector": quick.key},
        "options": knobs,
    }


def track_faces(
    path: Path,
    detector: FaceDetector,
    options: FaceOptions | None = None,
    *,
    checkpoint: Path | None = None,
    index: FrameIndex | None = None,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
) -> FacesResult:
    """Find and follow the faces of a recording.

    Args:
        path: of the media file.
        detector: looks at single frames a few times a second; in between its quickest look is taken (`glances`).
        options: every knob.
        checkpoint: a file that partial work is appended to; when the run is killed or cancelled, the next one
            with the same source, detector and options goes on from there and gives the same tracks. Deleted when
            the work is done.
        index: of the same file; read again when not given.
        progress: told about every frame.
        embedder: tells people apart, for what is suggested; without one only their looks count.

    Raises:
        Cancelled: the user stopped the work.
    """
    options = options or FaceOptions()
    progress = progress or Silent()
    began = time.monotonic()
    source = hash_whole_file(path, progress)
    index = index or load_index(path)
    total = len(index)
    quick = quick_detector(detector)
    with ObservationLog(checkpoint, _describe_work(source, detector, quick, options)) as log:
        seen = list(log.found)
        progress.progress(len(seen), total, "Finding faces")
        for observation in detect_in_frames(path, index, detector, quick, options, tuple(seen)):
            log.add(observation)
            seen.append(observation)
            progress.progress(len(seen), total, "Finding faces")
            progress.check_cancelled()
        cuts = tuple(observation.frame for observation in seen if observation.cut)
        tracks = extend_tracks(path, index, link_detections(seen, options), cuts, options, progress)
        people = {} if embedder is None else embed_tracks(path, index, tracks, detector, embedder, progress)
        source.require_unchanged()
        log.remove()
    covered = np.unique(np.concatenate([track.frames for track in tracks])) if tracks else ()
    return FacesResult(
        tracks,
        total,
        len(covered),
        time.monotonic() - began,
        tuple(observation.frame for observation in seen if observation.damaged),
        cuts,
        sum(observation.was_searched for observation in seen),
        tuple(suggest_groups(tracks, describe_tracks(tracks, seen), people)),
        source.sha256,
    )
