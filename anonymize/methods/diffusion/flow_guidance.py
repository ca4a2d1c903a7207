"""What the motion between the frames of a batch says at each scale of the network."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from anonymize.methods.diffusion.trajectories import Trajectories, trajectories
from models.flow.base import OpticalFlow
from models.flow.consistency import occluded

_NEWLY_SEEN = 0.5


@dataclass(frozen=True, eq=False)
class ScaleMotion:
    """The motion of a batch of n frames on a grid of h x w elements.

    Pair p is of the frames p and p + 1; the last pair, where there are more than two frames, closes the ring from the
    last frame to the first.

    Attributes:
        forward: (pairs, h, w, 2), in elements, from the first frame of each pair to the second.
        backward: the way back.
        lost_forward: (pairs, h, w) bool; elements of the first that the second does not show.
        lost_backward: elements of the second that the first does not show.
        newly_seen: (n - 1, h, w) bool; elements of each frame but the first of which more than half is not shown by
            the frame before.
        colours: (n, h, w, 3).
    """

    forward: torch.Tensor
    backward: torch.Tensor
    lost_forward: torch.Tensor
    lost_backward: torch.Tensor
    newly_seen: torch.Tensor
    colours: torch.Tensor

    @cached_property
    def shared(self) -> torch.Tensor:
        """Indices, into all elements of all frames in turn, of the first frame's and of the newly seen ones."""
        every = torch.ones_like(self.lost_forward[:1])
        return torch.cat([every, self.newly_seen]).flatten().nonzero().flatten()

    @cached_property
    def ways(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The order of the trajectories, (n, h * w) int64, and which frames of each are joined, (h * w, n, n) bool."""
        steps = len(self.colours) - 1
        found: Trajectories = trajectories(
            [each.cpu().numpy() for each in self.forward[:steps]],
            [each.cpu().numpy() for each in self.lost_forward[:steps]],
            [each.cpu().numpy() for each in self.colours],
        )
        device = self.forward.device
        return torch.from_numpy(found.order).to(device), torch.from_numpy(found.together).to(device)


class Motion:
    """The optical flow within a batch, worked out once and reduced to any grid that the network asks for."""

    def __init__(
        self, frames: Sequence[NDArray[np.uint8]], flow: OpticalFlow, device: torch.device | str = "cpu"
    ) -> None:
        """Find the flow both ways between each two consecutive frames, and from the last to the first.

        Args:
            frames: two or more, (h, w, 3) RGB of one size.
            flow: what finds it.
            device: where the network computes.
        """
        count = len(frames)
        pairs = [(p, (p + 1) % count) for p in range(count if count > 2 else count - 1)]
        there = [flow.between(frames[a], frames[b]) for a, b in pairs]
        back = [flow.between(frames[b], frames[a]) for a, b in pairs]
        lost = [occluded(f, g, frames[a], frames[b]) for f, g, (a, b) in zip(there, back, pairs, strict=True)]
        lost_back = [occluded(g, f, frames[b], frames[a]) for f, g, (a, b) in zip(there, back, pairs, strict=True)]
        stacked = [np.stack(each).astype(np.float32) for each in (there, back, lost, lost_back)]
        self._flows = [torch.from_numpy(each).to(device).permute(0, 3, 1, 2) for each in stacked[:2]]
        self._lost = [torch.from_numpy(each).to(device)[:, None] for each in stacked[2:]]
        colours = np.stack(frames).astype(np.float32) / 255
        self._colours = torch.from_numpy(colours).to(device).permute(0, 3, 1, 2)
        self._scales: dict[tuple[int, int], ScaleMotion] = {}
        self.frames = count

    def at(self, height: int, width: int) -> ScaleMotion:
        """Return the motion on a grid.

        Flow and colours are means over the pixels of an element. An element is lost where any pixel of it is, so that
        nothing is pulled across an edge.
        """
        size = (height, width)
        if size not in self._scales:
            scale = torch.tensor(
                [size[1] / self._colours.shape[3], size[0] / self._colours.shape[2]], device=self._colours.device
            )
            forward, backward = (
                functional.adaptive_avg_pool2d(each, size).permute(0, 2, 3, 1) * scale for each in self._flows
            )
            lost, lost_back = (functional.adaptive_max_pool2d(each, size)[:, 0] > 0 for each in self._lost)
            seen = functional.adaptive_avg_pool2d(self._lost[1], size)[: self.frames - 1, 0] > _NEWLY_SEEN
            colours = functional.adaptive_avg_pool2d(self._colours, size).permute(0, 2, 3, 1)
            self._scales[size] = ScaleMotion(forward, backward, lost, lost_back, seen, colours)
        return self._scales[size]
