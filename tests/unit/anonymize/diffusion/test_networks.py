"""Attention across frames, feature optimization and the pipeline against plain diffusers, where the answer is known."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from anonymize.methods.diffusion.diffusion_options import PRESETS, Preset
from anonymize.methods.diffusion.fresco import (
    Motion,
    Terms,
    cross_frame_attention,
    optimize_features,
    temporal_attention,
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


GRID, STEPS, CHANNELS = 12, 3, 5


def featured_motion(across: int) -> Motion:
    return motion(across, STEPS, GRID, 4)


def test_features_come_to_agree_along_the_motion() -> None:
    start = noise(STEPS, CHANNELS, GRID, GRID, seed=1)
    agreed, _ = optimize_features(start, featured_motion(1).on_grid(GRID, GRID), None, Terms())

    def apart(features: torch.Tensor) -> float:
        return float((features[1:, ..., 1:] - features[:-1, ..., :-1]).abs().mean())

    assert apart(agreed) < 0.5 * apart(start)


SIZE = 64
SHORT = replace(PRESETS["baseline"], steps=2, iterations=2)
UNGUIDED = replace(SHORT, steps=3, cross=False, spatial_steps=0, temporal_until=1000, optimized=0)


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
        pytest.param("unipc", 1.0, marks=pytest.mark.soak),
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
    plain, alone = (draw(translator(steady), count) for count in (2, 1))
    assert np.abs(plain.images[0] - alone.images[0]).max() < rounding(alone, steady)
    for switched in ({"cross": True}, {"spatial_steps": 1}, {"temporal_until": 350}, {"optimized": 1}):
        guided = draw(translator(replace(steady, **switched), Shift(8)), 2).images
        assert np.isfinite(guided).all()
        assert np.abs(guided - plain.images).max() > 1e-4, switched


@pytest.mark.parametrize("name", ["fast", *(pytest.param(name, marks=pytest.mark.soak) for name in PRESETS)])
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
