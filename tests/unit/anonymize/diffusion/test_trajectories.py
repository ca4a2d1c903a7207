"""The mapping along trajectories: one to one, by flow where there is one, the same as a plain loop."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.methods.diffusion.fresco import build_trajectories, link_elements

sizes = st.tuples(st.integers(1, 7), st.integers(1, 7))


def any_step(size: tuple[int, int], seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    flow = np.float32(rng.normal(0, 2, (*size, 2)))
    lost = rng.random(size) < 0.2
    # Few colours, so that many are equally far apart.
    first, second = (np.float32(rng.integers(0, 3, (*size, 3))) for _ in range(2))
    return flow, lost, first, second


def link_by_loop(
    flow: np.ndarray, lost: np.ndarray, first: np.ndarray, second: np.ndarray
) -> tuple[list[int], list[bool]]:
    height, width = lost.shape
    best: dict[int, tuple[float, int]] = {}
    for y in range(height):
        for x in range(width):
            to_x, to_y = x + round(float(flow[y, x, 0])), y + round(float(flow[y, x, 1]))
            if lost[y, x] or not (0 <= to_x < width and 0 <= to_y < height):
                continue
            offer = float(((first[y, x] - second[to_y, to_x]) ** 2).sum()), y * width + x
            place = to_y * width + to_x
            best[place] = min(best.get(place, offer), offer)
    target = [-1] * (height * width)
    for place, (_, element) in best.items():
        target[element] = place
    linked = [place >= 0 for place in target]
    left = iter(sorted(set(range(height * width)) - set(best)))
    return [place if place >= 0 else next(left) for place in target], linked


@given(sizes, st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None)
def test_each_place_is_reached_exactly_once(size: tuple[int, int], seed: int) -> None:
    target, _ = link_elements(*any_step(size, seed))
    assert sorted(target) == list(range(size[0] * size[1]))


@given(sizes, st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None)
def test_it_is_what_a_loop_over_all_elements_finds(size: tuple[int, int], seed: int) -> None:
    step = any_step(size, seed)
    target, linked = link_elements(*step)
    expected, expected_linked = link_by_loop(*step)
    assert target.tolist() == expected
    assert linked.tolist() == expected_linked


@given(sizes, st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_each_element_of_each_frame_lies_on_exactly_one_way(size: tuple[int, int], frames: int, seed: int) -> None:
    steps = [any_step(size, seed + i) for i in range(frames)]
    ways = build_trajectories([s[0] for s in steps[1:]], [s[1] for s in steps[1:]], [s[2] for s in steps])
    for row in ways.order:
        assert sorted(row) == list(range(size[0] * size[1]))
    together = ways.joined_frames
    assert together[:, range(frames), range(frames)].all()
    assert (together == together.transpose(0, 2, 1)).all()
    for way, first, second in zip(*np.nonzero(together), strict=True):
        assert ways.linked[min(first, second) : max(first, second), way].all()


def test_a_translation_is_followed() -> None:
    size = (5, 6)
    colours = [np.zeros((*size, 3), np.float32)] * 4
    flow = np.zeros((*size, 2), np.float32)
    flow[..., 0] = 1
    ways = build_trajectories([flow] * 3, [np.zeros(size, bool)] * 3, colours)
    for way in range(30):
        x = way % 6
        stays = min(3, 5 - x)
        assert ways.order[: stays + 1, way].tolist() == list(range(way, way + stays + 1))
        assert ways.linked[:stays, way].all()
        assert not ways.linked[stays : stays + 1, way].any()
