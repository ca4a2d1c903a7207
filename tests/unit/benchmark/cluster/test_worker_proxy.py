"""What a Dask worker passes on, with queues of this process in the place of Dask's."""

import base64
import json
import queue
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmark.cluster import worker_proxy
from tests.builders import talking_child
from tests.builders.waiting import HANG_S


class LocalQueue(queue.SimpleQueue[str]):
    """Offers what a queue of Dask offers."""

    def get(self, timeout: float = HANG_S) -> str:
        try:
            return super().get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError from None

    def close(self) -> None:
        pass


class Holder:
    """Talks to the jobs of a worker as whoever holds the study does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.queues: dict[str, LocalQueue] = defaultdict(LocalQueue)
        self.worker: Any = SimpleNamespace(
            nanny=None,
            address="tcp://127.0.0.1:1",
            state=SimpleNamespace(tasks={}),
            status=SimpleNamespace(name="running"),
        )
        monkeypatch.setattr(worker_proxy, "open_task_queue", lambda name: self.queues[name])
        monkeypatch.setattr(worker_proxy, "_POLL_INTERVAL_S", 0.01)
        monkeypatch.setattr(worker_proxy, "_prepared", None)
        worker_proxy.attach(self.worker, Path(talking_child.__file__))
        self.thread = threading.Thread()
        self.token = ""

    def begin(self, number: int = 0, key: str = "k") -> dict[str, Any]:
        """Start a job; returns what it says first."""
        self.thread = threading.Thread(target=worker_proxy.work, args=("run", number, key), daemon=True)
        self.thread.start()
        said = self.hear()
        self.token = said["token"]
        return said

    def tell(self, message: Any) -> None:
        self.queues[f"run-{self.token}"].put(json.dumps(message))

    def ask(self, parameters: dict[str, Any], **more: Any) -> None:
        self.tell({"job": "talk", "parameters": parameters, "needs": [], "files": {}, "returned": [], **more})

    def hear(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.queues["run"].get())
        return found

    def until(self, *names: str) -> dict[str, Any]:
        """Return the next line with one of some names."""
        while not {*names} & (line := dict(self.hear()["line"])).keys():
            pass
        return line

    def has_ended(self) -> bool:
        self.thread.join(HANG_S)
        return not self.thread.is_alive()


@pytest.fixture
def holder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Holder]:
    yield Holder(monkeypatch)
    worker_proxy.detach()


def test_a_job_asks_is_answered_and_done_or_need_not_begin(holder: Holder) -> None:
    began = holder.begin(7)
    assert (began["number"], set(began["begin"])) == (7, {"version", "python", "host", "address"})
    holder.ask({"ask": {"may": "I"}})
    assert holder.until("question") == {"ask": 1, "question": {"may": "I"}}
    holder.tell({"answer": 1, "content": {"yes": True}})
    assert holder.until("result")["result"]["heard"] == {"yes": True}
    assert holder.has_ended()
    holder.begin()
    holder.tell(None)
    assert holder.has_ended()
    assert holder.queues["run"].empty()


def test_a_process_is_used_again_after_a_job_that_ended_well_and_not_after_a_crash(holder: Holder) -> None:
    processes = []
    for crash in (False, False, True, False):
        holder.begin()
        holder.ask({"crash": crash})
        line = holder.until("result", "crashed")
        processes.append(None if "crashed" in line else line["result"]["process"])
        assert holder.has_ended()
    assert processes[0] == processes[1]
    assert processes[2] is None
    assert processes[3] not in (None, processes[0])


def test_a_file_that_is_not_reached_or_another_one_is_said_with_the_machine(holder: Holder, tmp_path: Path) -> None:
    there = tmp_path / "a.mp4"
    there.write_bytes(b"12345")
    for path, size, says in (
        (there, 5, ""),
        (there, 6, "has another file in the place of the file of recording 3 (a)"),
        (tmp_path / "gone.mp4", 5, "does not reach the file of recording 3 (a)"),
        (tmp_path, None, ""),
    ):
        host = holder.begin()["begin"]["host"]
        holder.ask({}, needs=[[str(path), "the file of recording 3 (a)", size]])
        line = holder.until("result", "unreachable")
        assert ("result" in line) == (not says)
        if says:
            message, hint = line["unreachable"]
            assert message.startswith(f"{host} {says}")
            assert hint
        assert holder.has_ended()


def test_small_files_travel_with_job_and_result(
    holder: Holder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    holder.begin()
    packed = {"file": base64.b64encode(b"tracks").decode()}
    holder.ask({"file": "/elsewhere/x.tracks.npz"}, files=packed, returned=["file"])
    line = holder.until("result")
    assert holder.has_ended()
    place = Path(line["result"]["file"])
    assert place.parent == tmp_path / "cache" / "greenroom" / "faces"
    assert place.name.endswith(".tracks.npz")
    assert line["files"] == packed
    assert not place.exists()


@pytest.mark.parametrize("why", ["cancelled", "its client is gone", "the worker stops", "the scheduler is gone"])
def test_a_job_that_is_no_longer_wanted_is_stopped(why: str, holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    holder.begin(key="task")
    holder.ask({"ask": {"may": "I"}})
    holder.until("question")
    if why == "cancelled":
        holder.tell("cancel")
    elif why == "its client is gone":
        holder.worker.state.tasks["task"] = SimpleNamespace(state="cancelled")
    elif why == "the worker stops":
        holder.worker.status.name = "closing"
    else:

        def fail(self: LocalQueue, timeout: float) -> str:
            raise OSError

        monkeypatch.setattr(LocalQueue, "get", fail)
    assert holder.has_ended()


def test_a_process_that_does_not_stop_is_killed(holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    send = worker_proxy.WorkerProcess.send
    monkeypatch.setattr(worker_proxy, "_GRACE_S", 0.05)
    monkeypatch.setattr(
        worker_proxy.WorkerProcess, "send", lambda process, line: line == "cancel" or send(process, line)
    )
    holder.begin()
    holder.ask({"ask": {"may": "I"}})
    holder.until("question")
    holder.tell("cancel")
    assert holder.until("crashed")
    assert holder.has_ended()
