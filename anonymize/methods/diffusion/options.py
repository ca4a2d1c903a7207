"""What can be chosen for the diffusion method; nothing heavy is imported here, the window shows it."""

from dataclasses import dataclass, replace

from anonymize.methods.diffusion.presets import DEFAULT, PRESETS, Preset
from project.limits import chosen, hold_to_limits, limited

CONTROLS = ("edges", "landmarks")
_MULTIPLE = 64


@dataclass(frozen=True, slots=True)
class DiffusionOptions:
    """How faces are drawn.

    Attributes:
        preset: see `presets`.
        control: what of the source the network must keep: its edges, or only the lines of its landmarks.
        steps: in which the whole way from noise would be gone; 0 leaves it to the preset.
        strength: how much of that way is gone. At less than half, the source shines through.
        size: shorter side of what the network draws; 0 leaves it to the preset. Rounded down to a multiple of 64.
        batch: key frames that are drawn together.
        memory: of the GPU that may be used, in gigabytes; batches are halved until they fit.
    """

    preset: str = chosen(DEFAULT, tuple(PRESETS), "Preset", "What is computed for each key frame, and at what cost.")
    control: str = chosen("edges", CONTROLS, "Kept from the source", "Its edges, or only the lines of its landmarks.")
    steps: int = limited(0, 0, 50, "Steps", "Steps from noise to picture; 0 leaves it to the preset.")
    strength: float = limited(0.75, 0.5, 1.0, "Strength", "How far a face is taken back to noise before it is drawn.")
    size: int = limited(0, 0, 1024, "Size", "Pixels that the network draws a face in; 0 leaves it to the preset.")
    batch: int = limited(8, 1, 32, "Batch", "Key frames that are drawn together; more are steadier and need memory.")
    memory: float = limited(12.0, 4.0, 200.0, "Memory", "Gigabytes of the GPU that may be used.")

    def __post_init__(self) -> None:
        hold_to_limits(self)

    @property
    def recipe(self) -> Preset:
        """The preset, with what was said otherwise."""
        preset = PRESETS[self.preset]
        size = max(_MULTIPLE, (self.size or preset.size) // _MULTIPLE * _MULTIPLE)
        return replace(preset, steps=self.steps or preset.steps, size=size)
