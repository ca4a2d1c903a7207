import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.masking.masks import FaceMask, MaskOptions, MaskSet, covered_share
from project.errors import UserError
from tests.builders.face_tracks import track

PICTURE = (320, 240)


def inside(ellipse: np.ndarray, width: int, height: int) -> np.ndarray:
    """Which pixels have their middle inside an ellipse, straight from its equation."""
    x, y, a, b = ellipse
    across, down = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    found: np.ndarray = ((across - x) / a) ** 2 + ((down - y) / b) ** 2 <= 1
    return found


def only(masks: MaskSet, frame: int) -> FaceMask:
    (found,) = masks.masks_at(frame)
    return found


numbers = st.floats(-400, 700) | st.floats(-20_000, 20_000)
sizes = st.floats(0, 500) | st.floats(0, 20_000)


@given(x=numbers, y=numbers, w=sizes, h=sizes, feather=st.floats(0, 1), grid=st.sampled_from([1, 2, 14]))
def test_every_pixel_of_the_ellipse_is_hidden(
    x: float, y: float, w: float, h: float, feather: float, grid: int
) -> None:
    mask = only(MaskSet([track([(x, y, w, h)])], MaskOptions(feather=feather)), 0)
    area = mask.draw_area(*PICTURE, grid)
    core = inside(mask.ellipses[0], *PICTURE)
    whole = np.zeros(PICTURE[::-1], np.uint8)
    if area is not None:
        rows, columns = area.alpha.shape
        assert area.x % grid == 0
        assert area.y % grid == 0
        assert columns % grid == 0 or area.x + columns == PICTURE[0]
        assert rows % grid == 0 or area.y + rows == PICTURE[1]
        whole[area.y : area.y + rows, area.x : area.x + columns] = area.alpha
    assert (whole[core] == 255).all()


def test_the_margin_is_that_of_deface() -> None:
    mask = only(MaskSet([track([(100, 100, 50, 60)])], MaskOptions(margin=1.3)), 0)
    x1, y1, x2, y2 = 100 - 0.3 * 50, 100 - 0.3 * 60, 150 + 0.3 * 50, 160 + 0.3 * 60
    assert mask.ellipses[0] == pytest.approx([(x1 + x2) / 2, (y1 + y2) / 2, (x2 - x1) / 2, (y2 - y1) / 2])
    assert covered_share(MaskSet([track([(100, 100, 50, 60)])]).draw_alpha(0, *PICTURE), (100, 100, 50, 60)) == 1


def test_the_mask_only_fades_outwards_and_steadily() -> None:
    mask = only(MaskSet([track([(120, 80, 80, 80)])], MaskOptions(feather=0.5)), 0)
    area = mask.draw_area(*PICTURE)
    ray = area.alpha[round(120 - area.y), round(160 - area.x) :].astype(int)
    assert (np.diff(ray) <= 0).all()
    assert ray[0] == 255
    assert ray[-1] == 0
    assert len(set(ray.tolist())) > 8, "a feather of 32 pixels has steps in between"
    radius = 0.8 * 80
    assert (ray > 0).sum() == pytest.approx(radius * 1.5, abs=3)


def test_tiny_and_empty_boxes_get_the_least_mask() -> None:
    for box in ((100, 100, 0, 0), (100, 100, 1, 2), (100, 100, -3, 2)):
        alpha = MaskSet([track([box])], MaskOptions(minimum=16, feather=0)).draw_alpha(0, *PICTURE)
        assert (alpha == 255).sum() >= math.pi * 64


@given(
    steps=st.lists(st.tuples(st.floats(-60, 60), st.floats(-60, 60), st.floats(0.7, 1.4)), min_size=1, max_size=4),
    shares=st.lists(st.floats(0, 1), min_size=3, max_size=3),
)
def test_a_mask_covers_the_way_to_its_neighbours(steps: list[tuple[float, float, float]], shares: list[float]) -> None:
    boxes = [(140.0, 100.0, 40.0, 40.0)]
    for dx, dy, grow in steps:
        x, y, w, h = boxes[-1]
        boxes.append((x + dx, y + dy, w * grow, h * grow))
    masks = MaskSet([track(boxes)], MaskOptions(linger=0))
    still = [only(MaskSet([track([box])]), 0).ellipses[0] for box in boxes]
    for frame in range(len(boxes)):
        alpha = masks.draw_alpha(frame, *PICTURE)
        for other in (frame - 1, frame + 1):
            if 0 <= other < len(boxes):
                for share in shares:
                    between = still[frame] * share + still[other] * (1 - share)
                    assert (alpha[inside(between, *PICTURE)] == 255).all()


def test_a_mask_outlasts_its_track_on_both_sides() -> None:
    masks = MaskSet([track([(10, 10, 20, 20)], first=5)], MaskOptions(linger=2))
    assert [frame for frame in range(12) if masks.masks_at(frame)] == [3, 4, 5, 6, 7]


def test_short_gaps_are_bridged_and_long_ones_are_not() -> None:
    frames = [0, 1, 5, 100]
    boxes = [(0, 0, 20, 20), (0, 0, 20, 20), (40, 0, 20, 20), (80, 0, 20, 20)]
    masks = MaskSet([track(boxes, frames=frames)], MaskOptions(linger=0, bridge_us=1_000_000))
    assert [frame for frame in range(101) if masks.masks_at(frame)] == [0, 1, 2, 3, 4, 5, 100]
    assert only(masks, 3).ellipses[1, 0] == pytest.approx(30)


def test_exempt_and_dismissed_tracks_have_no_mask() -> None:
    tracks = [
        track([(10, 10, 20, 20)], name="person"),
        track([(60, 10, 20, 20)], name="robot"),
        track([(110, 10, 20, 20)], name="toaster", dismissed=True),
    ]
    assert [mask.track_id for mask in MaskSet(tracks, exempt={"robot"}).masks_at(0)] == ["person"]
    assert MaskSet([track([])]).masks_at(0) == []
    with pytest.raises(UserError, match="not in this recording"):
        MaskSet(tracks, exempt={"nobody"})


def test_the_strength_is_that_of_the_largest_face_of_the_track() -> None:
    masks = MaskSet([track([(0, 0, 20, 20), (0, 0, 60, 70), (0, 0, 30, 30)])])
    assert {only(masks, frame).face_width for frame in range(3)} == {60.0}
    assert only(MaskSet([track([(0, 0, 10, 80)])]), 0).face_width == 60.0, "a narrow box is a face seen in part"


def test_a_box_without_a_position_and_frames_out_of_order_are_refused() -> None:
    for wrong in (track([(math.nan, 0, 1, 1)]), track([(0, 0, math.inf, 1)]), track([(0, 0, 1, 1)] * 2, frames=[3, 3])):
        with pytest.raises(UserError, match="damaged"):
            MaskSet([wrong])


def test_options_are_held_to_their_limits() -> None:
    for wrong in ({"margin": 1.2}, {"feather": -0.1}, {"minimum": 2}, {"margin": "wide"}):
        with pytest.raises(UserError, match="not allowed"):
            MaskOptions(**wrong)
