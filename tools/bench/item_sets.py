"""Making every item set of a study of SHREC's size, in a process of its own: how long it takes, and how much memory."""

import tempfile
from pathlib import Path

from benchmark.authoring.synthetic_questions import add_synthetic_questions
from project.progress import Silent
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_study import fill_whole_study
from tests.builders.renderings import invent_renderings
from tools.bench.measuring import run_script
from tools.bench.row import Row

MOST_S = 20.0
METHODS = ("blur", "cartoon")
_MAKE = """
import json, re, sys, time
from pathlib import Path
from benchmark.sets.frozen_sets import make_set
from benchmark.sets.frozen_sets import find_changed_items as changed_since
from project.session.session import Session
from benchmark.tasks.benchmark_task import SUITE
from project.errors import UserError
from project.queries.item_set_rows import items_of

with Session.open(Path(sys.argv[1]), "Annotator 1") as session:
    began = time.perf_counter()
    sets, refused = [], []
    for task in SUITE:
        try:
            sets.append(make_set(session, task)[0])
        except UserError:
            refused.append(task)
    made = time.perf_counter()
    changed = sum(len(changed_since(session, one)) for one in sets)
    looked = time.perf_counter()
    items = sum(len(items_of(session.study, one.id)) for one in sets)
# What getrusage tells on Linux begins with the memory of the process that started this one.
peak = int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([made - began, looked - made, peak, len(sets), items, changed, refused]))
"""


def run() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shrec.greenroom"
        with Study.create(path, "shrec") as study:
            fill_whole_study(study)
            session = Session(study, "Annotator 1")
            add_synthetic_questions(session, 0, Silent())
            invent_renderings(session, [recording.id for recording in all_recordings(study)], METHODS)
        seconds, again, peak, sets, items, changed, refused = run_script(Path(folder), "-c", _MAKE, path)
    what = f"{sets} item sets with {items:,} items, of a study of 403 recordings and 10,353 segments"
    if refused:
        what += f" (nothing to draw for {', '.join(refused)})"
    return [
        Row(what, f"{seconds:.1f} s", target=f"under {MOST_S:.0f} s", ok=seconds < MOST_S and not changed),
        Row.judged("the same, memory of the process", f"{peak:.0f} MB", peak, "under 500 MB"),
        Row("looking for what has changed since in all of them", f"{again:.1f} s"),
    ]
