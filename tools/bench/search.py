"""Searching 10,353 rationales while one types, also right after an edit; and the window with all segments."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from annotate.review.text_search import StudySearch
from annotate.segments.segment_edits import set_field
from project.queries.annotator_rows import all_annotators
from project.queries.segment_rows import all_segments
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tools.bench.row import Row

RECORDINGS, SEGMENTS = 403, 10_353
TYPED = ("t", "th", "the", "agent", "the ag", '"the agent"', "interr", "kitchen", '"answers a joke"', "zeppelin")
REPEAT = 15
_WINDOW = """
import json, os, sys, time
from pathlib import Path
from app.gui.startup import make_application
application = make_application()
from app.gui.window.main_window import MainWindow
window = MainWindow()
window.show()
window.open_study(Path(sys.argv[1]))
application.processEvents()
times = []
for _ in range(9):
    started = time.perf_counter()
    opened = window.windows.open("segments")
    application.processEvents()
    times.append(time.perf_counter() - started)
    assert len(opened.view.rows_model.rows()) == int(sys.argv[2])
    window.windows.close_all()
    application.processEvents()
print(json.dumps(times), flush=True)
os._exit(0)
"""


def run() -> list[Row]:
    """Measure the slowest of several searches, each the median of its repetitions."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "full.greenroom"
        with Study.create(path) as study:
            fill_study(study, recordings=RECORDINGS, segments=SEGMENTS, annotators=2, seed=0)
        opening = _open_window(path, Path(folder))
        with Session.open(path) as session:
            searching = StudySearch(session)
            started = time.perf_counter()
            searching.find_hits("agent")
            first = time.perf_counter() - started
            plain = max(_median(lambda typed=typed: searching.find_hits(typed)) for typed in TYPED)
            table = max(_median(lambda typed=typed: searching.match_segments(typed)) for typed in TYPED)
            edited = _after_edits(session, searching)
            searching.close()
    size = f"{SEGMENTS:,} segments with their rationales"
    return [
        _row(f"first 50 results of a search in {size}, the slowest of {len(TYPED)}", plain, 50),
        _row("the same right after an edit", edited, 50),
        _row("every segment that has the words, for the table", table, 50),
        Row("the first search of all, which has to read the texts", _ms(first), "", "", "is only shown", None),
        _row(f"open the window with {SEGMENTS:,} segments", opening, 300),
    ]


def _after_edits(session: Session, searching: StudySearch) -> float:
    names = {annotator.id: annotator.name for annotator in all_annotators(session.study)}
    times: dict[str, list[float]] = {typed: [] for typed in TYPED}
    segments = [segment for segment in all_segments(session.study) if segment.label != "none"]
    for number in range(REPEAT):
        for place, typed in enumerate(TYPED):
            chosen = segments[(number * len(TYPED) + place) * 7 % len(segments)]
            session.annotator_name = names[chosen.annotator_id]
            changes = set_field(session, chosen.id, "rationale", f"The agent said it again, {number} {place}")
            started = time.perf_counter()
            searching.apply(changes)
            searching.find_hits(typed)
            times[typed].append(time.perf_counter() - started)
    return max(statistics.median(taken) for taken in times.values())


def _median(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEAT):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def _open_window(study: Path, home: Path) -> float:
    places = {f"XDG_{name}_HOME": str(home / name) for name in ("CONFIG", "CACHE", "DATA", "STATE")}
    done = subprocess.run(
        [sys.executable, "-c", _WINDOW, str(study), str(SEGMENTS)],
        env={**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
    )
    return statistics.median(json.loads(done.stdout.splitlines()[-1]))


def _row(work: str, seconds: float, most_ms: float) -> Row:
    return Row(work, _ms(seconds), "", "", f"<= {most_ms:.0f} ms", 1000 * seconds <= most_ms)


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"
