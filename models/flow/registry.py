"""The optical flows there are. A new one is one file and one line here."""

from importlib import import_module
from importlib.util import find_spec
from typing import cast

from models import weights
from models.flow.base import OpticalFlow
from models.weights.catalogue import WEIGHTS
from project.errors import UserError

FLOWS = {
    "dis": "models.flow.dis:DenseInverseSearch",
    "raft": "models.flow.raft:Raft",
}
ALWAYS = "dis"
"""The one that is there in every installation."""
NEEDS_WEIGHTS = {"raft": "raft-small"}
NEEDS_PACKAGES = {"raft": ("torch", "torchvision", "safetensors")}


def installed(name: str) -> bool:
    """Tell whether a flow could run: the packages and the weights that it needs are there.

    Raises:
        UserError: there is none of that name.
    """
    _known(name)
    wanted = NEEDS_WEIGHTS.get(name)
    there = all(find_spec(package) is not None for package in NEEDS_PACKAGES.get(name, ()))
    return there and (wanted is None or (wanted in WEIGHTS and weights.installed(wanted)))


def usual() -> str:
    """Return the best flow that is installed: RAFT where it can run on a GPU as fast, else dense inverse search."""
    if installed("raft"):
        import torch

        if torch.cuda.is_available():
            return "raft"
    return ALWAYS


def optical_flow(name: str = ALWAYS) -> OpticalFlow:
    """Make one ready for use; nothing heavy is imported before.

    Raises:
        UserError: there is none of that name, or what it needs is not installed.
    """
    _known(name)
    if not installed(name):
        missing = [package for package in NEEDS_PACKAGES[name] if find_spec(package) is None]
        hint = (
            f"Install {', '.join(missing)}."
            if missing
            else f"Add its weights: greenroom models add {NEEDS_WEIGHTS[name]} FILE"
        )
        raise UserError(f"The optical flow “{name}” is not installed.", hint)
    module, attribute = FLOWS[name].split(":")
    return cast(OpticalFlow, getattr(import_module(module), attribute)())


def _known(name: str) -> None:
    if name not in FLOWS:
        raise UserError(f"There is no optical flow “{name}”.", f"Choose one of: {', '.join(FLOWS)}.")
