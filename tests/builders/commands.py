"""Starts the program, kills it without warning, and looks at what is left."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from typing import Any

from app.cli.main import run


def greenroom(*arguments: object) -> dict[str, Any]:
    """Run a command in this process, which was not killed, and return its JSON object."""
    printed, complained = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
        ended = run([*map(str, arguments), "--json"])
    assert ended == 0, complained.getvalue()
    found = json.loads(printed.getvalue())
    assert isinstance(found, dict)
    return found


def start(*command: object) -> "subprocess.Popen[str]":
    """Start a Python command in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def kill(process: "subprocess.Popen[str]") -> list[str]:
    """Kill a process and all that it started; returns the whole lines it printed."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    printed, _ = process.communicate()
    return [line.rstrip("\n") for line in printed.splitlines(keepends=True) if line.endswith("\n")]
