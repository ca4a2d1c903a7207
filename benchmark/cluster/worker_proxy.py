"""Runs jobs on a Dask worker in subprocesses of the program, and passes their messages on.

A job and the process that has the study open talk through two of Dask's own queues: one for all that jobs say, one for
what is said to this job. Messages are JSON texts. Small files travel inside them, so machines need not share a cache
folder.
"""

import base64
import json
import platform
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from models.connection.dask_connection import open_task_queue
from project.entities.study_records import Json
from project.errors import UserError
from project.files.atomic_files import explain_os_errors, new_private_file
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.version import __version__

_GRACE_S = 15.0
_POLL_INTERVAL_S = 2.0
_ACTIVE_STATES = ("init", "running", "paused")
_DROPPED_STATES = ("cancelled", "resumed", "released", "forgotten")
"""States of workers and of tasks, as Dask names them."""
_FINAL_KEYS = ("result", "error", "cancelled")


def pack_files(values: Mapping[str, Json], names: Sequence[str]) -> dict[str, Json]:
    """Return the files that values name, base64-encoded, by name of the value.

    Raises:
        OSError: one cannot be read.
    """
    return {name: base64.b64encode(Path(str(values[name])).read_bytes()).decode() for name in names}


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
            f"Nothing can be written to {folder}",
            "Free some space, or name a writable cache folder in XDG_CACHE_HOME.",
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

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, line: str) -> None:
        """Send a message; it is dropped if the process has ended."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def messages(self) -> Iterator[dict[str, Json]]:
        """Yield its messages until it ends; a message that it did not finish is dropped."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):
                yield json.loads(line)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Kill the process and close its pipes; no thread may be reading them any more."""
        self.kill()
        with suppress(OSError):
            self._process.communicate()


class _PreparedWorker:
    """One Dask worker that is prepared for Greenroom, and its idle processes."""

    def __init__(self, worker: Any, launcher: Path) -> None:
        self._worker, self._launcher = worker, launcher
        self.idle: list[WorkerProcess] = []

    @property
    def facts(self) -> dict[str, Json]:
        address = str(self._worker.address)
        return {
            "version": __version__,
            "python": platform.python_version(),
            "host": platform.node(),
            "address": address,
        }

    def acquire_process(self) -> WorkerProcess:
        with suppress(IndexError):
            while True:
                child = self.idle.pop()
                if child.alive:
                    return child
                child.close()
        return WorkerProcess(self._launcher)

    def wants(self, key: str) -> bool:
        """Tell whether Dask still wants a task; it does not once the client, the scheduler or the worker is gone."""
        task = self._worker.state.tasks.get(key)
        return self._worker.status.name in _ACTIVE_STATES and (task is None or task.state not in _DROPPED_STATES)


class _ClusterJob:
    """One job that runs here.

    Args:
        worker: it runs on.
        run: name of the queue of what its jobs say; with its token that of what is said to it.
        number: of the job in the run.
        key: of its task.
    """

    def __init__(self, worker: _PreparedWorker, run: str, number: int, key: str) -> None:
        self._worker, self._number, self._key = worker, number, key
        self._token = new_id()
        self._said, self._told = open_task_queue(run), open_task_queue(f"{run}-{self._token}")
        self._lock = threading.Lock()
        self._over = threading.Event()

    def run(self) -> None:
        """Run it; its parameters come from the coordinator, and its result goes there."""
        listening = None
        try:
            self._say(begin=self._worker.facts)
            request = self._receive()
            if request is None or request == "cancel":
                return
            try:
                line = _build_request(request)
            except UserError as error:
                self._say(line={"unreachable": [error.message, error.hint]})
                return
            child = self._worker.acquire_process()
            child.send(line)
            listening = threading.Thread(target=self._listen, args=(child,), daemon=True)
            listening.start()
            well = False
            try:
                well = self._forward(child, request["returned"])
            finally:
                if well:
                    self._worker.idle.append(child)
                else:
                    child.close()
        finally:
            if listening is None:
                self._told.close()
            self._said.close()

    def _say(self, **message: Json) -> None:
        self._said.put(json.dumps({"token": self._token, "number": self._number, **message}))

    def _receive(self) -> Any:
        """Return the next message to it; "cancel" where nobody wants it any more."""
        while not self._over.is_set():
            if not self._worker.wants(self._key):
                return "cancel"
            try:
                return json.loads(self._told.get(timeout=_POLL_INTERVAL_S))
            except TimeoutError:
                continue
            except Exception:
                # The scheduler is gone.
                return "cancel"
        return "cancel"

    def _listen(self, child: WorkerProcess) -> None:
        """Pass on to a process what it is told; one that does not stop when it should is killed."""
        try:
            while True:
                message = self._receive()
                with self._lock:
                    if self._over.is_set():
                        return
                    child.send(message if message == "cancel" else json.dumps(message))
                if message == "cancel":
                    if not self._over.wait(_GRACE_S):
                        child.kill()
                    return
        finally:
            with suppress(Exception):
                self._told.close()

    def _forward(self, child: WorkerProcess, returned: Sequence[str]) -> bool:
        """Pass on what a process says until its job is done; returns whether the process can be reused."""
        try:
            for line in child.messages():
                if isinstance(result := line.get("result"), dict):
                    line["files"] = pack_files(result, returned)
                    for name in returned:
                        Path(str(result[name])).unlink(missing_ok=True)
                over = any(key in line for key in _FINAL_KEYS)
                if over:
                    with self._lock:
                        self._over.set()
                self._say(line=line)
                if over:
                    return True
            self._say(line={"crashed": True})
            return False
        finally:
            self._over.set()


def _build_request(request: Mapping[str, Any]) -> str:
    """Return the request to a process, after a check that the files it needs exist."""
    for path, what, size in request["needs"]:
        found: int | None = None
        with suppress(OSError):
            found = Path(path).stat().st_size
        if found is None or size not in (None, found):
            problem = f"does not reach {what}" if found is None else f"has another file in the place of {what}"
            raise UserError(
                f"{platform.node()} {problem}: {path}",
                "Keep it on a file system that every machine mounts at the same path.",
            )
    parameters = unpack_files(request["parameters"], request["files"])
    return json.dumps({"job": request["job"], "parameters": parameters, "kept": True})


_prepared: _PreparedWorker | None = None


def attach(worker: Any, launcher: Path) -> None:
    """Prepare a Dask worker for Greenroom."""
    global _prepared
    if hasattr(worker, "nanny") and _prepared is None:
        _prepared = _PreparedWorker(worker, launcher)


def detach() -> None:
    """Kill the idle processes of the worker."""
    while _prepared is not None and _prepared.idle:
        _prepared.idle.pop().close()


def work(run: str, number: int, key: str) -> None:
    """Run a job of a run, in a thread of a Dask worker.

    Raises:
        RuntimeError: the worker is not prepared for Greenroom.
    """
    if _prepared is None:
        raise RuntimeError("only workers that are prepared for Greenroom are given work")
    _ClusterJob(_prepared, run, number, key).run()
