"""Works that are done on this machine or another, how a run is cut, and what another machine may work on."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.study.people import add_participant
from anonymize.egress.policy_edits import set_policy
from anonymize.faces.face_tracking_job import FaceTrackingParameters
from benchmark.cluster.coordinator import MAX_TRIES, ClusterTask, JobResult, run_jobs
from benchmark.cluster.work_envelope import job_recordings, permit_job, required_files
from benchmark.judge_input.input_plan import InputPlan, PlannedMedia
from benchmark.judging.ask_job import merge_results, partial_result, remaining_job, served_judge_ids, split_job
from benchmark.judging.ask_run import RunNote, RunOutcome
from benchmark.judging.judgment_record import JudgmentBatch
from benchmark.judging.run_budget import Limits
from models.connection.dask_connection import ClusterWorker, Scheduler
from models.faces.tracking_options import FaceOptions
from project.codec import dump
from project.entities.egress_policy import EgressLevel, Forbidden, Policy
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.entities.study_records import Changes, Json, ParticipantRole
from project.errors import Cancelled, UserError
from project.progress import Silent
from project.queries.policy_rows import all_egress
from project.session import jobs
from project.session.jobs import JobHost, JobKind, JobSpec
from project.session.session import Session
from tests.builders.ask_work import ENTRIES, SERVED, asked_by, judged, work_of
from tests.builders.asked import Keeper, plan_of
from tests.builders.marked_study import WALK, open_study

RAW = Policy(EgressLevel.RAW, "a pilot with actors", "Board 7", ("node7",))
FACES = JobSpec(
    "faces", "Track", WALK, FaceTrackingParameters(Path("/x.mp4"), "m", "f", "d", "cpu", None, FaceOptions())
)
NODE = Scheduler("tls", "node7", 8786)
ELSEWHERE = ("192.0.2.7",)
SEAT = ClusterWorker("tls://192.0.2.8:4000", "node8", 1)


def with_plans(plan: InputPlan, judge: int = 0, entries: tuple[JudgeEntry, ...] = ENTRIES) -> JobSpec:
    """Return a run with one request of a plan."""
    work = work_of([(judge, 0)], entries=entries)
    return replace(work, recording_id="", parameters=replace(work.parameters, plans=(plan,)))


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=2) as opened:
        yield opened


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> str:
    """A kind of job that does what it is told."""
    module: Any = ModuleType("told_job")

    def compute(parameters: Mapping[str, Json], holder: JobHost) -> dict[str, Json]:
        holder.progress(1, 2, "half")
        if parameters.get("fails"):
            raise UserError("No.", "Try again.")
        if parameters.get("stops"):
            raise Cancelled
        return {"said": parameters["says"]}

    def store(session: Session, work: JobSpec, result: Mapping[str, Json]) -> Changes:
        return Changes.from_pairs([("run", str(result["said"]))])

    module.JOB = JobKind(key="told", parameters=dict, result=dict, compute=compute, store=store)
    monkeypatch.setitem(jobs.JOB_MODULES, "told", "told_job")
    monkeypatch.setitem(sys.modules, "told_job", module)
    return "told"


def test_what_fails_fails_alone_and_each_is_told_when_it_ends(session: Session, kind: str) -> None:
    works = [JobSpec(kind, name, "", {"says": name, "fails": name == "b"}) for name in "abc"]
    ended: list[JobResult] = []
    results = run_jobs(session, works, holder := Keeper(), ended=ended.append)
    assert [each.job for each in results] == works
    assert [each.result for each in results] == [{"said": "a"}, None, {"said": "c"}]
    assert [str(each.error or "") for each in results] == ["", "No. Try again.", ""]
    assert [each.changes.ids("run") for each in results] == [{"a"}, set(), {"c"}]
    assert ended == results
    assert holder.said == [(500, 3000, "half"), (1500, 3000, "half"), (2500, 3000, "half")]


def test_a_work_that_is_stopped_stops_all_and_nothing_to_do_needs_no_scheduler(session: Session, kind: str) -> None:
    ended: list[JobResult] = []
    works = [JobSpec(kind, name, "", {"says": name, "stops": name == "b"}) for name in "abc"]
    with pytest.raises(Cancelled):
        run_jobs(session, works, Silent(), ended=ended.append)
    assert [each.result for each in ended] == [{"said": "a"}]
    assert run_jobs(session, [], Silent(), "no address at all") == []


def test_another_machine_is_refused_before_it_is_looked_for(session: Session, kind: str) -> None:
    with pytest.raises(Forbidden) as raised:
        run_jobs(session, [JobSpec(kind, "a", WALK, {"says": "a"})], Silent(), "tcp://node7.example.org:8786")
    assert raised.value.rule == "nothing-leaves"
    assert "--host node7.example.org" in raised.value.hint
    (line,) = all_egress(session.study)
    assert (line.rule, line.request.addresses) == ("nothing-leaves", ())


def test_each_work_is_written_down_with_whose_it_is(session: Session) -> None:
    set_policy(session, RAW)
    permit_job(session, NODE, ELSEWHERE, SEAT, FACES)
    (line,) = all_egress(session.study)
    assert (line.request.recording_id, line.request.condition) == (WALK, "raw")
    assert line.request.texts == line.request.size == len(json.dumps(dump(FACES.parameters)))
    assert len(line.request.sha256) == 64
    assert line.request.addresses == ELSEWHERE


def test_nothing_is_worked_on_elsewhere_of_people_who_did_not_agree(session: Session) -> None:
    set_policy(session, RAW)
    add_participant(session, "P01", ParticipantRole.USER, WALK)
    for work in (FACES, with_plans(replace(plan_of(""), other_recordings=(WALK,)))):
        with pytest.raises(Forbidden) as raised:
            permit_job(session, NODE, ELSEWHERE, SEAT, work)
        assert raised.value.rule == "consent"
    permit_job(session, NODE, ("127.0.0.1",), ClusterWorker("tcp://127.0.0.1:5", "here", 1), FACES)
    permit_job(session, NODE, ELSEWHERE, SEAT, replace(FACES, recording_id=f"{WALK} 2"))
    with pytest.raises(Forbidden, match="which recordings"):
        permit_job(session, NODE, ELSEWHERE, SEAT, replace(FACES, recording_id=""))


@pytest.mark.parametrize(
    ("machine", "named", "rule"), [("127.0.0.1", "", ""), ("192.0.2.8", "", "cluster"), ("192.0.2.8", "192.0.2.8", "")]
)
def test_a_scheduler_on_this_machine_with_workers_on_others_is_no_way_out(
    session: Session, machine: str, named: str, rule: str
) -> None:
    set_policy(session, replace(RAW, hosts=(named,) if named else ()))
    here, seat = Scheduler("tcp", "localhost", 8786), ClusterWorker(f"tls://{machine}:4000", "node8", 1)
    with pytest.raises(Forbidden) if rule else nullcontext():
        permit_job(session, here, ("127.0.0.1",), seat, FACES)
    (line,) = all_egress(session.study)
    assert (line.rule, line.request.local) == (rule, machine == "127.0.0.1")


@pytest.mark.parametrize(
    ("scheduler", "worker", "addresses", "rule"),
    [
        ("tls", "tcp://192.0.2.8:4000", ("192.0.2.7",), "unencrypted"),
        ("tcp", "tcp://127.0.0.1:4000", ("192.0.2.7",), "unencrypted"),
        ("tcp", "tcp://192.0.2.7:4000", ("127.0.0.1",), "unencrypted"),
        ("tls", "tls://192.0.2.8:4000", ("192.0.2.7",), ""),
        ("tcp", "tcp://127.0.0.1:4000", ("127.0.0.1",), ""),
    ],
)
def test_no_work_is_handed_on_unencrypted_unless_the_policy_says_so(
    session: Session, scheduler: str, worker: str, addresses: tuple[str, ...], rule: str
) -> None:
    named = replace(RAW, hosts=("node7", "192.0.2.7", "192.0.2.8"))
    set_policy(session, named)
    node, seat = Scheduler(scheduler, "node7", 8786), ClusterWorker(worker, "node8", 1)
    if rule:
        with pytest.raises(Forbidden, match="unencrypted") as raised:
            permit_job(session, node, addresses, seat, FACES)
        assert raised.value.rule == rule
        set_policy(session, replace(named, unencrypted=True))
    permit_job(session, node, addresses, seat, FACES)


def test_what_is_needed_is_named_for_people(session: Session, tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"12345")
    (tmp_path / "m.gguf").write_bytes(b"123")
    parameters = SimpleNamespace(path=tmp_path / "a.mp4", output=tmp_path / "clips" / "b.mp4")
    assert required_files(session, JobSpec("anonymize", "Export", WALK, parameters)) == [
        [str(tmp_path / "a.mp4"), "the file of recording 1 (walk)", 5],
        [str(tmp_path / "clips"), "the folder for the clips", None],
    ]
    model = JudgeEntry("l", "local", "llama-cpp", str(tmp_path / "m.gguf"))
    clip, other = (PlannedMedia(tmp_path / name, "f", 0, (), None, 1, 1, 1) for name in ("a.mp4", "b.mp4"))
    plan = replace(plan_of(""), recording_id=f"{WALK} 2", media=clip, option_media=(other,), other_recordings=("z",))
    work = with_plans(plan, judge=2, entries=(*ENTRIES[:2], model))
    assert required_files(session, work) == [
        [str(tmp_path / "a.mp4"), "a file for recording 2 (walk 2)", 5],
        [str(tmp_path / "b.mp4"), "a file for recording 2 (walk 2)", None],
        [str(tmp_path / "m.gguf"), "a model of the judge local", 3],
    ]
    assert job_recordings(work) == (f"{WALK} 2", "z")


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
    task = ClusterTask(0, work_of([(3, 0), (3, 1)], Limits(money=2.0)))
    assert task.start("first", "node1")
    assert not task.start("second", "node2")
    assert "last costs are not known" in str(task.error)
    assert len(asked_by(remaining_job(work_of([(0, 0), (0, 1)], Limits(money=1.0)), []))) == 2, "baselines cost nothing"


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


def test_a_clip_that_was_written_just_before_its_worker_stopped_is_written_over() -> None:
    task = ClusterTask(0, JobSpec("anonymize", "Export", "rec", WrittenClip()))
    task.start("first", "node1")
    assert task.job.parameters.overwrite is False
    task.start("second", "node2")
    assert task.job.parameters.overwrite is True
