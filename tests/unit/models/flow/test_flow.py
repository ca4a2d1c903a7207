"""Optical flow and what it cannot follow, on pictures whose motion is known."""

import cv2
import numpy as np

from models.flow.dis import DenseInverseSearch
from models.flow.flow_consistency import find_occlusions, warp


def texture(height: int, width: int, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).uniform(0, 255, (height, width, 3)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), 2)
    return np.uint8(np.clip((smooth - smooth.mean()) * 5 + 128, 0, 255))


def test_a_translation_is_found() -> None:
    wide = texture(128, 160)
    first, second = wide[:, 16:144], wide[:, 11:139]  # moved right by 5
    flow = DenseInverseSearch().between(first, second)
    assert flow.shape == (128, 128, 2)
    assert flow.dtype == np.float32
    inner = flow[16:-16, 16:-16]
    assert np.median(np.abs(inner - (5, 0))) < 0.1
    assert np.abs(inner - (5, 0)).max() < 1


def test_warping_pulls_back_what_moved() -> None:
    wide = texture(40, 60)
    first, second = wide[:, 10:50], wide[:, 7:47]
    flow = np.zeros((40, 40, 2), np.float32)
    flow[..., 0] = 3
    assert (warp(second, flow)[:, :-3] == first[:, :-3]).all()


def test_what_leaves_the_picture_is_lost_and_the_rest_is_not() -> None:
    forward = np.zeros((20, 30, 2), np.float32)
    forward[..., 0] = 4
    lost = find_occlusions(forward, -forward)
    assert lost[:, -4:].all()
    assert not lost[:, :-4].any()


def test_ways_there_and_back_that_disagree_are_lost() -> None:
    forward = np.zeros((20, 30, 2), np.float32)
    backward = np.zeros_like(forward)
    backward[5:10, 5:10] = 2
    lost = find_occlusions(forward, backward)
    assert lost[5:10, 5:10].all()
    assert lost.sum() == 25


def test_another_colour_is_lost() -> None:
    still = np.zeros((20, 30, 2), np.float32)
    first = np.full((20, 30, 3), 100, np.uint8)
    second = first.copy()
    second[2:4, 2:4] = 200
    assert find_occlusions(still, still, first, second).sum() == 4
    assert not find_occlusions(still, still, first, first).any()
