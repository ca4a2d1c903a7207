import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from anonymize.masking.masks import MaskSet
from anonymize.methods.face_methods import create_method
from anonymize.rendering.face_renderer import RenderPlan, RenderResult, render
from media.frame_index import load_index
from project.entities.study_records import FaceTrack
from project.errors import Cancelled, UserError
from tests.builders.face_clips import make_clip, planes_of
from tests.builders.face_pictures import StopAfter
from tests.builders.face_tracks import Box, track

ROOT = Path(__file__).resolve().parents[3]
STEADY = range(0, 800, 40)
FACE: Box = (50, 40, 40, 40)


def follow(clip: Path, box: Box = FACE, *, name: str = "face") -> FaceTrack:
    """A face that stays in one place of a whole clip."""
    times = load_index(clip).times.times_us
    return track([box] * len(times), times_us=list(times), name=name)


def rendered(clip: Path, out: Path, tracks: Sequence[FaceTrack], how: str = "solid", **options: object) -> RenderResult:
    frames = options.pop("tracked_frames", len(load_index(clip)))
    return render(RenderPlan(clip, out, tracks, frames, create_method(how), **options))


def is_grey(samples: np.ndarray) -> bool:
    """Grey but for what encoding adds; the clips are of noise, 45 levels from grey in the mean."""
    return bool(np.abs(samples.astype(int) - 128).mean() < 5)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "a clip.mp4", STEADY, sound=True)


def test_a_range_has_the_frames_of_that_range_with_their_own_masks(clip: Path, tmp_path: Path) -> None:
    times = load_index(clip).times.times_us
    boxes: list[Box] = [(4 * i, 40, 40, 40) for i in range(len(times))]
    moving = track(boxes, times_us=list(times))
    done = rendered(clip, tmp_path / "out.mp4", [moving], start_us=200_000, end_us=400_000)
    assert done.frames == 5
    assert done.start_us == 200_000
    masks = MaskSet([moving])
    for frame, planes in enumerate(planes_of(done.output), 5):
        assert is_grey(planes[0][masks.draw_alpha(frame, 160, 120) == 255])


def test_frames_that_nobody_looked_at_are_painted_over(clip: Path, tmp_path: Path) -> None:
    done = rendered(
        clip, tmp_path / "out.mp4", [], tracked_frames=15, damaged_frames=frozenset({3, 4}), start_us=80_000
    )
    assert list(done.blanked_us) == [1000 * STEADY[frame] for frame in (3, 4, *range(15, 20))]
    after = dict(enumerate(planes_of(done.output), 2))
    assert [frame for frame, planes in after.items() if is_grey(planes[0])] == [3, 4, *range(15, 20)]
    assert all(is_grey(plane) for plane in after[15])


def test_damaged_frames_are_painted_over(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "damaged.mp4", STEADY, (320, 240))
    data = bytearray(clip.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4000] = np.random.default_rng(1).bytes(4000)
    clip.write_bytes(data)
    done = rendered(clip, tmp_path / "out.mp4", [])
    assert done.frames == len(STEADY)
    assert 0 < len(done.blanked_us) < len(STEADY)
    times = list(load_index(done.output).times.times_us)
    for time, planes in zip(times, planes_of(done.output), strict=True):
        assert is_grey(planes[0]) is (time in done.blanked_us)


def test_tracks_of_another_file_are_refused(clip: Path, tmp_path: Path) -> None:
    face = follow(clip)
    shifted = track([FACE] * len(STEADY), times_us=[int(t) + 1000 for t in face.times_us])
    beyond = track([FACE], frames=[len(STEADY)], times_us=[0])
    for wrong in (shifted, beyond, track([FACE], frames=[-1], times_us=[0])):
        with pytest.raises(UserError, match="another file"):
            rendered(clip, tmp_path / "out.mp4", [wrong])
    with pytest.raises(UserError, match="more frames"):
        rendered(clip, tmp_path / "out.mp4", [face], tracked_frames=len(STEADY) + 1)
    assert list(tmp_path.iterdir()) == []


def test_the_source_is_never_overwritten(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "source.mp4", STEADY[:3])
    before = clip.read_bytes()
    hard, soft = tmp_path / "hard.mp4", tmp_path / "soft.mp4"
    hard.hardlink_to(clip)
    soft.symlink_to(clip)
    for target in (clip, hard, soft):
        with pytest.raises(UserError, match="never overwritten"):
            rendered(clip, target, [], overwrite=True)
    assert clip.read_bytes() == hard.read_bytes() == before
    assert soft.is_symlink()


def test_a_cancelled_export_leaves_what_was_there(clip: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.mp4"
    target.write_bytes(b"something else")
    with pytest.raises(UserError, match="already exists"):
        rendered(clip, target, [])
    plan = RenderPlan(clip, target, [follow(clip)], len(STEADY), create_method(), overwrite=True)
    with pytest.raises(Cancelled):
        render(plan, StopAfter(16))
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"something else"]
    assert render(plan).frames == len(STEADY)


RENDER = """
import resource, signal, sys
from pathlib import Path
from anonymize.methods.face_methods import create_method as method
from anonymize.rendering.face_renderer import RenderPlan, render
from media.frame_index import load_index
from project.errors import UserError

class Telling:
    def progress(self, done, total, text=""):
        print(done, total, flush=True)
    def check_cancelled(self):
        pass

source, target, room = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
if room:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
try:
    render(RenderPlan(source, target, [], len(load_index(source)), method()), Telling())
except UserError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


def test_a_full_disk_is_one_clear_line_and_leaves_nothing(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "clip.mp4", range(0, 4000, 40), (320, 240))
    out = tmp_path / "out"
    out.mkdir()
    command = [sys.executable, "-c", RENDER, str(clip), str(out / "out.mp4"), "100000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "the disk is full" in done.stderr
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("after", [40, *(pytest.param(frames, marks=pytest.mark.soak) for frames in (1, 80))])
def test_a_killed_export_leaves_no_clip(tmp_path: Path, after: int) -> None:
    clip = make_clip(tmp_path / "clip.mp4", range(0, 4000, 40), (320, 240))
    target = tmp_path / "out.mp4"
    with subprocess.Popen(
        [sys.executable, "-c", RENDER, str(clip), str(target), "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as child:
        for _ in range(after):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
    assert not target.exists()


def test_odd_sizes_are_rendered_whole(tmp_path: Path) -> None:
    for number, size in enumerate(((1, 1), (33, 17))):
        clip = make_clip(tmp_path / f"odd{number}.mkv", range(0, 200, 40), size)
        done = rendered(clip, tmp_path / f"out{number}.mp4", [follow(clip, (0, 0, *size))], "pixelate")
        assert done.frames == 5
