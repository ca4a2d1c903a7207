"""Processes with a model, shared by the judges that load the same, and kept a while between jobs."""

import threading
from dataclasses import dataclass

from models.judges.llama_cpp.process import ModelProcess
from models.judges.llama_cpp.talk import Loading

KEPT_S = 120.0
"""How long a model that nobody uses stays loaded, for the next job."""


@dataclass
class _Held:
    process: ModelProcess
    users: int = 0
    goodbye: threading.Timer | None = None


_held: dict[Loading, _Held] = {}
_lock = threading.Lock()


def borrow(loading: Loading) -> ModelProcess:
    """Return the process for what is to be loaded; `give_back` has to follow.

    Models that nobody uses any more make room for another one.
    """
    with _lock:
        idle = [one for one, held in _held.items() if not held.users and one != loading] if loading not in _held else []
        gone = [_held.pop(one) for one in idle]
        held = _held.setdefault(loading, _Held(ModelProcess(loading))) if loading not in _held else _held[loading]
        held.users += 1
        if held.goodbye is not None:
            held.goodbye.cancel()
            held.goodbye = None
    for one in gone:
        _end(one)
    return held.process


def give_back(loading: Loading) -> None:
    """Say that one user is done; after the last one the model is kept for `KEPT_S`."""
    with _lock:
        held = _held.get(loading)
        if held is None:
            return
        held.users -= 1
        if not held.users:
            held.goodbye = threading.Timer(KEPT_S, _leave, (loading, held))
            held.goodbye.daemon = True
            held.goodbye.start()


def end_all() -> None:
    """End every process, whoever uses it."""
    with _lock:
        gone = [*_held.values()]
        _held.clear()
    for one in gone:
        _end(one)


def _leave(loading: Loading, held: _Held) -> None:
    with _lock:
        if _held.get(loading) is not held or held.users:
            return
        del _held[loading]
    held.process.end()


def _end(held: _Held) -> None:
    if held.goodbye is not None:
        held.goodbye.cancel()
    held.process.end()
