"""Attention across frames, feature optimization and the pipeline against plain diffusers, where the answer is known."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from diffusers.models.attention_processor import Attention, AttnProcessor2_0
from hypothesis import given
from hypothesis import strategies as st

from anonymize.methods.diffusion.diffusion_options import PRESETS, Preset
from anonymize.methods.diffusion.fresco import (
    Guidance,
    GuidedAttention,
    Motion,
    Terms,
    build_trajectories,
    cross_frame_attention,
    gram,
    link_elements,
    optimize_features,
    spatial_attention,
    temporal_attention,
    warp_features,
)
from anonymize.methods.diffusion.pipeline import CONTROL_SCALE, GeneratedBatch, Translator, build_scheduler
from models.flow.dis import DenseInverseSearch
from project.errors import Cancelled
from tests.builders import tiny_diffusion as tiny
from tests.builders.face_pictures import StopAfter
from tests.builders.motions import Shift, shifted

HEADS = 2


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    with tiny.one_thread():
        yield


def noise(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def motion(across: int, frames: int, size: int, pixels: int) -> Motion:
    """The motion of frames of elements of some pixels each, that move by whole elements."""
    return Motion(shifted(frames, size * pixels, across * pixels), Shift(across * pixels))


SIDE, FRAMES, WIDTH = 8, 4, 8


def attended_motion() -> Motion:
    return motion(1, FRAMES, SIDE, 8)


def test_temporal_attention_follows_a_known_translation_exactly() -> None:
    order, together = attended_motion().on_grid(SIDE, SIDE).trajectory_order
    value = torch.arange(FRAMES * SIDE * SIDE, dtype=torch.float64).reshape(FRAMES, -1, 1).repeat(1, 1, WIDTH)
    alike = torch.zeros_like(value)  # equal scores: what comes out is the mean of what was looked at
    mean = temporal_attention(alike, alike, value, order, together, HEADS)
    for frame, y, x in np.ndindex(FRAMES, SIDE, SIDE):
        ways = [(f, x + f - frame) for f in range(FRAMES) if 0 <= x + f - frame < SIDE]
        expected = sum(f * SIDE * SIDE + y * SIDE + at for f, at in ways) / len(ways)
        assert mean[frame, y * SIDE + x].numpy() == pytest.approx(expected), (frame, y, x)


def test_cross_frame_attention_looks_at_the_first_frame_and_at_what_is_newly_seen() -> None:
    scale = attended_motion().on_grid(SIDE, SIDE)
    # The left column comes into view in each frame.
    column = [frame * SIDE**2 + y * SIDE for frame in range(1, FRAMES) for y in range(SIDE)]
    assert scale.shared_indices.tolist() == [*range(SIDE**2), *column]
    query, key, value = (noise(FRAMES, SIDE**2, WIDTH, seed=seed) for seed in range(3))
    attended = cross_frame_attention(query, key, value, scale.shared_indices, FRAMES, 1)
    keys, values = (each.reshape(-1, WIDTH)[scale.shared_indices] for each in (key, value))
    expected = torch.softmax(query @ keys.T / WIDTH**0.5, -1) @ values
    assert torch.allclose(attended, expected, atol=1e-5)


def test_spatial_attention_mixes_queries_of_places_that_are_alike_in_the_source() -> None:
    same = torch.zeros(1, SIDE**2, WIDTH)
    query = noise(2, SIDE**2, WIDTH)
    mixed = spatial_attention(query, same, same, HEADS)
    assert torch.allclose(mixed, query.mean(1, keepdim=True).expand_as(query), atol=1e-5)
    alone = 1000 * torch.eye(SIDE**2)[None]  # each place is like itself only
    query = noise(1, SIDE**2, SIDE**2)
    assert torch.allclose(spatial_attention(query, alone, alone, 1), query, atol=1e-5)


def test_a_layer_records_the_source_and_is_guided_by_it_and_plain_without_guidance() -> None:
    torch.manual_seed(0)
    layer = Attention(query_dim=WIDTH, heads=HEADS, dim_head=WIDTH // HEADS)
    source = noise(FRAMES, SIDE**2, WIDTH)
    layer.set_processor(AttnProcessor2_0())
    plain = layer(source)
    guide = Guidance(frames=FRAMES, height=SIDE, width=SIDE, motion=attended_motion())
    layer.set_processor(GuidedAttention("layer", guide))
    guide.recording = True
    assert (layer(source) == plain).all()
    assert (guide.attended["layer"] == source).all()
    guide.recording = False
    assert (layer(source) == plain).all()
    for switch in ("spatial", "cross", "temporal"):
        setattr(guide, switch, True)
        guided = layer(torch.cat([source, source]))
        setattr(guide, switch, False)
        assert guided.isfinite().all()
        assert not torch.allclose(guided[:FRAMES], plain, atol=1e-4)
        assert torch.allclose(guided[:FRAMES], guided[FRAMES:], atol=1e-6), "both halves of guidance are alike"


sizes = st.tuples(st.integers(1, 7), st.integers(1, 7))


def any_step(size: tuple[int, int], seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    flow = np.float32(rng.normal(0, 2, (*size, 2)))
    lost = rng.random(size) < 0.2
    # Few colours, so that many are equally far apart.
    first, second = (np.float32(rng.integers(0, 3, (*size, 3))) for _ in range(2))
    return flow, lost, first, second


@given(sizes, st.integers(0, 2**32 - 1))
def test_elements_are_linked_as_a_loop_over_all_of_them_does(size: tuple[int, int], seed: int) -> None:
    flow, lost, first, second = step = any_step(size, seed)
    height, width = size
    best: dict[int, tuple[float, int]] = {}
    for y, x in np.ndindex(height, width):
        to_x, to_y = x + round(float(flow[y, x, 0])), y + round(float(flow[y, x, 1]))
        if not lost[y, x] and 0 <= to_x < width and 0 <= to_y < height:
            offer = float(((first[y, x] - second[to_y, to_x]) ** 2).sum()), y * width + x
            best[to_y * width + to_x] = min(best.get(to_y * width + to_x, offer), offer)
    expected = [-1] * (height * width)
    for place, (_, element) in best.items():
        expected[element] = place
    target, linked = link_elements(*step)
    assert linked.tolist() == [place >= 0 for place in expected]
    left = iter(sorted(set(range(height * width)) - set(best)))
    assert target.tolist() == [place if place >= 0 else next(left) for place in expected]


@given(sizes, st.integers(2, 5), st.integers(0, 2**32 - 1))
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


GRID, STEPS, CHANNELS = 12, 3, 5


def featured_motion(across: int) -> Motion:
    return motion(across, STEPS, GRID, 4)


def moving_features(across: int) -> torch.Tensor:
    """(frames, channels, h, w) that move with the frames."""
    wide = noise(CHANNELS, GRID, GRID + STEPS * across)
    starts = [across * (STEPS - index) for index in range(STEPS)]
    return torch.stack([wide[:, :, start : start + GRID] for start in starts])


def test_features_are_pulled_back_by_whole_elements_exactly() -> None:
    features = moving_features(2)
    flow = torch.zeros(STEPS - 1, GRID, GRID, 2)
    flow[..., 0] = 2
    assert torch.allclose(warp_features(features[1:], flow)[..., :-2], features[:-1][..., :-2], atol=1e-5)


@pytest.mark.parametrize("terms", [Terms(), Terms(temporal=0), Terms(spatial=0), Terms(slack=0)])
def test_the_loss_falls(terms: Terms) -> None:
    start = noise(2 * STEPS, CHANNELS, GRID, GRID, seed=1)
    _, losses = optimize_features(start, featured_motion(1).on_grid(GRID, GRID), gram(moving_features(1)), terms)
    assert len(losses) == terms.iterations
    assert losses[-1] < 0.8 * losses[0]


def test_features_come_to_agree_along_the_motion() -> None:
    start = noise(STEPS, CHANNELS, GRID, GRID, seed=1)
    agreed, _ = optimize_features(start, featured_motion(1).on_grid(GRID, GRID), None, Terms())

    def apart(features: torch.Tensor) -> float:
        return float((features[1:, ..., 1:] - features[:-1, ..., :-1]).abs().mean())

    assert apart(agreed) < 0.5 * apart(start)


@pytest.mark.parametrize("across", [0, 2])
def test_consistent_features_are_left_alone(across: int) -> None:
    features = moving_features(across)
    scale = featured_motion(across).on_grid(GRID, GRID)
    left, losses = optimize_features(features, scale, gram(features), Terms())
    assert losses.tolist() == [0.0] * 20
    assert torch.allclose(left, features, atol=1e-4)


def test_each_channel_keeps_its_mean_and_deviation_and_all_their_precision() -> None:
    start = 3 * noise(STEPS, CHANNELS, GRID, GRID, seed=1) + 1
    scale, source = featured_motion(1).on_grid(GRID, GRID), gram(moving_features(1))
    restyled, _ = optimize_features(start, scale, source, Terms())
    assert not torch.allclose(restyled, start, atol=0.1)
    assert torch.allclose(restyled.mean((2, 3)), start.mean((2, 3)), atol=1e-4)
    assert torch.allclose(restyled.std((2, 3)), start.std((2, 3)), rtol=1e-3)
    half, _ = optimize_features(start.half(), scale, source.half(), Terms(iterations=2))
    assert half.dtype == torch.float16
    assert half.isfinite().all()


SIZE = 64
SHORT = replace(PRESETS["baseline"], steps=4, iterations=2)
UNGUIDED = replace(SHORT, cross=False, spatial_steps=0, temporal_until=1000, optimized=0)


def translator(preset: Preset, flow: Any = None) -> Translator:
    return Translator(tiny.pipeline(), preset, flow or DenseInverseSearch())


def pictures(count: int) -> list[np.ndarray]:
    return shifted(4, SIZE, 8)[:count]


def edges(count: int) -> list[np.ndarray]:
    return [np.uint8(np.random.default_rng(i).random((SIZE, SIZE, 1)) > 0.9).repeat(3, 2) * 255 for i in range(count)]


def draw(made: Translator, count: int, seed: int = 7, **more: Any) -> GeneratedBatch:
    return made.draw(pictures(count), edges(count), made.encode_prompt("a face", "none"), seed, 0.75, **more)


def rounding(drawn: GeneratedBatch, preset: Preset) -> float:
    """Return how far the same arithmetic in another order may lie apart, as processors and batches differ in it.

    Each step rounds to some units in the last place of the largest number, and guidance multiplies the difference of
    two predictions.
    """
    largest = float(drawn.way[-1].abs().max())
    return 4 * torch.finfo(torch.float32).eps * largest * (1 + 2 * preset.guidance) * preset.steps


@pytest.mark.parametrize(
    ("name", "guidance"),
    [
        ("ddpm", 7.5),
        ("unipc", 1.0),
        *(pytest.param(name, 7.5, marks=pytest.mark.soak) for name in ("dpm-solver", "unipc")),
    ],
)
# diffusers 0.42 asks numpy 2 in an old way.
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_one_frame_without_guidance_is_plain_diffusers(name: Any, guidance: float) -> None:
    preset = replace(UNGUIDED, schedule=name, guidance=guidance)
    ours = draw(translator(preset), 1)
    plain = tiny.pipeline()
    plain.scheduler = build_scheduler(name, plain.scheduler.config)
    asked = {
        "prompt": "a face",
        "negative_prompt": "none",
        "image": torch.from_numpy(pictures(1)[0]).permute(2, 0, 1)[None] / 255,
        "control_image": torch.from_numpy(edges(1)[0]).permute(2, 0, 1)[None] / 255,
        "strength": 0.75,
        "num_inference_steps": preset.steps,
        "guidance_scale": guidance,
        "controlnet_conditioning_scale": CONTROL_SCALE,
    }
    latents = plain(**asked, generator=torch.Generator().manual_seed(7), output_type="latent").images
    assert (ours.way[-1] - latents).abs().max() < rounding(ours, preset)
    image = plain(**asked, generator=torch.Generator().manual_seed(7), output_type="np").images
    assert np.abs(ours.images - image).max() < rounding(ours, preset)
    assert image.std() > 0.01


def test_each_guidance_changes_what_is_drawn_and_without_any_frames_do_not_know_of_each_other() -> None:
    steady = replace(UNGUIDED, schedule="unipc")  # draws no noise in its steps
    plain, alone = (draw(translator(steady), count) for count in (3, 1))
    assert np.abs(plain.images[0] - alone.images[0]).max() < rounding(alone, steady)
    for switched in ({"cross": True}, {"spatial_steps": 1}, {"temporal_until": 350}, {"optimized": 1}):
        guided = draw(translator(replace(steady, **switched), Shift(8)), 3).images
        assert np.isfinite(guided).all()
        assert np.abs(guided - plain.images).max() > 1e-4, switched


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_draws(name: str) -> None:
    drawn = draw(translator(replace(PRESETS[name], steps=4, iterations=1)), 2)
    assert drawn.images.shape == (2, SIZE, SIZE, 3)
    assert np.isfinite(drawn.images).all()
    assert drawn.way.shape[1:] == (2, 4, 8, 8)


def test_a_seed_draws_the_same_also_after_it_was_stopped_and_another_seed_something_else() -> None:
    made = translator(SHORT)
    first = draw(made, 2).images
    with pytest.raises(Cancelled):
        draw(made, 2, progress=StopAfter(2))
    assert (draw(made, 2).images == first).all()
    assert np.abs(draw(made, 2, seed=8).images - first).max() > 0.01


def test_frames_that_are_known_come_out_as_they_were() -> None:
    made = translator(SHORT)
    first = draw(made, 3)
    frames, control = pictures(4), edges(4)
    part = [0, 2, 3]
    words = made.encode_prompt("a face", "none")
    later = made.draw([frames[i] for i in part], [control[i] for i in part], words, 7, 0.75, 1, first.way)
    assert np.abs(later.images[:2] - first.images[[0, 2]]).max() < rounding(first, SHORT)
    assert (later.way[:, 0] == first.way[:, 0]).all()


def test_one_step_is_done_at_least_and_pictures_need_not_be_square() -> None:
    """Without a step the source itself would come out."""
    made = translator(replace(UNGUIDED, steps=1))
    wide, lines = (np.concatenate([each[0], each[0]], axis=1) for each in (pictures(1), edges(1)))
    drawn = made.draw([wide], [lines], made.encode_prompt("a face", ""), 7, 0.5)
    assert drawn.images.shape == (1, SIZE, 2 * SIZE, 3)
    assert len(drawn.way) == 1
