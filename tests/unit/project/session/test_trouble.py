"""A machine that fails in the middle of a job: in this process, and in the worker."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from project.entities.study_records import Json
from project.errors import Cancelled, UserError
from project.progress import Progress, Silent
from project.session import jobs
from project.session.jobs import explain_machine_errors

GONE = "CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; expr=cudaStreamSynchronize(stream)"
FULL = "CUDA failure 2: out of memory ; GPU=0 ; hostname=lab"


class Fail(Exception):
    """As onnxruntime's is: of no other family."""


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (Fail(GONE), "The graphics card stopped answering."),
        (Fail(FULL), "There is not enough memory on the graphics card for this."),
        (RuntimeError("CUDA driver version is insufficient"), "The graphics card stopped answering."),
        (RuntimeError("std::bad_alloc"), "There is not enough memory in this computer for this."),
        (MemoryError(), "There is not enough memory in this computer for this."),
    ],
)
def test_what_the_machine_cannot_is_a_message(raised: Exception, told: str) -> None:
    with pytest.raises(UserError) as seen, explain_machine_errors():
        raise raised
    assert seen.value.message == told
    assert "tart it again" in seen.value.hint


@pytest.mark.parametrize("raised", [ValueError("a bug"), KeyError("key"), Cancelled(), UserError("No CUDA here.")])
def test_all_else_passes_as_it_is(raised: Exception) -> None:
    with pytest.raises(type(raised)) as seen, explain_machine_errors():
        raise raised
    assert seen.value is raised


def test_a_graphics_card_that_is_lost_in_the_middle_of_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute(parameters: Mapping[str, Json], progress: Progress) -> dict[str, Json]:
        progress.progress(3, 10, "Looking for faces")
        raise Fail(GONE)

    monkeypatch.setattr(jobs, "load_kind", lambda _: SimpleNamespace(compute=compute))
    with pytest.raises(UserError, match="graphics card stopped answering"):
        jobs.compute("faces", {}, Silent())


LIMITED = """
import resource, sys
from pathlib import Path
import anonymize.faces.face_tracking_job
kept = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (kept + 200_000_000, resource.RLIM_INFINITY))
def compute(parameters, progress):
    bytearray(10_000_000_000)
anonymize.faces.face_tracking_job.compute = compute
from app.worker import run
run()
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_a_worker_without_memory_says_so() -> None:
    asked = json.dumps({"job": "faces", "parameters": {}})
    done = subprocess.run([sys.executable, "-c", LIMITED], input=asked, capture_output=True, text=True, check=False)
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["error"]["message"] == "There is not enough memory in this computer for this."
