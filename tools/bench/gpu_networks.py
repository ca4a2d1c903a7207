"""Networks with random weights, built in code: size and speed need no download."""

from dataclasses import dataclass
from typing import Any

import torch
from diffusers import (
    AutoencoderKL,
    ControlNetModel,
    DDPMScheduler,
    StableDiffusionControlNetImg2ImgPipeline,
    UNet2DConditionModel,
)


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
    made.set_progress_bar_config(disable=True)
    return made
