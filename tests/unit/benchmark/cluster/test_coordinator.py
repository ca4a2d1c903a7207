"""Works that are done on this machine, one after the other; and what another machine may work on."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from annotate.study.people import add_participant
from anonymize.egress.policy_edits import set_policy
from anonymize.faces.face_tracking_job import FaceTrackingParameters
from benchmark.cluster.coordinator import JobResult, run_jobs
from benchmark.cluster.work_envelope import job_recordings, permit_job, required_files
from benchmark.judge_input.input_plan import InputPlan, PlannedMedia
from models.connection.dask_connection import ClusterWorker, Scheduler
from models.faces.tracking_options import FaceOptions
from project.codec import dump
from project.entities.egress_policy import EgressLevel, Forbidden, Policy
from project.entities.judgments import JudgeEntry
from project.entities.study_records import Changes, Json, ParticipantRole
from project.errors import Cancelled, UserError
from project.progress import Silent
from project.queries.policy_rows import all_egress
from project.session import jobs
from project.session.jobs import JobHost, JobKind, JobSpec
from project.session.session import Session
from tests.builders.ask_work import ENTRIES, work_of
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


def test_nothing_to_do_needs_no_scheduler(session: Session) -> None:
    assert run_jobs(session, [], Silent(), "no address at all") == []


def test_a_work_that_is_stopped_stops_all(session: Session, kind: str) -> None:
    ended: list[JobResult] = []
    works = [
        JobSpec(kind, "a", "", {"says": "a"}),
        JobSpec(kind, "b", "", {"stops": True}),
        JobSpec(kind, "c", "", {"says": "c"}),
    ]
    with pytest.raises(Cancelled):
        run_jobs(session, works, Silent(), ended=ended.append)
    assert [each.result for each in ended] == [{"said": "a"}]


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
    for work in (
        FACES,
        with_plans(replace(plan_of(""), other_recordings=(WALK,))),
    ):
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
        ("tcp", "tcp://192.0.2.8:4000", ("192.0.2.7",), "unencrypted"),
        ("tls", "tcp://192.0.2.8:4000", ("192.0.2.7",), "unencrypted"),
        ("tcp", "tcp://127.0.0.1:4000", ("192.0.2.7",), "unencrypted"),
        ("tcp", "tcp://192.0.2.7:4000", ("127.0.0.1",), "unencrypted"),
        ("tls", "tls://192.0.2.8:4000", ("192.0.2.7",), ""),
        ("tls", "tcp://127.0.0.1:4000", ("192.0.2.7",), ""),
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
