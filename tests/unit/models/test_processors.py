"""Where detectors run is a choice, and what came of it is recorded."""

import onnxruntime
import pytest

from models.faces import face_detectors as registry
from models.runtime.onnx_session import onnx_providers
from project.errors import UserError

GPU, CPU = "CUDAExecutionProvider", "CPUExecutionProvider"


@pytest.mark.parametrize(
    ("there", "processor", "wanted"),
    [
        ([CPU], "cpu", (CPU,)),
        ([CPU], "auto", (GPU, CPU)),
        ([GPU, CPU], "cpu", (CPU,)),
        ([GPU, CPU], "cuda", (GPU, CPU)),
    ],
)
def test_the_wanted_one_comes_first(
    monkeypatch: pytest.MonkeyPatch, there: list[str], processor: str, wanted: tuple[str, ...]
) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: there)
    assert onnx_providers(processor) == wanted


def test_a_gpu_that_cannot_be_used_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CPU])
    with pytest.raises(UserError, match="cannot use a GPU"):
        registry.create_detector(processor="cuda")


def test_the_parameters_say_what_it_runs_on() -> None:
    assert registry.create_detector(processor="cpu").parameters["processor"] == CPU
