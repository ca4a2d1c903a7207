"""Figures of runs as they are read from a study: by whom, beside an earlier run, under each condition."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmark.judging.judge_registry import add_judge
from benchmark.runs.run_figures import RunFigures, compare_runs, read_figures
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from project.entities.frozen_items import BenchmarkRun, ItemSet
from project.errors import UserError
from project.ids import new_id
from project.progress import Silent
from project.queries.item_set_rows import answers_of, insert_answers, insert_benchmark_run
from project.queries.judgment_rows import all_judges
from project.session.session import Session
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import open_study

LABELS = ("error", "none", "competence", "error", "none", "error") * 5
HOMES = ("walk", "walk 2", "walk 3")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=3) as opened:
        for backend in ("oracle", "random", "constant"):
            add_judge(opened, backend, backend, "", {})
        yield opened


@pytest.fixture
def item_set(session: Session) -> ItemSet:
    return verdicts(session, LABELS, draws=3, recordings=HOMES)[0]


def run(session: Session, item_set: ItemSet, *names: str, **more: object) -> list[RunFigures]:
    judges = [judge for judge in all_judges(session.study) if judge.name in names]
    ran = run_benchmark(session, BenchmarkRequest([item_set], judges, **more), Silent())
    return read_figures(session, [each.id for each in ran.runs])


def noted_again(session: Session, source: BenchmarkRun, **changes: Any) -> str:
    """Let a run count as another one too, with the same answers."""
    made = replace(source, id=new_id(), **changes)
    with session.study.run_transaction():
        insert_benchmark_run(session.study, made)
        insert_answers(
            session.study, [replace(answer, run_id=made.id) for answer in answers_of(session.study, source.id)]
        )
    return made.id


def test_a_line_for_each_metric_says_who_was_asked_what_and_how(session: Session, item_set: ItemSet) -> None:
    (found,) = run(session, item_set, "oracle")
    lines = found.results_json()
    assert [line["metric"] for line in lines] == ["accuracy", "macro_f1"]
    asked = {"task": "verdict", "judge": "oracle", "mean": 1.0, "sd": 0.0, "n": len(LABELS), "unparsed": 0}
    assert asked.items() <= lines[0].items()
    assert (lines[0]["shown"], lines[0]["condition"], lines[0]["variant"]) == ("L", "raw", "plain")
    assert lines[0]["draws"] == [1.0, 1.0, 1.0]
    assert lines[0]["chance"] == pytest.approx(1 / 3)
    assert lines[0]["constant"] == pytest.approx(0.5)
    assert lines[1]["constant"] == pytest.approx((1 / 3 + 0 + 2 / 9) / 3)
    (found,) = run(session, item_set, "constant")
    assert len(found.items) == len(LABELS)
    right = [item.right for item in found.items]
    assert sum(map(bool, right)) == LABELS.count("error")
    assert [item.response.draw for item in found.items] == sorted(item.response.draw for item in found.items)


def test_two_judges_are_compared_item_by_item_and_over_different_sets_without_a_test(
    session: Session, item_set: ItemSet
) -> None:
    by_name = {figures.judge: figures for figures in run(session, item_set, "oracle", "constant")}
    comparison = compare_runs(session, by_name["oracle"], by_name["constant"])
    assert comparison.paired
    assert comparison.n == len(LABELS)
    assert (comparison.mcnemar.first_only, comparison.mcnemar.second_only) == (15, 0)
    accuracy = comparison.rows[0]
    assert accuracy.difference.value == pytest.approx(0.5)
    assert accuracy.difference.low is not None
    other, _ = verdicts(session, LABELS[:6], name="other")
    (first,), (second,) = run(session, item_set, "oracle"), run(session, other, "constant")
    comparison = compare_runs(session, first, second)
    assert not comparison.paired
    assert comparison.mcnemar is None
    assert comparison.rows[0].difference.value == pytest.approx(0.5)
    assert comparison.rows[0].difference.p is None


def test_the_newest_of_equal_runs_is_shown_and_an_earlier_one_by_its_id(session: Session, item_set: ItemSet) -> None:
    (first,) = run(session, item_set, "random")
    (second,) = run(session, item_set, "random", fresh=True)
    assert first.run.id != second.run.id
    assert [figure.run.id for figure in read_figures(session, sets=[item_set.name], samples=0)] == [second.run.id]
    assert len(read_figures(session, [first.run.id, second.run.id], samples=0)) == 2
    ids = [first.run.id, noted_again(session, first.run, judge_id="another", at="2026-01-01T00:00:00Z")]
    names = {figures.judge for figures in read_figures(session, ids, samples=0)}
    assert len(names) == 2, "two judges of one name are told apart"
    for runs, sets, says in ((["nothing"], (), "no run"), ((), ["nothing"], "no item set")):
        with pytest.raises(UserError, match=says):
            read_figures(session, runs, sets=sets)
