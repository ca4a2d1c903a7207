"""From asking for a study to a window that can be used, for a whole data set and for an empty study."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tools.bench.row import Row

REPEAT = 7
RECORDINGS, SEGMENTS = 403, 10_353

_START = """
import sys
from pathlib import Path
import app.cli.main
from app.gui.startup import make_application
application = make_application()
from app.gui.window.main_window import MainWindow
window = MainWindow()
window.show()
window.open_study(Path(sys.argv[1]))
application.processEvents()
print("usable", flush=True)
import os
os._exit(0)
"""

_SWITCH = """
import json, os, sys, time
from pathlib import Path
from PySide6.QtCore import QEvent
from app.gui.startup import make_application
application = make_application()
from app.gui.window.main_window import MainWindow
window = MainWindow()
window.show()
window.open_study(Path(sys.argv[1]))
application.processEvents()
times = []
for _ in range(15):
    window.close_study()
    application.processEvents()
    # What was to be deleted later is deleted by a running event loop alone.
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    started = time.perf_counter()
    window.open_study(Path(sys.argv[1]))
    application.processEvents()
    times.append(time.perf_counter() - started)
print(json.dumps(times), flush=True)
os._exit(0)
"""


def run() -> list[Row]:
    """Measure offscreen, alternating between the two studies."""
    with tempfile.TemporaryDirectory() as folder:
        empty, full = Path(folder) / "empty.greenroom", Path(folder) / "full.greenroom"
        Study.create(empty, "empty").close()
        with Study.create(full, "full") as study:
            fill_study(study, recordings=RECORDINGS, segments=SEGMENTS, annotators=2, seed=0)
        starts: dict[Path, list[float]] = {empty: [], full: []}
        switches: dict[Path, list[float]] = {empty: [], full: []}
        for _ in range(REPEAT):
            for path, times in starts.items():
                times.append(_start(path, Path(folder)))
        for _ in range(3):
            for path, times in switches.items():
                times += _switch(path, Path(folder))
    size = f"{RECORDINGS} recordings and {SEGMENTS:,} segments"
    return [
        _row(f"open a study of {size} to a usable window, from the start of the program", starts[empty], starts[full]),
        _row(f"open a study of {size} in a window that is open", switches[empty], switches[full]),
    ]


def _row(work: str, empty: list[float], full: list[float]) -> Row:
    small, large = (1000 * statistics.median(times) for times in (empty, full))
    ratio = large / small
    return Row(work, f"{large:.0f} ms", f"an empty study, {small:.0f} ms", f"{ratio:.2f}", "<= 1.5x", ratio <= 1.5)


def _start(study: Path, home: Path) -> float:
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", _START, str(study)], env=_environment(home), stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"usable\n"
        return time.perf_counter() - started


def _switch(study: Path, home: Path) -> list[float]:
    done = subprocess.run(
        [sys.executable, "-c", _SWITCH, str(study)],
        env=_environment(home),
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, list)
    return found


def _environment(home: Path) -> dict[str, str]:
    places = {f"XDG_{name}_HOME": str(home / name) for name in ("CONFIG", "CACHE", "DATA", "STATE")}
    return {**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"}
