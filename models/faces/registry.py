"""The face detectors there are. A new one is one file and one line here."""

from importlib import import_module
from typing import cast

from models.faces.base import FaceDetector
from project.errors import UserError

DETECTORS = {
    "centerface": "models.faces.centerface:CenterFace",
}


def detector(name: str = "centerface", **options: object) -> FaceDetector:
    """Make a detector; nothing heavy is imported before.

    Raises:
        UserError: there is none of that name, or what it needs is not installed.
    """
    if name not in DETECTORS:
        raise UserError(f"There is no face detector “{name}”.", f"Choose one of: {', '.join(DETECTORS)}.")
    module, attribute = DETECTORS[name].split(":")
    return cast(FaceDetector, getattr(import_module(module), attribute)(**options))
