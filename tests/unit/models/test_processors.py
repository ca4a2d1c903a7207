"""Where detectors run is a choice, and what came of it is recorded; libraries of CUDA in the folders of packages."""

import _ctypes
import shutil
import sys
from pathlib import Path

import onnxruntime
import pytest

from models.faces import face_detectors as registry
from models.runtime import native_libraries as cuda_libraries
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


def test_a_gpu_that_cannot_be_used_is_said_plainly_and_the_parameters_say_what_it_runs_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CPU])
    with pytest.raises(UserError, match="cannot use a GPU"):
        registry.create_detector(processor="cuda")
    assert registry.create_detector(processor="cpu").parameters["processor"] == CPU


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """NVIDIA's packages in a folder of their own, with a driver."""
    folder = tmp_path / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "nvidia", raising=False)
    driver = tmp_path / "libcuda.so.1"
    shutil.copy(_ctypes.__file__, driver)
    monkeypatch.setattr(cuda_libraries, "_DRIVER", driver)
    cuda_libraries.load_libraries.cache_clear()
    return folder


def test_those_that_are_there_and_sound_are_loaded(packages: Path) -> None:
    shutil.copy(_ctypes.__file__, packages / "libsound.so.13")
    (packages / "libbroken.so.13").write_text("no library")
    assert cuda_libraries.load_libraries(("libgone.so.13", "libbroken.so.13", "libsound.so.13")) == ("libsound.so.13",)
    assert str(packages / "libsound.so.13") in Path("/proc/self/maps").read_text("utf-8")


def test_without_a_driver_none_is_loaded(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(_ctypes.__file__, packages / "libunused.so.13")
    monkeypatch.setattr(cuda_libraries, "_DRIVER", packages / "gone.so.1")
    assert cuda_libraries.load_libraries(("libunused.so.13",)) == ()
    assert "libunused" not in Path("/proc/self/maps").read_text("utf-8")
