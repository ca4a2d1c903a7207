"""Scene changes are told from whatever else changes a picture."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.faces.scene_changes import FRAMES_AHEAD, Scenes
from models.faces.tracking_options import FaceOptions

Planes = tuple[NDArray[np.uint8], ...]
SIZE = (54, 96)


def _scene(seed: int, shift: int = 0, gain: float = 1.0) -> Planes:
    """A picture of large patches that belongs to a scene; `shift` moves all of it."""
    rng = np.random.default_rng(seed)
    patches = rng.integers(30, 220, (3, 6, 8)).astype(np.float64)
    patches[1:] = 128 + (patches[1:] - 128) / 6
    luma = np.kron(patches[0], np.ones((9, 12)))
    blue, red = (np.kron(each, np.ones((9, 12)))[::2, ::2] for each in patches[1:])
    rolled = (np.roll(luma * gain, shift, axis=1), np.roll(blue, shift // 2, axis=1), np.roll(red, shift // 2, axis=1))
    return tuple(np.clip(each, 0, 255).astype(np.uint8) for each in rolled)


def _flat(level: int) -> Planes:
    height, width = SIZE
    half = (height // 2, width // 2)
    return np.full(SIZE, level, np.uint8), np.full(half, 128, np.uint8), np.full(half, 128, np.uint8)


def _cuts(pictures: list[Planes], start: int = 0) -> list[int]:
    scenes = Scenes(FaceOptions().cut_level, FaceOptions().cut_ratio)
    may = []
    found = []
    for frame, planes in enumerate(pictures[start:], start):
        if scenes.add(frame, planes):
            may.append(frame)
        found += [f for f in may if f == frame - FRAMES_AHEAD and scenes.is_scene_start(f)]
    last = len(pictures) - 1
    return found + [f for f in may if f > last - FRAMES_AHEAD and scenes.is_scene_start(f)]


def test_cuts_every_second_are_all_found() -> None:
    pictures = [_scene(i // 25, shift=i % 25) for i in range(150)]
    assert _cuts(pictures) == [25, 50, 75, 100, 125]


def test_cuts_between_dark_scenes_are_found() -> None:
    pictures = [_scene(i // 10, gain=0.08) for i in range(40)]
    assert _cuts(pictures) == [10, 20, 30]


@pytest.mark.parametrize(("length", "level"), [(1, 255), (3, 16)])
def test_a_flash_or_black_frames_within_a_scene_are_no_cut(length: int, level: int) -> None:
    pictures = [_flat(level) if 20 <= i < 20 + length else _scene(1, shift=i // 4) for i in range(50)]
    assert _cuts(pictures) == []


@pytest.mark.parametrize("length", [3, 10])
def test_black_frames_between_scenes_are_a_cut(length: int) -> None:
    pictures = [_flat(16) if 20 <= i < 20 + length else _scene(int(i >= 20)) for i in range(50)]
    found = _cuts(pictures)
    assert set(found) <= {20, 20 + length}
    assert found
    if length > FRAMES_AHEAD:
        assert found == [20, 20 + length]


def test_lights_that_flicker_and_a_camera_that_moves_are_no_cuts() -> None:
    assert _cuts([_scene(1, gain=0.5 + 0.5 * (i % 2)) for i in range(40)]) == []
    assert _cuts([_scene(1, shift=6 * i) for i in range(60)]) == []


@given(st.integers(1, 45), st.lists(st.integers(0, 3), min_size=46, max_size=60))
def test_the_answer_does_not_depend_on_where_one_starts(start: int, plan: list[int]) -> None:
    kinds = [_scene(kind) for kind in range(4)]
    pictures = [kinds[kind] for kind in plan]
    whole = _cuts(pictures)
    from models.faces.scene_changes import FRAMES_BEFORE

    assert [f for f in _cuts(pictures, max(0, start - FRAMES_BEFORE)) if f >= start] == [f for f in whole if f >= start]
