"""Where text stands: boxes of a tiny network, areas that last, and clear words without one."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.text_regions.text_detectors import (
    FINDERS,
    TextBoxes,
    create_text_detector,
    merge_static_regions,
)
from project.errors import UserError
from tests.builders.text_network import install_text_network

SECOND = 1_000_000


def picture(width: int, height: int, *bright: tuple[int, int, int, int]) -> NDArray[np.uint8]:
    image = np.zeros((height, width, 3), np.uint8)
    for x, y, across, down in bright:
        image[y : y + down, x : x + across] = 255
    return image


def answer(*boxes: tuple[float, float, float, float]) -> TextBoxes:
    return TextBoxes(np.array(boxes, np.float32).reshape(-1, 4), np.full(len(boxes), 0.9, np.float32))


def test_every_line_lies_whole_in_its_box_at_the_pictures_own_size(tmp_path: Path) -> None:
    install_text_network(tmp_path)
    finder = create_text_detector("binarization")
    for scale in (1, 3):
        lines = [(64 * scale, 96 * scale, 128 * scale, 16 * scale), (320 * scale, 200 * scale, 60 * scale, 20 * scale)]
        found = finder.find(picture(640 * scale, 320 * scale, *lines))
        assert len(found.boxes) == 2
        for (x, y, width, height), box in zip(lines, sorted(found.boxes.tolist()), strict=True):
            inside = (x - box[0], y - box[1], box[0] + box[2] - x - width, box[1] + box[3] - y - height)
            assert min(inside) >= 0
            assert box[2] * box[3] < 5 * width * height
    assert finder.parameters["weights"]


def test_without_weights_it_says_how_to_get_them() -> None:
    assert FINDERS.default() is None
    with pytest.raises(UserError, match="not installed") as raised:
        create_text_detector("binarization")
    assert "greenroom model add text-regions" in raised.value.hint


def test_text_that_stays_is_one_area_and_what_was_seen_once_is_none() -> None:
    date = (10.0, 10.0, 80.0, 20.0)
    looks = [(at * SECOND, answer(date)) for at in range(5)]
    looks[2] = (2 * SECOND, answer())
    looks[3] = (3 * SECOND, answer((12.0, 9.0, 80.0, 20.0), (300.0, 200.0, 40.0, 10.0)))
    (area,) = merge_static_regions(looks, SECOND)
    assert area.box == (10, 9, 82, 21)
    assert (area.start_us, area.end_us, area.looks) == (0, 5 * SECOND, 4)


def test_text_elsewhere_or_much_later_is_another_area() -> None:
    here, there = (10.0, 10.0, 80.0, 20.0), (200.0, 10.0, 80.0, 20.0)
    looks = [(at * SECOND, answer(here) if at < 3 else answer(there) if at < 6 else answer()) for at in range(20)]
    looks += [(at * SECOND, answer(here)) for at in range(20, 23)]
    areas = merge_static_regions(looks, SECOND)
    assert [(area.box[0], area.start_us // SECOND, area.end_us // SECOND) for area in areas] == [
        (10, 0, 3),
        (200, 2, 6),
        (10, 19, 23),
    ]
