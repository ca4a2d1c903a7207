"""Starts the program in a process of its own, forked from one that has loaded it, on a disk that fails on demand.

The disk is a small library that is loaded before all others; `shim.c` says what it can do.
"""

import importlib
import multiprocessing
import os
import shutil
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

_SOURCE = Path(__file__).with_name("shim.c")


@cache
def shim() -> Path | None:
    """Return the library, compiled once; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    # The loader takes a space or a colon in a name for the end of it.
    places = (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm")
    place = next(place for place in places if not set(place) & set(" :") and os.access(place, os.W_OK))
    made = Path(tempfile.mkdtemp(prefix="faults-", dir=place)) / "shim.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(made), str(_SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return made


class Disk:
    """What happens to the files of one folder, as the environment of a process says it."""

    def __init__(self, folder: Path, count: Path) -> None:
        self._folder, self._count = folder.resolve(), count

    def environment(self, fault: str = "") -> dict[str, str]:
        """Return what a process needs to meet a fault, such as `kill:7`; without one, changes are only counted."""
        self._count.write_bytes(bytes(8))
        return {
            "GREENROOM_SHIM_FOLDER": str(self._folder) + os.sep,
            "GREENROOM_SHIM_COUNT": str(self._count),
            "GREENROOM_SHIM": fault,
        }

    @property
    def changes(self) -> int:
        """How many changes the newest process made."""
        return int.from_bytes(self._count.read_bytes(), "little")


_FOLDERS = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "TMPDIR")


class Program:
    """One life of a module that has a `main`, such as `greenroom`, as `python -m MODULE ARGUMENTS` would live it.

    It has a process group of its own. What it prints goes to a file, so that it is there after it was killed. What a
    `Disk` says it meets is in the environment.
    """

    def __init__(
        self, module: str, arguments: Sequence[object], printed: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        printed.unlink(missing_ok=True)
        self._printed = printed
        self._started = time.monotonic()
        folders = {name: os.environ[name] for name in _FOLDERS if name in os.environ}
        given = (module, [*map(str, arguments)], str(printed), {**folders, **(environment or {})})
        self._process = _server().Process(target=_live, args=given)
        self._process.start()
        self.age_s = 0.0

    def ended_within(self, seconds: float) -> bool:
        """Wait so long at most, and tell whether it ended; `age_s` is how old it got until then."""
        self._process.join(max(0.0, self._started + seconds - time.monotonic()))
        self.age_s = time.monotonic() - self._started
        return not self._process.is_alive()

    def kill(self) -> None:
        """Kill it and all that it started, and wait until it is gone."""
        for end in (os.kill, os.killpg):
            with suppress(ProcessLookupError, PermissionError):
                end(self._process.pid, signal.SIGKILL)
        self._process.join(HANG_S)
        assert not self._process.is_alive()

    @property
    def exit_code(self) -> int | None:
        """What it ended with; the negative number of a signal where it was killed."""
        return self._process.exitcode

    @property
    def lines(self) -> list[str]:
        """The whole lines that it printed."""
        text = self._printed.read_text() if self._printed.exists() else ""
        return [line.rstrip("\n") for line in text.splitlines(keepends=True) if line.endswith("\n")]


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
