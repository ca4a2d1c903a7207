"""Processes of the program that a Dask worker lends its works to: models never run in Dask's own process.

So what Dask connects to and what a work may connect to stay apart, a crash of a model costs one work and no worker,
and what does not hear that it should stop can be ended.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from project.types import Json


class Child:
    """One process of `greenroom worker --stay`; see `app.worker` for what is said between them."""

    def __init__(self, launcher: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(launcher), "worker", "--stay"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._lock = threading.Lock()

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def say(self, message: Mapping[str, Json] | str) -> None:
        """Tell it something; one that has ended hears nothing. Any thread may."""
        line = message if isinstance(message, str) else json.dumps(message)
        assert self._process.stdin is not None
        with self._lock, suppress(OSError, ValueError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def heard(self) -> Iterator[dict[str, Json]]:
        """Yield what it says, until it ends, be it in the middle of a line."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):
                yield json.loads(line)

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError), self._lock:
            assert self._process.stdin is not None
            self._process.stdin.close()

    def close(self) -> None:
        """End it, and let go of what it said; nobody may be reading that any more."""
        self.end()
        assert self._process.stdout is not None
        self._process.stdout.close()


class Children:
    """The processes of one Dask worker: each does one work at a time, and is kept for the next one."""

    def __init__(self, launcher: Path) -> None:
        self._launcher = launcher
        self._idle: list[Child] = []
        self._lock = threading.Lock()

    def take(self) -> Child:
        """Lend a process."""
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.alive:
                    return child
                child.close()
        return Child(self._launcher)

    def give_back(self, child: Child, *, well: bool) -> None:
        """Keep a process for the next work where the last one ended well; end it where not."""
        if not well:
            child.close()
            return
        with self._lock:
            self._idle.append(child)

    def end(self) -> None:
        """End those that do nothing."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.close()
