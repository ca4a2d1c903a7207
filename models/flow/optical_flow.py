"""The optical flow interface and registry. A new flow is one file and one line here."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from models.weights import installed_weights
from models.weights.weights_catalogue import WEIGHTS
from project.entities.study_records import Json
from project.errors import UserError

Picture = NDArray[np.uint8]
Flow = NDArray[np.float32]


class OpticalFlow(Protocol):
    """Finds the motion between two pictures of one size. The same pictures always give the same answer."""

    @property
    def key(self) -> str:
        """Its name in the registry."""

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers, so that a run can be repeated."""

    def between(self, first: Picture, second: Picture) -> Flow:
        """Return the flow from one picture to another.

        Args:
            first: (h, w, 3) RGB or (h, w) grey.
            second: of the same shape.

        Returns:
            (h, w, 2) float32, u and v in pixels: what `first` shows at x, y, `second` shows at x + u, y + v.
        """


FLOWS = {
    "dis": "models.flow.dis:DenseInverseSearch",
    "raft": "models.flow.raft:Raft",
}
DEFAULT_FLOW = "dis"
"""The one that is there in every installation."""
NEEDS_WEIGHTS = {"raft": "raft-small"}
NEEDS_PACKAGES = {"raft": ("torch", "torchvision", "safetensors")}


def is_installed(name: str) -> bool:
    """Tell whether a flow could run: the packages and the weights that it needs are there."""
    _require_known(name)
    wanted = NEEDS_WEIGHTS.get(name)
    there = all(find_spec(package) is not None for package in NEEDS_PACKAGES.get(name, ()))
    return there and (wanted is None or (wanted in WEIGHTS and installed_weights.is_installed(wanted)))


def default_flow() -> str:
    """Return the best flow that is installed: RAFT where it can run on a GPU as fast, else dense inverse search."""
    if is_installed("raft"):
        import torch

        if torch.cuda.is_available():
            return "raft"
    return DEFAULT_FLOW


def create_flow(name: str = DEFAULT_FLOW) -> OpticalFlow:
    """Make one ready for use; nothing heavy is imported before."""
    _require_known(name)
    if not is_installed(name):
        missing = [package for package in NEEDS_PACKAGES[name] if find_spec(package) is None]
        hint = (
            f"Install {', '.join(missing)}."
            if missing
            else f"Add its weights: greenroom models add {NEEDS_WEIGHTS[name]} FILE"
        )
        raise UserError(f"The optical flow “{name}” is not installed.", hint)
    module, attribute = FLOWS[name].split(":")
    return cast(OpticalFlow, getattr(import_module(module), attribute)())


def _require_known(name: str) -> None:
    if name not in FLOWS:
        raise UserError(f"There is no optical flow “{name}”.", f"Choose one of: {', '.join(FLOWS)}.")
