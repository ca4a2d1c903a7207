"""Exporting with blur, faces known, against ffmpeg's own decoding and encoding with the same settings."""

import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from anonymize.methods.face_methods import create_method
from anonymize.rendering.face_renderer import RenderPlan, render
from media.encoding import EncodeOptions
from media.frame_index import FrameIndex, load_index
from models.faces.face_detectors import create_detector
from models.faces.face_tracking import track_faces
from project.entities.study_records import FaceTrack
from tools.bench.measuring import seconds
from tools.bench.row import Row

CLIP = Path(__file__).resolve().parents[3] / "shared" / "data" / "media" / "conv_multi_friends_720p.mp4"
REPEAT = 5
WORK = "blur export, faces known, 720p"
LEAST = 0.7
TARGET = f">= {LEAST} of its speed"


def run() -> list[Row]:
    """Measure in turns, so that both have the same share of whatever else the machine does."""
    if not CLIP.is_file():
        return [Row(WORK, f"needs the developers' {CLIP.name}", target=TARGET)]
    if shutil.which("ffmpeg") is None:
        return [Row(WORK, "needs the ffmpeg command", target=TARGET)]
    options, index = EncodeOptions(), load_index(CLIP)
    tracks = track_faces(CLIP, create_detector()).tracks
    ours: list[float] = []
    peer: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(REPEAT):
            peer.append(seconds(lambda: _decode_and_encode(Path(folder) / "peer.mp4", options, index)))
            ours.append(seconds(lambda: _export(Path(folder) / "ours.mp4", tracks, options, index)))
    mine, other = statistics.median(ours), statistics.median(peer)
    faces = sum(len(track.frames) for track in tracks) / len(index)
    return [
        Row(
            f"{WORK}, {faces:.1f} faces a frame",
            f"{mine:.2f} s",
            f"ffmpeg, decode and encode alone, same settings, {other:.2f} s",
            f"{other / mine:.2f}",
            TARGET,
            other >= LEAST * mine,
        )
    ]


def _export(target: Path, tracks: list[FaceTrack], options: EncodeOptions, index: FrameIndex) -> None:
    plan = RenderPlan(CLIP, target, tracks, len(index), create_method("blur"), encoding=options, overwrite=True)
    done = render(plan)
    assert done.frames == len(index)
    assert not done.blanked_us


def _decode_and_encode(target: Path, options: EncodeOptions, index: FrameIndex) -> None:
    rate = len(index) * 1_000_000 / (index.times.end_us - index.times.time_of(0))
    picture = ["-c:v", "libx264", "-preset", options.preset, "-crf", str(options.crf), "-bf", "0"]
    picture += ["-g", str(round(options.keyframe_seconds * rate)), "-vsync", "passthrough"]
    command = ["ffmpeg", "-v", "error", "-y", "-i", str(CLIP), *picture, "-c:a", "copy", "-movflags", "+faststart"]
    subprocess.run([*command, str(target)], check=True, stdin=subprocess.DEVNULL)
    assert len(load_index(target)) == len(index)
