"""The longest standstill of the window in each operation on a study of SHREC's size, and during every kind of job.

A standstill is the time between two beats of the window's event loop: nothing is painted and no key is heard in it.
Beside the clock stands what the window's thread computed in it: a busy machine makes the first longer, and not the
second, so the second is what must be reached.

Run with `python -m tools.bench.event_loop`; where the time goes is told by
`python -m tools.bench.event_loop_operations FOLDER --explain`, with the studies that `make_studies` writes.
"""

import statistics
import tempfile
from pathlib import Path

from annotate.interchange.annotation_files import get_format
from annotate.interchange.document_export import export_recordings, exportable_recordings
from benchmark.authoring.synthetic_questions import add_synthetic_questions
from benchmark.judging.judge_registry import add_judge
from benchmark.runs.run_plan import BenchmarkRequest
from benchmark.runs.scheduler import run_benchmark
from project.progress import Silent
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from project.synthetic.synthetic_study import fill_whole_study
from tests.builders.item_sets import verdicts
from tools.bench.measuring import run_script
from tools.bench.merge import _prepare
from tools.bench.row import Row, table

FULL, HOME, WITH_ANSWERS = "shrec.greenroom", "home.greenroom", "answers.greenroom"
WHO = "Annotator 1"
COPIES = ("Annotator 1.greenroom", "Annotator 2.greenroom")
WRITTEN = 10_353
ITEMS, JUDGES = 540, 3
"""1,620 answers, as many as eight tasks of 540 items would get in a third of a day."""


def make_studies(folder: Path) -> None:
    """Write all of them into a folder."""
    with Study.create(folder / FULL, "full") as study:
        fill_whole_study(study, seed=0)
        add_synthetic_questions(Session(study, WHO), 0, Silent())
    _prepare(folder)
    with Study.create(folder / WITH_ANSWERS, "answers") as study:
        fill_study(study, recordings=100, segments=2_000, annotators=2, seed=2)
    with Session.open(folder / WITH_ANSWERS, WHO) as session:
        places = [recording.id for recording in all_recordings(session.study)]
        labels = [("error", "competence", "none")[at % 3] for at in range(ITEMS)]
        made, _ = verdicts(session, labels, recordings=places, span=lambda at: (at * 50_000, (at + 1) * 50_000))
        judges = [add_judge(session, f"constant {number}", "constant", "", {})[0] for number in range(JUDGES)]
        run_benchmark(session, BenchmarkRequest([made], judges), Silent())
    with Study.create(folder / "own.greenroom") as study:
        fill_study(study, 1, 2_500, 1)
    with Session.open(folder / "own.greenroom", "Ada") as session:
        export_recordings(session, get_format("eaf"), folder / "own.eaf", exportable_recordings(session))


ROUNDS = 3
PROGRAMS = ("operations", "jobs")


def run() -> list[Row]:
    """Measure every operation and every job in fresh processes."""
    found: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_studies(folder)
        for program in PROGRAMS * ROUNDS:
            for operation, block in _measured(program, folder).items():
                found.setdefault(operation, []).append((block["processor_ms"], block["ms"]))
    return [_row(operation, rounds) for operation, rounds in found.items()]


def _row(operation: str, rounds: list[tuple[float, float]]) -> Row:
    computing, standing = (statistics.median(each_round[place] for each_round in rounds) for place in (0, 1))
    told = f"{computing:.0f} ms computing, {standing:.0f} ms on the clock"
    return Row.judged(f"longest standstill of the window: {operation}", told, computing, "<= 50 ms computing")


def _measured(program: str, folder: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = run_script(folder / "home", "-m", f"tools.bench.event_loop_{program}", folder)
    return found


if __name__ == "__main__":
    print(table(run()))
