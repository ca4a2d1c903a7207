"""A pool of read connections to a study that is open for writing.

Readers see the last commit while another thread writes.
"""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from project.files.sqlcipher import sqlite3
from project.store import visibility
from project.store.opening import connect


class ReadPool:
    """Lends each caller a connection of its own, and reuses returned ones.

    The file must have a write-ahead log: readers then wait for nobody, and see what was saved last.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._change = threading.Condition()
        self._free: list[sqlite3.Connection] = []
        self._lent: set[sqlite3.Connection] = set()
        self._viewer: str | None = None
        self._closed = False

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for the block.

        Raises:
            sqlite3.ProgrammingError: the study was closed.
        """
        connection, viewer = self._lend()
        try:
            yield connection
        finally:
            with self._change:
                self._lent.remove(connection)
                if self._closed or viewer != self._viewer:
                    connection.close()
                else:
                    self._free.append(connection)
                self._change.notify_all()

    def set_viewer(self, name: str) -> None:
        """Set the viewer for every connection lent from now on."""
        with self._change:
            self._viewer = name
            self._close_free()

    def close(self) -> None:
        """Wait until all connections are returned, and close them."""
        with self._change:
            self._closed = True
            self._close_free()
            self._change.wait_for(lambda: not self._lent)

    def _lend(self) -> tuple[sqlite3.Connection, str | None]:
        with self._change:
            if self._closed:
                raise sqlite3.ProgrammingError("Cannot operate on a closed database.")
            connection = self._free.pop() if self._free else self._new()
            self._lent.add(connection)
            return connection, self._viewer

    def _new(self) -> sqlite3.Connection:
        connection = connect(self._path, "ro", any_thread=True)
        try:
            visibility.create_views(connection)
            if self._viewer is not None:
                visibility.set_viewer(connection, self._viewer)
        except BaseException:
            connection.close()
            raise
        return connection

    def _close_free(self) -> None:
        for connection in self._free:
            connection.close()
        self._free.clear()
