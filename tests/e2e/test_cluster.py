"""A cluster of real processes does what this machine does, and loses nothing when any of them is killed."""

import random
import shutil
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import psutil
import pytest

from anonymize.egress.policy_edits import set_policy
from anonymize.faces import face_tracking_job as tracking
from benchmark.cluster import coordinator
from benchmark.cluster.coordinator import JobResult, run_jobs
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from media.decoding import iterate_frames
from models.connection import network_sandbox
from project.entities.egress_policy import EgressLevel, Forbidden, Policy
from project.entities.study_records import FaceTrack, Json
from project.errors import UserError
from project.progress import Silent
from project.queries.face_rows import tracks_of
from project.queries.item_set_rows import answers_of, benchmark_runs, read_run_answers
from project.queries.judgment_rows import all_judges, find_judgments
from project.queries.policy_rows import all_egress
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.session.session import Session
from resources import resource
from tests.builders.commands import greenroom, kill, start
from tests.builders.dask_cluster import DaskCluster, dask_cluster
from tests.builders.face_pictures import write_clip
from tests.builders.item_sets import verdicts
from tests.builders.marked_study import WALK, mark
from tests.builders.misbehaving_server import Server, misbehaving, says, waits
from tests.builders.tiny_gguf import TinyModel
from tests.builders.waiting import HANG_S, wait_until

pytestmark = pytest.mark.e2e
ITEMS, AT_ONCE = 40, 4
LABELS = ("error", "none", "competence", "error", "none") * (ITEMS // 5)
VICTIMS = ("a worker's process", "the scheduler", "who holds the study", "a worker")
KILLS = [
    pytest.param(victim, number, marks=() if number < 1 and victim == VICTIMS[0] else pytest.mark.soak)
    for victim in VICTIMS
    for number in range(10)
]


@pytest.fixture(scope="module")
def running() -> Iterator[ExitStack]:
    """What tests of this file started ends with it."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def started() -> list[DaskCluster]:
    return []


@pytest.fixture
def cluster(started: list[DaskCluster], running: ExitStack, tmp_path_factory: pytest.TempPathFactory) -> DaskCluster:
    """Two prepared workers; the scheduler listens for other machines too. What a test killed is started anew."""
    if not started or started[-1].scheduler.poll() is not None:
        folder = tmp_path_factory.mktemp("cluster")
        started.append(running.enter_context(dask_cluster(folder, workers=0, host="0.0.0.0")))
    found = started[-1]
    for _ in range(sum(worker.poll() is None for worker in found.workers), 2):
        found.add_worker()
    found.wait()
    return found


def ask(session: Session, scheduler: str) -> JobResult:
    segments = [segment.id for segment in all_segments(session.study)]
    work = prepare(session, AskRequest(all_judges(session.study), segments, "verdict")).job
    assert work is not None
    (done,) = run_jobs(session, [work], Silent(), scheduler)
    return done


def add_served(session: Session, server: Server) -> None:
    settings: dict[str, Json] = {"url": server.url, "sees": "text", "concurrency": AT_ONCE}
    add_judge(session, "model", "openai", "fake-1", settings)


@pytest.mark.parametrize("judges", ["baselines", pytest.param("a model in a file", marks=pytest.mark.soak)])
def test_judges_say_on_a_cluster_what_they_say_at_home(
    judges: str, session: Session, cluster: DaskCluster, tiny_gguf: TinyModel
) -> None:
    home, away = session.study.path, session.study.path.with_name("away.greenroom")
    if judges == "baselines":
        verdicts(session, LABELS, draws=2)
        for backend in ("oracle", "random", "majority", "constant", "reliable"):
            add_judge(session, backend, backend)
    else:
        verdicts(session, LABELS[:3])
        settings: dict[str, Json] = {"projector": str(tiny_gguf.projector), "sees": "text", "max_tokens": 32}
        add_judge(session, "tiny", "llama-cpp", str(tiny_gguf.model), settings)
    session.close()
    shutil.copy(home, away)
    here, there = (
        greenroom("benchmark", "run", study, "--set", "by hand", *more)
        for study, more in ((home, ()), (away, ("--scheduler", cluster.address)))
    )
    own_each_time = {"run", "at", "ms"}
    results = [
        [{key: result[key] for key in result if key not in own_each_time} for result in told["results"]]
        for told in (here, there)
    ]
    assert results[0] == results[1]
    answers = []
    for study in (home, away):
        with Session.open(study, read_only=True) as opened:
            runs = {str(run.judge["name"]): run for run in benchmark_runs(opened.study)}
            answers.append(
                {
                    (name, answer.item_id, answer.status, repr(answer.answer))
                    for name, run in runs.items()
                    for answer in read_run_answers(opened.study, run.id)
                }
            )
    assert answers[0] == answers[1]
    assert len(answers[1]) == there["answered"] == (5 * ITEMS if judges == "baselines" else 3)


def test_faces_are_tracked_and_covered_as_at_home_and_a_file_that_is_gone_fails_alone(
    tmp_path: Path, cluster: DaskCluster
) -> None:
    study = tmp_path / "lab.greenroom"
    still = np.ascontiguousarray(next(iterate_frames(resource("sample", "sample.mp4"))).image[::2, ::2])
    clips = [
        write_clip(tmp_path / f"{name}.mp4", [np.roll(still, step * frame, axis=1) for frame in range(5)])
        for name, step in (("one", 3), ("two", 5))
    ]
    greenroom("new", study)
    greenroom("add", study, *clips)

    def tracked(*more: str) -> list[FaceTrack]:
        greenroom("faces", "track", study, "--detector", "centerface", *more)
        with Session.open(study, read_only=True) as session:
            return [
                track for recording in all_recordings(session.study) for track in tracks_of(session.study, recording.id)
            ]

    here, there = tracked(), tracked("--scheduler", cluster.address)
    assert len(here) == len(there) == 2
    for track, other in zip(here, there, strict=True):
        for name in ("frames", "boxes", "scores"):
            np.testing.assert_array_equal(getattr(track, name), getattr(other, name))
    export = (
        "anonymize",
        "export",
        study,
        "--recording",
        "all",
        "--out",
        tmp_path / "clips",
        "--scheduler",
        cluster.address,
    )
    made = greenroom(*export)
    assert made["failed"] == []
    assert [Path(clip["output"]).is_file() for clip in made["clips"]] == [True, True]
    with Session.open(study) as session:
        works = [
            tracking.prepare(session, recording.id, detector="centerface")
            for recording in all_recordings(session.study)
        ]
        clips[0].unlink()
        first, second = run_jobs(session, works, Silent(), cluster.address)
    assert first.result is None
    assert "does not reach the file of recording 1 (one)" in str(first.error)
    assert socket.gethostname() in str(first.error)
    assert second.error is None
    assert second.result is not None


@pytest.fixture
def marked(session: Session) -> Session:
    """A study with one segment and one judge."""
    mark(session, "Ada", 0, 1)
    add_judge(session, "random", "random")
    return session


def test_a_worker_that_is_not_prepared_is_named_and_so_is_a_scheduler_that_is_gone(
    tmp_path: Path, marked: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dask_cluster(tmp_path / "dask", 1, preload="") as own:
        with pytest.raises(UserError, match="was started without Greenroom") as raised:
            ask(marked, own.address)
        assert "--preload greenroom" in raised.value.hint
    monkeypatch.setattr("models.connection.dask_connection._CONNECTING_S", 1.0)
    with pytest.raises(UserError, match="No scheduler responds at"):
        ask(marked, own.address)


def test_a_worker_of_another_version_is_named(
    marked: Session, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coordinator, "__version__", "99.1")
    with pytest.raises(UserError, match=r"this machine uses Greenroom 99\.1"):
        ask(marked, cluster.address)


def own_address() -> str:
    """Return an address of this machine that is not loopback; "" where it has none."""
    found = [
        address.address
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family.name == "AF_INET"
    ]
    return next((address for address in found if not address.startswith("127.")), "")


@pytest.mark.skipif(not own_address(), reason="this machine is in no network")
def test_a_scheduler_elsewhere_has_to_be_named_by_the_policy(marked: Session, cluster: DaskCluster) -> None:
    network_sandbox.install_audit_hook()
    host = own_address()
    there = f"tcp://{host}:{cluster.address.rpartition(':')[2]}"
    for policy, rule in (
        (Policy(), "nothing-leaves"),
        (Policy(EgressLevel.ANONYMIZED, hosts=(host,)), "cluster"),
        (Policy(EgressLevel.RAW, "a pilot with actors", "Board 7"), "cluster"),
        (Policy(EgressLevel.RAW, "a pilot with actors", "Board 7", (host,)), "unencrypted"),
    ):
        set_policy(marked, policy)
        with pytest.raises(Forbidden) as raised:
            ask(marked, there)
        assert raised.value.rule == rule
    set_policy(marked, Policy(EgressLevel.RAW, "a pilot with actors", "Board 7", (host,), unencrypted=True))
    assert ask(marked, there).result.answered == 1
    with pytest.raises(network_sandbox.UnguardedConnectionError):
        socket.create_connection((host, int(there.rpartition(":")[2])), timeout=HANG_S)
    lines = all_egress(marked.study)
    assert [line.rule for line in lines] == ["nothing-leaves", "cluster", "cluster", "unencrypted", "", ""]
    assert {line.request.purpose.value for line in lines} == {"cluster"}
    assert (lines[-1].request.recording_id, lines[-1].permission) == (WALK, "raw, allowed by Board 7, unencrypted")
    assert lines[-1].request.texts > 0


@pytest.mark.parametrize(("victim", "number"), KILLS)
def test_whatever_is_killed_no_answer_is_lost_and_none_asked_again(
    session: Session, cluster: DaskCluster, victim: str, number: int
) -> None:
    study = session.study.path
    wanted = random.Random(number).randint(2, ITEMS - 8)
    run = ("benchmark", "run", study, "--set", "by hand")
    with misbehaving(waits(0.05, says('{"label": "error"}'))) as server:
        verdicts(session, LABELS)
        add_served(session, server)
        session.close()
        holder = start("-m", "greenroom", *run, "--scheduler", cluster.address)
        wait_until(lambda: len(server.asked) >= wanted or holder.poll() is not None)
        assert holder.poll() is None
        busy = psutil.Process(cluster.at_work().pid)
        dead = 0
        if victim == "who holds the study":
            kill(holder)
            # Its worker asks for a permission that nobody gives any more.
            asked = -1
            while asked != len(server.asked) or server._at_once:
                asked = len(server.asked)
                time.sleep(0.3)
        else:
            scheduler = psutil.Process(cluster.scheduler.pid)
            {"a worker's process": busy.children()[0], "a worker": busy, "the scheduler": scheduler}[victim].kill()
            if victim != "the scheduler":
                # These are still being answered when another worker goes on.
                dead = server._at_once
            assert holder.wait(HANG_S) == (2 if victim == "the scheduler" else 0)
            holder.communicate()
        before, kept = _texts(server), _noted(study)
        assert set(kept.values()) <= {1}
        assert not kept - before
        if victim in ("a worker's process", "a worker"):
            assert len(kept) == ITEMS, "another worker went on"
        else:
            assert 0 < len(kept) < ITEMS
        greenroom(*run)
        again = _texts(server) - before
        assert not again & kept, "what was noted was asked again"
        assert sum(times - 1 for times in _texts(server).values()) <= AT_ONCE
        assert _noted(study) == Counter({*_texts(server)})
        assert len(_noted(study)) == ITEMS
        assert server.busiest <= AT_ONCE + dead, "all workers together ask no faster than one"


def _texts(server: Server) -> Counter[str]:
    return Counter(asked.body["messages"][1]["content"] for asked in [*server.asked])


def _noted(study: Path) -> Counter[str]:
    """Return the texts of the questions whose answers are noted as those of the only run."""
    with Session.open(study, read_only=True) as session:
        (run,) = benchmark_runs(session.study)
        found = find_judgments(session.study, [answer.judgment_id for answer in answers_of(session.study, run.id)])
        assert session.study.row("SELECT count(*) FROM judgment") == (len(found),), "an answer is stored and not noted"
    return Counter(str(judgment.sight["text"]) for judgment in found)
