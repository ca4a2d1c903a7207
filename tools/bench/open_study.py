"""From asking for a study to a window that can be used, for a whole data set and for an empty study."""

import statistics
import tempfile
from pathlib import Path

from project.store.study import Study
from tools.bench.measuring import RECORDINGS, SEGMENTS, WINDOW, make_shrec_study, run_script, seconds_to_window
from tools.bench.row import Row

REPEAT = 7

_OPEN = f"""{WINDOW}
def open_and_paint():
    window.open_study(Path(sys.argv[1]))
    settle()
open_and_paint()
"""
_START = f"""{_OPEN}
print("usable", flush=True)
os._exit(0)
"""

_SWITCH = f"""{_OPEN}
from PySide6.QtCore import QEvent
times = []
for _ in range(15):
    window.close_study()
    settle()
    # What was to be deleted later is deleted by a running event loop alone.
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    started = time.perf_counter()
    open_and_paint()
    times.append(time.perf_counter() - started)
print(json.dumps(times), flush=True)
os._exit(0)
"""


def run() -> list[Row]:
    """Measure offscreen, alternating between the two studies."""
    with tempfile.TemporaryDirectory() as folder:
        empty, full = Path(folder) / "empty.greenroom", Path(folder) / "full.greenroom"
        Study.create(empty, "empty").close()
        make_shrec_study(full)
        starts: dict[Path, list[float]] = {empty: [], full: []}
        switches: dict[Path, list[float]] = {empty: [], full: []}
        for _ in range(REPEAT):
            for path, times in starts.items():
                times.append(seconds_to_window(Path(folder), _START, path))
        for _ in range(3):
            for path, times in switches.items():
                times += run_script(Path(folder), "-c", _SWITCH, path)
    size = f"{RECORDINGS} recordings and {SEGMENTS:,} segments"
    return [
        _row(f"open a study of {size} to a usable window, from the start of the program", starts[empty], starts[full]),
        _row(f"open a study of {size} in a window that is open", switches[empty], switches[full]),
    ]


def _row(work: str, empty: list[float], full: list[float]) -> Row:
    small, large = (1000 * statistics.median(times) for times in (empty, full))
    against = f"an empty study, {small:.0f} ms"
    return Row.judged(work, f"{large:.0f} ms", large / small, "<= 1.5x", against, f"{large / small:.2f}")
