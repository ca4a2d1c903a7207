"""The worker process: takes jobs as JSON lines on standard input, and reports on standard output.

    in    {"job": "faces", "parameters": {...}, "network": false}     then, at any time,     cancel
    out   {"progress": [done, total, text]} ...     then one of
          {"result": {...}}   {"error": {"message": ..., "hint": ...}}   {"cancelled": true}

In between, a job that delivers its result in parts, or that has to ask, sends

    out   {"part": {...}}
    out   {"ask": 7, "question": {...}}     answered by     in    {"answer": 7, "content": {...}}
                                            or by           in    {"answer": 7, "error": {"message": ..., ...}}

If the job was sent with "kept": true, a part has a number too and is answered once it is in the study; the job waits
for that.

The worker never opens a study: its parent stores the results. It runs one job, or with `--stay` one after the other
with cached models. A process for one job whose kind never connects gives up network access before it loads the kind, so
that no library that reads untrusted media has it. It ends when its input closes, so it does not outlive the window.
Output of libraries goes to standard error.
"""

import itertools
import json
import os
import queue
import sys
import threading
import time
from typing import Any, TextIO

from models.connection import network_sandbox
from models.connection.network_sandbox import refuse_network
from project.entities.egress_policy import Forbidden
from project.entities.study_records import Json
from project.errors import Cancelled, UserError
from project.session.jobs import compute

REPORT_INTERVAL_S = 0.05
_NICE_LEVEL = 10


class _MessageWriter:
    """Writes messages, one per line; it is thread-safe."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lock = threading.Lock()

    def send(self, message: dict[str, Json]) -> None:
        with self._lock:
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()


class _WorkerJob:
    """One job, and its host interface to the process that has the study open; it is thread-safe."""

    threadsafe = True

    def __init__(self, request: dict[str, Any], lines: _MessageWriter) -> None:
        self._request = request
        self._lines = lines
        self._stop = threading.Event()
        self._last = 0.0
        self._numbers = itertools.count(1)
        self._asked: dict[int, queue.SimpleQueue[dict[str, Any] | None]] = {}

    def run(self) -> None:
        """Run the job and send its result."""
        try:
            result = compute(self._request["job"], self._request["parameters"], self)
        except Cancelled:
            self._lines.send({"cancelled": True})
        except UserError as error:
            self._lines.send({"error": {"message": error.message, "hint": error.hint}})
        else:
            self._lines.send({"result": result})

    @property
    def may_connect(self) -> bool:
        """Whether its kind may connect to the network, if the policy permits it."""
        return self._request.get("network") is True

    def progress(self, done: int, total: int, text: str = "") -> None:
        now = time.monotonic()
        if now - self._last >= REPORT_INTERVAL_S or done == total:
            self._last = now
            self._lines.send({"progress": [done, total, text]})

    def check_cancelled(self) -> None:
        if self._stop.is_set():
            raise Cancelled

    def part(self, part: dict[str, Json]) -> None:
        # After a stop, finished parts are still sent, but nobody answers.
        if self._request.get("kept") and not self._stop.is_set():
            self._exchange({"part": part})
        else:
            self._lines.send({"part": part})

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        return self._exchange({"question": question})

    def _exchange(self, said: dict[str, Json]) -> dict[str, Json]:
        """Send a message and wait for its answer.

        Raises:
            Cancelled: there will be no answer.
        """
        number, answers = next(self._numbers), queue.SimpleQueue[dict[str, Any] | None]()
        self._asked[number] = answers
        self.check_cancelled()
        self._lines.send({"ask": number, **said})
        found = answers.get()
        if found is None:
            raise Cancelled
        if "error" not in found:
            content: dict[str, Json] = found["content"]
            return content
        error = found["error"]
        if error.get("rule"):
            raise Forbidden(error["rule"], error["message"], error.get("hint", ""))
        raise UserError(error["message"], error.get("hint", ""))

    def answer(self, found: dict[str, Any]) -> None:
        """Pass an answer to the thread that waits for it."""
        waiting = self._asked.pop(int(found["answer"]), None)
        if waiting is not None:
            waiting.put(found)

    def stop(self) -> None:
        """Stop the job, and wake the threads that wait for an answer."""
        self._stop.set()
        for number in [*self._asked]:
            waiting = self._asked.pop(number, None)
            if waiting is not None:
                waiting.put(None)


def run(*, stay: bool = False) -> int:
    """Run one job, or with `stay` all jobs; returns 0 also after an error or a cancellation."""
    network_sandbox.install_audit_hook()
    if stay and hasattr(os, "nice"):
        # The window has priority.
        os.nice(_NICE_LEVEL)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    jobs = queue.SimpleQueue[_WorkerJob | None]()
    threading.Thread(target=_listen, args=(jobs, _MessageWriter(answers)), daemon=True).start()
    while (job := jobs.get()) is not None:
        if not stay and not job.may_connect:
            refuse_network(local_sockets=True)
        job.run()
        if not stay:
            break
    answers.flush()
    # Threads of native libraries may still run; all results are sent.
    os._exit(0)


def _listen(jobs: "queue.SimpleQueue[_WorkerJob | None]", lines: _MessageWriter) -> None:
    """Queue jobs; other messages are for the newest one."""
    newest: _WorkerJob | None = None
    for line in sys.stdin:
        said = line.strip()
        message = json.loads(said) if said and said != "cancel" else None
        if message is not None and "job" in message:
            newest = _WorkerJob(message, lines)
            jobs.put(newest)
        elif newest is not None and message is not None:
            newest.answer(message)
        elif newest is not None and said:
            newest.stop()
    if newest is not None:
        newest.stop()
    jobs.put(None)
