"""Runs jobs on a Dask worker in subprocesses of the program, and relays their messages to the coordinator.

Small files travel inside the messages, so machines need not share a cache folder.
"""

import asyncio
import base64
import json
import platform
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from models.connection.dask_connection import OPERATION
from project.entities.study_records import Json
from project.errors import UserError
from project.files.atomic_files import explain_os_errors, new_private_file
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.version import __version__

JOB_FILES: Mapping[str, tuple[str, ...]] = {"anonymize": ("tracks",)}
"""Kind of job -> parameters that name files to send."""
RESULT_FILES: Mapping[str, tuple[str, ...]] = {"faces": ("file",)}
"""Kind of job -> keys of its result that name files to send back."""


def pack_files(values: Mapping[str, Json], names: tuple[str, ...]) -> dict[str, Json]:
    """Return the files that values name, base64-encoded, by name of the value.

    Raises:
        OSError: one cannot be read.
    """
    return {name: base64.b64encode(Path(str(values[name])).read_bytes()).decode() for name in names if name in values}


def unpack_files(values: Mapping[str, Json], packed_files: Mapping[str, Json]) -> dict[str, Json]:
    """Write packed files to the cache folder of this machine, and return the values with their new paths."""
    found = dict(values)
    for name, content in packed_files.items():
        found[name] = str(_write_file(Path(str(values[name])), base64.b64decode(str(content))))
    return found


def _write_file(named: Path, content: bytes) -> Path:
    folder = cache_folder() / "faces"
    with (
        explain_os_errors(
            f"Nothing can be kept in {folder}",
            "Make room there, or name a cache folder that can be written to in XDG_CACHE_HOME.",
        ),
        new_private_file(folder, "".join(named.suffixes[-2:])) as (path, file),
    ):
        file.write(content)
    return path


class WorkerProcess:
    """One process of `greenroom worker --stay`; see `app.worker` for the messages."""

    def __init__(self, launcher: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(launcher), "worker", "--stay"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._lock = threading.Lock()

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def send(self, message: Mapping[str, Json] | str) -> None:
        """Send a message; it is dropped if the process has ended. Any thread may call it."""
        line = message if isinstance(message, str) else json.dumps(message)
        assert self._process.stdin is not None
        with self._lock, suppress(OSError, ValueError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def messages(self) -> Iterator[dict[str, Json]]:
        """Yield its messages until it ends; a message that it did not finish is dropped."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):
                yield json.loads(line)

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError), self._lock:
            assert self._process.stdin is not None
            self._process.stdin.close()

    def close(self) -> None:
        """Kill the process and close its output; no thread may be reading that any more."""
        self.kill()
        assert self._process.stdout is not None
        self._process.stdout.close()


class WorkerProcessPool:
    """The pool of processes of one Dask worker. Each runs one job at a time and is reused."""

    def __init__(self, launcher: Path) -> None:
        self._launcher = launcher
        self._idle: list[WorkerProcess] = []
        self._lock = threading.Lock()

    def acquire(self) -> WorkerProcess:
        """Return an idle process, or start one."""
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.alive:
                    return child
                child.close()
        return WorkerProcess(self._launcher)

    def release(self, child: WorkerProcess, *, well: bool) -> None:
        """Keep a process for the next job if the last one ended well; otherwise kill it."""
        if not well:
            child.close()
            return
        with self._lock:
            self._idle.append(child)

    def close_idle(self) -> None:
        """Kill the idle processes."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.close()


LEASE_S = 60.0
"""Seconds without a message from the coordinator, after which its jobs are cancelled."""
_GRACE_S = 15.0
_POLL_INTERVAL_S = 2.0
_ACTIVE_STATES = ("init", "running", "paused")
_DROPPED_STATES = ("cancelled", "resumed", "released", "forgotten")
"""States of workers and of tasks, as Dask names them."""
_FINAL_KEYS = ("result", "error", "cancelled", "crashed", "unreachable")


_RELAY_ID = new_id()


def worker_info() -> dict[str, Json]:
    """Return what the coordinator has to know of a worker; `relay` is the id of its process."""
    return {"version": __version__, "python": platform.python_version(), "host": platform.node(), "relay": _RELAY_ID}


class _DaskJob:
    """One job that runs here; Dask knows its task by a key."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.token = new_id()
        self.wanted = True
        self.child: WorkerProcess | None = None
        self.late: threading.Timer | None = None
        self.first: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()

    def receive(self, line: Any) -> None:
        """Handle a message of the coordinator about it."""
        if line == "cancel":
            self.stop()
        elif self.child is None:
            self.first.put(line)
        else:
            self.child.send(line)

    def stop(self) -> None:
        """Cancel the job, because it is no longer wanted or the coordinator is gone."""
        if not self.wanted:
            return
        self.wanted = False
        self.first.put(None)
        if self.child is not None:
            self._cancel(self.child)

    def start(self, child: WorkerProcess, request: dict[str, Json]) -> None:
        """Run the job in a process."""
        self.child = child
        child.send(request)
        if not self.wanted:
            self._cancel(child)

    def _cancel(self, child: WorkerProcess) -> None:
        child.send("cancel")
        self.late = threading.Timer(_GRACE_S, child.kill)
        self.late.daemon = True
        self.late.start()


class _Run:
    """The jobs of one run that run here, and the messages about them that were not yet fetched."""

    def __init__(self) -> None:
        self.jobs: dict[str, _DaskJob] = {}
        self.asked = time.monotonic()
        self._changed = threading.Condition()
        self._said: list[tuple[int, dict[str, Json]]] = []
        self._count = 0
        self._heard = 0

    def receive(self, told: str) -> None:
        """Handle messages of the coordinator, as JSON; those received before are skipped."""
        with self._changed:
            new = [(token, line) for number, token, line in json.loads(told) if number > self._heard]
            self._heard += len(new)
        for token, line in new:
            if (job := self.jobs.get(token)) is not None:
                job.receive(line)

    def send(self, message: dict[str, Json]) -> None:
        """Queue a message; of consecutive progress messages of a job, only the newest is kept."""
        line = message.get("line")
        passing = isinstance(line, dict) and "progress" in line
        with self._changed:
            last = self._said[-1][1] if self._said else {}
            before = last.get("line")
            if passing and last.get("token") == message["token"] and isinstance(before, dict) and "progress" in before:
                self._said.pop()
            self._count += 1
            self._said.append((self._count, message))
            self._changed.notify_all()

    def messages_after(self, seen: int, wait_s: float) -> str:
        """Return the messages after a number, as JSON; waits if there is none yet."""
        with self._changed:
            self._said = [row for row in self._said if row[0] > seen]
            if not self._said and wait_s:
                self._changed.wait(wait_s)
            return json.dumps({"said": [[number, message] for number, message in self._said]})


class Relay:
    """One Dask worker, prepared for Greenroom."""

    def __init__(self, worker: Any, launcher: Path) -> None:
        self.children = WorkerProcessPool(launcher)
        self._worker = worker
        self._runs: dict[str, _Run] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._expire_runs, daemon=True).start()

    async def exchange(self, run: str, seen: int, told: str, wait_s: float) -> str:
        """Handle messages of the coordinator, and return those for it; with "" as `run`, returns `worker_info` only."""
        if not run:
            return json.dumps(worker_info())
        return await asyncio.to_thread(self._exchange, run, seen, told, wait_s)

    def run_job(self, run: str, number: int, key: str) -> None:
        """Run a job; its parameters come from the coordinator, and its result goes there."""
        going, job, child, well = self._get_run(run), _DaskJob(key), None, False
        going.jobs[job.token] = job
        going.send({"token": job.token, "number": number, "begin": worker_info()})
        try:
            first = job.first.get()
            if first is None:
                return
            kind = str(first["job"])
            try:
                request = _build_request(first)
            except UserError as error:
                going.send({"token": job.token, "line": {"unreachable": [error.message, error.hint]}})
                return
            child = self.children.acquire()
            job.start(child, request)
            well = _forward_messages(going, job.token, kind, child)
        finally:
            going.jobs.pop(job.token, None)
            if job.late is not None:
                job.late.cancel()
            if child is not None:
                self.children.release(child, well=well)

    def _exchange(self, run: str, seen: int, told: str, wait_s: float) -> str:
        going = self._get_run(run)
        going.receive(told)
        return going.messages_after(seen, wait_s)

    def _get_run(self, run: str) -> _Run:
        with self._lock:
            found = self._runs.setdefault(run, _Run())
            found.asked = time.monotonic()
            return found

    def _expire_runs(self) -> None:
        """Cancel jobs that the coordinator or Dask does not want any more."""
        while True:
            time.sleep(_POLL_INTERVAL_S)
            now = time.monotonic()
            with self._lock:
                runs = {**self._runs}
                left = {run for run, worker_run in runs.items() if now - worker_run.asked > LEASE_S}
                for run in left:
                    del self._runs[run]
            for run, worker_run in runs.items():
                for job in [*worker_run.jobs.values()]:
                    if run in left or not self._is_wanted(job.key):
                        job.stop()

    def _is_wanted(self, key: str) -> bool:
        """Tell whether Dask still wants a task; it does not once the client, the scheduler or the worker is gone."""
        task = self._worker.state.tasks.get(key)
        return self._worker.status.name in _ACTIVE_STATES and (task is None or task.state not in _DROPPED_STATES)


def _build_request(first: Mapping[str, Any]) -> dict[str, Json]:
    """Return the request to a process, after a check that the files it needs exist."""
    for path, what, size in first["needs"]:
        found: int | None = None
        with suppress(OSError):
            found = Path(path).stat().st_size
        if found is None:
            raise UserError(
                f"{platform.node()} does not reach {what}: {path}",
                "Keep it on a file system that every machine has at the same place.",
            )
        if size is not None and found != size:
            raise UserError(
                f"{platform.node()} has another file in the place of {what}: {path}",
                "Keep it on a file system that every machine has at the same place.",
            )
    parameters = unpack_files(first["parameters"], first["files"])
    return {"job": first["job"], "parameters": parameters, "kept": True}


def _forward_messages(going: _Run, token: str, kind: str, child: WorkerProcess) -> bool:
    """Forward the messages of a process until its job is done; returns whether the process can be reused."""
    for line in child.messages():
        result = cast(dict[str, Json] | None, line.get("result"))
        if result is not None and kind in RESULT_FILES:
            files = pack_files(result, RESULT_FILES[kind])
            for name in files:
                Path(str(result[name])).unlink(missing_ok=True)
            line["files"] = files
        going.send({"token": token, "line": cast(Json, line)})
        if any(key in line for key in _FINAL_KEYS):
            return True
    going.send({"token": token, "line": {"crashed": True}})
    return False


_relay: Relay | None = None


def attach(worker: Any, launcher: Path) -> None:
    """Prepare a Dask worker for Greenroom.

    Args:
        worker: the `distributed.Worker` that starts.
        launcher: file of the program's launcher.
    """
    global _relay
    if not hasattr(worker, "nanny"):
        return
    if _relay is None:
        _relay = Relay(worker, launcher)
    worker.handlers[OPERATION] = _relay.exchange


def detach() -> None:
    """Kill the idle processes of the worker."""
    if _relay is not None:
        _relay.children.close_idle()


def work(run: str, number: int, key: str) -> None:
    """Run a job of a run, in a thread of a Dask worker."""
    assert _relay is not None, "only workers that are prepared for Greenroom are given work"
    _relay.run_job(run, number, key)
