"""A benchmark on a cluster of real processes: the same answers, all noted, none lost when the scheduler dies."""

import shutil
from pathlib import Path

import pytest

from benchmark.judging.judge_registry import add_judge
from benchmark.runs.run_figures import read_figures
from project.entities.study_records import Json
from project.queries.item_set_rows import answers_of, benchmark_runs, read_run_answers
from project.session.session import Session
from tests.builders.commands import greenroom, start
from tests.builders.dask_cluster import dask_cluster
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import open_study
from tests.builders.misbehaving_server import misbehaving, says, waits
from tests.builders.waiting import HANG_S, wait_until

pytestmark = pytest.mark.e2e
ITEMS = 60
LABELS = ("error", "none", "competence", "error", "none") * (ITEMS // 5)


def essence(study: Path) -> dict[str, list[tuple[str, str, dict[str, Json]]]]:
    """Return judge -> what it answered to each item."""
    with Session.open(study, read_only=True) as session:
        return {
            str(benchmark_run.judge["name"]): [
                (each.item_id, each.status, each.answer) for each in read_run_answers(session.study, benchmark_run.id)
            ]
            for benchmark_run in benchmark_runs(session.study)
        }


def test_a_cluster_answers_as_this_machine_does(tmp_path: Path) -> None:
    with open_study(tmp_path) as session:
        verdicts(session, LABELS, name="one", draws=2)
        verdicts(session, LABELS[:30], name="two")
        for backend in ("oracle", "random", "constant", "reliable"):
            add_judge(session, backend, backend, "", {})
    home, away = tmp_path / "pair.greenroom", tmp_path / "away.greenroom"
    shutil.copy(home, away)
    asked = ("--set", "one", "--set", "two")
    here = greenroom("benchmark", "run", home, *asked)
    with dask_cluster(tmp_path / "dask", 2) as cluster:
        cluster.wait()
        there = greenroom("benchmark", "run", away, *asked, "--scheduler", cluster.address)
    assert essence(home) == essence(away)
    drop = {"run", "at", "ms"}
    told = [[{key: one[key] for key in one if key not in drop} for one in each["results"]] for each in (here, there)]
    assert told[0] == told[1]
    assert there["answered"] == 4 * (ITEMS + 30)


def test_a_scheduler_that_dies_leaves_what_was_answered(tmp_path: Path) -> None:
    with misbehaving(waits(0.1, says('{"label": "error"}'))) as server:
        with open_study(tmp_path) as session:
            verdicts(session, LABELS)
            add_judge(session, "model", "openai", "fake-1", {"url": server.url, "sees": "text", "concurrency": 2})
        study = tmp_path / "pair.greenroom"
        with dask_cluster(tmp_path / "dask", 2) as cluster:
            cluster.wait()
            process = start(
                "-m", "greenroom", "benchmark", "run", study, "--scheduler", cluster.address, "--set", "by hand"
            )
            wait_until(lambda: len(server.asked) >= ITEMS // 3 or process.poll() is not None)
            assert process.poll() is None
            cluster.scheduler.kill()
            assert process.wait(HANG_S) == 2
            process.communicate()
        with Session.open(study, read_only=True) as session:
            (run,) = benchmark_runs(session.study)
            kept = len(answers_of(session.study, run.id))
            stored = session.study.row("SELECT count(*) FROM judgment")
        assert 0 < kept < ITEMS
        assert stored == (kept,)
        before = len(server.asked)
        greenroom("benchmark", "run", study, "--set", "by hand")
        assert len(server.asked) - before == ITEMS - kept
    with Session.open(study, read_only=True) as session:
        (figures,) = read_figures(session, samples=0)
    assert figures.counts.answered == ITEMS
