import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from anonymize.rendering.residual_faces import CheckResult, ResidualFaceStatus, check_rendering
from media.decoding import iterate_frames
from media.picture import FrameGeometry
from models.faces.face_detectors import Detections
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.entities.study_records import FaceTrack, Json
from project.errors import Cancelled
from tests.builders.face_clips import make_clip
from tests.builders.face_pictures import StopAfter
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


def drawn(kind: RegionKind, box: Box, end: int = 80_000) -> Region:
    return Region("r", "one", kind, "", 0, end, (Keyframe(0, *(int(v) for v in box)),))


ANNA, ROBOT = track([HERE] * 4, name="anna"), track([HERE] * 4, name="robot")
NOTHING, EVERYWHERE = (drawn(RegionKind.NOTHING, box) for box in ((100, 60, 50, 50), (0, 0, 160, 120)))
GONE = track([HERE] * 4, name="toaster", dismissed=True)
INSIDE, OUT = (52, 44, 14, 12), (20, 44, 20, 12)


@pytest.mark.parametrize(
    ("tracks", "options", "hits", "findings"),
    [
        pytest.param([ANNA], {}, [(HERE, 0.49)], [], id="a hit below one half is left aside"),
        pytest.param(
            [ANNA], {}, [((61, 30, 40, 40), 0.9), ((62, 30, 40, 40), 0.9)], ["face left", "doubtful"],
            id="an overlap from three tenths on",
        ),
        pytest.param([track([HERE] * 2)], {}, [None, None, (HERE, 0.9)], ["doubtful"], id="the track has no box there"),
        pytest.param([ROBOT], {"exempt": {"robot"}}, [(HERE, 0.9)], ["exempt"], id="a robot that may be seen"),
        pytest.param(
            [ROBOT, track([(45, 35, 40, 40)] * 4, name="anna")], {"exempt": {"robot"}}, [(HERE, 0.9)], ["face left"],
            id="a person before a robot",
        ),
        pytest.param([GONE], {}, [(HERE, 0.9), (AWAY, 0.9)], ["dismissed", "doubtful"], id="a dismissed track"),
        pytest.param(
            [ANNA], {"regions": [NOTHING]}, [(AWAY, 0.9), None, (AWAY, 0.9)], ["dismissed", "doubtful"],
            id="nothing as long as its region lasts",
        ),
        pytest.param([ANNA], {"regions": [EVERYWHERE]}, [(HERE, 0.9)], ["face left"], id="nothing over a face"),
        pytest.param([ANNA], {}, [(INSIDE, 0.9), (OUT, 0.9)], ["covered", "doubtful"], id="under a mask and out of it"),
        pytest.param(
            [], {"regions": [drawn(RegionKind.AREA, AWAY)]}, [(AWAY, 0.9), None, (AWAY, 0.9)], ["covered", "doubtful"],
            id="an area as long as it lasts",
        ),
        pytest.param([ANNA], {"replaced": True}, [(HERE, 0.9)], ["replaced"], id="another face in its place"),
    ],
)  # fmt: skip
def test_what_a_hit_means(
    clip: Path,
    tracks: list[FaceTrack],
    options: dict[str, Any],
    hits: list[tuple[Box, float] | None],
    findings: list[str],
) -> None:
    told = Told([[hit] if hit else [] for hit in [*hits, None, None, None]][:4])
    assert [hit.finding for hit in look(clip, tracks, told, **options).hits] == findings


def test_it_can_be_cancelled(clip: Path) -> None:
    with pytest.raises(Cancelled):
        look(clip, [], Told([[]] * 4), progress=StopAfter(1))


def test_answers_of_several_workers_stay_with_their_frames(tmp_path: Path) -> None:
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


def test_a_frame_is_also_looked_at_without_the_pixel_aspect_of_its_source(clip: Path) -> None:
    class Narrow:
        """A detector that knows faces only where they are not drawn out."""

        key = "narrow"
        parameters: Mapping[str, Json] = {}

        def detect(self, image: np.ndarray, floor: float = 0.2) -> Detections:
            if image.shape != (30, 160, 3):
                return Detections.empty()
            return Detections(np.array([(10, 5, 10, 10)], np.float32), np.array([0.9], np.float32))

    source = FrameGeometry(40, 120, 90, Fraction(4))
    assert check_rendering(clip, [], Narrow()).hits == ()
    found = check_rendering(clip, [], Narrow(), source=source)
    assert len(found.doubtful) == found.frames
    assert {hit.box for hit in found.hits} == {(10, 20, 10, 40)}
