"""The optical flow interface and registry. A new flow is one file and one line here."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.weights.model_plugins import InferenceModel, ModelPlugins

Picture = NDArray[np.uint8]
Flow = NDArray[np.float32]


class OpticalFlow(InferenceModel, Protocol):
    """Finds the motion between two pictures of one size. The same pictures always give the same answer."""

    def between(self, first: Picture, second: Picture) -> Flow:
        """Return the flow from one (h, w, 3) RGB or (h, w) grey picture to another.

        It is (h, w, 2) float32, u and v in pixels: what `first` shows at x, y, `second` shows at x + u, y + v.
        """


FLOWS = ModelPlugins[OpticalFlow](
    "optical flow",
    {
        "dis": "models.flow.dis:DenseInverseSearch",
        "raft": "models.flow.raft:Raft",
    },
    weights={"raft": "raft-small"},
    packages={"raft": ("torch", "torchvision", "safetensors")},
)
DEFAULT_FLOW = "dis"
"""The one that is there in every installation."""


def default_flow() -> str:
    """Return the best flow that is installed: RAFT where it can run on a GPU as fast, else dense inverse search."""
    if FLOWS.is_installed("raft"):
        import torch

        if torch.cuda.is_available():
            return "raft"
    return DEFAULT_FLOW


def create_flow(name: str = DEFAULT_FLOW) -> OpticalFlow:
    """Make one ready for use."""
    return FLOWS.make(name)
