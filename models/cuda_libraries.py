"""Finds the libraries of CUDA that come as Python packages: the loader does not look into their folders by itself.

A library that is loaded once is found again by its name, whoever asks for it.
"""

import ctypes
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

ONNXRUNTIME = (
    *("libcudart.so.13", "libnvJitLink.so.13", "libcublasLt.so.13", "libcublas.so.13", "libnvrtc.so.13"),
    *("libcurand.so.10", "libcufft.so.12", "libcudnn.so.9"),
)
"""What onnxruntime-gpu is linked with, each behind those that it needs."""
_DRIVER = Path("libcuda.so.1")
CTRANSLATE2 = ("libcublasLt.so.12", "libcublas.so.12")


@cache
def load(names: Sequence[str]) -> tuple[str, ...]:
    """Load libraries from the packages of NVIDIA that are installed, and return the names of those that were found.

    Without NVIDIA's driver they are of no use: then none is loaded, which would take seconds.
    """
    if not _loads(_DRIVER):
        return ()
    return tuple(name for name in names if any(_loads(folder / name) for folder in _folders()))


def _folders() -> list[Path]:
    spec = find_spec("nvidia")
    roots = [*(spec.submodule_search_locations or ())] if spec else []
    return [folder for root in roots for folder in sorted(Path(root).glob("*/lib"))]


def _loads(file: Path) -> bool:
    try:
        ctypes.CDLL(str(file))
    except OSError:
        return False
    return True
