"""What holds for every kind of job: it runs the same way here and in the worker process, and never sees the study."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotate.study.recording_edits import add_medium, add_recordings, probe_file
from anonymize.faces import face_tracking_job as face_tracking
from models.weights import installed_weights as weights
from project.codec import dump, load
from project.entities.study_records import MediumRole
from project.files.fingerprints import file_sha256
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.session.jobs import JobSpec, load_kind, run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.asked_jobs import PREPARE
from tests.contract.documentation import ROOT
from tests.contract.footage import face_clip

PASSING = ("seconds", "file", "output", "sha256")
"""What differs from run to run. On a busy machine x264's threads pack the same pictures into other bytes at times."""
KEEPING_NOTHING = ("preview", "listen")
"""Kinds of which no run is left."""
FRAMES = 5


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    with Session(Study.create(folder / "lab.greenroom"), "Ada") as session:
        file = probe_file(face_clip(folder / "two seconds.mp4", frames=FRAMES))
        (recording,), _ = add_recordings(session, [file])
        add_medium(session, recording, file, MediumRole.MICROPHONE)
        run_inline(session, face_tracking.prepare(session, recording), Silent())
    return folder / "lab.greenroom"


@pytest.fixture(autouse=True)
def same_weights(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker outlives a test and its folders, and looks for weights where the test does."""
    monkeypatch.setenv(weights.FOLDER_VARIABLE, str(study.with_name("models")))


@pytest.fixture(scope="module")
def in_worker(study: Path) -> Iterator[Callable[[JobSpec], Any]]:
    """Does a job as the window does it, and returns its result; one process does all of them."""
    with subprocess.Popen(
        [sys.executable, "greenroom.py", "worker", "--stay"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, weights.FOLDER_VARIABLE: str(study.with_name("models"))},
    ) as process:

        def do(work: JobSpec) -> Any:
            process.stdin.write(json.dumps({"job": work.kind, "parameters": dump(work.parameters)}) + "\n")
            process.stdin.flush()
            told: list[dict[str, Any]] = []
            while not told or not {"result", "error", "cancelled"} & told[-1].keys():
                told.append(json.loads(process.stdout.readline()))
            assert work.kind != "faces" or any("progress" in line for line in told)
            assert list(told[-1]) == ["result"], told[-1]
            return load(load_kind(work.kind).result, told[-1]["result"], work.kind)

        yield do
        process.stdin.close()


@pytest.mark.parametrize("kind", PREPARE)
def test_a_job_is_json_and_gives_the_same_here_and_in_the_worker(
    kind: str, study: Path, tmp_path: Path, in_worker: Callable[[JobSpec], Any]
) -> None:
    with Session.open(study, "Ada") as session:
        recording = session.study.rows("SELECT id FROM recording")[0][0]
        undo = session.study.undo_name
        results = []
        for here in (True, False):
            work = PREPARE[kind](session, recording, tmp_path / "out")
            assert work.kind == kind
            assert work.title
            assert (
                load(load_kind(kind).parameters, json.loads(json.dumps(dump(work.parameters))), kind) == work.parameters
            )
            if here:
                result, changes = run_inline(session, work, Silent())
            else:
                result = in_worker(work)
                changes = load_kind(kind).store(session, work, result)
            assert bool(changes.ids("run")) == (kind not in KEEPING_NOTHING)
            assert getattr(result, "frames", FRAMES) == FRAMES
            if hasattr(result, "sha256"):
                assert result.sha256 == file_sha256(result.output)
            plain = dump(result)
            plain |= plain.pop("report", {})
            results.append({key: value for key, value in plain.items() if key not in PASSING})
        assert results[0] == results[1]
        kept = latest_run(session.study, recording, kind)
        if kind in KEEPING_NOTHING:
            assert kept is None
            return
        assert kept.id in changes.ids("run")
        assert kept.program_version
        written = json.dumps([dict(kept.parameters), dict(kept.result)])
        for folder in (study.parent, tmp_path):
            assert str(folder) not in written, "a study names no folder of this machine"
        assert session.study.undo_name == undo, "what a job found is no edit, so undo does not reach it"
