"""The real worker process: one job in, JSON lines out, and it goes when nobody listens any more."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anonymize.faces.face_tracking_job import FaceTrackingParameters
from models.connection.network_sandbox import filter_works
from models.faces.tracking_options import FaceOptions
from project.codec import dump
from tests.builders.clips import make_clip
from tests.builders.reaching_job import STARTING as STARTING_TO_REACH
from tests.builders.talking_job import STARTING
from tests.builders.waiting import HANG_S

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clip") / "walk.mp4", size=(160, 120), frames=60)


def told(said: str) -> list[dict[str, Any]]:
    """Start a worker, say this, close its input, and return what it answered."""
    done = subprocess.run(
        [sys.executable, "greenroom.py", "worker"], input=said, capture_output=True, text=True, cwd=ROOT, timeout=HANG_S
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def job(clip: Path) -> str:
    parameters = FaceTrackingParameters(clip, "m", "f", "centerface", "cpu", None, FaceOptions())
    return json.dumps({"job": "faces", "parameters": dump(parameters)}) + "\n"


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


class Talk:
    """A worker that is talked to line by line."""

    def __init__(self, **request: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", STARTING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        self.say({"job": "talk", "parameters": {"questions": ["a", "b"]}, **request})

    def say(self, message: Any) -> None:
        self._process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self._process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def rest(self) -> list[dict[str, Any]]:
        """Close its input and return what it still says."""
        return [json.loads(line) for line in self._process.communicate(timeout=HANG_S)[0].splitlines()]


def test_a_part_that_has_to_be_kept_is_answered_before_anything_goes_on() -> None:
    talk = Talk(kept=True)
    assert talk.hear() == {"ask": 1, "question": {"question": "a"}}
    talk.say({"answer": 1, "content": {"answer": "a!"}})
    assert talk.hear() == {"ask": 2, "part": {"said": "a!"}}
    talk.say({"answer": 2, "content": {}})
    assert talk.hear() == {"ask": 3, "question": {"question": "b"}}
    talk.say({"answer": 3, "content": {"answer": "b!"}})
    assert talk.hear() == {"ask": 4, "part": {"said": "b!"}}
    # Nobody says that this one is kept.
    assert talk.rest() == [{"cancelled": True}]


def test_a_part_that_cannot_be_kept_ends_the_job_with_what_was_in_the_way() -> None:
    talk = Talk(kept=True)
    talk.hear()
    talk.say({"answer": 1, "content": {"answer": "a!"}})
    talk.hear()
    talk.say({"answer": 2, "error": {"message": "The disk is full.", "hint": "Make room."}})
    assert talk.rest() == [{"error": {"message": "The disk is full.", "hint": "Make room."}}]


def test_otherwise_parts_are_handed_over_and_not_waited_for() -> None:
    talk = Talk()
    talk.hear()
    talk.say({"answer": 1, "content": {"answer": "a!"}})
    assert talk.hear() == {"part": {"said": "a!"}}
    assert talk.hear() == {"ask": 2, "question": {"question": "b"}}
    talk.rest()


@pytest.mark.skipif(not filter_works(), reason="the kernel takes no filter (seccomp) here")
@pytest.mark.parametrize("connects", [False, True])
def test_a_job_that_never_connects_has_no_network(connects: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTING_TO_REACH],
        input=json.dumps({"job": "reach", "parameters": {}, "network": connects}) + "\n",
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=HANG_S,
    )
    result = {"AF_UNIX": True, "AF_INET": connects, "AF_INET6": connects, "child": connects}
    assert json.loads(done.stdout.splitlines()[-1]) == {"result": result}, done.stderr
