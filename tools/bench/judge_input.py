"""What a judge sees of a 20-second segment, 15 frames of 720p, against decoding those frames alone.

The peer reads the same frames with `media.exact_frames`, which leaves them in the decoder's planes; a second one is a
bare loop of PyAV over the stretch, without an index, that converts nothing either.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
from numpy.typing import NDArray

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_recordings, probe_file
from benchmark.judge_input.input_plan import InputPlan, build_messages
from benchmark.judge_input.input_planning import plan_input
from media.exact_frames import FrameReader
from media.frame_index import load_index
from project.files.temporary_files import cache_folder
from project.session.session import Session
from project.store.study import Study
from project.timebase import SECOND_US
from tests.builders.clips import make_clip
from tools.bench.frame_access import numbered_bars
from tools.bench.measuring import KEPT, in_turns
from tools.bench.row import Row

_SIZE = (1280, 720)
_START_US, _END_US = 4 * SECOND_US, 24 * SECOND_US


def run() -> list[Row]:
    """Measure planning and building, in turns with the peers."""
    clip = _clip()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bench.greenroom"
        Study.create(path).close()
        with Session.open(path, "Ada") as session:
            (recording_id,), _ = add_recordings(session, [probe_file(clip)])
            segment_id, _ = add_segment(session, recording_id, _START_US, _END_US, "error")
            return _measured(session, segment_id, clip)


def _measured(session: Session, segment_id: str, clip: Path) -> list[Row]:
    index = load_index(clip, cache_folder())
    plan = plan_input(session, segment_id)
    assert plan.media is not None
    wanted = [frame.position for frame in plan.media.frames]

    def ours() -> InputPlan:
        made = plan_input(session, segment_id)
        build_messages(made)
        return made

    def reader() -> None:
        with FrameReader(clip, index) as frames:
            for position in wanted:
                frames.frame_at(position)

    taken = in_turns(9, ours, reader, lambda: _bare(clip, wanted[-1], index.pts))
    own, peer, bare = (1000 * seconds for seconds in taken)
    sizes = [len(picture.jpeg) for message in build_messages(plan) for picture in message.pictures]
    what = f"input of a 20-second segment: {len(sizes)} frames of 720p as JPEGs, {sum(sizes) / 1e3:.0f} kB"
    return [
        Row.judged(work, f"{own:.0f} ms", own / other, "<= 1.3x", f"{against}, {other:.0f} ms", f"{own / other:.2f}")
        for work, against, other in (
            (what, "decoding those frames alone (`media.exact_frames`)", peer),
            ("the same", "PyAV, decoding the stretch from its first key frame to the last of them", bare),
        )
    ]


def _bare(clip: Path, last: int, pts: NDArray[np.int64]) -> None:
    with av.open(str(clip)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        container.seek(round(_START_US / SECOND_US / stream.time_base), stream=stream)
        for frame in container.decode(stream):
            if frame.pts is not None and frame.pts >= pts[last]:
                return


def _clip() -> Path:
    """Return 30 seconds of 1280x720 H.264, 30 frames a second, B-frames, two seconds between keyframes; made once."""
    path = KEPT / "half-minute-720p.mp4"
    if not path.exists():
        KEPT.mkdir(exist_ok=True)
        part = path.with_suffix(".part.mp4")
        rough = np.random.default_rng(7).integers(0, 256, (80, 130, 3), np.uint8).repeat(12, 0).repeat(12, 1)

        def draw(frame: int, width: int, height: int) -> NDArray[np.uint8]:
            x, y = round(140 + 130 * np.sin(frame / 47)), round(100 + 95 * np.sin(frame / 31))
            image = rough[y : y + height, x : x + width].copy()
            image[: height // 4] = numbered_bars(frame, width, height)
            return image

        make_clip(part, size=_SIZE, frames=900, fps=30, bframes=3, gop=60, draw=draw, options={"crf": "23"})
        part.rename(path)
    return path
