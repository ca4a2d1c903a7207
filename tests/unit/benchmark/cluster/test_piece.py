"""A work whose worker stops is begun anew with what is left of it, and not for ever."""

from benchmark.cluster.coordinator import MAX_TRIES, ClusterTask
from benchmark.judging.judgment_record import judgment_json
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_outcome import RunOutcome
from project.entities.study_records import Changes
from project.session.jobs import JobSpec
from tests.unit.benchmark.cluster.test_splitting import asked_by, judged, work_of


def test_a_second_worker_is_asked_for_the_rest_and_the_result_counts_both() -> None:
    piece = ClusterTask(0, work_of([(0, 0), (0, 1), (0, 2)]))
    assert piece.start("first", "node1")
    piece.add_stored_part(
        {"judgments": [judgment_json(judged(piece.job, 1))]}, Changes.from_pairs([("judgment", "j1")])
    )
    assert piece.start("second", "node2")
    assert asked_by(piece.job) == [("r", "s0"), ("r", "s2")]
    piece.finish(RunOutcome(2).as_json())
    assert piece.is_done
    assert piece.result["answered"] == 3
    assert piece.changes.ids("judgment") == {"j1"}


def test_a_work_of_which_nothing_is_left_is_done() -> None:
    piece = ClusterTask(0, work_of([(0, 0)]))
    piece.start("first", "node1")
    piece.add_stored_part({"judgments": [judgment_json(judged(piece.job, 0))]}, Changes())
    assert not piece.start("second", "node2")
    assert (piece.result["answered"], piece.error) == (1, None)


def test_a_work_whose_workers_stop_again_and_again_is_given_up() -> None:
    piece = ClusterTask(0, JobSpec("faces", "Track faces in recording 3", "rec", {"path": "/x"}))
    assert [piece.start(str(number), f"node{number}") for number in range(MAX_TRIES)] == [True] * MAX_TRIES
    assert not piece.is_done
    assert not piece.start("more", "node9")
    assert "Track faces in recording 3" in str(piece.error)
    assert "node9" in str(piece.error)


def test_a_budget_that_nobody_knows_the_rest_of_is_not_spent_again() -> None:
    piece = ClusterTask(0, work_of([(3, 0), (3, 1)], Limits(money=2.0)))
    assert piece.start("first", "node1")
    assert not piece.start("second", "node2")
    assert "spent last" in str(piece.error)


def test_a_clip_that_was_written_just_before_its_worker_stopped_is_written_over() -> None:
    piece = ClusterTask(0, JobSpec("anonymize", "Export", "rec", {"output": "/clips/a.mp4", "overwrite": False}))
    piece.start("first", "node1")
    assert piece.job.parameters["overwrite"] is False
    piece.start("second", "node2")
    assert piece.job.parameters["overwrite"] is True
