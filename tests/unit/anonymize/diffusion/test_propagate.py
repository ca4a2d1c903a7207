"""Frames between keys follow the source's motion."""

import cv2
import numpy as np

from anonymize.methods.diffusion.shot_drawing import GeneratedKeyframe, interpolate_frame
from models.flow.dis import DenseInverseSearch
from tests.builders.motions import Shift


def texture(height: int, width: int, seed: int, deviation: float = 3) -> np.ndarray:
    noise = np.random.default_rng(seed).uniform(0, 255, (height, width, 3)).astype(np.float32)
    return np.uint8(np.clip((cv2.GaussianBlur(noise, (0, 0), deviation) - 128) * 6 + 128, 0, 255))


def grey(picture: np.ndarray, number: int) -> np.ndarray:
    made = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    made[0, 0] = number
    return made


class GreyShift(Shift):
    """Knows the motion; the first pixel numbers the pictures."""

    def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return super().between(first[..., None], second[..., None])


def moving(step: int, scale: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Five sources that move by `step`, and what is drawn of them, another texture that moves with them."""
    source, drawn = texture(64, 64 + 5 * step, 0), texture(64 * scale, (64 + 5 * step) * scale, 1)
    starts = [step * (5 - i) for i in range(5)]
    return (
        [grey(source[:, s : s + 64], i) for i, s in enumerate(starts)],
        [drawn[:, s * scale : (s + 64) * scale] for s in starts],
    )


def test_a_known_translation_is_followed() -> None:
    sources, drawn = moving(2, 1)
    keys = [GeneratedKeyframe(0, sources[0], drawn[0]), GeneratedKeyframe(4, sources[4], drawn[4])]
    found = interpolate_frame(2, sources[2], keys, GreyShift(2))
    assert np.abs(found[:, 8:-8].astype(int) - drawn[2][:, 8:-8]).max() <= 1


def test_what_was_drawn_may_be_larger_than_what_flow_is_found_on() -> None:
    sources, drawn = moving(2, 2)
    keys = [GeneratedKeyframe(0, sources[0], drawn[0]), GeneratedKeyframe(4, sources[4], drawn[4])]
    found = interpolate_frame(1, sources[1], keys, GreyShift(2))
    assert found.shape == (128, 128, 3)
    assert np.abs(found[:, 16:-16].astype(int) - drawn[1][:, 16:-16]).mean() < 2


def test_with_a_flow_that_is_found_it_is_nearly_as_good() -> None:
    sources, drawn = moving(2, 1)
    keys = [GeneratedKeyframe(0, sources[0], drawn[0]), GeneratedKeyframe(4, sources[4], drawn[4])]
    found = interpolate_frame(2, sources[2], keys, DenseInverseSearch())
    still = np.abs(drawn[0][8:-8, 8:-8].astype(int) - drawn[2][8:-8, 8:-8]).mean()
    assert np.abs(found[8:-8, 8:-8].astype(int) - drawn[2][8:-8, 8:-8]).mean() < still / 5


def test_of_two_keys_that_see_the_same_the_nearer_counts_more() -> None:
    source = texture(64, 64, 0)[..., 0]
    keys = [
        GeneratedKeyframe(0, source, np.zeros((64, 64, 3), np.uint8)),
        GeneratedKeyframe(4, source, np.full((64, 64, 3), 200, np.uint8)),
    ]
    levels = [int(np.median(interpolate_frame(frame, source, keys, DenseInverseSearch()))) for frame in (1, 2, 3)]
    assert levels == [50, 100, 150]


def test_what_only_one_key_shows_comes_from_that_one() -> None:
    before = texture(64, 64, 0)[..., 0]
    after = before.copy()
    after[20:40, 20:40] = after[20:40, 20:40] + 128
    black, white = np.zeros((64, 64, 3), np.uint8), np.full((64, 64, 3), 255, np.uint8)
    before[0, 0] = after[0, 0] = 0

    class Still(Shift):
        def between(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
            return np.zeros((*first.shape, 2), np.float32)

    found = interpolate_frame(
        3, after, [GeneratedKeyframe(0, before, black), GeneratedKeyframe(9, after, white)], Still(0)
    )
    assert found[25:35, 25:35].min() > 250
    assert found[50:, 50:].max() < 100
