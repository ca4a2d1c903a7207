"""A run of judges on a cluster of two workers on this machine, against the same run in one process."""

import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmark.cluster.coordinator import run_jobs
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from models.judges.judge_backends import BACKENDS
from project.entities.judgments import Judgment
from project.progress import Silent
from project.queries.judgment_rows import all_judges, judgments_in
from project.queries.segment_rows import all_segments
from project.session.session import Session
from tests.builders import slow_workers
from tests.builders.dask_cluster import dask_cluster
from tests.builders.marked_study import WALK, mark, open_study
from tests.builders.slow_judge import PLACE
from tools.bench.row import Row

ITEMS, SECONDS, WORKERS = 60, 0.5, 2


def run() -> list[Row]:
    """Ask a judge that takes half a second, at home and on a cluster whose workers have to start its processes."""
    BACKENDS["slow"] = PLACE
    try:
        with tempfile.TemporaryDirectory() as folder:
            return _rows(Path(folder))
    finally:
        del BACKENDS["slow"]


def _rows(folder: Path) -> list[Row]:
    with open_study(folder) as session:
        for number in range(ITEMS):
            mark(session, "Ada", 5 * number, 5 * number + 1 + number / 100)
        add_judge(session, "slow", "slow", "", {"seconds": SECONDS})
    home, away = folder / "pair.greenroom", folder / "away.greenroom"
    shutil.copy(home, away)
    here_s = _asked(home, "")
    with dask_cluster(folder / "dask", WORKERS, slow_workers.__file__) as cluster:
        cluster.wait()
        there_s = _asked(away, cluster.address)
    work = f"{ITEMS} items, a judge that takes {SECONDS} s: {WORKERS} Dask workers"
    ratio = there_s / here_s
    same = _essence(home) == _essence(away)
    return [
        Row.judged(work, f"{there_s:.1f} s", ratio, "<= 0.6x", f"in one process, {here_s:.1f} s", f"{ratio:.2f}x"),
        Row(
            f"{work}, the judgments",
            "equal" if same else "not equal",
            "those of one process",
            target="equal but for ids and times",
            ok=same,
        ),
    ]


def _asked(study: Path, scheduler: str) -> float:
    with Session.open(study, "Ada") as session:
        segments = [segment.id for segment in all_segments(session.study)]
        work = prepare(session, AskRequest(all_judges(session.study), segments, "verdict")).job
        assert work is not None
        began = time.monotonic()
        (done,) = run_jobs(session, [work], Silent(), scheduler)
        took = time.monotonic() - began
        assert done.error is None
        return took


def _essence(study: Path) -> list[Judgment]:
    with Session.open(study, read_only=True) as session:
        found = [replace(judgment, id="", at="", ms=0) for judgment in judgments_in(session.study, WALK)]
    return sorted(found, key=lambda judgment: judgment.segment_id)
