"""The real worker process: one job in, JSON lines out, and it goes when nobody listens any more."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.clips import make_clip

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "walk.mp4", size=(160, 120), frames=60)


def told(said: str) -> list[dict[str, Any]]:
    """Start a worker, say this, close its input, and return what it answered."""
    done = subprocess.run(
        [sys.executable, "greenroom.py", "worker"], input=said, capture_output=True, text=True, cwd=ROOT, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def job(clip: Path) -> str:
    given = {"path": str(clip), "fingerprint": "f", "detector": "centerface", "processor": "cpu", "embedder": None}
    return json.dumps({"job": "faces", "parameters": {**given, "options": {}}}) + "\n"


@pytest.mark.parametrize("said", ["cancel\n", ""], ids=["told to stop", "nobody listens"])
def test_it_stops_when_told_to_and_when_its_input_closes(clip: Path, said: str) -> None:
    answers = told(job(clip) + said)
    assert answers[-1] == {"cancelled": True}
    assert not any("result" in answer for answer in answers)


def test_what_a_user_can_put_right_comes_as_a_message_with_a_hint(tmp_path: Path) -> None:
    (answer,) = told(job(tmp_path / "gone.mp4"))
    assert set(answer) == {"error"}
    assert "gone.mp4" in answer["error"]["message"]
    assert answer["error"]["hint"]
