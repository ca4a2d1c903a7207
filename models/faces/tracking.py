"""Finds the faces of a recording and follows them: tracks with stable identities."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from media.index import FrameIndex, load_index
from media.whole_file import WholeFile, read_whole
from models.faces.base import FaceDetector
from models.faces.extending import extend
from models.faces.glances import glancing
from models.faces.identity.base import Embedder
from models.faces.linking import link
from models.faces.looking import look
from models.faces.observations import Log
from models.faces.options import FaceOptions
from models.faces.portraits import identities
from models.faces.relinking import Suggestion, looks_of, suggest
from project.progress import Progress, Silent
from project.types import FaceTrack, Json


@dataclass(frozen=True, slots=True, eq=False)
class FacesResult:
    """What a run found.

    Attributes:
        tracks: by their first frame.
        frames: of the recording.
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
    suggested: tuple[Suggestion, ...] = ()
    source_sha256: str = ""


def _work(source: WholeFile, detector: FaceDetector, quick: FaceDetector, options: FaceOptions) -> Mapping[str, Json]:
    """Describe everything that the observations depend on."""
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
        index: of the same file; read anew when not given.
        progress: told about every frame.
        embedder: tells people apart, for what is suggested; without one only their looks count.

    Raises:
        UserError: the file cannot be read, has no picture, was changed meanwhile, or the checkpoint cannot be written.
        Cancelled: the user stopped the work.
    """
    options = options or FaceOptions()
    progress = progress or Silent()
    began = time.monotonic()
    source = read_whole(path, progress)
    index = index or load_index(path)
    total = len(index)
    quick = glancing(detector)
    with Log(checkpoint, _work(source, detector, quick, options)) as log:
        seen = list(log.found)
        progress.progress(len(seen), total, "Finding faces")
        for one in look(path, index, detector, quick, options, tuple(seen)):
            log.add(one)
            seen.append(one)
            progress.progress(len(seen), total, "Finding faces")
            progress.check_cancelled()
        cuts = tuple(one.frame for one in seen if one.cut)
        tracks = extend(path, index, link(seen, options), cuts, options, progress)
        people = {} if embedder is None else identities(path, index, tracks, detector, embedder, progress)
        source.require_same()
        log.remove()
    covered = np.unique(np.concatenate([track.frames for track in tracks])) if tracks else ()
    return FacesResult(
        tracks,
        total,
        len(covered),
        time.monotonic() - began,
        tuple(one.frame for one in seen if one.damaged),
        cuts,
        sum(one.looked for one in seen),
        tuple(suggest(tracks, looks_of(tracks, seen), people)),
        source.sha256,
    )
