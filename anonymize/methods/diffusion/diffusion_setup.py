"""Loads the networks of the diffusion method from local safetensors folders and creates its renderer.

Nothing is downloaded.
"""

import os
from pathlib import Path
from typing import Any

from anonymize.methods.diffusion import diffusion_rendering, keyframe_drawing
from anonymize.methods.diffusion.diffusion_options import DiffusionOptions, Preset
from anonymize.methods.diffusion.diffusion_rendering import DiffusionRenderer
from anonymize.methods.face_methods import FaceSource
from models.faces.landmarks.landmark_finders import LANDMARKS, create_landmark_finder
from models.flow.optical_flow import create_flow, default_flow
from models.weights import installed_weights
from project.errors import UserError
from project.progress import Progress

# Read when the libraries are imported, and taken back then: a person may ask this process to fetch something later.
_OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DISABLE_TELEMETRY")
_saved_environment = {name: os.environ.get(name) for name in _OFFLINE_VARIABLES}
os.environ.update(dict.fromkeys(_OFFLINE_VARIABLES, "1"))

import torch  # noqa: E402
from diffusers import ControlNetModel, StableDiffusionControlNetImg2ImgPipeline  # noqa: E402
from diffusers.utils import logging  # noqa: E402
from transformers.utils import logging as of_transformers  # noqa: E402

for _name, _value in _saved_environment.items():
    if _value is None:
        del os.environ[_name]
    else:
        os.environ[_name] = _value

MODEL = "stable-diffusion"
CONTROLNET = "controlnet"
_LATENT_CHANNELS = 4


def load_pipeline(model: Path, controlnet: Path, preset: Preset) -> Any:
    """Return a `StableDiffusionControlNetImg2ImgPipeline`, in float16 on a GPU.

    `model` and `controlnet` are folders in the layout of diffusers.
    """
    where = "cuda" if torch.cuda.is_available() else "cpu"
    precise = torch.float32 if where == "cpu" else torch.float16
    only_here = {"local_files_only": True, "use_safetensors": True}
    told = logging.get_verbosity()
    bars: Any
    for bars in (logging, of_transformers):
        bars.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        control = _load_part(ControlNetModel, CONTROLNET, controlnet, only_here)
        absent = {"safety_checker": None, "feature_extractor": None, "requires_safety_checker": False}
        pipe = _load_part(
            StableDiffusionControlNetImg2ImgPipeline, MODEL, model, {**only_here, **absent, "controlnet": control}
        )
        _check(pipe)
        pipe.to(where, precise)
    except torch.OutOfMemoryError:
        raise UserError(
            "The networks do not fit into the memory of the GPU.",
            "Close other programs on the GPU, or allow more memory.",
        ) from None
    finally:
        logging.set_verbosity(told)
    if preset.compile and where == "cuda":
        compile_unguided(pipe)
    return pipe


def compile_unguided(pipe: Any) -> None:
    """Compile what guidance leaves as it is: the ControlNet, and the way down and the middle of the U-Net.

    Where the machine lacks what compiling takes, they run as they are.
    """
    torch._dynamo.config.suppress_errors = True
    for part in (pipe.controlnet, pipe.unet.mid_block, *pipe.unet.down_blocks):
        part.compile()


def _load_part(kind: Any, name: str, folder: Path, how: dict[str, Any]) -> Any:
    try:
        return kind.from_pretrained(str(folder), **how)
    except (torch.OutOfMemoryError, MemoryError):
        raise
    except Exception as error:  # each library under diffusers raises its own for a file that is not what it should be
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        raise UserError(
            f"The weights “{name}” cannot be loaded: {reason}.",
            f"{folder} must contain a model in the layout of diffusers, as safetensors; see docs/diffusion.md.",
        ) from error


def _check(pipe: Any) -> None:
    """Refuse networks that would fail in the middle of the work."""
    unet, text = pipe.unet.config, pipe.text_encoder.config
    if unet.in_channels != _LATENT_CHANNELS or unet.cross_attention_dim != text.hidden_size:
        raise UserError(
            f"The weights “{MODEL}” do not fit: their U-Net takes {unet.in_channels} channels.",
            "Add a text-to-image model of the Stable Diffusion 1.5 family, not an inpainting model.",
        )
    if pipe.controlnet.config.cross_attention_dim != unet.cross_attention_dim:
        raise UserError(
            f"The weights “{CONTROLNET}” do not fit “{MODEL}”.", "Add a ControlNet for Stable Diffusion 1.5."
        )


def create_renderer(options: DiffusionOptions, source: FaceSource, progress: Progress) -> DiffusionRenderer:
    """Load the networks."""
    folders = [installed_weights.verified_path(name) for name in (MODEL, CONTROLNET)]
    if options.control == "landmarks":
        LANDMARKS.require_installed("mediapipe")  # before the networks, which take long to load
    progress.progress(0, 0, "Loading the networks")
    diffusion_rendering.limit_gpu_memory(options.memory)
    pipe = load_pipeline(folders[0], folders[1], options.resolved_preset)
    flow = create_flow(default_flow())
    finder = create_landmark_finder() if options.control == "landmarks" else None
    told = " ".join(map(installed_weights.digest, (MODEL, CONTROLNET)))
    return DiffusionRenderer(options, source, pipe, flow, keyframe_drawing.create_comparer(), finder, told, progress)
