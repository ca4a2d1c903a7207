"""A cluster of real processes does what this machine does, and loses nothing when any of them is killed."""

import random
import shutil
import socket
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from anonymize.egress.policy_edits import set_policy
from anonymize.faces import face_tracking_job as tracking
from benchmark.cluster import coordinator as serving
from benchmark.cluster.coordinator import JobResult, run_jobs
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.judging.run_config import AskRequest
from models.connection import dask_connection as connecting
from models.connection import network_sandbox as sentinel
from project.entities.egress_policy import EgressLevel, Forbidden, Policy
from project.entities.judgments import Judgment
from project.errors import Cancelled, UserError
from project.progress import Silent
from project.queries.face_rows import tracks_of
from project.queries.judgment_rows import all_judges, judgments_in
from project.queries.policy_rows import all_egress
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.session.session import Session
from tests.builders.commands import greenroom, kill, start
from tests.builders.dask_cluster import DaskCluster, dask_cluster
from tests.builders.marked_study import WALK, mark, open_study
from tests.builders.misbehaving_server import Server, misbehaving, says, waits
from tests.builders.tiny_gguf import write_tiny_model
from tests.builders.waiting import HANG_S, wait_until
from tests.contract.footage import face_clip

pytestmark = pytest.mark.e2e
BASELINES = {"random": {}, "majority": {}, "oracle": {}, "constant": {"says": "error"}, "reliable": {"right": 0.7}}
SEGMENTS, AT_ONCE = 40, 4
ROUNDS = [pytest.param(i, marks=() if i < 1 else pytest.mark.soak, id=str(i)) for i in range(10)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Two prepared workers; the scheduler listens for other machines too."""
    with dask_cluster(tmp_path_factory.mktemp("cluster"), host="0.0.0.0") as started:
        yield started


def marked(folder: Path, segments: int = SEGMENTS) -> Path:
    """Return a study with segments of which no two are equally long."""
    folder.mkdir(parents=True, exist_ok=True)
    with open_study(folder) as session:
        for number in range(segments):
            mark(session, "Ada", 10 * number, 10 * number + 1 + number / 10, "error" if number % 3 else "competence")
    return folder / "pair.greenroom"


def with_model(study: Path, server: Server) -> Path:
    with Session.open(study, "Ada") as session:
        add_judge(session, "model", "openai", "fake-1", {"url": server.url, "sees": "text", "concurrency": AT_ONCE})
    return study


def ask(session: Session, scheduler: str, progress: Silent | None = None) -> JobResult:
    segments = [segment.id for segment in all_segments(session.study)]
    work = prepare(session, AskRequest(all_judges(session.study), segments, "verdict")).job
    assert work is not None
    (done,) = run_jobs(session, [work], progress or Silent(), scheduler)
    return done


def judgments(study: Path) -> list[Judgment]:
    with Session.open(study, read_only=True) as session:
        return judgments_in(session.study, WALK)


def two_clips(folder: Path) -> list[Path]:
    """Return two clips with a face in each, of different content."""
    clips = [face_clip(folder / f"{name}.mp4") for name in ("one", "two")]
    with clips[1].open("ab") as file:
        file.write(bytes(8))
    return clips


def in_essence(found: list[Judgment]) -> list[Judgment]:
    """Leave out what differs from run to run."""
    return sorted(
        (replace(judgment, id="", at="", ms=0) for judgment in found),
        key=lambda judgment: (judgment.judge_id, judgment.segment_id),
    )


def texts(server: Server) -> list[str]:
    return [asked.body["messages"][1]["content"] for asked in [*server.asked]]


class When(Silent):
    """Does something once, as soon as a condition is met."""

    def __init__(self, met: Callable[[], bool], act: Callable[[], object]) -> None:
        self._met, self._act = met, act
        self.done = False

    def check_cancelled(self) -> None:
        if not self.done and self._met():
            self.done = True
            self._act()


def nothing_lost(study: Path, server: Server) -> None:
    """Ask again at home, and see that what was committed is not asked a second time, and that nothing is missing."""
    before = texts(server)
    kept = Counter(str(judgment.sight["text"]) for judgment in judgments(study))
    assert set(kept.values()) <= {1}
    assert set(kept) <= set(before)
    with sqlite3.connect(study) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    if len(kept) < SEGMENTS:
        greenroom("ask", study, "--all", "--task", "verdict")
    twice = {text for text, times in Counter(texts(server)).items() if times > 1}
    assert not twice & set(kept), "what was committed was asked again"
    assert len(twice) <= AT_ONCE
    assert len(judgments(study)) == SEGMENTS == len(set(texts(server)))


def test_judges_say_on_a_cluster_what_they_say_at_home(tmp_path: Path, cluster: DaskCluster) -> None:
    home = marked(tmp_path / "home")
    with Session.open(home, "Ada") as session:
        for name, settings in BASELINES.items():
            add_judge(session, name, name, "", settings)
    away = tmp_path / "away" / home.name
    away.parent.mkdir()
    shutil.copy(home, away)
    results = []
    for study, scheduler in ((home, ""), (away, cluster.address)):
        with Session.open(study, "Ada") as session:
            done = ask(session, scheduler)
            assert done.error is None
            assert len(done.changes.ids("judgment")) == SEGMENTS * len(BASELINES)
            results.append({key: value for key, value in (done.result or {}).items() if key != "seconds"})
    assert results[0] == results[1]
    assert in_essence(judgments(home)) == in_essence(judgments(away))


def test_faces_are_tracked_on_a_cluster_as_at_home(tmp_path: Path, cluster: DaskCluster) -> None:
    study = tmp_path / "lab.greenroom"
    greenroom("new", study)
    greenroom("add", study, *two_clips(tmp_path))

    def tracked(*more: str) -> list[list[np.ndarray[Any, Any]]]:
        said = greenroom("faces", study, "--detector", "centerface", *more)
        assert [one["recording"] for one in said["recordings"]] == [1, 2]
        found = []
        with Session.open(study, read_only=True) as session:
            for recording in all_recordings(session.study):
                found += [[track.frames, track.boxes, track.scores] for track in tracks_of(session.study, recording.id)]
        return found

    here, there = tracked(), tracked("--scheduler", cluster.address)
    assert len(here) == len(there) == 2
    for one, other in zip(here, there, strict=True):
        for values, others in zip(one, other, strict=True):
            np.testing.assert_array_equal(values, others)
    made = greenroom(
        "anonymize", study, "--recording", "all", "--out", tmp_path / "clips", "--scheduler", cluster.address
    )
    assert (len(made["clips"]), made["failed"]) == (2, [])
    assert [Path(one["output"]).is_file() for one in made["clips"]] == [True, True]


def test_one_work_that_fails_fails_alone(tmp_path: Path, cluster: DaskCluster) -> None:
    study = tmp_path / "lab.greenroom"
    clips = two_clips(tmp_path)
    greenroom("new", study)
    greenroom("add", study, *clips)
    with Session.open(study) as session:
        works = [
            tracking.prepare(session, recording.id, detectors="centerface")
            for recording in all_recordings(session.study)
        ]
        clips[0].unlink()
        first, second = run_jobs(session, works, Silent(), cluster.address)
    assert first.result is None
    assert "does not reach the file of recording 1 (one)" in str(first.error)
    assert psutil.os.uname().nodename in str(first.error)
    assert second.error is None
    assert second.result is not None


def test_a_run_that_is_stopped_keeps_its_answers(tmp_path: Path, cluster: DaskCluster) -> None:
    with misbehaving(waits(0.05, says('{"label": "error"}'))) as server:
        study = with_model(marked(tmp_path), server)

        def stop() -> None:
            raise Cancelled

        with Session.open(study, "Ada") as session, pytest.raises(Cancelled):
            ask(session, cluster.address, When(lambda: len(server.asked) > 10, stop))
        assert 5 < len(server.asked) < SEGMENTS
        nothing_lost(study, server)


def test_a_judge_at_a_server_is_asked_no_faster_than_at_home(tmp_path: Path, cluster: DaskCluster) -> None:
    with misbehaving(waits(0.05, says('{"label": "error"}'))) as server:
        study = with_model(marked(tmp_path, 24), server)
        with Session.open(study, "Ada") as session:
            segments = [segment.id for segment in all_segments(session.study)]
            requests = [AskRequest(all_judges(session.study), segments[at::2], "verdict") for at in (0, 1)]
            works = [work for request in requests if (work := prepare(session, request).job) is not None]
            found = run_jobs(session, works, Silent(), cluster.address)
        assert [(job_result.result or {})["answered"] for job_result in found] == [12, 12]
        assert len(server.asked) == 24
        assert server.busiest <= AT_ONCE


@pytest.mark.parametrize("number", ROUNDS)
@pytest.mark.parametrize("victim", ["worker", "its process"])
def test_a_worker_or_its_process_is_killed(tmp_path: Path, victim: str, number: int) -> None:
    wanted = random.Random(number).randint(2, SEGMENTS - 8)
    with dask_cluster(tmp_path / "dask") as own, misbehaving(waits(0.05, says('{"label": "error"}'))) as server:
        study = with_model(marked(tmp_path / "study"), server)

        def end() -> None:
            worker = psutil.Process(own.at_work().pid)
            (worker if victim == "worker" else worker.children()[0]).kill()

        with Session.open(study, "Ada") as session:
            killing = When(lambda: len(server.asked) > wanted, end)
            done = ask(session, own.address, killing)
        assert killing.done
        assert done.error is None
        assert (done.result or {})["answered"] == SEGMENTS
        assert sum(popen.poll() is None for popen in own.workers) == (1 if victim == "worker" else 2)
        assert len(judgments(study)) == SEGMENTS
        assert sum(times > 1 for times in Counter(texts(server)).values()) <= AT_ONCE
        assert len(server.asked) <= SEGMENTS + AT_ONCE


def test_the_scheduler_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with dask_cluster(tmp_path / "dask", 1) as own, misbehaving(waits(0.05, says('{"label": "error"}'))) as server:
        study = with_model(marked(tmp_path / "study"), server)
        with Session.open(study, "Ada") as session:
            killing = When(lambda: len(server.asked) > 10, own.scheduler.kill)
            with pytest.raises(UserError, match="does not answer any more") as raised:
                ask(session, own.address, killing)
        assert "goes on" in raised.value.hint
        own.workers[0].wait(HANG_S)
        assert 5 < len(server.asked) < SEGMENTS
        nothing_lost(study, server)
        # Nobody answers there now: one line, and soon.
        monkeypatch.setattr(connecting, "_CONNECTING_S", 1.0)
        with Session.open(marked(tmp_path / "other", 1), "Ada") as session:
            add_judge(session, "random", "random", "", {})
            with pytest.raises(UserError, match="No scheduler answers at"):
                ask(session, own.address)


@pytest.mark.parametrize("number", ROUNDS)
def test_whoever_holds_the_study_is_killed(tmp_path: Path, cluster: DaskCluster, number: int) -> None:
    wanted = random.Random(number).randint(2, SEGMENTS - 8)
    with misbehaving(waits(0.05, says('{"label": "error"}'))) as server:
        study = with_model(marked(tmp_path), server)
        holder = start("-m", "tests.e2e.cluster_holder", study, cluster.address)
        wait_until(lambda: len(server.asked) >= wanted)
        kill(holder)
        # Its worker asks for a permission that nobody gives any more.
        asked = -1
        while asked != len(server.asked) or server._at_once:
            asked = len(server.asked)
            time.sleep(0.3)
        assert len(server.asked) < SEGMENTS
        nothing_lost(study, server)


def test_a_worker_that_is_not_prepared_is_named(tmp_path: Path) -> None:
    with dask_cluster(tmp_path / "dask", 1, preload="") as own, open_study(tmp_path) as session:
        mark(session, "Ada", 0, 1)
        add_judge(session, "random", "random", "", {})
        with pytest.raises(UserError, match="is not prepared for Greenroom") as raised:
            ask(session, own.address)
        assert "--preload greenroom" in raised.value.hint


def test_a_worker_of_another_version_is_named(
    tmp_path: Path, cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "__version__", "99.1")
    with open_study(tmp_path) as session:
        mark(session, "Ada", 0, 1)
        add_judge(session, "random", "random", "", {})
        with pytest.raises(UserError, match=r"here it is Greenroom 99\.1"):
            ask(session, cluster.address)


def own_address() -> str:
    """Return an address of this machine that is not loopback; "" where it has none."""
    found = [one.address for each in psutil.net_if_addrs().values() for one in each if one.family.name == "AF_INET"]
    return next((one for one in found if not one.startswith("127.")), "")


@pytest.mark.skipif(not own_address(), reason="this machine is in no network")
def test_a_scheduler_elsewhere_has_to_be_named_by_the_policy(tmp_path: Path, cluster: DaskCluster) -> None:
    sentinel.install_audit_hook()
    host = own_address()
    there = f"tcp://{host}:{cluster.address.rpartition(':')[2]}"
    with open_study(tmp_path) as session:
        mark(session, "Ada", 0, 1)
        add_judge(session, "random", "random", "", {})
        for policy, rule in (
            (Policy(), "nothing-leaves"),
            (Policy(EgressLevel.ANONYMIZED, hosts=(host,)), "cluster"),
            (Policy(EgressLevel.RAW, "a pilot with actors", "Board 7"), "cluster"),
            (Policy(EgressLevel.RAW, "a pilot with actors", "Board 7", (host,)), "unencrypted"),
        ):
            set_policy(session, policy)
            with pytest.raises(Forbidden) as raised:
                ask(session, there)
            assert raised.value.rule == rule
        set_policy(session, Policy(EgressLevel.RAW, "a pilot with actors", "Board 7", (host,), unencrypted=True))
        assert (ask(session, there).result or {})["answered"] == 1
        lines = all_egress(session.study)
    with pytest.raises(sentinel.UnguardedConnectionError):
        socket.create_connection((host, int(there.rpartition(":")[2])), timeout=HANG_S)
    assert [line.rule for line in lines] == ["nothing-leaves", "cluster", "cluster", "unencrypted", "", ""]
    assert {line.request.purpose.value for line in lines} == {"cluster"}
    assert (lines[-1].request.recording_id, lines[-1].permission) == (WALK, "raw, allowed by Board 7, unencrypted")
    assert lines[-1].request.texts > 0


def test_a_model_in_a_file_says_on_a_cluster_what_it_says_at_home(tmp_path: Path, cluster: DaskCluster) -> None:
    tiny = write_tiny_model(tmp_path / "model")
    home = marked(tmp_path / "home", 3)
    with Session.open(home, "Ada") as session:
        settings = {"projector": str(tiny.projector), "sees": "text", "max_tokens": 32}
        add_judge(session, "tiny", "llama-cpp", str(tiny.model), settings)
    away = tmp_path / "away.greenroom"
    shutil.copy(home, away)
    for study, scheduler in ((home, ""), (away, cluster.address)):
        with Session.open(study, "Ada") as session:
            done = ask(session, scheduler)
            assert (done.error, (done.result or {})["answered"]) == (None, 3)
    assert in_essence(judgments(home)) == in_essence(judgments(away))
