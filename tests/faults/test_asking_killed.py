"""`kill -9` of the worker in which judges are asked, or of the process that holds the study meanwhile."""

import os
import random
import signal
from collections import Counter
from pathlib import Path

import pytest

from benchmark.judging.judge_registry import add_judge
from project.entities.study_records import Json
from project.queries.judgment_rows import judgments_in
from project.session.session import Session
from tests.builders.marked_study import WALK, mark, open_study
from tests.builders.misbehaving_server import Server, misbehaving, says, waits
from tests.builders.waiting import HANG_S, wait_until
from tests.faults.killing import greenroom, start

pytestmark = pytest.mark.e2e
ROUNDS = [pytest.param(i, marks=() if i < 1 else pytest.mark.soak, id=str(i)) for i in range(12)]
SEGMENTS, AT_ONCE = 40, 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        for number in range(SEGMENTS):
            # No two last equally long, so no two questions are equal.
            mark(session, "Ada", 10 * number, 10 * number + 1 + number / 10)
    return tmp_path


def judged_by(folder: Path, server: Server) -> Path:
    study = folder / "pair.greenroom"
    with Session.open(study, "Ada") as session:
        settings: dict[str, Json] = {"url": server.url, "sees": "text", "concurrency": AT_ONCE}
        add_judge(session, "model", "openai", "fake-1", settings)
    return study


def committed(study: Path) -> list[str]:
    """Return the texts of the questions whose answers are in the study."""
    with Session.open(study, read_only=True) as session:
        found = judgments_in(session.study, WALK)
    assert all(judgment.status.value == "ok" for judgment in found)
    return [str(judgment.sight["text"]) for judgment in found]


def texts(server: Server) -> list[str]:
    return [asked.body["messages"][1]["content"] for asked in [*server.asked]]


def resumed(study: Path, server: Server, before: list[str]) -> None:
    """Ask again, and see that only what was under way is asked a second time."""
    assert greenroom("check", study)["ok"]
    kept = Counter(committed(study))
    assert set(kept.values()) <= {1}
    assert set(kept) <= set(before)
    greenroom("ask", study, "--all", "--task", "verdict")
    twice = {text for text, times in Counter(texts(server)).items() if times > 1}
    assert not twice & set(kept), "what was committed was asked again"
    assert len(twice) <= AT_ONCE
    assert Counter(committed(study)) == Counter(set(texts(server)))
    assert len(committed(study)) == SEGMENTS
    assert greenroom("check", study)["ok"]


@pytest.mark.parametrize("number", ROUNDS)
@pytest.mark.parametrize("victim", ["worker", "holder"])
def test_the_worker_or_whoever_holds_the_study_is_killed(folder: Path, victim: str, number: int) -> None:
    with misbehaving(waits(0.05, says('{"label": "error"}'))) as server:
        study = judged_by(folder, server)
        holder = start("-m", "tests.faults.asking", study)
        worker = int(holder.stdout.readline())
        wanted = random.Random(number).randint(5, SEGMENTS - 5)
        wait_until(lambda: len(server.asked) >= wanted)
        os.kill(worker if victim == "worker" else holder.pid, signal.SIGKILL)
        if victim == "worker":
            assert holder.communicate(timeout=HANG_S)[0].strip() == "done"
        else:
            holder.communicate(timeout=HANG_S)
            wait_until(lambda: server._at_once == 0 and _gone(worker))
        assert len(server.asked) < SEGMENTS
        resumed(study, server, texts(server))


def _gone(process: int) -> bool:
    """Tell whether a process that is nobody's child any more has ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"
