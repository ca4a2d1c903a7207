"""The process that holds a model: its main loop, and the client side, which restarts it after a crash.

Judges that load the same model share a process. It stays for a while between jobs, and ends when its pipe is closed.
"""

import multiprocessing
import os
import queue
import signal
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from models.connection import network_sandbox
from models.judges.judge_interface import Completion
from models.judges.llama_cpp.process_messages import (
    CompletionRequest,
    LlamaModelConfig,
    ModelSignal,
    RequestFailure,
    Stop,
    StopFlag,
    explain_crash,
)


def serve(pipe: "Connection[object, object]", log: "Connection[object, object]", loading: LlamaModelConfig) -> None:
    """Load a model, then answer one `CompletionRequest` after the other.

    The first message is `ModelSignal.LOADED` or a `RequestFailure`; `STARTED` precedes each answer. A `Stop`
    may come at any time.

    It is what a new process runs. It prints to `log` alone.
    """
    network_sandbox.install_audit_hook()
    for stream in (1, 2):
        os.dup2(log.fileno(), stream)
    log.close()
    # Whoever asked ends it; Ctrl+C in a terminal reaches every process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # llama.cpp would start a debugger when it crashes.
    os.environ["GGML_NO_BACKTRACE"] = "1"
    asked: queue.SimpleQueue[CompletionRequest] = queue.SimpleQueue()
    flag = StopFlag()
    threading.Thread(target=_listen, args=(pipe, asked, flag), daemon=True).start()
    from models.judges.llama_cpp.llama_model import LlamaModel, NotLoaded

    try:
        model = LlamaModel(loading, flag)
    except NotLoaded as error:
        pipe.send(RequestFailure(str(error)))
        # Without the library's own tidying up, which stumbles over what was not loaded.
        os._exit(0)
    pipe.send(ModelSignal.LOADED)
    while True:
        ask = asked.get()
        flag.start_request(ask.number)
        pipe.send(ModelSignal.STARTED)
        pipe.send(model.answer(ask))


def _listen(pipe: "Connection[object, object]", asked: "queue.SimpleQueue[CompletionRequest]", flag: StopFlag) -> None:
    try:
        while True:
            said = pipe.recv()
            if isinstance(said, Stop):
                flag.stop(said.number)
            elif isinstance(said, CompletionRequest):
                asked.put(said)
    except (EOFError, OSError):
        # Whatever is being computed, nobody waits for it any more.
        os._exit(0)


Answer = Completion | RequestFailure | ModelSignal
_POLL_INTERVAL_S = 0.25
_GRACE_S = 15.0
"""How long a request that is to stop may take to do so, until its process is killed: a picture may be in the works."""
_KEPT_LINES = 40


class ModelProcess:
    """Answers questions one after the other, in a process of its own. Threads and event loops may share it."""

    def __init__(self, loading: LlamaModelConfig) -> None:
        self._loading = loading
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._current = 0
        self._stop_asked: float | None = None
        self._begun = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="model", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """Of the process; None while there is none."""
        with self._lock:
            return self._child.process.pid if self._child is not None else None

    def wait_until_answering(self, limit_s: float) -> bool:
        """Wait until an answer is being given; return whether one is."""
        return self._begun.wait(limit_s)

    def ask(self, ask: CompletionRequest, limit_s: float) -> "Future[Answer]":
        """Queue a question. `limit_s` counts from when its turn has come and the model is loaded."""
        waiting = _Waiting(ask, limit_s)
        with self._lock:
            if not self._ended:
                self._waiting.put(waiting)
                return waiting.future
        waiting.future.set_result(RequestFailure("The model was put away."))
        return waiting.future

    def stop(self, number: int) -> None:
        """Stop the answer to a request, if it is being given. One that waits is stopped by cancelling its future."""
        with self._lock:
            if number == self._current and self._child is not None:
                self._stop_asked = self._stop_asked or time.monotonic()
                self._child.send(Stop(number))

    def end(self) -> None:
        """Kill the process at once; waiting callers get an error."""
        with self._lock:
            self._ended = True
            if self._child is not None:
                self._child.process.kill()
            self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (waiting := self._waiting.get()) is not None:
            future = waiting.future
            if future.cancelled():
                continue
            failed = self._load()
            with self._lock:
                self._current, self._stop_asked = waiting.ask.number, None
            if future.set_running_or_notify_cancel():
                answer = failed or self._wait_for_answer(waiting) or self._load() or self._wait_for_answer(waiting)
                future.set_result(answer or self._explain_death())
            with self._lock:
                self._current = 0
        self._close_child()

    def _load(self) -> RequestFailure | None:
        """Start a process with the model where there is none; return why that failed."""
        if self._child is not None and self._child.process.is_alive():
            return None
        self._close_child()
        with self._lock:
            if self._ended:
                return RequestFailure("The model was put away.")
            self._child = _Child.start(self._loading)
        said = self._child.receive()
        if said is ModelSignal.LOADED:
            return None
        failed = said if isinstance(said, RequestFailure) else self._explain_death()
        self._close_child()
        return failed

    def _wait_for_answer(self, waiting: "_Waiting") -> Answer | None:
        """Return the answer; None where the process was gone before it had taken up the question."""
        child = self._child
        assert child is not None
        child.send(waiting.ask)
        if child.receive() is not ModelSignal.STARTED:
            child.process.join()
            return None
        self._begun.set()
        late = time.monotonic() + waiting.limit_s
        while not child.pipe.poll(_POLL_INTERVAL_S):
            now = time.monotonic()
            if now >= late:
                self.stop(waiting.ask.number)
            if self._stop_asked is not None and now - self._stop_asked >= _GRACE_S:
                child.process.kill()
        said = child.receive()
        self._begun.clear()
        if isinstance(said, Completion | RequestFailure):
            return said
        if said is None and self._stop_asked is None:
            return self._explain_death()
        if time.monotonic() >= late:
            return RequestFailure(f"The model gave no answer within {waiting.limit_s:g} s: allow it more time.")
        return ModelSignal.STOPPED

    def _explain_death(self) -> RequestFailure:
        child = self._child
        assert child is not None
        child.process.join()
        child.drain.join()
        return RequestFailure(explain_crash(self._loading, child.process.exitcode, [*child.lines]))

    def _close_child(self) -> None:
        with self._lock:
            child, self._child = self._child, None
        if child is not None:
            child.end()


@dataclass
class _Waiting:
    ask: CompletionRequest
    limit_s: float
    future: "Future[Answer]" = field(default_factory=Future)


@dataclass
class _Child:
    """One process, its pipe, and the last lines that it printed."""

    process: SpawnProcess
    pipe: "Connection[object, object]"
    drain: threading.Thread
    lines: "deque[str]"

    @classmethod
    def start(cls, loading: LlamaModelConfig) -> "_Child":
        context = multiprocessing.get_context("spawn")
        pipe, their_pipe = context.Pipe()
        log, their_log = context.Pipe(duplex=False)
        process = context.Process(target=serve, args=(their_pipe, their_log, loading), name="model", daemon=True)
        process.start()
        their_pipe.close()
        their_log.close()
        lines: deque[str] = deque(maxlen=_KEPT_LINES)
        drain = threading.Thread(target=_drain, args=(log, lines), daemon=True)
        drain.start()
        return cls(process, pipe, drain, lines)

    def send(self, message: object) -> None:
        """Say something; that nobody is there any more shows where an answer is awaited."""
        try:
            self.pipe.send(message)
        except OSError:
            return

    def receive(self) -> object:
        """Wait for what it says; None when it is gone."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            return None

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.drain.join()
        self.pipe.close()
        self.process.close()


def _drain(log: "Connection[object, object]", lines: "deque[str]") -> None:
    with os.fdopen(os.dup(log.fileno()), errors="replace") as file:
        log.close()
        lines.extend(line.rstrip() for line in file)


IDLE_S = 120.0
"""How long a model that nobody uses stays loaded, for the next job."""


@dataclass
class _Held:
    process: ModelProcess
    users: int = 0
    idle_timer: threading.Timer | None = None


_held: dict[LlamaModelConfig, _Held] = {}
_lock = threading.Lock()


def borrow_process(loading: LlamaModelConfig) -> ModelProcess:
    """Return the process for what is to be loaded; `return_process` has to follow.

    Models that nobody uses any more make room for another one.
    """
    with _lock:
        idle = (
            [config for config, held in _held.items() if not held.users and config != loading]
            if loading not in _held
            else []
        )
        gone = [_held.pop(config) for config in idle]
        held = _held.setdefault(loading, _Held(ModelProcess(loading))) if loading not in _held else _held[loading]
        held.users += 1
        if held.idle_timer is not None:
            held.idle_timer.cancel()
            held.idle_timer = None
    for unused in gone:
        _end_held(unused)
    return held.process


def return_process(loading: LlamaModelConfig) -> None:
    """Release a process; after its last user the model is kept for `IDLE_S`."""
    with _lock:
        held = _held.get(loading)
        if held is None:
            return
        held.users -= 1
        if not held.users:
            held.idle_timer = threading.Timer(IDLE_S, _end_if_idle, (loading, held))
            held.idle_timer.daemon = True
            held.idle_timer.start()


def end_all_processes() -> None:
    """Kill every process, also those in use."""
    with _lock:
        gone = [*_held.values()]
        _held.clear()
    for held in gone:
        _end_held(held)


def _end_if_idle(loading: LlamaModelConfig, held: _Held) -> None:
    with _lock:
        if _held.get(loading) is not held or held.users:
            return
        del _held[loading]
    held.process.end()


def _end_held(held: _Held) -> None:
    if held.idle_timer is not None:
        held.idle_timer.cancel()
    held.process.end()
