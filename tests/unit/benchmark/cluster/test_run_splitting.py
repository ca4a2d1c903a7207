"""A run that is cut asks what the whole one asks, and what a worker left is asked again, but not for ever."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.cluster.coordinator import MAX_TRIES, ClusterTask
from benchmark.judging.ask_job import merge_results, partial_result, remaining_job, served_judge_ids, split_job
from benchmark.judging.ask_run import RunNote, RunOutcome
from benchmark.judging.judgment_record import JudgmentBatch
from benchmark.judging.run_budget import Limits
from project.codec import dump
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.entities.study_records import Changes
from project.errors import UserError
from project.session.jobs import JobSpec
from tests.builders.ask_work import ENTRIES, SERVED, asked_by, judged, work_of

PRICED = {**SERVED, "price_in": 1.0, "price_out": 2.0, "currency": "EUR"}
ASKED = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), min_size=1, max_size=60, unique=True)


@dataclass(frozen=True)
class WrittenClip:
    """Parameters that name a file."""

    overwrite: bool = False


def judges_of(pieces: list[JobSpec]) -> list[set[str]]:
    return [{judge for judge, _ in asked_by(piece)} for piece in pieces]


@given(ASKED, st.integers(1, 9), st.booleans())
def test_the_pieces_ask_everything_once_and_each_server_from_one_place(
    asked: list[tuple[int, int]], count: int, limited: bool
) -> None:
    work = work_of(asked, Limits(tokens=100) if limited else Limits())
    pieces = split_job(work, count)
    assert sorted(pair for piece in pieces for pair in asked_by(piece)) == sorted(asked_by(work))
    assert all(asked_by(piece) for piece in pieces)
    runs = [piece.parameters.run for piece in pieces]
    assert len({*runs, "whole"}) == len(runs) + 1
    judges = judges_of(pieces)
    assert all(sum(judge in asked_there for asked_there in judges) <= 1 for judge in "ab")
    if not limited:
        assert all(asked_there == {judge} for asked_there in judges for judge in "abl" if judge in asked_there)
        assert sum("l" in asked_there for asked_there in judges) <= count
        assert sum(bool(asked_there & {"r", "c"}) for asked_there in judges) <= 3 * count


def test_models_that_share_a_budget_or_a_second_model_are_asked_from_one_place() -> None:
    asked = [(judge, plan) for judge in range(5) for plan in range(4)]
    under_budget = judges_of(split_job(work_of(asked, Limits(money=1.0)), 4))
    assert {"l", "a", "b"} in under_budget
    assert all(judges <= {"r", "c"} for judges in under_budget if judges != {"l", "a", "b"})
    coerced = (*ENTRIES[:3], JudgeEntry("a", "api", "openai", "m", {**SERVED, "coerce": "other api"}), ENTRIES[4])
    assert {"a", "b"} in judges_of(split_job(work_of(asked, entries=coerced), 4))
    assert served_judge_ids(work_of([(3, 0)], entries=coerced)) == {"a", "b"}
    assert [served_judge_ids(work_of([(judge, 0)])) for judge in range(4)] == [set(), set(), set(), {"a"}]


@given(ASKED, st.data())
def test_what_was_answered_is_not_in_what_is_left(asked: list[tuple[int, int]], data: st.DataObject) -> None:
    work = work_of(asked)
    answered = data.draw(st.sets(st.integers(0, len(asked) - 1)))
    left = remaining_job(work, [judged(work, at) for at in answered])
    expected = [pair for at, pair in enumerate(asked_by(work)) if at not in answered]
    assert (asked_by(left) if left is not None else []) == expected


def test_a_run_with_a_budget_is_not_taken_up_again_by_itself() -> None:
    with pytest.raises(UserError, match="what it spent last is not known"):
        remaining_job(work_of([(3, 0), (3, 1)], Limits(money=1.0)), [])
    assert len(asked_by(remaining_job(work_of([(0, 0), (0, 1)], Limits(money=1.0)), []))) == 2


def test_what_came_of_the_pieces_is_added_up_and_that_of_a_broken_one_told_by_its_answers() -> None:
    said = [RunNote("a", "api", "No.", about=["s1"])]
    first = RunOutcome(2, 1, 0, 1, notes=said, tokens_in=5, money={"EUR": 0.5}, seconds=2)
    said = [RunNote("a", "api", "No.", about=["s2"]), RunNote("b", "b", "No.")]
    second = RunOutcome(3, notes=said, money={"EUR": 1.0, "USD": 2})
    whole = merge_results([first, second])
    assert (whole.answered, whole.unparsed, whole.failed, whole.tokens_in) == (5, 1, 1, 5)
    assert whole.money == {"EUR": 1.5, "USD": 2}
    assert [(note.judge, note.about) for note in whole.notes] == [("api", ["s1", "s2"]), ("b", [])]
    assert whole.seconds == 2
    work = work_of([(0, 0), (0, 1), (0, 2)], entries=(JudgeEntry("a", "api", "openai", "m", PRICED),))
    statuses = (JudgmentStatus.OK, JudgmentStatus.REFUSED, JudgmentStatus.ERROR)
    stored = [judged(work, at, status, 0.25) for at, status in enumerate(statuses)]
    outcome = partial_result(work.parameters.entries, stored)
    assert (outcome.answered, outcome.refused, outcome.failed, outcome.completed) == (1, 1, 1, 3)
    assert (outcome.tokens_in, outcome.tokens_out, outcome.money) == (9, 6, {"EUR": 0.75})


def test_a_second_worker_is_asked_for_the_rest_and_nothing_left_is_done() -> None:
    task = ClusterTask(0, work_of([(0, 0), (0, 1), (0, 2)]))
    assert task.start("first", "node1")
    stored = Changes.from_pairs([("judgment", "j1")])
    task.add_stored_part(dump(JudgmentBatch((judged(task.job, 1),))), stored)
    assert task.start("second", "node2")
    assert asked_by(task.job) == [("r", "s0"), ("r", "s2")]
    task.finish(RunOutcome(2))
    assert task.is_done
    assert task.result.answered == 3
    assert task.changes.ids("judgment") == {"j1"}
    task = ClusterTask(0, work_of([(0, 0)]))
    task.start("first", "node1")
    task.add_stored_part(dump(JudgmentBatch((judged(task.job, 0),))), Changes())
    assert not task.start("second", "node2")
    assert (task.result.answered, task.error) == (1, None)


def test_a_task_whose_workers_stop_again_and_again_is_given_up() -> None:
    task = ClusterTask(0, JobSpec("faces", "Track faces in recording 3", "rec", None))
    assert [task.start(str(number), f"node{number}") for number in range(MAX_TRIES)] == [True] * MAX_TRIES
    assert not task.is_done
    assert not task.start("more", "node9")
    assert "Track faces in recording 3" in str(task.error)
    assert "node9" in str(task.error)


def test_a_budget_that_nobody_knows_the_rest_of_is_not_spent_again() -> None:
    task = ClusterTask(0, work_of([(3, 0), (3, 1)], Limits(money=2.0)))
    assert task.start("first", "node1")
    assert not task.start("second", "node2")
    assert "spent last" in str(task.error)


def test_a_clip_that_was_written_just_before_its_worker_stopped_is_written_over() -> None:
    task = ClusterTask(0, JobSpec("anonymize", "Export", "rec", WrittenClip()))
    task.start("first", "node1")
    assert task.job.parameters.overwrite is False
    task.start("second", "node2")
    assert task.job.parameters.overwrite is True
