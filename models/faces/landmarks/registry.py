"""The finders of landmarks there are. A new one is one file and one line here."""

from importlib import import_module
from typing import cast

from models import weights
from models.faces.landmarks.base import LandmarkFinder
from project.errors import UserError

LANDMARKS = {
    "mediapipe": "models.faces.landmarks.mediapipe:MediaPipe",
    "pfld": "models.faces.landmarks.pfld:Pfld",
}
NEEDS_WEIGHTS = {"mediapipe": "face-landmarks", "pfld": "pfld"}


def installed(name: str) -> bool:
    """Tell whether the weights of a finder are there.

    Raises:
        UserError: there is none of that name.
    """
    return weights.installed(NEEDS_WEIGHTS[_known(name)])


def landmark_finder(name: str = "mediapipe") -> LandmarkFinder:
    """Make a finder; nothing heavy is imported before.

    Raises:
        UserError: there is none of that name, or its weights are not installed or are damaged.
    """
    weights.path(NEEDS_WEIGHTS[_known(name)])
    module, attribute = LANDMARKS[name].split(":")
    return cast(LandmarkFinder, getattr(import_module(module), attribute)())


def _known(name: str) -> str:
    if name not in LANDMARKS:
        raise UserError(f"There is no finder of landmarks “{name}”.", f"Choose one of: {', '.join(LANDMARKS)}.")
    return name
