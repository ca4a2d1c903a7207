"""The worker process: one job, asked for in JSON lines on standard input, told in JSON lines on standard output.

    in    {"job": "faces", "parameters": {...}}     then, at any time,     cancel
    out   {"progress": [done, total, text]} ...     then one of
          {"result": {...}}   {"error": {"message": ..., "hint": ...}}   {"cancelled": true}

The worker never opens a study: whoever asked stores the result. It ends when its input closes, so it does not
outlive the window. What libraries print goes to standard error.
"""

import json
import os
import sys
import threading
import time
from typing import TextIO

from app.core.jobs import kind_of
from project.errors import Cancelled, UserError
from project.types import Json

REPORT_EVERY_S = 0.05


class _Reporter:
    def __init__(self, out: TextIO, stop: threading.Event) -> None:
        self._out = out
        self._stop = stop
        self._last = 0.0

    def progress(self, done: int, total: int, text: str = "") -> None:
        now = time.monotonic()
        if now - self._last >= REPORT_EVERY_S or done == total:
            self._last = now
            self.send({"progress": [done, total, text]})

    def check_cancelled(self) -> None:
        if self._stop.is_set():
            raise Cancelled

    def send(self, message: dict[str, Json]) -> None:
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()


def run() -> int:
    """Do the one job; returns 0 when it was answered, also with an error or a cancellation."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    stop = threading.Event()
    reporter = _Reporter(answers, stop)
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_listen, args=(stop,), daemon=True).start()
    try:
        result = kind_of(request["job"]).compute(request["parameters"], reporter)
    except Cancelled:
        reporter.send({"cancelled": True})
    except UserError as error:
        reporter.send({"error": {"message": error.message, "hint": error.hint}})
    else:
        reporter.send({"result": result})
    answers.flush()
    # Threads of native libraries may linger; what was asked for is done and told.
    os._exit(0)


def _listen(stop: threading.Event) -> None:
    for line in sys.stdin:
        if line.strip() == "cancel":
            stop.set()
    stop.set()
