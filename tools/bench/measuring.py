"""What benches share: places, timing, the study of SHREC's size, processes with a window, and rows about frames."""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from models.weights.installed_weights import FOLDER_VARIABLE
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tools.bench.row import Row

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".bench"
"""What is made or fetched once."""
SHARED = ROOT.parent / "shared"
"""The developers' footage and models."""
MEDIA, MODELS = SHARED / "data" / "media", SHARED / "models"
RECORDINGS, SEGMENTS = 403, 10_353
"""As many as SHREC has."""
FRAME_MS = 16.0
"""Of sixty frames a second."""

WINDOW = """
import json, os, sys, time
from pathlib import Path
import app.cli.main
from app.gui.startup import make_application
application = make_application()
from app.gui.study.background import turns
from app.gui.window.main_window import MainWindow
window = MainWindow()
window.show()

def settle():
    application.processEvents()
    while turns().waiting:
        application.processEvents()
    application.processEvents()

"""
"""Begins a script for `run_script`: `application`, `window`, and `settle`, which waits until a study is shown."""


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def median_seconds(work: Callable[[], object], repeat: int) -> float:
    """Return the median of several repetitions."""
    return statistics.median(seconds(work) for _ in range(repeat))


def in_turns(repeat: int, *works: Callable[[], object]) -> list[float]:
    """Return the median seconds of each work; they take turns, so that each has the same share of all else."""
    rounds = [[seconds(work) for work in works] for _ in range(repeat)]
    return [statistics.median(taken) for taken in zip(*rounds, strict=True)]


def missing_row(work: str, *paths: Path, target: str = "") -> list[Row]:
    """Return a row that names the first of some files that is not there; none where all are."""
    missing = next((path.name for path in paths if not path.exists()), None)
    return [] if missing is None else [Row(work, f"needs the developers' {missing}", target=target)]


@contextmanager
def weights_in(folder: Path) -> Iterator[None]:
    """Use the weights in a folder while the block runs."""
    with patch.dict(os.environ, {FOLDER_VARIABLE: str(folder)}):
        yield


def step_ms(steps: Iterable[Callable[[], object]], paint: Callable[[], object]) -> list[float]:
    """Take each step and paint what it changes; returns the milliseconds of each."""

    def shown(step: Callable[[], object]) -> None:
        step()
        paint()

    return [1000 * seconds(lambda step=step: shown(step)) for step in steps]


def frame_row(work: str, took: Sequence[float], peer: str = "60 frames a second, 16 ms", peer_ms: float = 0) -> Row:
    """Return the row of what has to be painted within a frame.

    Args:
        work: what was done.
        took: milliseconds of each step.
        peer: what it is held against.
        peer_ms: its milliseconds; those of a frame when not given.
    """
    import numpy as np

    p95 = float(np.percentile(took, 95))
    ratio = f"{p95 / (peer_ms or FRAME_MS):.2f}"
    return Row.judged(work, f"{p95:.1f} ms (p95 of {len(took)})", p95, "<= 16 ms, p95", peer, ratio)


def dark_application() -> None:
    """Make the application of Qt with our looks, where there is none yet."""
    from PySide6.QtWidgets import QApplication

    from widgets import theme

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme.apply(app, "dark")


def make_shrec_study(path: Path, segments: int = SEGMENTS) -> Path:
    """Invent a study as large as SHREC, by two annotators."""
    with Study.create(path) as study:
        fill_study(study, recordings=RECORDINGS, segments=segments, annotators=2, seed=0)
    return path


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a window without a screen, with settings and caches of its own."""
    places = {f"XDG_{name}_HOME": str(home / name) for name in ("CONFIG", "CACHE", "DATA", "STATE")}
    # An installed program has its byte code on disk.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, **places, "QT_QPA_PLATFORM": "offscreen"}


def run_script(home: Path, *command: object) -> Any:
    """Run Python in a fresh process and return the JSON that it prints last.

    Args:
        home: folder for settings and caches.
        command: arguments of the interpreter, such as `-c` and a script.
    """
    done = subprocess.run(
        [sys.executable, *map(str, command)], env=environment(home), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def seconds_to_window(home: Path, script: str, *arguments: object) -> float:
    """Return how long a fresh process takes until it prints a line `usable`."""
    started = time.perf_counter()
    command = [sys.executable, "-c", script, *map(str, arguments)]
    with subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"usable\n"
        return time.perf_counter() - started
