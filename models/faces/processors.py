"""Which processor the detectors run on: an NVIDIA GPU where an onnxruntime that can use one is installed."""

import onnxruntime

from project.errors import UserError

_GPU, _CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


def providers(processor: str) -> tuple[str, ...]:
    """Return the names that onnxruntime knows the processors by, the wanted one first.

    Args:
        processor: `auto`, `cpu` or `cuda`, see `registry.PROCESSORS`.

    Raises:
        UserError: a GPU is asked for and this onnxruntime cannot use one.
    """
    if processor == "cpu":
        return (_CPU,)
    if processor == "cuda" and _GPU not in onnxruntime.get_available_providers():
        raise UserError(
            "The installed onnxruntime cannot use a GPU.",
            "Install onnxruntime-gpu over it (docs/install.md), or leave the processor to be chosen.",
        )
    return (_GPU, _CPU)
