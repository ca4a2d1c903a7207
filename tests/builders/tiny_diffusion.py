"""Networks of the layout of Stable Diffusion 1.5 that take a fraction of a second, with random weights."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from diffusers import (
    AutoencoderKL,
    ControlNetModel,
    DDPMScheduler,
    StableDiffusionControlNetImg2ImgPipeline,
    UNet2DConditionModel,
)
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

from anonymize.methods.diffusion.diffusion_face import Diffusion
from models.weights.adding import add_weights

_WIDTH = 16


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread: tiny networks are slower with several, and much slower where others want the cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def pipeline() -> Any:
    """Return networks that are nobody else's; the same weights each time."""
    torch.manual_seed(0)
    layers = {
        "block_out_channels": (8, 8, 16, 16),
        "layers_per_block": 1,
        "down_block_types": ("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
        "cross_attention_dim": _WIDTH,
        "attention_head_dim": 2,
        "norm_num_groups": 4,
    }
    unet = UNet2DConditionModel(
        sample_size=8,
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
        **layers,
    )
    controlnet: Any = ControlNetModel(conditioning_embedding_out_channels=(4, 8, 8, 8), **layers)
    for parameter in controlnet.parameters():
        if not parameter.abs().max() > 0:  # a new ControlNet says nothing, so a test would not see that it is asked
            torch.nn.init.normal_(parameter, std=0.1)
    vae = AutoencoderKL(
        block_out_channels=(4, 4, 8, 8),
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        latent_channels=4,
        norm_num_groups=2,
        sample_size=64,
    )
    text = CLIPTextModel(
        CLIPTextConfig(
            hidden_size=_WIDTH,
            intermediate_size=16,
            num_attention_heads=2,
            num_hidden_layers=2,
            vocab_size=len(_vocabulary()),
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=1,
        )
    )
    for network in (unet, controlnet, vae, text):
        network.eval()
    pipe: Any = StableDiffusionControlNetImg2ImgPipeline(
        vae=vae,
        text_encoder=text,
        tokenizer=_tokenizer(),
        unet=unet,
        controlnet=controlnet,
        scheduler=DDPMScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipe.set_progress_bar_config(disable=True)
    return pipe


def folders(base: Path) -> tuple[Path, Path]:
    """Save a model and a ControlNet under `base` as diffusers does, and return their folders."""
    pipe = pipeline()
    pipe.controlnet.save_pretrained(base / "controlnet")
    pipe.register_modules(controlnet=None)
    pipe.save_pretrained(base / "model")
    _write_vocabulary(base / "model" / "tokenizer")
    return base / "model", base / "controlnet"


def install(base: Path) -> None:
    """Add both to the weights of this machine, as a lab would; `GREENROOM_MODELS` says where those are."""
    base.mkdir(parents=True, exist_ok=True)
    for name, folder in zip(Diffusion.needs, folders(base), strict=True):
        add_weights(name, folder, "made for tests")


def _vocabulary() -> list[str]:
    letters = [chr(code) for code in range(33, 127)]
    return ["<|startoftext|>", "<|endoftext|>", *letters, *(f"{letter}</w>" for letter in letters)]


def _write_vocabulary(folder: Path) -> tuple[str, str]:
    vocabulary, merges = folder / "vocab.json", folder / "merges.txt"
    vocabulary.write_text(json.dumps({word: number for number, word in enumerate(_vocabulary())}), "utf-8")
    merges.write_text("#version: 0.2\n", "utf-8")
    return str(vocabulary), str(merges)


def _tokenizer() -> CLIPTokenizer:
    with TemporaryDirectory() as folder:
        return CLIPTokenizer(*_write_vocabulary(Path(folder)), model_max_length=77)
