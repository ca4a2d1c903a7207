"""Finding faces and exporting with blur against deface's own command; how well the faces are covered, at what area."""

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.masks import MaskSet, covered_share
from anonymize.methods.registry import method
from anonymize.render import RenderPlan, render
from media.index import FrameIndex, load_index
from media.iterate import iterate
from models.faces.base import FaceDetector
from models.faces.registry import detector
from models.faces.tracking import FacesResult, track_faces
from tests.bench.row import Row
from tests.bench.witness import SCORE, Witness, agrees, is_thing

SHARED = Path(__file__).resolve().parents[3] / "shared"
CLIP = SHARED / "data" / "media" / "conv_multi_friends_720p.mp4"
YUNET = SHARED / "models" / "yunet_n_dynamic.onnx"
DEFACE_THRESHOLD, DEFACE_SCALE = 0.2, 1.3
ENOUGH = 0.9
CONFIRMED_WITHIN, CONFIRMED_OVERLAP = 6, 0.3
HALF = 128
WORK = "face tracking + blur export, 720p"


@dataclass(frozen=True)
class Picture:
    """What two detectors say about one frame, and how much of it ours hides."""

    deface: NDArray[np.float32]
    yunet: NDArray[np.float32]
    covered: list[float]
    deface_covered: list[float]
    area: float
    deface_area: float


def run() -> list[Row]:
    """Measure once: deface alone takes a minute and a half here."""
    missing = next((p for p in (CLIP, YUNET) if not p.is_file()), None)
    if missing is not None:
        return [Row(WORK, f"needs the developers' {missing.name}", "", "", ">= 2x faster", None)]
    index = load_index(CLIP)
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        found = track_faces(CLIP, detector(), index=index)
        tracked = time.perf_counter() - began
        render(RenderPlan(CLIP, Path(folder) / "ours.mp4", found.tracks, found.frames, method("blur")))
        ours = time.perf_counter() - began
        peer = _deface(Path(folder) / "deface.mp4")
    pictures = _witness(found, index)
    near = [
        np.concatenate([p.deface for p in pictures[max(0, i - CONFIRMED_WITHIN) : i + CONFIRMED_WITHIN + 1]])
        for i in range(len(pictures))
    ]
    hits = [
        (mine, theirs, agrees(box, near[i], CONFIRMED_OVERLAP), not is_thing(i, box))
        for i, p in enumerate(pictures)
        for box, mine, theirs in zip(p.yunet, p.covered, p.deface_covered, strict=True)
    ]
    area = float(np.mean([p.area for p in pictures]))
    deface_area = float(np.mean([p.deface_area for p in pictures]))
    return [
        Row(
            WORK,
            f"{ours:.1f} s (tracking {tracked:.1f} s)",
            f"deface 1.5 default, {peer:.1f} s",
            f"{peer / ours:.2f}",
            ">= 2x faster",
            peer >= 2 * ours,
        ),
        _coverage(f"hits of YuNet at {SCORE} covered", hits),
        _coverage("of these, without things (each missed one was looked at)", [h for h in hits if h[3]]),
        _coverage("of these, confirmed by CenterFace within a quarter of a second", [h for h in hits if h[2]]),
        Row(
            "masked area",
            f"{area:.2%}",
            f"deface's ellipses, {deface_area:.2%}",
            f"{area / deface_area:.2f}",
            "<= 1.3x",
            area <= 1.3 * deface_area,
        ),
    ]


def _coverage(work: str, hits: list[tuple[float, float, bool, bool]]) -> Row:
    mine, theirs = (float(np.mean([h[i] >= ENOUGH for h in hits])) for i in (0, 1))
    return Row(f"{work}, {len(hits)} faces", f"{mine:.2%}", f"deface, {theirs:.2%}", "", ">= 98 %", mine >= 0.98)


def _deface(target: Path) -> float:
    began = time.perf_counter()
    command = [sys.executable, "-m", "deface.deface", str(CLIP), "-o", str(target)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    assert target.is_file()
    return time.perf_counter() - began


def _witness(found: FacesResult, index: FrameIndex) -> list[Picture]:
    """Look at every frame with YuNet, and with the network that deface uses, whose answers ours equal (tested)."""
    masks = MaskSet(found.tracks)
    every: FaceDetector = detector(threads=0)
    width, height = index.canvas.width, index.canvas.height
    yunet = Witness(YUNET, width, height)
    pictures = []
    for frame in iterate(CLIP, index):
        faces = yunet.faces(frame.image)
        boxes = every.detect(frame.image, DEFACE_THRESHOLD).boxes
        alpha, peer = masks.alpha(frame.index, width, height), _deface_mask(boxes, width, height)
        pictures.append(
            Picture(
                boxes,
                faces,
                [covered_share(alpha, box) for box in faces],
                [covered_share(peer, box) for box in faces],
                float((alpha >= HALF).mean()),
                float((peer >= HALF).mean()),
            )
        )
    return pictures


def _deface_mask(boxes: NDArray[np.float32], width: int, height: int) -> NDArray[np.uint8]:
    """Draw what deface's `scale_bb`, its clipping and its ellipse hide."""
    mask = np.zeros((height, width), np.uint8)
    for x, y, w, h in boxes:
        grow = DEFACE_SCALE - 1
        left, right = max(0, round(x - w * grow)), min(width - 1, round(x + w + w * grow))
        top, bottom = max(0, round(y - h * grow)), min(height - 1, round(y + h + h * grow))
        centre, radii = ((left + right) // 2, (top + bottom) // 2), ((right - left) // 2, (bottom - top) // 2)
        cv2.ellipse(mask, centre, radii, 0, 0, 360, 255, cv2.FILLED)
    return mask
