"""`kill -9` while a judge is asked: what was answered and stored is not asked again, nothing is lost or there twice."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmark.judging.judge_registry import add_judge
from project.entities.study_records import Json
from project.queries.judgment_rows import judgments_in
from project.session.session import Session
from tests.builders.marked_study import WALK, mark, open_study
from tests.builders.misbehaving_server import Server, misbehaving, says, waits
from tests.faults.killing import greenroom
from tests.faults.kills.conftest import KillOne
from tests.faults.kills.life import RUNS, Lives
from tests.faults.kills.looking import STUDY, alone, sound

pytestmark = pytest.mark.e2e
SEGMENTS, AT_ONCE, WAIT_S = 30, 4, 0.02
ASK = ("--all", "--task", "verdict")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with misbehaving(waits(WAIT_S, says('{"label": "error"}'))) as running:
        yield running


@pytest.fixture(scope="module")
def prepared(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    settings: dict[str, Json] = {"url": server.url, "sees": "text", "concurrency": AT_ONCE}
    with open_study(folder) as session:
        for number in range(SEGMENTS):
            # No two last equally long, so no two questions are equal.
            mark(session, "Ada", 10 * number, 10 * number + 1 + number / 10)
        add_judge(session, "model", "openai", "fake-1", settings)
        made = session.study.path
    made.rename(folder / STUDY)
    return folder


@pytest.fixture(scope="module")
def lives(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Lives:
    lives = Lives("judging")
    whole = tmp_path_factory.mktemp("whole")
    lives.whole(prepared, whole, "greenroom", "ask", whole / STUDY, *ASK)
    return lives


def stored(study: Path) -> Counter[str]:
    """Return the texts of the questions whose answers are in the study."""
    with Session.open(study, read_only=True) as session:
        found = judgments_in(session.study, WALK)
    assert all(judgment.status.value == "ok" for judgment in found)
    return Counter(str(judgment.sight["text"]) for judgment in found)


@pytest.mark.parametrize("number", RUNS)
def test_only_what_was_under_way_is_asked_again(
    prepared: Path, server: Server, lives: Lives, tmp_path: Path, kill_one: KillOne, number: int
) -> None:
    folder, study = tmp_path / "work", tmp_path / "work" / STUDY
    shutil.copytree(prepared, folder)
    server.asked.clear()
    kill_one(lives, number, "greenroom", "ask", study, *ASK)
    sound(study)
    alone(folder)
    asked = texts(server)
    kept = stored(study)
    assert set(kept.values()) <= {1}, "an answer is there twice"
    assert set(kept) <= set(asked), "an answer is there to what was not asked"
    assert len(asked) - len(kept) <= AT_ONCE, "an answer that came is lost"
    greenroom("ask", study, *ASK)
    twice = {text for text, times in Counter(texts(server)).items() if times > 1}
    assert not twice & set(kept), "what was answered was asked again"
    assert stored(study) == Counter({*texts(server)})
    assert stored(study).total() == SEGMENTS
    sound(study)
    alone(folder)


def texts(server: Server) -> list[str]:
    """Return what was asked until now, in the order in which it came."""
    return [asked.body["messages"][1]["content"] for asked in [*server.asked]]
