"""`kill -9` in a benchmark: what was answered is noted and is not asked again, whenever the program is killed."""

import random
from collections import Counter
from pathlib import Path

import pytest

from benchmark.judging.judge_registry import add_judge
from project.queries.item_set_rows import answers_of, benchmark_runs, read_run_answers
from project.queries.judgment_rows import find_judgments
from project.session.session import Session
from tests.builders.commands import greenroom, kill, start
from tests.builders.item_sets import verdicts
from tests.builders.misbehaving_server import Server, misbehaving, says, waits
from tests.builders.waiting import wait_until

pytestmark = pytest.mark.e2e
AT_ONCE, WAIT_S = 8, 0.04
SOAK = [pytest.mark.soak, pytest.mark.timeout(3600)]


def judged_by(session: Session, server: Server, items: int) -> Path:
    """Put a set and a judge into a study and close it."""
    verdicts(session, ["error", "none"] * (items // 2), draws=2)
    add_judge(session, "model", "openai", "fake-1", {"url": server.url, "sees": "text", "concurrency": AT_ONCE})
    session.close()
    return session.study.path


def texts(server: Server) -> list[str]:
    return [asked.body["messages"][1]["content"] for asked in [*server.asked]]


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


@pytest.mark.parametrize(("kills", "items"), [(1, 60), pytest.param(20, 500, marks=SOAK)])
def test_no_answer_is_lost_and_none_asked_again(session: Session, kills: int, items: int) -> None:
    chance = random.Random(kills)
    with misbehaving(waits(WAIT_S, says('{"label": "error"}'))) as server:
        study = judged_by(session, server, items)
        kept: Counter[str] = Counter()
        seen = 0
        for left in range(kills, 0, -1):
            process = start("-m", "greenroom", "benchmark", "run", study, "--set", "by hand", "--judge", "model")
            wanted = len(server.asked) + chance.randint(0, max(1, (items - sum(kept.values())) // left))
            wait_until(lambda wanted=wanted, ended=process.poll: len(server.asked) >= wanted or ended() is not None)
            kill(process)
            asked = texts(server)
            assert not {*asked[seen:]} & {*kept}, "what was answered was asked again"
            seen = len(asked)
            assert greenroom("check", study)["ok"]
            now = noted(study)
            assert not kept - now, "an answer was lost"
            assert max(now.values(), default=1) == 1
            kept = now
        told = greenroom("benchmark", "run", study, "--set", "by hand", "--judge", "model")
        asked = texts(server)
    assert not {*asked[seen:]} & {*kept}
    assert noted(study) == Counter({*asked})
    assert len({*asked}) == items
    assert len(asked) - items <= kills * AT_ONCE
    accuracy = next(result for result in told["results"] if result["metric"] == "accuracy")
    assert (accuracy["n"], accuracy["mean"]) == (items, 0.5)
    with Session.open(study, read_only=True) as again:
        (run,) = benchmark_runs(again.study)
        assert len(read_run_answers(again.study, run.id)) == items
