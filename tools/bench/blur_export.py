"""Exporting with blur, faces known, against ffmpeg's own decoding and encoding with the same settings."""

import shutil
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
from tools.bench.measuring import MEDIA, in_turns, missing_row
from tools.bench.row import Row

CLIP = MEDIA / "conv_multi_friends_720p.mp4"
WORK, TARGET = "blur export, faces known, 720p", ">= 0.7 of its speed"


def run() -> list[Row]:
    """Measure in turns, so that both have the same share of whatever else the machine does."""
    if rows := missing_row(WORK, CLIP, target=TARGET):
        return rows
    if shutil.which("ffmpeg") is None:
        return [Row(WORK, "needs the ffmpeg command", target=TARGET)]
    options, index = EncodeOptions(), load_index(CLIP)
    tracks = track_faces(CLIP, create_detector()).tracks
    with tempfile.TemporaryDirectory() as folder:
        peer, ours = in_turns(
            5,
            lambda: _decode_and_encode(Path(folder) / "peer.mp4", options, index),
            lambda: _export(Path(folder) / "ours.mp4", tracks, options, index),
        )
    work = f"{WORK}, {sum(len(track.frames) for track in tracks) / len(index):.1f} faces a frame"
    against = f"ffmpeg, decode and encode alone, same settings, {peer:.2f} s"
    return [Row.judged(work, f"{ours:.2f} s", peer / ours, TARGET, against, f"{peer / ours:.2f}")]


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
