"""Keeps what a native library writes to standard error from the user."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ERROR = 2
_turn = threading.Lock()


@contextmanager
def without_native_noise() -> Iterator[None]:
    """Send the process's standard error nowhere while the block runs.

    For libraries that write to file descriptor 2 past every setting of theirs. Keep the block short: what other
    threads write meanwhile is lost too. Errors that Python raises are not touched.
    """
    with _turn:
        kept = os.dup(_ERROR)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, _ERROR)
            yield
        finally:
            os.dup2(kept, _ERROR)
            os.close(nowhere)
            os.close(kept)
