from collections.abc import Mapping, Sequence
from pathlib import Path

import av
import numpy as np
import pytest

from anonymize.rendering.residual_faces import CheckResult, ResidualFaceStatus, check_rendering, count_parallel_frames
from media.decoding import iterate_frames
from models.boxes import iou
from models.faces.face_detectors import Detections
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.entities.study_records import FaceTrack, Json
from project.errors import Cancelled, UserError
from project.progress import Silent
from tests.builders.face_clips import make_clip
from tests.builders.face_tracks import Box, track

HERE: Box = (40, 30, 40, 40)
AWAY: Box = (110, 70, 30, 30)


class Told:
    """A detector that finds what it was told, picture by picture."""

    key = "told"
    parameters: Mapping[str, Json] = {}

    def __init__(self, answers: Sequence[Sequence[tuple[Box, float]]]) -> None:
        self._answers = list(answers)
        self.asked = 0

    def detect(self, image: np.ndarray, floor: float = 0.2) -> Detections:
        assert image.shape == (120, 160, 3)
        found = self._answers[self.asked]
        self.asked += 1
        boxes = np.array([box for box, _ in found], np.float32).reshape(-1, 4)
        return Detections(boxes, np.array([score for _, score in found], np.float32))


def look(clip: Path, tracks: Sequence[FaceTrack], detector: Told, **options: object) -> CheckResult:
    """One picture at a time, so that the detector knows which it is."""
    return check_rendering(clip, tracks, detector, workers=1, **options)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "rendered.mp4", range(0, 160, 40))


def test_a_hit_on_a_track_is_a_face_left_and_tells_which(clip: Path) -> None:
    told = Told([[], [(HERE, 0.5)], [(AWAY, 0.9)], []])
    result = look(clip, [track([HERE] * 4, name="anna")], told)
    assert told.asked == result.frames == 4
    assert result.faces_left == [40_000]
    assert result.doubtful == [80_000]
    assert [(hit.track_id, hit.finding) for hit in result.hits] == [
        ("anna", ResidualFaceStatus.FACE_LEFT),
        (None, ResidualFaceStatus.DOUBTFUL),
    ]


def test_a_hit_below_one_half_is_left_aside(clip: Path) -> None:
    result = look(clip, [track([HERE] * 4)], Told([[(HERE, 0.49)], [], [], []]))
    assert result.hits == ()


def test_a_hit_where_the_track_has_no_box_is_doubtful(clip: Path) -> None:
    result = look(clip, [track([HERE] * 2)], Told([[], [], [(HERE, 0.9)], []]))
    assert result.faces_left == []
    assert result.doubtful == [80_000]


def test_a_hit_in_a_gap_of_a_track_is_a_face_left(clip: Path) -> None:
    result = look(clip, [track([HERE] * 2, frames=[0, 3])], Told([[], [], [(HERE, 0.9)], []]))
    assert result.faces_left == [80_000]


@pytest.mark.parametrize(("shift", "left"), [(21, True), (22, False)])
def test_the_overlap_counts_from_three_tenths(clip: Path, shift: float, left: bool) -> None:
    beside = (HERE[0] + shift, *HERE[1:])
    assert (iou(np.array(HERE), np.array(beside)) >= 0.3) is left
    result = look(clip, [track([HERE] * 4)], Told([[(beside, 0.9)], [], [], []]))
    assert bool(result.faces_left) is left


def test_a_visible_robot_is_listed_apart(clip: Path) -> None:
    robot = track([HERE] * 4, name="robot")
    result = look(clip, [robot], Told([[(HERE, 0.9)], [], [], []]), exempt={"robot"})
    assert result.exempt == [0]
    assert result.faces_left == result.doubtful == []


def test_a_person_before_a_robot_is_a_face_left(clip: Path) -> None:
    robot, person = track([HERE] * 4, name="robot"), track([(45, 35, 40, 40)] * 4, name="person")
    result = look(clip, [robot, person], Told([[(HERE, 0.9)], [], [], []]), exempt={"robot"})
    assert [hit.track_id for hit in result.hits] == ["person"]
    assert result.faces_left == [0]


def test_what_was_dismissed_stays_dismissed_and_elsewhere_is_doubtful(clip: Path) -> None:
    toaster = track([HERE] * 4, name="toaster", dismissed=True)
    for exempt in (set[str](), {"toaster"}):
        result = look(clip, [toaster], Told([[(HERE, 0.9)], [(AWAY, 0.9)], [], []]), exempt=exempt)
        assert [hit.finding for hit in result.hits] == [ResidualFaceStatus.DISMISSED, ResidualFaceStatus.DOUBTFUL]
        assert result.doubtful == [40_000]


def drawn(kind: RegionKind, box: Box, end: int = 80_000) -> Region:
    return Region("r", "one", kind, "", 0, end, (Keyframe(0, *(int(v) for v in box)),))


def test_a_hit_in_a_region_of_nothing_is_dismissed_while_the_region_lasts_unless_it_lies_on_a_face(clip: Path) -> None:
    nothing = drawn(RegionKind.NOTHING, (100, 60, 50, 50))
    told = Told([[(AWAY, 0.9)], [], [(AWAY, 0.9)], []])
    result = look(clip, [track([HERE] * 4)], told, regions=[nothing])
    assert [hit.finding for hit in result.hits] == [ResidualFaceStatus.DISMISSED, ResidualFaceStatus.DOUBTFUL]
    over = drawn(RegionKind.NOTHING, (0, 0, 160, 120))
    result = look(clip, [track([HERE] * 4)], Told([[(HERE, 0.9)], [], [], []]), regions=[over])
    assert result.faces_left == [0]


def test_a_hit_under_masks_or_areas_but_on_no_track_is_covered_and_one_that_reaches_out_is_doubtful(clip: Path) -> None:
    inside, out = (52, 44, 14, 12), (20, 44, 20, 12)
    found = look(clip, [track([HERE] * 4)], Told([[(inside, 0.9)], [(out, 0.9)], [], []]))
    assert [hit.finding for hit in found.hits] == [ResidualFaceStatus.COVERED, ResidualFaceStatus.DOUBTFUL]
    area = drawn(RegionKind.AREA, AWAY)
    found = look(clip, [], Told([[(AWAY, 0.9)], [], [(AWAY, 0.9)], []]), regions=[area])
    assert [hit.finding for hit in found.hits] == [ResidualFaceStatus.COVERED, ResidualFaceStatus.DOUBTFUL]


def test_a_face_that_was_drawn_in_place_of_another_is_replaced(clip: Path) -> None:
    anna, robot = track([HERE] * 4, name="anna"), track([AWAY] * 4, name="robot")
    told = Told([[(HERE, 0.9), (AWAY, 0.9)], [], [], []])
    found = look(clip, [anna, robot], told, replaced=True, exempt={"robot"})
    assert [hit.finding for hit in found.hits] == [ResidualFaceStatus.REPLACED, ResidualFaceStatus.EXEMPT]
    assert found.faces_left == found.doubtful == []


def test_large_pictures_are_looked_at_one_by_one_however_many_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    assert count_parallel_frames(1920, 1080) == count_parallel_frames(7680, 4320) == 1
    assert count_parallel_frames(1280, 720) == 4
    assert count_parallel_frames(320, 240) > 16


def test_times_are_those_of_the_recording(clip: Path) -> None:
    late = track([HERE] * 4, times_us=[5_000_000, 5_040_000, 5_080_000, 5_120_000])
    result = look(clip, [late], Told([[(HERE, 0.9)], [], [], []]), start_us=5_000_000)
    assert result.faces_left == [5_000_000]


def test_it_can_be_cancelled(clip: Path) -> None:
    class Impatient(Silent):
        def check_cancelled(self) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        look(clip, [], Told([[]] * 4), progress=Impatient())


def test_a_missing_rendering_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="missing"):
        look(tmp_path / "none.mp4", [], Told([]))


def test_answers_of_several_workers_stay_with_their_frames(tmp_path: Path) -> None:
    import time

    class Slow:
        """Finds a face in bright pictures, and takes longer for those."""

        key = "slow"
        parameters: Mapping[str, Json] = {}

        def detect(self, image: np.ndarray, floor: float = 0.2) -> Detections:
            bright = int(image[0, 0, 0] > 128)
            time.sleep(0.01 * bright)
            return Detections(np.array([HERE] * bright, np.float32).reshape(-1, 4), np.ones(bright, np.float32))

    clip = make_clip(tmp_path / "clip.mp4", range(0, 1600, 40))
    bright = [p.time_us for p in iterate_frames(clip) if p.image[0, 0, 0] > 128]
    assert 5 < len(bright) < 35
    assert check_rendering(clip, [], Slow(), workers=4).doubtful == bright


def test_what_cannot_be_read_of_a_rendering_is_doubtful(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "clip.mp4", range(0, 400, 40))
    with av.open(str(clip)) as container:
        places = [(packet.pos or 0, packet.size) for packet in container.demux(video=0) if packet.size]
    data = bytearray(clip.read_bytes())
    for place, size in places[6:]:
        data[place : place + size] = bytes(size)
    clip.write_bytes(data)
    damaged = [picture.time_us for picture in iterate_frames(clip) if picture.damaged]
    assert damaged
    result = look(clip, [], Told([[]] * 10), start_us=5_000_000)
    assert result.hits == ()
    assert result.doubtful == [5_000_000 + time_us for time_us in damaged]


def test_a_failing_detector_is_not_taken_for_an_empty_picture(clip: Path) -> None:
    class Broken(Told):
        def detect(self, image: np.ndarray, floor: float = 0.2) -> Detections:
            raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        look(clip, [], Broken([]))


def test_a_large_picture_is_looked_at_closely_around_the_small_faces_of_its_tracks(tmp_path: Path) -> None:
    """Reduced, such a face is lost; the check must find it all the same."""

    class Sharp:
        key = "sharp"
        parameters: Mapping[str, Json] = {}

        def detect(self, image: np.ndarray, floor: float = 0.2) -> Detections:
            if image.shape[1] == 400:
                return Detections.empty()
            boxes = np.array([HERE], np.float32)
            return Detections(boxes, np.array([0.9], np.float32))

    clip = make_clip(tmp_path / "large.mp4", [0, 40], (800, 600))
    times = [3_000_000, 3_040_000]
    assert check_rendering(clip, [], Sharp(), start_us=3_000_000).hits == ()
    small = track([HERE] * 2, times_us=times)
    assert check_rendering(clip, [small], Sharp(), start_us=3_000_000).faces_left == times
