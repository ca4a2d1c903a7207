"""What goes wrong with llama.cpp, in one line that says what to do."""

import re
import signal
from collections.abc import Sequence
from pathlib import Path

from models.judges.llama_cpp.talk import Full, Loading

_LONGEST = 200
_LESS = "choose a smaller context, fewer GPU layers or a smaller model"
_MEMORY = re.compile(
    r"insufficient memory|failed to allocate|out of memory|unable to allocate|bad_alloc", re.IGNORECASE
)
_INCOMPLETE = re.compile(r"not within the file bounds|failed to read|failed to seek|unexpectedly reached end")
_WIDTHS = re.compile(r"text model \(n_embd = (\d+)\) and mmproj \(n_embd = (\d+)\)")
_ARCHITECTURE = re.compile(r"unknown model architecture: '([^']*)'")
_TELLING = re.compile(r"GGML_ASSERT|error|fail|abort|what\(\)|CUDA", re.IGNORECASE)


def line_of_loading(loading: Loading, logged: Sequence[str], projector: bool) -> str:
    """Return why a model could not be loaded.

    Args:
        loading: what was asked for.
        logged: what llama.cpp wrote about it.
        projector: it was the projector that could not be loaded.
    """
    said = "\n".join(logged)
    file = Path(loading.projector if projector else loading.model).name
    if _MEMORY.search(said):
        return not_enough_memory(loading)
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
    return f"{file} could not be loaded {what}: {telling(logged) or 'llama.cpp does not say why'}."


def not_enough_memory(loading: Loading) -> str:
    """Return what to do where there is too little memory."""
    file = Path(loading.model).name
    return f"There is not enough memory for {file} with a context of {loading.context:,} tokens: {_LESS}."


def line_of_death(loading: Loading, exitcode: int | None, written: Sequence[str]) -> str:
    """Return why the process of a model ended by itself.

    Args:
        loading: what it had loaded.
        exitcode: of the process; negative for a signal.
        written: the last lines on its standard error.
    """
    if exitcode == -signal.SIGKILL:
        file = Path(loading.model).name
        return f"The process of {file} was killed, as the system does when there is too little memory: {_LESS}."
    if _MEMORY.search("\n".join(written)):
        return not_enough_memory(loading)
    try:
        how = signal.Signals(-(exitcode or 0)).name
    except ValueError:
        how = f"exit code {exitcode}"
    why = telling(written)
    return f"llama.cpp crashed ({how}){f': {why}' if why else ''}. The next question starts it again."


def line_of_full(full: Full) -> str:
    """Return what does not fit, and what can be shortened."""
    fewer = "fewer or smaller frames, " if full.pictures else ""
    return (
        f"The question and its longest answer take {full.asked:,} tokens, and the model's context holds {full.room:,}: "
        f"choose {fewer}fewer turns before the segment, a shorter answer or a larger context."
    )


def telling(lines: Sequence[str]) -> str:
    """Return the last line that says what went wrong, without the name of the function that wrote it; "" for none."""
    found = [line.strip() for text in lines for line in text.splitlines() if _TELLING.search(line)]
    if not found:
        return ""
    line = re.sub(r"^\w+: (error: )?", "", found[-1]).rstrip(". ")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
