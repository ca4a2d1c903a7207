"""Who is re-identified in clips and stills by each method that can run here, and what is left of the signals."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from anonymize.measures.frame_measures import Stranger
from anonymize.measures.privacy_report import NAIVE, PARROT, RAW, PrivacyReport
from anonymize.methods.face_methods import METHODS, create_method, missing_weights
from anonymize.privacy.privacy_job import measure_rendering
from anonymize.rendering.face_renderer import RenderPlan, render
from media.frame_index import load_index
from models.faces.face_detectors import create_detector
from models.faces.face_tracking import track_faces
from models.faces.identity.face_embeddings import create_face_embedder
from models.weights import installed_weights as weights
from project.entities.study_records import FaceTrack
from tools.bench.privacy_stills import embed, hidden, rates, stills
from tools.bench.row import Row

SHARED = Path(__file__).resolve().parents[3] / "shared"
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
    if not (SHARED / "models").is_dir():
        return [Row(WORK, "needs the developers' footage and models", target=_TARGET)]
    with shared_weights():
        return [*still_rows(), *(row for name in methods() for row in clip_rows(name))]


@contextmanager
def shared_weights() -> Iterator[None]:
    """Use the developers' models."""
    before = os.environ.get(weights.FOLDER_VARIABLE)
    os.environ[weights.FOLDER_VARIABLE] = str(SHARED / "models")
    try:
        yield
    finally:
        os.environ.pop(weights.FOLDER_VARIABLE)
        if before is not None:
            os.environ[weights.FOLDER_VARIABLE] = before


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
    recordings = {clip: recording(SHARED / "data" / "media" / clip) for clip in CLIPS}
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
