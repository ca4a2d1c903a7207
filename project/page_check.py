"""Looks through every page of a study for damage while the study is being read already."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from project.errors import UserError
from project.names import shown
from project.opening import check_pages, connect


class PageCheck:
    """A check of a file that nobody writes to until it has ended; it runs in a thread of its own."""

    def __init__(self, path: Path, ended: Callable[[], None]) -> None:
        """Start looking; `ended` is called in the thread, unless the check was stopped."""
        self._path = path
        self._ended = ended
        self._problem: UserError | None = None
        self._stopped = False
        # Opened here, where it can still be refused.
        self._connection = connect(path, "ro", any_thread=True)
        self._thread = threading.Thread(target=self._run, name="page check", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Return once all pages were looked at and are well.

        Raises:
            UserError: the file is damaged, or cannot be read to its end.
        """
        self._thread.join()
        if self._problem is not None:
            raise self._problem

    def stop(self) -> None:
        """End the check early; returns when the file is closed. Safe to call after it has ended."""
        self._stopped = True
        while self._thread.is_alive():
            # Asked again: a check that has not begun yet does not hear it.
            with contextlib.suppress(sqlite3.ProgrammingError):
                self._connection.interrupt()
            self._thread.join(0.01)

    def _run(self) -> None:
        # What is no finding (a bug, too little memory) must not look like a sound file.
        self._problem = UserError(f"“{shown(self._path.name)}” could not be checked for damage.", "Open it again.")
        try:
            check_pages(self._connection, self._path.name)
            self._problem = None
        except UserError as error:
            self._problem = error
        finally:
            self._connection.close()
            if not self._stopped:
                self._ended()
