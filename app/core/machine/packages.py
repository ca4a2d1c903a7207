"""The Python packages that are installed, beside those that this release was tested with."""

import sys
from dataclasses import dataclass
from importlib import metadata

from project.version import __version__
from resources import resource

EXTRAS = {
    "diffusion": ("torch", "diffusers", "transformers", "accelerate", "safetensors"),
    "local-vlm": ("llama-cpp-python",),
    "gpu": ("onnxruntime-gpu", "nvidia-cublas-cu12"),
    "cluster": ("distributed",),
}
"""What makes an optional part complete."""
_TOOLS = ("pip", "setuptools")
"""What installs, and does not run."""
SAME_MODULE = ("onnxruntime", "onnxruntime-gpu")
SAME_OPENCV = ("opencv-python", "opencv-contrib-python")


@dataclass(frozen=True, slots=True)
class Package:
    """One that this release was tested with.

    Attributes:
        tested: its version then.
        installed: its version here; "" where it is not installed.
    """

    name: str
    tested: str
    installed: str

    @property
    def differs(self) -> bool:
        """Whether another version is here than the one that was tested."""
        return bool(self.installed) and self.installed.partition("+")[0] != self.tested


def packages() -> list[Package]:
    """Return all that the constraints of this release name, but for what installs packages, in their order."""
    lines = resource("constraints", f"{__version__}.txt").read_text("utf-8").splitlines()
    pinned = (line.split("==") for line in lines if not line.startswith("#"))
    return [Package(name, tested, version(name)) for name, tested in pinned if name not in _TOOLS]


def version(name: str) -> str:
    """Return the version of an installed package; "" where there is none."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def lacking() -> list[str]:
    """Return which packages the program requires here that are not installed; none where it is not installed itself."""
    try:
        required = metadata.requires("greenroom") or []
    except metadata.PackageNotFoundError:
        return []
    names = [_name(one) for one in required if "extra ==" not in one]
    return [name for name in names if not version(name)]


def parts() -> dict[str, bool]:
    """Return the optional parts, and whether each is complete."""
    return {part: all(version(name) for name in names) for part, names in EXTRAS.items()}


def python() -> str:
    """Return the version of Python."""
    return ".".join(map(str, sys.version_info[:3]))


def _name(requirement: str) -> str:
    letters = [sign if sign.isalnum() or sign in "-_." else " " for sign in requirement]
    return "".join(letters).split()[0]
