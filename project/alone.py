"""Holds a study that is closed for oneself: nobody writes to it, nobody reads it, and it is one file."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from project import locking
from project.access import leave_one_file_after_writer
from project.errors import UserError
from project.names import shown
from project.opening import examine
from project.sealing.container import is_sealed
from project.sealing.log import log_path

_PATIENCE_S = 2.0
"""How long is waited for threads and windows that are about to leave the study."""
_PAUSE_S = 0.05


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock of a study that was opened and closed before.

    Raises:
        UserError: somebody has it open, or its folder cannot be written to.
    """
    lock = _lock(path)
    try:
        yield
    finally:
        lock.release()


def _lock(path: Path) -> locking.StudyLock:
    until = time.monotonic() + _PATIENCE_S
    while True:
        patient = time.monotonic() < until
        try:
            lock = locking.acquire(path)
        except locking.StudyInUse as error:
            if not patient:
                raise UserError(
                    f"“{shown(path.name)}” is open in another window ({error.holder}).", "Close it there."
                ) from None
        except OSError as error:
            raise UserError(
                f"“{shown(path.name)}” cannot be written to: {error.strerror}. It is as it was.",
                "See who may write to its folder.",
            ) from None
        else:
            try:
                if is_sealed(path) and log_path(path).exists():
                    raise UserError(
                        f"Edits of “{shown(path.name)}” are in its log alone: it was not sealed when it was closed.",
                        "Free some space, open the study and close it; then try again.",
                    )
                free = is_sealed(path) or not examine(path)
            except BaseException:
                lock.release()
                raise
            if free:
                return lock
            lock.release()
            if not patient:
                raise UserError(f"“{shown(path.name)}” is open in another window.", "Close it there first.")
            leave_one_file_after_writer(path)
        time.sleep(_PAUSE_S)
