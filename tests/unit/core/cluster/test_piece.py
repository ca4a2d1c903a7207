"""A work whose worker stops is begun anew with what is left of it, and not for ever."""

from benchmark.cluster.coordinator import MAX_TRIES, ClusterTask
from benchmark.judging.judgment_record import judgment_json
from benchmark.judging.run_budget import Limits
from benchmark.judging.run_outcome import RunOutcome
from project.entities.study_records import Changes
from project.session.jobs import JobSpec
from tests.unit.core.cluster.test_splitting import asked_by, judged, work_of


def test_a_second_worker_is_asked_for_the_rest_and_the_result_counts_both() -> None:
    piece = ClusterTask(0, work_of([(0, 0), (0, 1), (0, 2)]))
    assert piece.begin("first", "node1")
    piece.kept({"judgments": [judgment_json(judged(piece.work, 1))]}, Changes.of([("judgment", "j1")]))
    assert piece.begin("second", "node2")
    assert asked_by(piece.work) == [("r", "s0"), ("r", "s2")]
    piece.end(RunOutcome(2).as_json())
    assert piece.over
    assert piece.result is not None
    assert piece.result["answered"] == 3
    assert piece.changes.ids("judgment") == {"j1"}


def test_a_work_of_which_nothing_is_left_is_done() -> None:
    piece = ClusterTask(0, work_of([(0, 0)]))
    piece.begin("first", "node1")
    piece.kept({"judgments": [judgment_json(judged(piece.work, 0))]}, Changes())
    assert not piece.begin("second", "node2")
    assert piece.result is not None
    assert (piece.result["answered"], piece.error) == (1, None)


def test_a_work_whose_workers_stop_again_and_again_is_given_up() -> None:
    piece = ClusterTask(0, JobSpec("faces", "Track faces in recording 3", "rec", {"path": "/x"}))
    assert [piece.begin(str(number), f"node{number}") for number in range(MAX_TRIES)] == [True] * MAX_TRIES
    assert not piece.over
    assert not piece.begin("more", "node9")
    assert "Track faces in recording 3" in str(piece.error)
    assert "node9" in str(piece.error)


def test_a_budget_that_nobody_knows_the_rest_of_is_not_spent_again() -> None:
    piece = ClusterTask(0, work_of([(3, 0), (3, 1)], Limits(money=2.0)))
    assert piece.begin("first", "node1")
    assert not piece.begin("second", "node2")
    assert "spent last" in str(piece.error)


def test_a_clip_that_was_written_just_before_its_worker_stopped_is_written_over() -> None:
    piece = ClusterTask(0, JobSpec("anonymize", "Export", "rec", {"output": "/clips/a.mp4", "overwrite": False}))
    piece.begin("first", "node1")
    assert piece.work.parameters["overwrite"] is False
    piece.begin("second", "node2")
    assert piece.work.parameters["overwrite"] is True
