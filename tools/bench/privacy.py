"""Who is re-identified in clips and stills by each method that can run here, and what is left of the signals."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anonymize.masking.masks import MaskSet
from anonymize.measures.frame_measures import Stranger
from anonymize.measures.privacy_report import NAIVE, PARROT, RAW, PrivacyReport
from anonymize.measures.reidentification import equal_error_rate, match_threshold, reidentification_rate
from anonymize.methods.face_methods import METHODS, PlaneMethod, create_method, missing_weights
from anonymize.privacy.privacy_job import measure_rendering
from anonymize.rendering.compositing import hide_faces
from anonymize.rendering.face_renderer import RenderPlan, render
from media.frame_index import load_index
from models.faces.face_detectors import FaceDetector, create_detector
from models.faces.face_tracking import track_faces
from models.faces.identity.face_embeddings import Embedder, create_face_embedder
from project.entities.study_records import FaceTrack
from tools.bench.measuring import MEDIA, MODELS, SHARED, missing_row, weights_in
from tools.bench.row import Row

FAR = 1e-2

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """One picture with a face whose place is known."""

    person: str
    image: NDArray[np.uint8]
    box: NDArray[np.float32]
    points: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rates:
    """How a method did: shares of re-identified pairs at FAR 1e-2, naive and parrot, and the parrot's equal error."""

    naive: float
    parrot: float
    parrot_error: float
    pairs: int


def stills(folder: Path, detector: FaceDetector) -> list[Still]:
    """Read the pictures in which a face is found."""
    import cv2

    found = []
    for path in sorted(folder.glob("*.png")):
        image = np.ascontiguousarray(cv2.imread(str(path), cv2.IMREAD_COLOR)[..., ::-1])
        hits = detector.detect(image, 0.3)
        if len(hits) and hits.landmarks is not None:
            found.append(Still(path.stem.rsplit("_", 1)[0], image, hits.boxes[0], hits.landmarks[0]))
    return found


def hidden(still: Still, method: PlaneMethod) -> NDArray[np.uint8]:
    """Return a picture with its face hidden as in a rendering."""
    array = np.zeros(1, np.int32)
    track = FaceTrack(
        "face", array, array.astype(np.int64), still.box[None], array.astype(np.float32), array.astype(np.uint8)
    )
    image = still.image.copy()
    hide_faces([image], MaskSet([track]).masks_at(0), method)
    return image


def embed(found: Sequence[Still], images: Sequence[NDArray[np.uint8]], embedder: Embedder) -> Vectors:
    """Return (n, d) vectors, aligned by where the faces really are."""
    return np.concatenate(
        [embedder.embed(image, still.points[None]) for still, image in zip(found, images, strict=True)]
    )


def rates(found: Sequence[Still], raw: Vectors, other: Vectors) -> Rates:
    """Compare every picture that was hidden with every clean one (naive) and every other hidden one (parrot)."""
    pairs = [(a, b) for a, b in combinations(range(len(found)), 2)]
    same = np.array([found[a].person == found[b].person for a, b in pairs])
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    clean = (raw[first] * raw[second]).sum(1)
    naive = np.concatenate([(other[first] * raw[second]).sum(1)[same], (raw[first] * other[second]).sum(1)[same]])
    parrot = (other[first] * other[second]).sum(1)
    own = reidentification_rate(parrot[same], match_threshold(parrot[~same], FAR)).value
    return Rates(
        reidentification_rate(naive, match_threshold(clean[~same], FAR)).value or 0.0,
        own or 0.0,
        equal_error_rate(parrot[same], parrot[~same]).value or 0.0,
        int(same.sum()),
    )


CLIPS = ("expressive_talker.mp4", "talk_vfr_tags.mp4", "expressions_hand_occl.mp4", "conv_multi_friends_720p.mp4")
"""The first three show one person each, the last several."""
ALONE = CLIPS[:3]
TRACKED_BY = "yunet"
NOT_HERE = ("diffusion",)
"""Methods that take a graphics card."""
MOST = 0.02
SIGNALS = ("mouth", "eye")
LEAST_SIGNAL = 0.8
WORK = "re-identification, FAR 1e-2"
_TARGET = "<= 2 % naive; parrot printed"


@dataclass(frozen=True, slots=True, eq=False)
class FootageClip:
    """A clip of the test footage with its faces."""

    path: Path
    tracks: tuple[FaceTrack, ...]
    names: dict[str, str]
    frames: int
    tracked_s: float


def run() -> list[Row]:
    """Measure every plane method on stills, and every method that can run here on clips."""
    if rows := missing_row(WORK, MODELS, target=_TARGET):
        return rows
    with weights_in(MODELS):
        return [*still_rows(), *(row for name in methods() for row in clip_rows(name))]


def methods() -> list[str]:
    """Return the methods that can run here."""
    return [name for name in METHODS if name not in NOT_HERE and not missing_weights(name)]


def still_rows() -> list[Row]:
    """Measure the methods that need no landmarks on stills of eight people."""
    model = create_face_embedder("mobilefacenet")
    found = stills(SHARED / "data" / "stills" / "bbt", create_detector(TRACKED_BY))
    raw = embed(found, [still.image for still in found], model)
    clean = rates(found, raw, raw)
    rows = []
    for name in methods():
        how = create_method(name)
        if how.kind != "plane":
            continue
        got = rates(found, raw, embed(found, [hidden(still, how) for still in found], model))
        rows.append(
            Row(
                f"{WORK}, {len(found)} stills, {got.pairs} pairs of one person, {name}",
                f"naive {got.naive:.1%}, parrot {got.parrot:.1%} (EER {got.parrot_error:.2f})",
                f"source {clean.naive:.1%}",
                f"{got.naive / clean.naive:.3f}",
                _TARGET,
                got.naive <= MOST,
            )
        )
    return rows


def clip_rows(name: str) -> list[Row]:
    """Measure one method on each clip; for those that draw a face, the signals too."""
    recordings = {clip: recording(MEDIA / clip) for clip in CLIPS}
    rows = []
    for clip, each_recording in recordings.items():
        others = [stranger(recordings[other]) for other in ALONE if other != clip]
        report = measured(each_recording, name, others)
        rows.append(_recognized(clip, name, report, each_recording))
        if report.replaces and clip in ALONE:
            rows += [_signal(clip, name, key, report) for key in SIGNALS]
    return rows


@cache
def recording(path: Path) -> FootageClip:
    """Find the faces of a clip: one person where there is one, else the people that tracking suggests."""
    index, started = load_index(path), time.perf_counter()
    found = track_faces(path, create_detector(TRACKED_BY), embedder=create_face_embedder("mobilefacenet"))
    took = time.perf_counter() - started
    names = {key: f"{path.stem} {k}" for k, suggestion in enumerate(found.suggested) for key in suggestion.tracks}
    if path.name in ALONE:
        names = {track.id: path.stem for track in found.tracks}
    return FootageClip(path, tuple(found.tracks), names, len(index), took)


def stranger(of: FootageClip) -> Stranger:
    """Return the person of a clip that shows one, in four frames."""
    track = max(of.tracks, key=lambda face_track: len(face_track.frames))
    places = np.linspace(0, len(track.frames) - 1, 6)[1:-1].astype(int)
    boxes = tuple(map(tuple, track.boxes[places].tolist()))
    return Stranger(of.path.stem, of.path, tuple(int(track.frames[k]) for k in places), boxes)


def measured(recording: FootageClip, name: str, others: list[Stranger]) -> PrivacyReport:
    """Render a clip by a method and measure the rendering."""
    alone = recording.path.name in ALONE
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "rendering.mp4"
        plan = RenderPlan(
            recording.path, target, recording.tracks, recording.frames, create_method(name), identities=recording.names
        )
        done = render(plan)
        return measure_rendering(
            plan, target, name, tracked_by=TRACKED_BY, blanked_us=done.blanked_us, strangers=others if alone else ()
        )


def _recognized(clip: str, name: str, report: PrivacyReport, recording: FootageClip) -> Row:
    naive, parrot, raw = (report.strongest_attack(kind) for kind in (NAIVE, PARROT, RAW))
    work = f"{WORK}, {clip}, {name}"
    if naive is None or parrot is None or raw is None or naive.rates[0].value is None:
        note = naive.rates[0].note if naive is not None else "no face could be aligned"
        return Row(work, note, target=_TARGET)
    rate, chance = naive.rates[0].value, naive.chance.value or 0.0
    again = "not defined" if parrot.rates[0].value is None else f"{parrot.rates[0].value:.1%}"
    error = "" if parrot.equal_error.value is None else f", EER {parrot.equal_error.value:.2f}"
    left = report.figure("detected").value or 0.0
    took = f"{report.seconds:.1f} s, tracking {recording.tracked_s:.1f} s"
    return Row(
        f"{work} ({naive.rates[0].n} faces, {naive.people} others)",
        f"naive {rate:.1%} (chance {chance:.1%}), worst track {naive.worst.value or 0:.1%} (chance "
        f"{naive.worst_chance.value or 0:.1%}), "
        f"parrot {again}{error}; still detected {left:.1%}; {took}",
        f"source {raw.rates[0].value or 0:.1%}",
        f"{rate / (raw.rates[0].value or 1):.3f}",
        _TARGET,
        rate <= MOST,
    )


def _signal(clip: str, name: str, key: str, report: PrivacyReport) -> Row:
    """Compare what another model than the driving one sees in the drawing with what the driving one saw."""
    drawn, source = report.figure(f"{key}_to_driver"), report.figure(f"{key}_in_source")
    own = report.figure(key)
    models = f"{report.tools['landmarks']} against {report.tools['driver']}"
    return Row(
        f"{name}, {key}, {clip}",
        f"r = {_number(drawn.value)} ({models}); {_number(own.value)} against itself on the source",
        f"the same two models on the source {_number(source.value)}",
        target=f">= {LEAST_SIGNAL}",
        ok=None if drawn.value is None else drawn.value >= LEAST_SIGNAL,
    )


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.2f}"
