"""How much memory an export takes: ten minutes of 1080p, by every method whose weights are there, but diffusion.

The recording is two seconds of a real face, enlarged, and then the same packets over and over, so that making it takes
no time. `GREENROOM_BENCH_METHODS=solid,blur` and `GREENROOM_BENCH_MINUTES=4` make it shorter.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from anonymize.methods.face_methods import METHODS, missing_weights
from models.faces.face_detectors import create_detector
from resources import resource
from tools.bench.measuring import ROOT
from tools.bench.row import Row

SIZE = (1920, 1080)
FPS = 25
SECONDS = 2
MINUTES = int(os.environ.get("GREENROOM_BENCH_MINUTES", "10"))
SETTLED_US = 120_000_000
LEFT_OUT = ("diffusion",)
PEAK_MB, GROWTH_MB = 1500, 100
TARGET = "<= 1.5 GB, and <= 100 MB more after the second minute"

EXPORT = """
import sys
from pathlib import Path
import numpy as np
from anonymize.rendering.residual_faces import check_rendering
from anonymize.methods.face_methods import create_method as method
from anonymize.rendering.face_renderer import RenderPlan, render
from media.frame_index import load_index
from models.faces.face_detectors import create_detector as detector
from project.entities.study_records import FaceTrack

class Telling:
    def progress(self, done, total, text=""):
        print(done, total, text, flush=True)
    def check_cancelled(self):
        pass

source, target, name, box = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], [float(v) for v in sys.argv[4:8]]
times = load_index(source).times.times_us
count = len(times)
still = np.array([box] * count, np.float32)
face = FaceTrack("face", np.arange(count, dtype=np.int32), times, still, np.ones(count, np.float32),
                 np.zeros(count, np.uint8))
plan = RenderPlan(source, target, [face], count, method(name))
def check(clip, zero_us):
    replaced = plan.method.kind == "face"
    check_rendering(clip, [face], detector(), replaced=replaced, start_us=zero_us, progress=Telling())
done = render(plan, Telling(), check)
assert done.frames == count and not done.blanked_us
"""


@dataclass(frozen=True, slots=True)
class Memory:
    """Of one export, in megabytes: its peak, and by how much a peak after the second minute is above that before."""

    peak: float
    growth: float
    seconds: float


def run() -> list[Row]:
    """Export by each method in a process of its own, and look at its memory twice a second."""
    wanted = os.environ.get("GREENROOM_BENCH_METHODS", "")
    names = wanted.split(",") if wanted else [name for name in METHODS if name not in LEFT_OUT]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "long.mp4"
        box = _write_recording(source)
        for name in names:
            work = f"memory of an export, {MINUTES} minutes of 1080p, `{name}`"
            missing = missing_weights(name)
            if missing:
                rows.append(Row(work, f"needs the weights {', '.join(missing)}", target=TARGET))
                continue
            found = _export(source, Path(folder) / f"{name}.mp4", name, box)
            said = f"peak {found.peak:.0f} MB, {found.growth:+.0f} MB after the second minute, {found.seconds:.0f} s"
            rows.append(Row(work, said, target=TARGET, ok=found.peak <= PEAK_MB and found.growth <= GROWTH_MB))
    return rows


def _export(source: Path, target: Path, name: str, box: list[float]) -> Memory:
    """Look at each part of an export apart, such as the writing of the clip and its check: each has a second minute."""
    started = time.monotonic()
    command = [sys.executable, "-c", EXPORT, str(source), str(target), name, *map(str, box)]
    log = target.with_suffix(".log")
    early: dict[str, float] = {}
    late: dict[str, float] = {}
    with log.open("wb") as out, subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE) as process:
        while process.poll() is None:
            time.sleep(0.5)
            phase, done = _last(log)
            used = _resident_mb(process.pid)
            kept = early if done * 1_000_000 // FPS < SETTLED_US else late
            kept[phase] = max(kept.get(phase, 0.0), used)
        assert process.stderr is not None
        if process.returncode:
            raise RuntimeError(process.stderr.read().decode("utf-8", "replace")[-2000:])
    growth = max((peak - early.get(phase, max(early.values())) for phase, peak in late.items()), default=0.0)
    return Memory(max([*early.values(), *late.values()]), growth, time.monotonic() - started)


def _last(log: Path) -> tuple[str, int]:
    """Return what an export is at, and at which frame."""
    tail = log.read_bytes()[-400:].decode("utf-8", "replace")
    lines = re.findall(r"^(\d+) (\d+) ?(.*)$", tail, re.MULTILINE)
    return (lines[-1][2], int(lines[-1][0])) if lines else ("", 0)


def _resident_mb(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found.group(1)) / 1024 if found else 0.0


def _write_recording(target: Path) -> list[float]:
    """Write the recording; return the box of the face in it."""
    pictures = _pictures()
    found = create_detector().detect(pictures[0], 0.5)
    short = target.with_name("short.mp4")
    with av.open(str(short), "w") as output:
        stream = output.add_stream("libx264", rate=FPS)
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        stream.codec_context.options = {"preset": "veryfast", "bf": "0"}
        for number in range(FPS * SECONDS):
            picture = pictures[number * len(pictures) // (FPS * SECONDS)]
            output.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        output.mux(stream.encode(None))
    with av.open(str(short)) as once, av.open(str(target), "w") as output:
        template = once.streams.video[0]
        stream = output.add_stream_from_template(template)
        packets = [packet for packet in once.demux(template) if packet.size]
        base = packets[0].time_base
        length = round(Fraction(SECONDS) / base)
        content = [(bytes(packet), packet.pts, packet.dts, packet.is_keyframe) for packet in packets]
        for turn in range(MINUTES * 60 // SECONDS):
            for data, pts, dts, key in content:
                packet = av.Packet(data)
                packet.stream, packet.time_base = stream, base
                packet.pts, packet.dts, packet.is_keyframe = pts + turn * length, dts + turn * length, key
                output.mux(packet)
    x, y, width, height = (float(value) for value in found.boxes[0])
    return [x, y, width, height]


def _pictures() -> list[NDArray[np.uint8]]:
    """Return some pictures of a face in the sample recording, enlarged."""
    with av.open(str(resource("sample", "sample.mp4"))) as sample:
        frames = [frame for frame, _ in zip(sample.decode(video=0), range(20), strict=False)]
        return [frame.reformat(*SIZE, format="rgb24").to_ndarray() for frame in frames]
