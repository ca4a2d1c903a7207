"""Starts the program in a process of its own: forked from one that has loaded it, which is fast, or cold."""

import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest

from tests.builders.waiting import HANG_S
from tests.faults.disk import shim

_FOLDERS = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "TMPDIR")


class Program:
    """One life of a module that has a `main`, such as `greenroom`, as `python -m MODULE ARGUMENTS` would live it.

    It has a process group of its own. What it prints goes to a file, so that it is there after it was killed. What a
    `Disk` says it meets is in the environment; a cold one meets nothing.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[object],
        printed: Path,
        *,
        cold: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        printed.unlink(missing_ok=True)
        self._printed = printed
        self._started = time.monotonic()
        if cold:
            self._life: _Cold | _Warm = _Cold(module, arguments, printed)
        else:
            self._life = _Warm(module, arguments, printed, environment or {})
        self.pid = self._life.pid
        self.age_s = 0.0

    def ended_within(self, seconds: float) -> bool:
        """Wait so long at most, and tell whether it ended; `age_s` is how old it got until then."""
        ended = self._life.ended_within(max(0.0, self._started + seconds - time.monotonic()))
        self.age_s = time.monotonic() - self._started
        return ended

    def kill(self) -> None:
        """Kill it and all that it started, and wait until it is gone."""
        for end in (os.kill, os.killpg):
            with suppress(ProcessLookupError, PermissionError):
                end(self.pid, signal.SIGKILL)
        assert self._life.ended_within(HANG_S)

    @property
    def exit_code(self) -> int | None:
        """What it ended with; the negative number of a signal where it was killed."""
        return self._life.exit_code

    @property
    def lines(self) -> list[str]:
        """The whole lines that it printed."""
        text = self._printed.read_text() if self._printed.exists() else ""
        return [line.rstrip("\n") for line in text.splitlines(keepends=True) if line.endswith("\n")]


class _Warm:
    def __init__(self, module: str, arguments: Sequence[object], printed: Path, environment: Mapping[str, str]) -> None:
        folders = {name: os.environ[name] for name in _FOLDERS if name in os.environ}
        given = (module, [*map(str, arguments)], str(printed), {**folders, **environment})
        self._process = _server().Process(target=_live, args=given)
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def ended_within(self, seconds: float) -> bool:
        self._process.join(seconds)
        return not self._process.is_alive()

    @property
    def exit_code(self) -> int | None:
        return self._process.exitcode


class _Cold:
    def __init__(self, module: str, arguments: Sequence[object], printed: Path) -> None:
        with printed.open("w") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *map(str, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.pid = self._process.pid

    def ended_within(self, seconds: float) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.poll() is not None

    @property
    def exit_code(self) -> int | None:
        return self._process.returncode


@cache
def _server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.loaded"])
    library = shim()
    with pytest.MonkeyPatch.context() as patch:
        if library is not None:
            others = os.environ.get("LD_PRELOAD", "")
            patch.setenv("LD_PRELOAD", f"{library} {others}".strip())
        forkserver.ensure_running()
    return context


def _live(module: str, arguments: list[str], printed: str, environment: dict[str, str]) -> None:
    assert "tests.faults.loaded" in sys.modules, "what the program loads is not what is listed to be loaded"
    os.setsid()
    os.environ.update(environment)
    tempfile.tempdir = None
    out = os.open(printed, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in (1, 2):
        os.dup2(out, number)
    sys.argv = [module, *arguments]
    raise SystemExit(importlib.import_module(module).main())
