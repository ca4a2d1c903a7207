"""What all layers of the network share while a batch is drawn: who looks where, and what the source looks like."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from anonymize.methods.diffusion.features import Terms, gram, optimize
from anonymize.methods.diffusion.flow_guidance import Motion, ScaleMotion


@dataclass(eq=False)
class Guidance:
    """State of one batch. The pipeline sets it before each step; the layers read it.

    Attributes:
        frames: in the batch.
        height: of the latents.
        width: of the latents.
        motion: between the frames; None for a single one, which nothing guides.
        recording: the source itself goes through the network, and what its layers attend to is kept.
        recording_grams: so is the likeness of its features.
        spatial: queries are guided by the source's likeness of places.
        cross: all frames look at the same keys and values.
        temporal: elements look along their trajectories.
        terms: how features are optimized in this step; None where they are not.
        most_elements: features on larger grids have no spatial term, whose cost grows with the square.
        attended: what went into each guided self-attention, of the source.
        grams: of what went into each up block, of the source.
        check: called before each optimization; may raise.
    """

    frames: int = 1
    height: int = 0
    width: int = 0
    motion: Motion | None = None
    recording: bool = False
    recording_grams: bool = False
    spatial: bool = False
    cross: bool = False
    temporal: bool = False
    terms: Terms | None = None
    most_elements: int = 4096
    attended: dict[str, torch.Tensor] = field(default_factory=dict)
    grams: dict[int, torch.Tensor] = field(default_factory=dict)
    check: Callable[[], None] = lambda: None

    def forget(self) -> None:
        """Let go of everything that belongs to a batch."""
        self.motion, self.terms = None, None
        self.recording = self.recording_grams = self.spatial = self.cross = self.temporal = False
        self.attended.clear()
        self.grams.clear()

    @property
    def across_frames(self) -> bool:
        """Whether the self-attention of the layers is another one than the ordinary."""
        return self.motion is not None and (self.spatial or self.cross or self.temporal)

    def motion_of(self, elements: int) -> ScaleMotion:
        """Return the motion on the grid that has so many elements and the shape of the latents."""
        if self.motion is None:
            raise ValueError("a single frame has no motion")
        step = math.isqrt(self.height * self.width // elements)
        return self.motion.at(self.height // step, self.width // step)

    def entering(self, block: int, features: torch.Tensor) -> torch.Tensor:
        """Record or optimize what enters an up block, (chunks * frames, c, h, w)."""
        elements = features.shape[2] * features.shape[3]
        if self.recording:
            if self.recording_grams and elements <= self.most_elements:
                self.grams[block] = gram(features)
            return features
        if self.terms is None or self.motion is None:
            return features
        self.check()
        scale = self.motion.at(features.shape[2], features.shape[3])
        return optimize(features, scale, self.grams.get(block), self.terms)[0]
