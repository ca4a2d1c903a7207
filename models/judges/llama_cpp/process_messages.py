"""Messages between a judge and its model process, the texts of llama.cpp's errors, and the stop flag."""

import ctypes
import re
import signal
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from models.judges.judge_interface import Message, SamplingParameters, TooLong
from project.entities.study_records import Json


@dataclass(frozen=True, slots=True)
class LlamaModelConfig:
    """What a process loads; equal ones share a process.

    Attributes:
        projector: path of its projector; "" for none.
        context: in tokens.
        gpu_layers: -1 for all.
        threads: 0 leaves it to the library.
    """

    model: str
    projector: str
    context: int
    gpu_layers: int
    threads: int


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """Asks for a completion.

    Attributes:
        number: of the request; none is given out twice.
        schema: JSON Schema that the text is held to.
    """

    number: int
    messages: tuple[Message, ...]
    schema: Mapping[str, Json]
    sampling: SamplingParameters


@dataclass(frozen=True, slots=True)
class Stop:
    """Stops a request, if it is still running."""

    number: int


class ModelSignal(Enum):
    """What a process says beside its answers."""

    LOADED = auto()
    """The model is loaded."""
    STARTED = auto()
    """A request is started."""
    STOPPED = auto()
    """A request was stopped."""


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """A request failed.

    Attributes:
        too_long: the question does not fit, so nothing was computed; None otherwise.
    """

    line: str
    too_long: TooLong | None = None


_LONGEST = 200
_LESS = "choose a smaller context, fewer GPU layers or a smaller model"
_MEMORY = re.compile(
    r"insufficient memory|failed to allocate|out of memory|unable to allocate|bad_alloc", re.IGNORECASE
)
_INCOMPLETE = re.compile(r"not within the file bounds|failed to read|failed to seek|unexpectedly reached end")
_WIDTHS = re.compile(r"text model \(n_embd = (\d+)\) and mmproj \(n_embd = (\d+)\)")
_ARCHITECTURE = re.compile(r"unknown model architecture: '([^']*)'")
_TELLING = re.compile(r"GGML_ASSERT|error|fail|abort|what\(\)|CUDA", re.IGNORECASE)


def explain_load_failure(loading: LlamaModelConfig, logged: Sequence[str], projector: bool) -> str:
    """Return why a model could not be loaded."""
    said = "\n".join(logged)
    file = Path(loading.projector if projector else loading.model).name
    if _MEMORY.search(said):
        return explain_memory(loading)
    if widths := _WIDTHS.search(said):
        reads, gives = widths.groups()
        return f"{file} is the projector of another model: it gives {gives} numbers a token, this one reads {reads}."
    if "CLIP cannot be used as main model" in said:
        return f"{file} is a projector: name the model's own file, and this one as its projector."
    if _INCOMPLETE.search(said):
        return f"{file} is incomplete: copy or download it again."
    if unknown := _ARCHITECTURE.search(said):
        return f"The installed llama-cpp-python does not know the architecture {unknown[1]} of {file}: get a newer one."
    what = "as a projector" if projector else "as a model"
    return f"{file} could not be loaded {what}: {last_error_line(logged) or 'llama.cpp does not say why'}."


def explain_memory(loading: LlamaModelConfig) -> str:
    """Return what to do where there is too little memory."""
    file = Path(loading.model).name
    return f"There is not enough memory for {file} with a context of {loading.context:,} tokens: {_LESS}."


def explain_crash(loading: LlamaModelConfig, exitcode: int | None, written: Sequence[str]) -> str:
    """Return why the process of a model ended by itself."""
    if exitcode == -signal.SIGKILL:
        file = Path(loading.model).name
        return f"The process of {file} was killed, as the system does when there is too little memory: {_LESS}."
    if _MEMORY.search("\n".join(written)):
        return explain_memory(loading)
    try:
        how = signal.Signals(-(exitcode or 0)).name
    except ValueError:
        how = f"exit code {exitcode}"
    why = last_error_line(written)
    return f"llama.cpp crashed ({how}){f': {why}' if why else ''}. The next question starts it again."


def explain_overflow(requested_tokens: int, context_tokens: int, *, pictures: bool) -> str:
    """Return what does not fit, and what can be shortened."""
    fewer = "fewer or smaller frames, " if pictures else ""
    return (
        f"The question and its longest answer take {requested_tokens:,} tokens, "
        f"and the model's context holds {context_tokens:,}: "
        f"choose {fewer}fewer turns before the segment, a shorter answer or a larger context."
    )


def last_error_line(lines: Sequence[str]) -> str:
    """Return the last line that says what went wrong, without the name of the function that wrote it; "" for none."""
    found = [line.strip() for text in lines for line in text.splitlines() if _TELLING.search(line)]
    if not found:
        return ""
    line = re.sub(r"^\w+: (error: )?", "", found[-1]).rstrip(". ")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


class StopFlag:
    """Raised for one request by its number. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # An empty C string while it is down, one of a single byte while it is up.
        self._bytes = ctypes.create_string_buffer(2)
        self._current = 0
        self._stopped = 0

    @property
    def address(self) -> int:
        """Where the string lies: its length is 0 while the flag is down, 1 while it is up."""
        return ctypes.addressof(self._bytes)

    @property
    def is_raised(self) -> bool:
        """Whether the request that is being answered is to stop."""
        return self._bytes.raw[0] != 0

    def start_request(self, number: int) -> None:
        """Start a request; the flag is down unless the request was stopped before it arrived."""
        with self._lock:
            self._current = number
            self._bytes[0] = b"\1" if number == self._stopped else b"\0"

    def stop(self, number: int) -> None:
        """Raise the flag, if that request is being answered or is still to come."""
        with self._lock:
            self._stopped = number
            if number == self._current:
                self._bytes[0] = b"\1"
