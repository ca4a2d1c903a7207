"""Words of an item go into a private report only where all recordings they were taken from may leave."""

from dataclasses import replace

import pytest

from benchmark.judging.judge_registry import add_judge
from benchmark.report.report_data import read_item_texts
from benchmark.runs.run_figures import read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from project.entities.frozen_items import ItemModality
from project.entities.study_records import Json
from project.progress import Silent
from project.session.session import Session
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import WALK


@pytest.mark.parametrize(("taken_from", "withheld", "told"), [([WALK], [], 1), ([WALK], [WALK], 0), (["gone"], [], 0)])
def test_options_of_what_may_not_leave_or_is_gone_are_left_out(
    session: Session, taken_from: list[Json], withheld: list[str], told: int
) -> None:
    made, (item, *_) = verdicts(session, ["error"])
    judge = add_judge(session, "oracle", "oracle", "", {})[0]
    run_benchmark(session, BenchmarkRequest([made], [judge], shown=ItemModality.TEXT), Silent())
    (run,) = read_figures(session)
    borrowing = replace(item, content={**item.content, "options": ["One.", "Two."], "homes": taken_from})
    assert len(read_item_texts(session, run, {item.id: borrowing}, withheld)) == told
