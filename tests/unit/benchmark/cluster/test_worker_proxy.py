"""What a Dask worker passes on, without Dask: whatever gets lost on the way, each line arrives once."""

import asyncio
import base64
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmark.cluster import worker_proxy as relaying
from benchmark.cluster.worker_proxy import Relay
from models.connection.dask_connection import OPERATION
from tests.builders import talking_child
from tests.builders.waiting import HANG_S

LAUNCHER = Path(talking_child.__file__)


def dask_worker() -> Any:
    return SimpleNamespace(state=SimpleNamespace(tasks={}), status=SimpleNamespace(name="running"), handlers={})


class Holder:
    """Talks to a relay as whoever holds the study does; loses every second answer where `lossy`."""

    def __init__(self, relay: Relay, lossy: bool = False) -> None:
        self.relay, self.lossy = relay, lossy
        self.said: list[dict[str, Any]] = []
        self._seen = self._told = self._asked = 0
        self._telling: list[Any] = []

    def begin(self, number: int = 0, key: str = "k") -> threading.Thread:
        thread = threading.Thread(target=self.relay.run_job, args=("run", number, key), daemon=True)
        thread.start()
        return thread

    def tell(self, token: str, line: Any) -> None:
        self._told += 1
        self._telling.append([self._told, token, line])

    def hear(self) -> dict[str, Any]:
        """Return the next thing that it says."""
        before, deadline = len(self.said), time.monotonic() + HANG_S
        while len(self.said) == before:
            assert time.monotonic() < deadline, self.said
            told = json.dumps(self._telling)
            answer = json.loads(asyncio.run(self.relay.exchange("run", self._seen, told, 0.5)))
            self._asked += 1
            if self.lossy and self._asked % 2:
                continue
            self._telling.clear()
            for number, message in answer["said"]:
                assert number > self._seen
                self._seen = number
                self.said.append(message)
        return self.said[before]

    def until(self, *wanted: str) -> dict[str, Any]:
        """Return the first line with one of some names."""
        seen = 0
        while True:
            for entry in self.said[seen:]:
                line = entry.get("line", {})
                if any(name in line for name in wanted):
                    return dict(line)
            seen = len(self.said)
            self.hear()

    def job(self, parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"job": "talk", "parameters": parameters, "needs": [], "files": {}, **more}


@pytest.fixture
def relay() -> Iterator[Relay]:
    made = Relay(dask_worker(), LAUNCHER)
    yield made
    made.children.close_idle()


@pytest.mark.parametrize("lossy", [False, True])
def test_a_work_asks_is_answered_and_done(relay: Relay, lossy: bool) -> None:
    holder = Holder(relay, lossy)
    thread = holder.begin(7)
    began = holder.hear()
    assert (began["number"], set(began["begin"])) == (7, {"version", "python", "host", "relay"})
    holder.tell(began["token"], holder.job({"ask": {"may": "I"}}))
    asked = holder.until("question")
    assert asked == {"ask": 1, "question": {"may": "I"}}
    holder.tell(began["token"], {"answer": 1, "content": {"yes": True}})
    assert holder.until("result")["result"]["heard"] == {"yes": True}
    thread.join(HANG_S)
    assert not thread.is_alive()


def test_a_process_is_used_again_after_a_work_that_ended_well_and_not_after_a_crash(relay: Relay) -> None:
    holder = Holder(relay)
    processes = []
    for crash in (False, False, True, False):
        holder.said.clear()
        thread = holder.begin()
        holder.tell(holder.hear()["token"], holder.job({"crash": crash}))
        line = holder.until("result", "crashed")
        processes.append(None if "crashed" in line else line["result"]["process"])
        thread.join(HANG_S)
    assert processes[0] == processes[1]
    assert processes[2] is None
    assert processes[3] not in (None, processes[0])


def test_of_what_only_tells_how_far_it_is_the_newest_is_passed_on(relay: Relay) -> None:
    holder = Holder(relay)
    thread = holder.begin()
    holder.tell(holder.hear()["token"], holder.job({"steps": 500}))
    asyncio.run(relay.exchange("run", 1, json.dumps(holder._telling), 0.0))
    thread.join(HANG_S)
    holder.until("result")
    assert sum("progress" in entry.get("line", {}) for entry in holder.said) == 1


def test_a_work_that_need_not_begin_ends_without_a_process(relay: Relay) -> None:
    holder = Holder(relay)
    thread = holder.begin()
    holder.tell(holder.hear()["token"], None)
    asyncio.run(relay.exchange("run", 1, json.dumps(holder._telling), 0.0))
    thread.join(HANG_S)
    assert not thread.is_alive()


def test_a_file_that_is_not_reached_or_another_one_is_said_with_the_machine(relay: Relay, tmp_path: Path) -> None:
    there = tmp_path / "a.mp4"
    there.write_bytes(b"12345")
    for path, size, says in (
        (there, 5, ""),
        (there, 6, "another file in the place of the file of recording 3 (a)"),
        (tmp_path / "gone.mp4", 5, "does not reach the file of recording 3 (a)"),
        (tmp_path, None, ""),
    ):
        holder = Holder(relay)
        holder.relay = Relay(dask_worker(), LAUNCHER)
        thread = holder.begin()
        needs = [[str(path), "the file of recording 3 (a)", size]]
        holder.tell(holder.hear()["token"], holder.job({}, needs=needs))
        line = holder.until("result", "unreachable")
        assert ("result" in line) == (not says)
        if says:
            message, hint = line["unreachable"]
            assert says in message
            assert message.startswith(relaying.worker_info()["host"])
            assert hint
        thread.join(HANG_S)
        holder.relay.children.close_idle()


def test_small_files_travel_with_work_and_result(relay: Relay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(relaying.RESULT_FILES, "talk", ("file",))
    holder = Holder(relay)
    thread = holder.begin()
    packed = {"file": base64.b64encode(b"tracks").decode()}
    holder.tell(holder.hear()["token"], holder.job({"file": "/elsewhere/x.tracks.npz"}, files=packed))
    line = holder.until("result")
    thread.join(HANG_S)
    place = Path(line["result"]["file"])
    assert place.parent == tmp_path / "cache" / "greenroom" / "faces"
    assert place.name.endswith(".tracks.npz")
    assert line["files"] == packed
    assert not place.exists()


@pytest.mark.parametrize("why", ["cancelled", "its client is gone", "the worker stops"])
def test_a_work_that_is_no_longer_wanted_is_stopped(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "_POLL_INTERVAL_S", 0.01)
    worker = dask_worker()
    relay = Relay(worker, LAUNCHER)
    holder = Holder(relay)
    thread = holder.begin(key="task")
    token = holder.hear()["token"]
    holder.tell(token, holder.job({"ask": {"may": "I"}}))
    holder.until("question")
    if why == "cancelled":
        holder.tell(token, "cancel")
        assert holder.until("cancelled")
    elif why == "its client is gone":
        worker.state.tasks["task"] = SimpleNamespace(state="cancelled")
    else:
        worker.status.name = "closing"
    thread.join(HANG_S)
    assert not thread.is_alive()
    relay.children.close_idle()


def test_a_work_that_nobody_asks_about_any_more_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "_POLL_INTERVAL_S", 0.01)
    monkeypatch.setattr(relaying, "LEASE_S", 0.2)
    relay = Relay(dask_worker(), LAUNCHER)
    thread = Holder(relay).begin()
    thread.join(HANG_S)
    assert not thread.is_alive()


def test_a_worker_that_is_prepared_answers_who_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "_relay", None)
    worker = dask_worker()
    worker.nanny = None
    relaying.attach(worker, LAUNCHER)
    found = json.loads(asyncio.run(worker.handlers[OPERATION](run="", seen=0, told="", wait_s=0)))
    assert found == relaying.worker_info()
    scheduler = SimpleNamespace(handlers={})
    relaying.attach(scheduler, LAUNCHER)
    assert scheduler.handlers == {}
