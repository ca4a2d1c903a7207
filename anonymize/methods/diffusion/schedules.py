"""How noise is taken away, by name."""

from typing import Any

from diffusers import (
    DDPMScheduler,
    DPMSolverMultistepScheduler,
    LCMScheduler,
    UniPCMultistepScheduler,
)

from anonymize.methods.diffusion.presets import Schedule

# What belongs to the model and not to the schedule.
_OF_THE_MODEL = ("num_train_timesteps", "beta_start", "beta_end", "beta_schedule", "trained_betas", "prediction_type")
_KINDS: dict[str, Any] = {
    "ddpm": (DDPMScheduler, {"clip_sample": False}),
    "dpm-solver": (DPMSolverMultistepScheduler, {"use_karras_sigmas": True}),
    "unipc": (UniPCMultistepScheduler, {}),
    "lcm": (LCMScheduler, {}),
}


def schedule(name: Schedule, config: Any) -> Any:
    """Return a scheduler of diffusers for a model.

    Args:
        name: which one.
        config: of the scheduler that the model came with.
    """
    kind, settings = _KINDS[name]
    model = {key: config[key] for key in _OF_THE_MODEL if config.get(key) is not None}
    return kind(**model, steps_offset=1, timestep_spacing="leading", **settings) if name != "lcm" else kind(**model)
