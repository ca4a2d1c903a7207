"""The studies that the watchdog looks at: a whole data set, two copies to be merged, a benchmark with answers."""

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
from tools.bench.merge import _prepare

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
