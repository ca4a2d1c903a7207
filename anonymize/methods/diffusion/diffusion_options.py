"""Options and presets of the diffusion method: what a batch of key frames goes through."""

from dataclasses import dataclass, replace
from typing import Literal

from project.plugins.option_limits import check_limits, choice_field, limited_field

Schedule = Literal["ddpm", "dpm-solver", "unipc", "lcm"]


@dataclass(frozen=True, slots=True)
class Preset:
    """What a batch of key frames goes through.

    Attributes:
        schedule: how noise is taken away.
        steps: in which the whole way from noise would be gone; the strength says how much of it is.
        guidance: weight of the prompt (classifier-free guidance); at 1 the prompt's absence is not computed, which
            halves the work.
        size: shorter side of what goes through the network, in pixels.
        whole_frame: the whole picture goes through the network, and not a crop around the face.
        cells: into which a picture is divided, across and down, to see where it changes most.
        least: frames that keys are apart at least.
        most: frames that keys are apart at most.
        cross: frames look at the same keys and values.
        spatial_steps: steps from the first in which queries are guided by the source.
        temporal_until: elements look along their trajectories down to this noise level, of 1000.
        optimized: steps from the first in which features are optimized.
        iterations: of Adam in each of these.
        most_elements: features on larger grids are optimized without the spatial term.
        compile: the parts of the networks that guidance does not change are compiled, on a GPU.
    """

    title: str
    schedule: Schedule
    steps: int
    guidance: float
    size: int
    whole_frame: bool = False
    cells: int = 10
    least: int = 3
    most: int = 10
    cross: bool = True
    spatial_steps: int = 1
    temporal_until: int = 350
    optimized: int = 0
    iterations: int = 20
    most_elements: int = 4096
    slack: float = 1e-3
    compile: bool = False

    @property
    def uses_guidance(self) -> bool:
        """Whether frames of a batch know of each other at all."""
        return self.cross or self.spatial_steps > 0 or self.temporal_until < 1000 or self.optimized > 0


DEFAULT_PRESET = "balanced"
PRESETS = {
    # FRESCO's own arithmetic (Yang et al., CVPR 2024), features optimized in every step.
    "baseline": Preset(
        "As in FRESCO", "ddpm", 20, 7.5, 512, whole_frame=True, cells=1, least=10, most=30, optimized=20, slack=0.0
    ),
    "thorough": Preset("Thorough", "ddpm", 20, 7.5, 512, optimized=4, iterations=10, most_elements=1024),
    "balanced": Preset("Balanced", "unipc", 12, 6.0, 512, optimized=2, iterations=5, most_elements=1024),
    "fast": Preset("Fast", "dpm-solver", 8, 5.0, 384, compile=True),
    "same-steps": Preset("As many steps as FRESCO, no optimization", "unipc", 20, 7.5, 384, compile=True),
    "lcm": Preset("For models distilled to few steps", "lcm", 6, 1.0, 512, compile=True),
}


CONTROLS = ("edges", "landmarks")
_SIZE_MULTIPLE = 64


@dataclass(frozen=True, slots=True)
class DiffusionOptions:
    """How faces are drawn.

    At a strength of less than half, the source would shine through. Batches are halved until they fit into memory. The
    size is rounded down to a multiple of 64.
    """

    preset: str = choice_field(
        DEFAULT_PRESET, tuple(PRESETS), "Preset", "What is computed for each key frame, and at what cost."
    )
    control: str = choice_field(
        "edges", CONTROLS, "Kept from the source", "Its edges, or only the lines of its landmarks."
    )
    steps: int = limited_field(0, 0, 50, "Steps", "Steps from noise to picture; 0 leaves it to the preset.")
    strength: float = limited_field(
        0.75, 0.5, 1.0, "Strength", "How far a face is taken back to noise before it is drawn."
    )
    size: int = limited_field(
        0, 0, 1024, "Size", "Pixels that the network draws a face in; 0 leaves it to the preset.", "px"
    )
    batch: int = limited_field(
        8, 1, 32, "Batch", "Key frames that are drawn together; more are steadier and need memory."
    )
    memory: float = limited_field(12.0, 4.0, 200.0, "Memory", "Gigabytes of the GPU that may be used.", "GB")

    def __post_init__(self) -> None:
        check_limits(self)

    @property
    def resolved_preset(self) -> Preset:
        """The preset, with what was said otherwise."""
        preset = PRESETS[self.preset]
        size = max(_SIZE_MULTIPLE, (self.size or preset.size) // _SIZE_MULTIPLE * _SIZE_MULTIPLE)
        return replace(preset, steps=self.steps or preset.steps, size=size)
