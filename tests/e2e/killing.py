"""Starts the program, kills it without warning, and looks at what is left."""

import contextlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from app.cli import run

LIMIT_S = 120.0

EDIT_BURST = """
import sys
from pathlib import Path
from app.core.commands.segments import add_segment, move_segments
from app.core.session import Session
from project.queries.recordings import all_recordings
from project.types import Verdict

with Session.open(Path(sys.argv[1]), "Ada") as session:
    recording = all_recordings(session.study)[0]
    for i in range(100_000):
        made, _ = add_segment(session, recording.id, 1000 * (i % 900), 1000 * (i % 900) + 5000, Verdict.ERROR,
                              {"rationale": f"edit {i}", "attributes": ["norms"]})
        move_segments(session, [(made, 1000 * (i % 900) + 1000, 1000 * (i % 900) + 6000)])
        print(made, flush=True)
"""


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


def wait_for(path_pattern: str, folder: Path, process: "subprocess.Popen[str]", seed: int) -> None:
    """Return a short random time after a file that fits the pattern appeared, or when the process ended."""
    chance = random.Random(seed)
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline and process.poll() is None:
        if any(folder.rglob(path_pattern)):
            break
        time.sleep(0.005)
    until = time.monotonic() + chance.uniform(0, 1.2)
    while time.monotonic() < until and process.poll() is None:
        time.sleep(0.005)
