"""Controls Python's cyclic garbage collector: paused while large files are read, run only by the window's thread."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_MIN_NEW_OBJECTS = 10_000
"""Net allocations of containers since the last collection; fewer are not worth one."""
_MAX_NEW_OBJECTS = 60_000
"""More are not searched at once, because that takes some 15 ms and more: `collect_all` does."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause cyclic collection while the block runs: reading a file of 10,000 entries takes a quarter less time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def disable_automatic_collection() -> None:
    """Disable automatic collection in this process; the window's thread collects on a timer.

    Automatic collection runs in whichever thread allocates and destroys QObjects there. `~QObject` takes a mutex of Qt
    and then waits for the GIL; the window's thread may hold the GIL and wait for that mutex: a deadlock. A full
    collection also pauses every thread, for about 0.5 s with a large study open.
    """
    gc.disable()


def collect_recent() -> bool:
    """Collect objects made since the last collection, if there are enough and not too many; freeze those that are left.

    Disables automatic collection again: srsly, which spaCy loads its models with, enables it.

    Returns:
        Whether there were enough.
    """
    gc.disable()
    count = gc.get_count()[0]
    if count < _MIN_NEW_OBJECTS:
        return False
    if count <= _MAX_NEW_OBJECTS:
        gc.collect()
    gc.freeze()
    return True


def collect_all() -> None:
    """Collect among all objects, frozen ones included."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
