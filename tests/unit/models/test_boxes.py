import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.boxes import iou, iou_matrix

SIDES = st.integers(0, 30)
BOXES = st.lists(st.tuples(SIDES, SIDES, SIDES, SIDES), max_size=4)


def pixels(box: tuple[int, int, int, int]) -> set[tuple[int, int]]:
    x, y, width, height = box
    return {(across, down) for across in range(x, x + width) for down in range(y, y + height)}


@given(BOXES, BOXES)
def test_the_share_is_that_of_the_pixels_that_both_have(
    boxes: list[tuple[int, int, int, int]], others: list[tuple[int, int, int, int]]
) -> None:
    found = iou_matrix(np.array(boxes), np.array(others))
    assert found.shape == (len(boxes), len(others))
    for row, one in enumerate(boxes):
        for column, other in enumerate(others):
            both = pixels(one) | pixels(other)
            share = len(pixels(one) & pixels(other)) / len(both) if both else 0.0
            assert found[row, column] == pytest.approx(share)


def test_boxes_without_area_share_nothing() -> None:
    assert iou((0, 0, 0, 0), (0, 0, 4, 4)) == 0
    assert iou((2, 2, -1, -1), (0, 0, 4, 4)) == 0
    assert iou((0, 0, 4, 4), (0, 0, 4, 4)) == 1
