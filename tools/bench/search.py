"""Searching 10,353 rationales while one types, also right after an edit; and the window with all segments."""

import statistics
import tempfile
import time
from pathlib import Path

from annotate.review.text_search import StudySearch
from annotate.segments.segment_edits import set_field
from project.queries.annotator_rows import annotator_names
from project.queries.segment_rows import all_segments
from project.session.session import Session
from tools.bench.measuring import SEGMENTS, WINDOW, make_shrec_study, median_seconds, run_script, seconds
from tools.bench.row import Row

TYPED = ("t", "th", "the", "agent", "the ag", '"the agent"', "interr", "kitchen", '"answers a joke"', "zeppelin")
REPEAT = 15
_WINDOW = f"""{WINDOW}from PySide6.QtCore import QEventLoop
window.open_study(Path(sys.argv[1]))
settle()
times = []
for _ in range(9):
    started = time.perf_counter()
    opened = window.windows.open_window("segments")
    while len(opened.view.records_model.records) < int(sys.argv[2]):
        # As the program's own loop: one that never waits takes half the time from the thread that reads.
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    application.processEvents()
    times.append(time.perf_counter() - started)
    window.windows.close_all()
    settle()
print(json.dumps(times), flush=True)
os._exit(0)
"""


def run() -> list[Row]:
    """Measure the slowest of several searches, each the median of its repetitions."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "full.greenroom"
        make_shrec_study(path)
        opening = statistics.median(run_script(Path(folder), "-c", _WINDOW, path, SEGMENTS))
        with Session.open(path) as session:
            searching = StudySearch(session)
            first = seconds(lambda: searching.find_hits("agent"))
            plain = max(median_seconds(lambda typed=typed: searching.find_hits(typed), REPEAT) for typed in TYPED)
            table = max(median_seconds(lambda typed=typed: searching.match_segments(typed), REPEAT) for typed in TYPED)
            edited = _after_edits(session, searching)
            searching.close()
    size = f"{SEGMENTS:,} segments with their rationales"
    return [
        _row(f"first 50 results of a search in {size}, the slowest of {len(TYPED)}", plain, 50),
        _row("the same right after an edit", edited, 50),
        _row("every segment that has the words, for the table", table, 50),
        Row("the first search of all, which has to read the texts", _ms(first), target="is only shown"),
        _row(f"open the window with {SEGMENTS:,} segments", opening, 300),
    ]


def _after_edits(session: Session, searching: StudySearch) -> float:
    names = annotator_names(session.study)
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


def _row(work: str, seconds: float, most_ms: float) -> Row:
    return Row.judged(work, _ms(seconds), 1000 * seconds, f"<= {most_ms:.0f} ms")


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms"
