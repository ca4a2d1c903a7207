"""Seconds a key frame and peak memory of each preset of the diffusion method, against FRESCO's own arithmetic."""

import gc
import time
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import torch
from diffusers import (
    AutoencoderKL,
    ControlNetModel,
    DDPMScheduler,
    StableDiffusionControlNetImg2ImgPipeline,
    UNet2DConditionModel,
)

from anonymize.methods.diffusion.diffusion_options import PRESETS, Preset
from anonymize.methods.diffusion.diffusion_setup import compile_unguided
from anonymize.methods.diffusion.keyframe_drawing import detect_edges
from anonymize.methods.diffusion.pipeline import PromptEmbedding, Translator
from models.flow.dis import DenseInverseSearch
from tools.bench.row import Row


@dataclass(frozen=True, slots=True)
class DiffusionSize:
    """How large a diffusion model is.

    Attributes:
        name: for the table.
        channels: of the U-Net's four levels.
        layers: of each level.
        heads: of its attention.
        words: channels of the text.
        images: channels of the autoencoder's four levels.
        groups: of normalisation.
        scale: of the pictures that go through it, against those of the presets.
        batch: pictures that go through it together.
        steps: for all presets; None leaves it to them.
    """

    name: str
    channels: tuple[int, ...]
    layers: int
    heads: int
    words: int
    images: tuple[int, ...]
    groups: int
    scale: float
    batch: int
    steps: int | None


FULL = DiffusionSize("SD 1.5 size", (320, 640, 1280, 1280), 2, 8, 768, (128, 256, 512, 512), 32, 1.0, 8, None)
TINY = DiffusionSize("tiny", (8, 8, 16, 16), 1, 2, 16, (4, 4, 8, 8), 2, 0.125, 2, 2)
SIZES = {"full": FULL, "tiny": TINY}


def pipeline(size: DiffusionSize, device: str) -> Any:
    """Make a pipeline without a text encoder, in float16 on a GPU, else in float32."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float16 if device == "cuda" else torch.float32)
    try:
        with torch.device(device):
            return _pipeline(size)
    finally:
        torch.set_default_dtype(before)


def _pipeline(size: DiffusionSize) -> Any:
    levels: dict[str, Any] = {
        "block_out_channels": size.channels,
        "layers_per_block": size.layers,
        "cross_attention_dim": size.words,
        "attention_head_dim": size.heads,
        "norm_num_groups": size.groups,
    }
    unet = UNet2DConditionModel(sample_size=64, **levels)
    controlnet = ControlNetModel(**levels)
    vae = AutoencoderKL(
        block_out_channels=size.images,
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        layers_per_block=size.layers,
        latent_channels=4,
        norm_num_groups=size.groups,
        sample_size=512,
    )
    for network in (unet, controlnet, vae):
        network.eval()
    made = StableDiffusionControlNetImg2ImgPipeline(
        vae=vae,
        text_encoder=None,
        tokenizer=None,
        unet=unet,
        controlnet=controlnet,
        scheduler=DDPMScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    made.set_progress_bar_config(disable=True)  # type: ignore[attr-defined]
    return made


_STRENGTH = 0.75
_REPEATED = 3
_FASTER, _MEMORY = 5.0, 12.0
_AS_PUBLISHED = 10
"""Of the 15 steps that a strength of 0.75 leaves of 20, FRESCO optimizes these by default: up to the 15th of 20."""


@dataclass(frozen=True, slots=True)
class PresetCost:
    """What a preset took.

    Attributes:
        seconds: a key frame.
        gigabytes: of the GPU, at most; 0 on a CPU.
    """

    seconds: float
    gigabytes: float

    def __str__(self) -> str:
        return f"{self.seconds:.3f} s a key frame, {self.gigabytes:.1f} GB"


def rows(size: DiffusionSize, device: str) -> list[Row]:
    """Measure all presets."""
    baseline = PRESETS["baseline"]
    reference = _cost(baseline, size, device)
    found = [_row("baseline", baseline, size, reference, reference)]
    published = replace(baseline, title="FRESCO's default, 10 of 15 steps optimized", optimized=_AS_PUBLISHED)
    found.append(_row("baseline", published, size, _cost(published, size, device), reference))
    for name, preset in PRESETS.items():
        if name != "baseline":
            found.append(_row(name, preset, size, _cost(preset, size, device), reference))
        if preset.compile and device == "cuda":
            plain = replace(preset, title=f"{preset.title}, not compiled", compile=False)
            found.append(_row(name, plain, size, _cost(plain, size, device), reference))
    return found


def _row(name: str, preset: Preset, size: DiffusionSize, cost: PresetCost, reference: PresetCost) -> Row:
    pixels = _pixels(preset, size)
    work = (
        f"diffusion, `{name}` ({preset.title}): {size.name}, random weights, {preset.steps} steps at strength "
        f"{_STRENGTH}, batch {size.batch}, {pixels} x {pixels}"
    )
    faster = reference.seconds / cost.seconds
    if name == "baseline":
        return Row(work, str(cost), ratio=f"{faster:.2f}x", target="is what others are held against")
    asked = name == "same-steps"
    target = f"<= {_MEMORY:.0f} GB" + (f", >= {_FASTER:.0f}x faster" if asked else "")
    reached = cost.gigabytes <= _MEMORY and (not asked or faster >= _FASTER)
    return Row(work, str(cost), f"baseline, {reference}", f"{faster:.2f}x", target, reached)


def _pixels(preset: Preset, size: DiffusionSize) -> int:
    return max(64, round(preset.size * size.scale / 64) * 64)


def _cost(preset: Preset, size: DiffusionSize, device: str) -> PresetCost:
    frames = _frames(_pixels(preset, size), size.batch)
    if size.steps:
        preset = replace(preset, steps=size.steps, iterations=1)
    pipe = pipeline(size, device)
    translator = Translator(pipe, preset, DenseInverseSearch())
    if preset.compile and device == "cuda":
        compile_unguided(pipe)
    made = torch.Generator().manual_seed(0)
    wanted, unwanted = (torch.randn((1, 77, size.words), generator=made) for _ in range(2))
    words = PromptEmbedding(wanted, unwanted if preset.guidance > 1 else None)
    control = [detect_edges(frame) for frame in frames]
    seconds = []
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    for _ in range(1 + _REPEATED if device == "cuda" else 1):  # the first one warms up, and compiles
        _settle(device)
        started = time.perf_counter()
        translator.draw(frames, control, words, 0, _STRENGTH)
        _settle(device)
        seconds.append((time.perf_counter() - started) / len(frames))
    peak = torch.cuda.max_memory_allocated() / 1e9 if device == "cuda" else 0.0
    del translator, pipe
    gc.collect()
    if device == "cuda":
        torch.cuda.empty_cache()
    return PresetCost(float(np.median(seconds[1:] or seconds)), peak)


def _settle(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def _frames(side: int, count: int) -> list[np.ndarray]:
    """Pictures that move to the right by a hundredth of their width."""
    step = max(1, side // 100)
    noise = np.random.default_rng(0).uniform(0, 255, (side, side + count * step, 3)).astype(np.float32)
    wide = np.clip((cv2.GaussianBlur(noise, (0, 0), 4) - 128) * 8 + 128, 0, 255).astype(np.uint8)
    return [np.ascontiguousarray(wide[:, step * i : step * i + side]) for i in range(count, 0, -1)]
