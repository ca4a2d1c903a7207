"""Opens onnxruntime sessions: quiet, few threads, and on an NVIDIA GPU where onnxruntime can use one."""

from collections.abc import Sequence
from pathlib import Path

import onnxruntime

from models.runtime import native_libraries
from project.errors import UserError

_ERRORS_ONLY = 3
_ON_CPU = ("CPUExecutionProvider",)
_CUDA = "CUDAExecutionProvider"


def open_session(
    model: Path | bytes, threads: int = 1, providers: Sequence[str] = _ON_CPU
) -> onnxruntime.InferenceSession:
    """Load a network; wanted providers that this onnxruntime does not have are left out.

    One thread of a call is best where several run side by side.
    """
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS_ONLY
    there = onnxruntime.get_available_providers()
    if _CUDA in providers and _CUDA in there:
        native_libraries.load_libraries(native_libraries.ONNXRUNTIME)
    try:
        content = model.read_bytes() if isinstance(model, Path) else model
        return onnxruntime.InferenceSession(
            content, options, providers=[provider for provider in providers if provider in there]
        )
    # What onnxruntime raises has no base of its own.
    except Exception as error:
        what = model if isinstance(model, Path) else "The file"
        raise UserError(f"{what} is not a readable ONNX network.", "Get the file again, or export it again.") from error


_GPU, _CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


def onnx_providers(processor: str) -> tuple[str, ...]:
    """Return the names that onnxruntime knows processors by, the wanted one (`auto`, `cpu`, `cuda`) first."""
    if processor == "cpu":
        return (_CPU,)
    if processor == "cuda" and _GPU not in onnxruntime.get_available_providers():
        raise UserError(
            "The installed onnxruntime cannot use a GPU.",
            "Install onnxruntime-gpu (docs/install.md), or set the processor to “auto”.",
        )
    return (_GPU, _CPU)
