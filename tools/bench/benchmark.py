"""A benchmark of 10,000 items and a judge that answers at once, against a bare loop over the same questions.

Ours is the whole run: it is written down, items are read, questions put together and looked up, answers read by their
form, stored, and noted as the run's. The bare loop asks the same judge ready-made questions and keeps nothing.
"""

import asyncio
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmark.judge_input.input_planning import plan_input
from benchmark.judging.judge_registry import add_judge
from benchmark.runs.run_figures import read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from models.judges.baselines import ConstantJudge
from models.judges.judge_interface import JudgeRequest, SamplingParameters
from project.progress import Silent
from project.queries.item_set_rows import answers_of
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import open_study
from tools.bench.row import Row

ITEMS, REPETITIONS = 10_000, 3
_LABELS = ("error", "competence", "none", "error")
_STEP_US = 50_000


def run() -> list[Row]:
    """Measure; ours and the bare loop take turns."""
    ours, bare, again, figures = [], [], [], []
    with TemporaryDirectory() as folder, open_study(Path(folder)) as session:
        item_set, items = verdicts(session, [_LABELS[at % 4] for at in range(ITEMS)], span=_span)
        plan = plan_input(session, f"item/{items[0].id}", "verdict")
        for number in range(REPETITIONS):
            judge, _ = add_judge(session, f"constant {number}", "constant", "", {})
            wanted = BenchmarkRequest([item_set], [judge])
            began = time.perf_counter()
            ran = run_benchmark(session, wanted, Silent())
            ended = time.perf_counter()
            ours.append(ended - began)
            assert len(answers_of(session.study, ran.runs[0].id)) == ITEMS
            bare.append(asyncio.run(_bare(plan.judge_request((), SamplingParameters()))))
            began = time.perf_counter()
            assert not run_benchmark(session, wanted, Silent()).outcome.completed
            taken = time.perf_counter()
            read_figures(session, [ran.runs[0].id])
            again.append(taken - began)
            figures.append(time.perf_counter() - taken)
    each = 1000 * (statistics.median(ours) - statistics.median(bare)) / ITEMS
    return [
        Row.judged(
            f"Run a benchmark of {ITEMS:,} items, a judge that answers at once",
            f"{statistics.median(ours):.1f} s, {each:.2f} ms more an item",
            each,
            "<= 2.0 ms an item",
            f"a bare loop over the same questions {statistics.median(bare):.2f} s",
        ),
        Row("Take that run up again: nothing is asked", f"{statistics.median(again):.2f} s"),
        Row("Its figures, with breakdowns and intervals", f"{statistics.median(figures):.2f} s"),
    ]


def _span(place: int) -> tuple[int, int]:
    return place * _STEP_US, (place + 1) * _STEP_US


async def _bare(question: JudgeRequest) -> float:
    judge = ConstantJudge()
    began = time.perf_counter()
    for _ in range(ITEMS):
        await judge.ask(question)
    return time.perf_counter() - began
