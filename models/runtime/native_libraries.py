"""Loads CUDA libraries from Python packages, keeps heavy optional packages out, and silences native error output."""

import ctypes
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_HEAVY = ("torch", "transformers", "stanza", "gliner", "cupy", "tensorflow", "mxnet")


@contextmanager
def without_heavy_packages() -> Iterator[None]:
    """Let what is installed for other work look as if it were not, while spaCy or Presidio is imported.

    They import torch and transformers where these are there, which takes ten seconds.
    """
    hidden = [name for name in _HEAVY if name not in sys.modules]
    blocked: dict[str, Any] = dict.fromkeys(hidden)
    sys.modules.update(blocked)
    try:
        yield
    finally:
        for name in hidden:
            if sys.modules.get(name) is None:
                sys.modules.pop(name, None)


_ERROR = 2
_turn = threading.Lock()


@contextmanager
def without_native_noise() -> Iterator[None]:
    """Send the process's standard error nowhere while the block runs.

    For libraries that write to file descriptor 2 past every setting of theirs. Keep the block short: what other
    threads write meanwhile is lost too. Errors that Python raises are not touched.
    """
    with _turn:
        kept = os.dup(_ERROR)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, _ERROR)
            yield
        finally:
            os.dup2(kept, _ERROR)
            os.close(nowhere)
            os.close(kept)


ONNXRUNTIME = (
    *("libcudart.so.13", "libnvJitLink.so.13", "libcublasLt.so.13", "libcublas.so.13", "libnvrtc.so.13"),
    *("libcurand.so.10", "libcufft.so.12", "libcudnn.so.9"),
)
"""What onnxruntime-gpu is linked with, each behind those that it needs."""
_DRIVER = Path("libcuda.so.1")
CTRANSLATE2 = ("libcublasLt.so.12", "libcublas.so.12")


@cache
def load_libraries(names: Sequence[str]) -> tuple[str, ...]:
    """Load libraries from the packages of NVIDIA that are installed, and return the names of those that were found.

    Without NVIDIA's driver they are of no use: then none is loaded, which would take seconds.
    """
    if not _can_load(_DRIVER):
        return ()
    return tuple(name for name in names if any(_can_load(folder / name) for folder in _folders()))


def _folders() -> list[Path]:
    spec = find_spec("nvidia")
    roots = [*(spec.submodule_search_locations or ())] if spec else []
    return [folder for root in roots for folder in sorted(Path(root).glob("*/lib"))]


def _can_load(file: Path) -> bool:
    try:
        ctypes.CDLL(str(file))
    except OSError:
        return False
    return True
