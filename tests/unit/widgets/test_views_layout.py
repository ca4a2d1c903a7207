import pytest
from hypothesis import given
from hypothesis import strategies as st

from widgets.player.camera_grid import Corner, inset_rects, nearest_corner, side_by_side_rects

ASPECTS = st.lists(st.floats(0.3, 3), min_size=1, max_size=7)
SIDES = st.floats(100, 3000)


def inside(rect, width, height):
    x, y, wide, tall = rect
    return x >= -0.01 and y >= -0.01 and x + wide <= width + 0.01 and y + tall <= height + 0.01


def overlap(one, other):
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return across > 0.01 and down > 0.01


@given(SIDES, SIDES, ASPECTS)
def test_cells_fill_the_area_and_never_overlap(width, height, aspects):
    cells = side_by_side_rects(width, height, aspects)
    assert len(cells) == len(aspects)
    assert all(inside(cell, width, height) for cell in cells)
    assert not any(overlap(a, b) for i, a in enumerate(cells) for b in cells[i + 1 :])


@given(SIDES, SIDES, ASPECTS, st.sampled_from(Corner), st.floats(0.12, 0.5))
def test_insets_keep_their_aspect_and_start_in_the_corner(width, height, aspects, corner, share):
    rects = inset_rects(width, height, aspects, corner, share)
    assert not any(overlap(a, b) for i, a in enumerate(rects) for b in rects[i + 1 :])
    for rect, aspect in zip(rects, aspects, strict=True):
        assert rect[2] / rect[3] == pytest.approx(aspect)
        assert inside(rect, width, height) or rect[3] == 1
    x, y, wide, tall = rects[0]
    assert nearest_corner(width, height, x + wide / 2, y + tall / 2) == corner or wide * 2 > width


def test_wide_areas_take_a_row_and_tall_ones_a_column():
    row = side_by_side_rects(1600, 500, [16 / 9, 16 / 9])
    assert row[0][1] == row[1][1] == 0
    column = side_by_side_rects(500, 900, [16 / 9, 16 / 9])
    assert column[0][0] == column[1][0] == 0
    assert row[0][0] < row[1][0], "the first one stands first"
