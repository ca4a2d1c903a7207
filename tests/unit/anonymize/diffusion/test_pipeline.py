"""The pipeline against plain diffusers, and what guidance adds to it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from anonymize.methods.diffusion.diffusion_options import PRESETS, Preset
from anonymize.methods.diffusion.pipeline import CONTROL_SCALE, GeneratedBatch, Translator, build_scheduler
from models.flow.dis import DenseInverseSearch
from project.errors import Cancelled
from project.progress import Silent
from tests.builders import tiny_diffusion as tiny
from tests.builders.motions import Shift, shifted

SIZE = 64
SHORT = replace(PRESETS["baseline"], steps=4, iterations=2)
UNGUIDED = replace(SHORT, cross=False, spatial_steps=0, temporal_until=1000, optimized=0)


def translator(folder: Path, preset: Preset, flow: Any = None) -> Translator:
    pipe = tiny.pipeline(folder)
    pipe.set_progress_bar_config(disable=True)
    return Translator(pipe, preset, flow or DenseInverseSearch())


def pictures(count: int) -> list[np.ndarray]:
    return shifted(4, SIZE, 8)[:count]


def edges(count: int) -> list[np.ndarray]:
    return [np.uint8(np.random.default_rng(i).random((SIZE, SIZE, 1)) > 0.9).repeat(3, 2) * 255 for i in range(count)]


def draw(made: Translator, count: int, **more: Any) -> GeneratedBatch:
    return made.draw(pictures(count), edges(count), made.encode_prompt("a face", "none"), 7, 0.75, **more)


def rounding(drawn: GeneratedBatch, preset: Preset) -> float:
    """Return how far the same arithmetic in another order may lie apart, as processors and batches differ in it.

    Each step rounds to some units in the last place of the largest number, and guidance multiplies the difference of
    two predictions.
    """
    largest = float(drawn.way[-1].abs().max())
    return 4 * torch.finfo(torch.float32).eps * largest * (1 + 2 * preset.guidance) * preset.steps


@pytest.mark.parametrize("name", ["ddpm", "dpm-solver", "unipc"])
@pytest.mark.parametrize("guidance", [7.5, 1.0])
# diffusers 0.42 asks numpy 2 in an old way.
@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
def test_one_frame_without_guidance_is_plain_diffusers(tmp_path: Path, name: Any, guidance: float) -> None:
    preset = replace(UNGUIDED, schedule=name, guidance=guidance)
    ours = draw(translator(tmp_path, preset), 1)
    plain = tiny.pipeline(tmp_path)
    plain.set_progress_bar_config(disable=True)
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
    image = plain(**asked, generator=torch.Generator().manual_seed(7), output_type="np").images
    assert np.abs(ours.images - image).max() < rounding(ours, preset)
    latents = plain(**asked, generator=torch.Generator().manual_seed(7), output_type="latent").images
    assert (ours.way[-1] - latents).abs().max() < rounding(ours, preset)
    assert image.std() > 0.01


def test_frames_without_guidance_do_not_know_of_each_other(tmp_path: Path) -> None:
    preset = replace(UNGUIDED, schedule="unipc")
    made = translator(tmp_path, preset)
    together, alone = draw(made, 3), draw(made, 1)
    assert np.abs(together.images[0] - alone.images[0]).max() < rounding(alone, preset)


@pytest.mark.parametrize(
    "switched",
    [{"cross": True}, {"spatial_steps": 1}, {"temporal_until": 350}, {"optimized": 1}],
    ids=["cross-frame", "spatial", "temporal", "features"],
)
def test_each_guidance_changes_what_is_drawn(tmp_path: Path, switched: dict[str, Any]) -> None:
    plain = draw(translator(tmp_path, UNGUIDED), 3).images
    guided = draw(translator(tmp_path, replace(UNGUIDED, **switched), Shift(8)), 3).images
    assert np.isfinite(guided).all()
    assert np.abs(guided - plain).max() > 1e-4


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_draws(tmp_path: Path, name: str) -> None:
    found = draw(translator(tmp_path, replace(PRESETS[name], iterations=1)), 2)
    assert found.images.shape == (2, SIZE, SIZE, 3)
    assert np.isfinite(found.images).all()
    assert found.way.shape[1:] == (2, 4, 8, 8)


def test_the_same_seed_draws_the_same_and_another_something_else(tmp_path: Path) -> None:
    made = translator(tmp_path, SHORT)
    words = made.encode_prompt("a face", "none")
    first, again, other = (made.draw(pictures(2), edges(2), words, seed, 0.75).images for seed in (1, 1, 2))
    assert (first == again).all()
    assert np.abs(first - other).max() > 0.01


def test_frames_that_are_known_come_out_as_they_were(tmp_path: Path) -> None:
    made = translator(tmp_path, SHORT)
    first = draw(made, 3)
    frames, control = pictures(4), edges(4)
    part = [0, 2, 3]
    words = made.encode_prompt("a face", "none")
    later = made.draw([frames[i] for i in part], [control[i] for i in part], words, 7, 0.75, 1, first.way)
    assert np.abs(later.images[:2] - first.images[[0, 2]]).max() < rounding(first, SHORT)
    assert (later.way[:, 0] == first.way[:, 0]).all()


def test_one_step_is_done_at_least(tmp_path: Path) -> None:
    """Otherwise the source itself would come out."""
    made = translator(tmp_path, replace(UNGUIDED, steps=1))
    assert len(made.draw(pictures(1), edges(1), made.encode_prompt("a face", ""), 7, 0.5).way) == 1


class Impatient(Silent):
    """Stops the work when it was asked so many times."""

    def __init__(self, patience: int) -> None:
        self.patience = patience

    def check_cancelled(self) -> None:
        self.patience -= 1
        if self.patience < 0:
            raise Cancelled


@pytest.mark.parametrize("patience", [0, 1, 3])
def test_it_can_be_stopped_at_any_step_and_used_again(tmp_path: Path, patience: int) -> None:
    made = translator(tmp_path, SHORT)
    before = draw(made, 2).images
    with pytest.raises(Cancelled):
        draw(made, 2, progress=Impatient(patience))
    assert (draw(made, 2).images == before).all()


def test_pictures_need_not_be_square(tmp_path: Path) -> None:
    made = translator(tmp_path, SHORT)
    wide = [np.concatenate([each, each], axis=1) for each in pictures(2)]
    lines = [np.concatenate([each, each], axis=1) for each in edges(2)]
    assert made.draw(wide, lines, made.encode_prompt("a face", ""), 7, 0.75).images.shape == (2, SIZE, 2 * SIZE, 3)
