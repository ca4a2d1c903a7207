"""Runs queued jobs in worker processes, one at a time, so that a crash of a model does not take the window down."""

import json
import logging
import signal
import sys
from collections import deque
from collections.abc import Callable, Sequence
from threading import Thread
from time import perf_counter
from typing import Any, cast

from PySide6.QtCore import QObject, QProcess, QTimer, Signal

from app.gui.study.background import in_turn
from project.codec import adapter, dump_bytes, load
from project.entities.egress_policy import Forbidden
from project.entities.study_records import Json
from project.errors import UserError
from project.session.jobs import JobSpec, load_kind
from resources.translation import tr

_log = logging.getLogger(__name__)

WORKER_COMMAND = (sys.executable, "-m", "greenroom", "worker")
_MAX_STDERR_BYTES = 4_000
_READ_BUDGET_S = 0.004
"""How long what the worker wrote is taken in before the window gets its turn."""


class WorkerRunner(QObject):
    """One queue of jobs, for what needs the processor or the graphics card for itself.

    Each job has a process of its own; with `stay` one process does them all, and keeps what it loaded between them.

    Signals:
        queue_changed: a job was added, started or left.
        progressed: (JobSpec, done, total, text)
        partial_result: (JobSpec, JSON object) a job finished a piece.
        finished: (JobSpec, result)
        failed: (JobSpec, UserError)
        cancelled: (JobSpec)
    """

    queue_changed = Signal()
    progressed = Signal(object, int, int, str)
    partial_result = Signal(object, object)
    finished = Signal(object, object)
    failed = Signal(object, object)
    cancelled = Signal(object)

    def __init__(
        self,
        parent: QObject | None = None,
        command: Sequence[str] = WORKER_COMMAND,
        grace_ms: int = 5_000,
        *,
        stay: bool = False,
    ) -> None:
        super().__init__(parent)
        self.renew: Callable[[JobSpec], JobSpec] = lambda work: work
        """Gives the job as it has to be when its turn comes; may raise a UserError."""
        self.answer: Callable[[JobSpec, dict[str, Json]], dict[str, Json]] = _reject_question
        """Answers what a job asks while it runs; may raise a UserError."""
        self._stay = stay
        self._command = tuple(command)
        self._waiting: deque[JobSpec] = deque()
        self._running: JobSpec | None = None
        self._process: QProcess | None = None
        self._outcome: tuple[str, Any] | None = None
        self._buffer = b""
        self._lines: deque[bytes] = deque()
        self._taking = False
        self._held = False
        self._errors = b""
        self._cancelling = False
        self._grace = QTimer(self, singleShot=True, interval=grace_ms)
        self._grace.timeout.connect(self._kill)

    @property
    def command(self) -> tuple[str, ...]:
        """What is run for each job."""
        return self._command

    @property
    def running_job(self) -> JobSpec | None:
        """The job that is being done."""
        return self._running

    @property
    def waiting_jobs(self) -> tuple[JobSpec, ...]:
        """The jobs that wait for their turn."""
        return tuple(self._waiting)

    def submit(self, work: JobSpec) -> None:
        """Do a job when its turn comes."""
        self._waiting.append(work)
        # The window is painted before the study is asked what changed since.
        in_turn(self, self._start_next)
        self.queue_changed.emit()

    def cancel(self, work: JobSpec) -> None:
        """Take a job out of the queue, or ask the worker to stop; it is killed if it does not."""
        if work in self._waiting:
            self._waiting.remove(work)
            self.cancelled.emit(work)
            self.queue_changed.emit()
        elif work is self._running and self._process is not None and not self._cancelling:
            self._cancelling = True
            self._process.write(b"cancel\n")
            self._grace.start()

    def set_output_paused(self, on: bool) -> None:
        """Take in nothing of what the worker writes for a while, and then all of it; the worker goes on meanwhile."""
        self._held = on
        if on:
            return
        process = self._process
        if process is not None and process.state() is QProcess.ProcessState.NotRunning:
            self._on_process_ended()
        elif self._lines and not self._taking:
            self._process_lines()

    def close(self) -> None:
        """Stop everything; returns when the process is gone."""
        self._waiting.clear()
        self._lines.clear()
        self._grace.stop()
        process, self._process, self._running = self._process, None, None
        if process is None:
            return
        process.readyReadStandardOutput.disconnect(self._read)
        process.readyReadStandardError.disconnect(self._read_errors)
        process.finished.disconnect(self._on_process_ended)
        process.errorOccurred.disconnect(self._on_start_error)
        process.write(b"cancel\n")
        if not process.waitForFinished(1_000):
            process.kill()
            process.waitForFinished(2_000)
        process.deleteLater()

    def _start_next(self) -> None:
        if self._running is not None or not self._waiting:
            return
        work = self._waiting.popleft()
        try:
            parameters = self.renew(work).parameters
        except UserError as error:
            self.failed.emit(work, error)
            self._start_next()
            return
        self._running = work
        self._outcome, self._errors, self._cancelling = None, b"", False
        process = self._process or self._begin_process()
        kind = load_kind(work.kind)
        # Made ready beside the window, before it reads the result.
        Thread(target=adapter, args=(kind.result,), daemon=True).start()
        process.write(dump_bytes({"job": work.kind, "parameters": parameters, "network": kind.network}) + b"\n")

    def _begin_process(self) -> QProcess:
        self._buffer = b""
        self._lines.clear()
        process = self._process = QProcess(self)
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._on_process_ended)
        process.errorOccurred.connect(self._on_start_error)
        process.start(self._command[0], [*self._command[1:], *(["--stay"] if self._stay else [])])
        return process

    def _read(self) -> None:
        if self._process is None:
            return
        self._buffer += bytes(self._process.readAllStandardOutput().data())
        *lines, self._buffer = self._buffer.split(b"\n")
        self._lines.extend(lines)
        if not self._taking and not self._held:
            self._process_lines()

    def _process_lines(self) -> None:
        """Take lines in their order, for a few milliseconds: the window is painted between them."""
        if self._held:
            self._taking = False
            return
        until = perf_counter() + _READ_BUDGET_S
        self._taking = True
        try:
            while self._lines and perf_counter() < until:
                self._process_line(self._lines.popleft())
        finally:
            self._taking = bool(self._lines)
            if self._taking:
                QTimer.singleShot(0, self, self._process_lines)

    def _process_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            _log.warning("The worker wrote a line that is not JSON: %r", line[:200])
            return
        self._process_message(message)

    def _process_message(self, message: dict[str, Any]) -> None:
        if "progress" in message:
            done, total, text = message["progress"]
            self.progressed.emit(self._running, done, total, text)
        elif "part" in message:
            self.partial_result.emit(self._running, message["part"])
        elif "ask" in message:
            self._answer(message["ask"], message["question"])
        elif "result" in message:
            kind = load_kind(cast(JobSpec, self._running).kind)
            self._set_outcome("result", load(kind.result, message["result"], kind.key))
        elif "error" in message:
            error = message["error"]
            self._set_outcome("error", UserError(str(error["message"]), str(error.get("hint", ""))))
        elif message.get("cancelled"):
            self._set_outcome("cancelled", None)

    def _answer(self, number: int, question: dict[str, Json]) -> None:
        if self._running is None or self._process is None:
            return
        found: dict[str, Json] = {"answer": number}
        try:
            found["content"] = self.answer(self._running, question)
        except UserError as error:
            rule = error.rule if isinstance(error, Forbidden) else ""
            found["error"] = {"message": error.message, "hint": error.hint, "rule": rule}
        except Exception:
            _log.exception("A question of the worker in %r could not be answered", self._running.title)
            found["error"] = {
                "message": tr("What the worker asked could not be answered."),
                "hint": tr("The log says more."),
            }
        self._process.write(json.dumps(found).encode() + b"\n")

    def _set_outcome(self, kind: str, content: Any) -> None:
        """Take what came of the job; a process that stays is free for the next one, another one is waited for."""
        self._outcome = (kind, content)
        if self._stay:
            self._grace.stop()
            work, self._running = self._running, None
            if work is not None:
                self._emit_outcome(work, kind, content)

    def _read_errors(self) -> None:
        if self._process is not None:
            self._errors = (self._errors + bytes(self._process.readAllStandardError().data()))[-_MAX_STDERR_BYTES:]

    def _on_start_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._outcome = (
                "error",
                UserError(tr("The worker program could not be started."), tr("Reinstall Greenroom.")),
            )
            self._on_process_ended()

    def _on_process_ended(self) -> None:
        process = self._process
        if process is None or self._held:
            return
        self._read()
        while self._lines:
            self._process_line(self._lines.popleft())
        self._read_errors()
        self._grace.stop()
        work, self._process, self._running = self._running, None, None
        process.deleteLater()
        if work is None:
            return
        crash = ("crash", process.exitCode() if process.exitStatus() is QProcess.ExitStatus.CrashExit else None)
        kind, content = self._outcome or (("cancelled", None) if self._cancelling else crash)
        self._emit_outcome(work, kind, content)

    def _emit_outcome(self, work: JobSpec, kind: str, content: Any) -> None:
        if kind == "result":
            self.finished.emit(work, content)
        elif kind == "cancelled":
            self.cancelled.emit(work)
        elif kind == "error":
            self.failed.emit(work, cast(UserError, content))
        else:
            _log.error("The worker stopped in %r: %s", work.title, self._errors.decode("utf-8", "replace"))
            if content == signal.SIGKILL:
                hint = tr(
                    "The system stopped it, probably for lack of memory. Close other programs and start the job again."
                )
            else:
                hint = tr("The study was not changed. Start the job again to continue; the log has details.")
            self.failed.emit(
                work, UserError(tr("{title}: the worker stopped unexpectedly.").format(title=work.title), hint)
            )
        self._start_next()
        self.queue_changed.emit()

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()


def _reject_question(work: JobSpec, question: dict[str, Json]) -> dict[str, Json]:
    raise UserError(
        tr("{title}: the worker sent an unknown request.").format(title=work.title),
        tr("Please report this; it asked for {list}.").format(list=", ".join(question)),
    )
