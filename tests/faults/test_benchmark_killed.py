"""`kill -9` in a benchmark: what was answered is noted and is not asked again, whenever the program is killed."""

import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from benchmark.judging.judge_registry import add_judge
from project.queries.item_set_rows import answers_of, benchmark_runs, read_run_answers
from project.queries.judgment_rows import find_judgments
from project.session.session import Session
from tests.builders.commands import greenroom, kill, start
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import open_study
from tests.builders.misbehaving_server import Server, misbehaving, says, waits
from tests.builders.waiting import wait_until

pytestmark = pytest.mark.e2e
ITEMS, AT_ONCE, WAIT_S = 500, 8, 0.04
KILLS = [pytest.param(3, id="3"), pytest.param(20, marks=[pytest.mark.soak, pytest.mark.timeout(3600)], id="20")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        verdicts(session, ["error", "none"] * (ITEMS // 2), draws=2)
    return tmp_path


def judged_by(folder: Path, server: Server) -> Path:
    study = folder / "pair.greenroom"
    with Session.open(study, "Ada") as session:
        add_judge(session, "model", "openai", "fake-1", {"url": server.url, "sees": "text", "concurrency": AT_ONCE})
    return study


def noted(study: Path) -> Counter[str]:
    """Return the texts of the questions whose answers are noted as those of the run."""
    with Session.open(study, read_only=True) as session:
        runs = benchmark_runs(session.study)
        assert len(runs) <= 1, "a run was begun a second time"
        ids = [answer.judgment_id for run in runs for answer in answers_of(session.study, run.id)]
        found = find_judgments(session.study, ids)
        stored = session.study.row("SELECT count(*) FROM judgment")
    assert stored == (len(ids),), "an answer is stored and not noted"
    return Counter(str(judgment.sight["text"]) for judgment in found)


def let_ask(server: Server, process: "subprocess.Popen[str]", wanted: int) -> None:
    """Return when the server was asked so often, or the process has ended."""
    wait_until(lambda: len(server.asked) >= wanted or process.poll() is not None)


@pytest.mark.parametrize("kills", KILLS)
def test_no_answer_is_lost_and_none_asked_again(folder: Path, kills: int) -> None:
    chance = random.Random(kills)
    with misbehaving(waits(WAIT_S, says('{"label": "error"}'))) as server:
        study = judged_by(folder, server)
        kept: Counter[str] = Counter()
        seen = 0
        for left in range(kills, 0, -1):
            process = start("-m", "greenroom", "benchmark", "run", study, "--set", "by hand", "--judge", "model")
            wanted = len(server.asked) + chance.randint(0, max(1, (ITEMS - sum(kept.values())) // left))
            let_ask(server, process, wanted)
            kill(process)
            asked = [each_asked.body["messages"][1]["content"] for each_asked in [*server.asked]]
            assert not {*asked[seen:]} & {*kept}, "what was answered was asked again"
            seen = len(asked)
            assert greenroom("check", study)["ok"]
            now = noted(study)
            assert not kept - now, "an answer was lost"
            assert max(now.values(), default=1) == 1
            kept = now
        told = greenroom("benchmark", "run", study, "--set", "by hand", "--judge", "model")
        asked = [each_asked.body["messages"][1]["content"] for each_asked in [*server.asked]]
    assert not {*asked[seen:]} & {*kept}
    assert noted(study) == Counter({*asked})
    assert len({*asked}) == ITEMS
    assert len(asked) - ITEMS <= kills * AT_ONCE
    accuracy = next(one for one in told["results"] if one["metric"] == "accuracy")
    assert (accuracy["n"], accuracy["mean"]) == (ITEMS, 0.5)
    with Session.open(study, read_only=True) as session:
        (run,) = benchmark_runs(session.study)
        assert len(read_run_answers(session.study, run.id)) == ITEMS
