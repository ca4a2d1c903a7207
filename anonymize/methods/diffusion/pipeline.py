"""Draws a batch of key frames with Stable Diffusion and a ControlNet, with attention across the frames."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from diffusers import DDPMScheduler, DPMSolverMultistepScheduler, LCMScheduler, UniPCMultistepScheduler
from diffusers.utils.torch_utils import randn_tensor
from numpy.typing import NDArray

from anonymize.methods.diffusion.diffusion_options import Preset, Schedule
from anonymize.methods.diffusion.fresco import Guidance, GuidedAttention, Motion, Terms
from models.flow.optical_flow import OpticalFlow
from project.progress import Progress, Silent

# What belongs to the model and not to the schedule.
_MODEL_SETTINGS = ("num_train_timesteps", "beta_start", "beta_end", "beta_schedule", "trained_betas", "prediction_type")
_SCHEDULERS: dict[str, Any] = {
    "ddpm": (DDPMScheduler, {"clip_sample": False}),
    "dpm-solver": (DPMSolverMultistepScheduler, {"use_karras_sigmas": True}),
    "unipc": (UniPCMultistepScheduler, {}),
    "lcm": (LCMScheduler, {}),
}


def build_scheduler(name: Schedule, config: Any) -> Any:
    """Return a scheduler of diffusers for a model, whose own came with `config`."""
    kind, settings = _SCHEDULERS[name]
    model = {key: config[key] for key in _MODEL_SETTINGS if config.get(key) is not None}
    return kind(**model, steps_offset=1, timestep_spacing="leading", **settings) if name != "lcm" else kind(**model)


CONTROL_SCALE = 0.7
_GUIDED_BLOCKS = 2


@dataclass(frozen=True, slots=True, eq=False)
class PromptEmbedding:
    """A prompt and what it should not be, encoded.

    Attributes:
        positive: (1, tokens, channels).
        negative: of the same shape; None where guidance is 1.
    """

    positive: torch.Tensor
    negative: torch.Tensor | None


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedBatch:
    """A batch that was drawn.

    Attributes:
        images: (frames, h, w, 3) float32 RGB, 0 to 1.
        way: (steps, 2, channels, h / 8, w / 8), the latents of the first and the last frame after each step; (steps, 1,
            ...) for a single frame.
    """

    images: NDArray[np.float32]
    way: torch.Tensor


class Translator:
    """A Stable Diffusion pipeline whose frames look at each other as FRESCO's do.

    Attributes:
        pipe: a `StableDiffusionControlNetImg2ImgPipeline`, whose U-Net is changed: nobody else may use it.
    """

    def __init__(self, pipe: Any, preset: Preset, flow: OpticalFlow) -> None:
        """Set up the schedule and the guided layers of a pipeline in evaluation mode, where it is to compute."""
        self.pipe, self._preset, self._flow = pipe, preset, flow
        pipe.scheduler = build_scheduler(preset.schedule, pipe.scheduler.config)
        self._guide = Guidance()
        blocks = pipe.unet.up_blocks
        for number, block in enumerate(blocks):
            block.register_forward_pre_hook(self._features_hook(number), with_kwargs=True)
        for number in range(len(blocks) - _GUIDED_BLOCKS, len(blocks)):
            for name, layer in blocks[number].named_modules():
                if name.endswith("attn1"):
                    layer.set_processor(GuidedAttention(f"up_blocks.{number}.{name}", self._guide))

    @property
    def _uses_guidance(self) -> bool:
        return self._preset.guidance > 1

    def encode_prompt(self, prompt: str, against: str) -> PromptEmbedding:
        """Encode a prompt and what it should not be."""
        device = self.pipe.unet.device
        with torch.no_grad():
            wanted, unwanted = self.pipe.encode_prompt(prompt, device, 1, self._uses_guidance, against)
        return PromptEmbedding(wanted, unwanted)

    @torch.no_grad()
    def draw(
        self,
        frames: Sequence[NDArray[np.uint8]],
        control: Sequence[NDArray[np.uint8]],
        words: PromptEmbedding,
        seed: int,
        strength: float,
        part: int = 0,
        known: torch.Tensor | None = None,
        progress: Progress | None = None,
    ) -> GeneratedBatch:
        """Draw a batch.

        All frames start from the same noise. With one frame, or a preset that guides and optimizes nothing, this is
        what `StableDiffusionControlNetImg2ImgPipeline` does with a generator of the same seed. `frames` and `control`
        are (h, w, 3) RGB of one size, a multiple of 64. `strength` is the share of the steps that are gone, from the
        end; at least one is. Later batches of a shot (`part`) draw other noise in the steps. `known`, (steps, k, ...),
        is the way of the first k frames, which an earlier batch drew.
        """
        progress = progress or Silent()
        unet, vae, count = self.pipe.unet, self.pipe.vae, len(frames)
        device, dtype = unet.device, unet.dtype
        generator = torch.Generator().manual_seed(seed)
        source = self._encode(frames, generator)
        noise = randn_tensor(source[:1].shape, generator=generator, device=device, dtype=dtype)
        if part:
            generator.manual_seed((seed + part) % 2**63)
        timesteps = self._timesteps(strength)
        latents = self.pipe.scheduler.add_noise(source, noise.expand_as(source), timesteps[:1].repeat(count))
        wanted = words.positive.to(device, dtype).expand(count, -1, -1)
        embeds = wanted
        if words.negative is not None:
            embeds = torch.cat([words.negative.to(device, dtype).expand(count, -1, -1), wanted])
        shown = torch.from_numpy(np.stack(control)).to(device, dtype).permute(0, 3, 1, 2) / 255
        shown = torch.cat([shown, shown]) if self._uses_guidance else shown
        self._prepare(frames, source, noise, wanted, int(timesteps[-1]), progress)
        extra = self.pipe.prepare_extra_step_kwargs(generator, 0.0)
        ends = sorted({0, count - 1})
        way = []
        try:
            for step, time in enumerate(timesteps):
                progress.check_cancelled()
                self._guide_step(step, int(time))
                guess = self._predict_noise(latents, time, embeds, shown)
                latents = self.pipe.scheduler.step(guess, time, latents, **extra, return_dict=False)[0]
                if known is not None:
                    latents[: known.shape[1]] = known[step].to(device, dtype)
                way.append(latents[ends].clone())
        finally:
            self._guide.reset()
        images = [self._decode(latent[None] / vae.config.scaling_factor) for latent in latents]
        return GeneratedBatch(np.concatenate(images), torch.stack(way))

    def _encode(self, frames: Sequence[NDArray[np.uint8]], generator: torch.Generator) -> torch.Tensor:
        """Return the latents of the source, (frames, channels, h / 8, w / 8); one frame at a time, for memory."""
        vae = self.pipe.vae
        device, dtype = self.pipe.unet.device, self.pipe.unet.dtype
        found, same = [], None
        for frame in frames:
            pixels = torch.from_numpy(frame).to(device).permute(2, 0, 1)[None].float() / 127.5 - 1
            spread = vae.encode(pixels.to(dtype)).latent_dist
            if same is None:
                same = randn_tensor(spread.mean.shape, generator=generator, device=device, dtype=dtype)
            found.append(spread.mean + spread.std * same)
        return torch.cat(found) * float(vae.config.scaling_factor)

    def _decode(self, latents: torch.Tensor) -> NDArray[np.float32]:
        pixels = self.pipe.vae.decode(latents, return_dict=False)[0]
        image: NDArray[np.float32] = (pixels / 2 + 0.5).clamp(0, 1).permute(0, 2, 3, 1).float().cpu().numpy()
        return image

    def _timesteps(self, strength: float) -> torch.Tensor:
        """Set the schedule; return the noise levels that are left of it, one at least."""
        scheduler, steps = self.pipe.scheduler, self._preset.steps
        with warnings.catch_warnings():
            # diffusers 0.42 asks numpy 2 in an old way.
            warnings.simplefilter("ignore", DeprecationWarning)
            scheduler.set_timesteps(steps, device=self.pipe.unet.device)
        skipped = steps - min(max(int(steps * strength), 1), steps)
        begin = skipped * scheduler.order
        if hasattr(scheduler, "set_begin_index"):
            scheduler.set_begin_index(begin)
        timesteps: torch.Tensor = scheduler.timesteps[begin:]
        return timesteps

    def _prepare(
        self,
        frames: Sequence[NDArray[np.uint8]],
        source: torch.Tensor,
        noise: torch.Tensor,
        wanted: torch.Tensor,
        last: int,
        progress: Progress,
    ) -> None:
        """Find the motion, and let the source itself go through the U-Net at the last noise level."""
        guide = self._guide
        if len(frames) < 2 or not self._preset.uses_guidance:
            return
        guide.frames, guide.height, guide.width = len(frames), *source.shape[2:]
        guide.motion = Motion(frames, self._flow, source.device)
        guide.most_elements = self._preset.most_elements
        guide.check = progress.check_cancelled
        if self._preset.spatial_steps or self._preset.optimized:
            kept = float(self.pipe.scheduler.alphas_cumprod[last])
            noisy = kept**0.5 * source + (1 - kept) ** 0.5 * noise
            guide.recording, guide.recording_grams = True, self._preset.optimized > 0
            self.pipe.unet(noisy, last, encoder_hidden_states=wanted, return_dict=False)
            guide.recording = False

    def _guide_step(self, step: int, time: int) -> None:
        preset, guide = self._preset, self._guide
        if guide.motion is None:
            return
        guide.cross = preset.cross
        guide.spatial = step < preset.spatial_steps
        guide.temporal = time >= preset.temporal_until
        optimizes = step < preset.optimized
        guide.terms = Terms(iterations=preset.iterations, slack=preset.slack) if optimizes else None

    def _predict_noise(
        self, latents: torch.Tensor, time: torch.Tensor, embeds: torch.Tensor, shown: torch.Tensor
    ) -> torch.Tensor:
        """Return the noise that the networks see in the latents."""
        given = torch.cat([latents, latents]) if self._uses_guidance else latents
        given = self.pipe.scheduler.scale_model_input(given, time)
        down, middle = self.pipe.controlnet(
            given,
            time,
            encoder_hidden_states=embeds,
            controlnet_cond=shown,
            conditioning_scale=CONTROL_SCALE,
            return_dict=False,
        )
        guess: torch.Tensor = self.pipe.unet(
            given,
            time,
            encoder_hidden_states=embeds,
            down_block_additional_residuals=down,
            mid_block_additional_residual=middle,
            return_dict=False,
        )[0]
        if not self._uses_guidance:
            return guess
        without, with_words = guess.chunk(2)
        return without + self._preset.guidance * (with_words - without)

    def _features_hook(self, block: int) -> Any:
        def replace(
            _: Any, positional: tuple[Any, ...], named: dict[str, Any]
        ) -> tuple[tuple[Any, ...], dict[str, Any]]:
            entered = self._guide.process_features(block, named["hidden_states"])
            return positional, {**named, "hidden_states": entered}

        return replace
