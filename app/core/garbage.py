"""Keeps Python's search for circular garbage out of the way: of many small objects that have none, and of a window."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_WORTH_A_SEARCH = 10_000
"""So many objects that may hold others were made and are still there."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Look for no circular garbage while the block runs: reading a file of 10,000 entries takes a quarter less time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def search_by_hand() -> None:
    """Keep Python from searching by itself in this whole process: the window's thread does, when it suits.

    By itself it searches in any thread and destroys there what it finds. A QObject that is destroyed outside the
    window's thread holds a lock of Qt while it waits for Python's; the window may hold Python's and wait for Qt's: both
    wait for ever. And a search among all objects stops every thread for half a second where a large study is shown.
    """
    gc.disable()


def search_recent() -> bool:
    """Search among what was made since the last search, if that is worth it; what is in use then counts as lasting.

    Returns:
        Whether anything was searched.
    """
    if gc.get_count()[0] < _WORTH_A_SEARCH:
        return False
    gc.collect()
    gc.freeze()
    return True


def search_all() -> None:
    """Search among all there is."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
