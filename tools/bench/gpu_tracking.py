"""Face tracking of the sample recording with the CUDA provider of onnxruntime, and without."""

import time
from pathlib import Path

import onnxruntime

from models.faces.centerface import CenterFace
from models.faces.face_tracking import track_faces
from tools.bench.row import Row

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample" / "sample.mp4"
_CUDA, _CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


def rows(device: str) -> list[Row]:
    """Measure tracking by CenterFace on the GPU where this onnxruntime can, against the CPU."""
    work = "face tracking of the sample recording, CenterFace, CUDA provider"
    if device == "cuda" and _CUDA not in onnxruntime.get_available_providers():
        return [Row(work, "onnxruntime-gpu is not installed", target="is only shown")]
    ours, frames = _seconds()
    real = onnxruntime.get_available_providers
    onnxruntime.get_available_providers = lambda: [_CPU]
    try:
        slow, _ = _seconds()
    finally:
        onnxruntime.get_available_providers = real
    shown = [f"{seconds:.2f} s, {frames / seconds:.0f} frames/s" for seconds in (ours, slow)]
    return [Row(work, shown[0], f"the same on the CPU, {shown[1]}", f"{slow / ours:.2f}x", "is only shown")]


def _seconds() -> tuple[float, int]:
    detector = CenterFace()
    started = time.perf_counter()
    found = track_faces(SAMPLE, detector)
    return time.perf_counter() - started, found.frames
