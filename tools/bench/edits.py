"""One edit and its undo, synced to disk, in an empty study and in one of 100,000 segments, against BORIS."""

import statistics
import tempfile
from functools import partial
from pathlib import Path

from annotate.segments.segment_edits import add_segment, move_segments
from annotate.study.recording_edits import undo
from project.entities.study_records import Verdict
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import segments_of
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tools.bench.boris import VERSION, Boris, package
from tools.bench.measuring import WINDOW, median_seconds, run_script, seconds
from tools.bench.row import Row

MANY = 100_000
REPEAT = 60

_IN_WINDOW = f"""{WINDOW}import statistics
from project.queries.annotator_rows import all_annotators
from project.queries.segment_rows import segments_of
window.studio.open(Path(sys.argv[1]))
settle()
session, recording = window.studio.session, window.studio.recording
present = segments_of(session.study, recording.id)
chosen = present[len(present) // 2]
session.annotator_name = next(a.name for a in all_annotators(session.study) if a.id == chosen.annotator_id)
window.timeline.show_span(chosen.start_us - 5_000_000, chosen.end_us + 5_000_000)
window.studio.select([chosen.id])
application.processEvents()
times = []
for i in range(int(sys.argv[2])):
    start = chosen.start_us + 1000 * (i % 2 + 1)
    began = time.perf_counter()
    window.editing.move([(chosen.id, start, chosen.end_us)])
    application.processEvents()
    times.append(1000 * (time.perf_counter() - began))
print(json.dumps(statistics.median(times)), flush=True)
os._exit(0)
"""


def run() -> list[Row]:
    """Measure, in one folder on the disk that the repository is on."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        _measure(Path(folder) / "empty.greenroom", 0)
        edit, undone = _measure(Path(folder) / "many.greenroom", MANY)
        rounds = [
            [
                float(run_script(Path(folder), "-c", _IN_WINDOW, Path(folder) / f"{name}.greenroom", REPEAT))
                for name in ("empty", "many")
            ]
            for _ in range(5)
        ]
        small, large = (statistics.median(column) for column in zip(*rounds, strict=True))
        rows = [
            Row(
                f"one edit (segment moved) committed and the views updated, {MANY:,} segments in one recording",
                f"{large:.2f} ms",
                f"a study of one segment, {small:.2f} ms",
                f"{large / small:.2f}",
                "<= 2x and under 10 ms",
                large <= 2 * small and large < 10,
            )
        ]
        boris = package()
        if boris is None:
            why = f"BORIS {VERSION} cannot be had"
            return [*rows, Row("saving one edit; undo of it", why, target="<= 5 ms each")]
        peer = Boris(boris, MANY)
        saved = 1000 * median_seconds(lambda: peer.save(Path(folder) / "peer.boris"), 7)
        copied = 1000 * median_seconds(peer.remember, 7)
    return [
        *rows,
        *(
            Row.judged(
                f"{work} at {MANY:,} segments, synced",
                f"{ours:.2f} ms",
                ours,
                "<= 5 ms",
                f"BORIS {VERSION} {peers}, {theirs:.0f} ms",
                f"{ours / theirs:.3f}",
            )
            for work, ours, peers, theirs in (
                ("saving one edit", edit, "project save, not synced", saved),
                ("undo of one edit", undone, "undo copy", copied),
            )
        ),
    ]


def _measure(path: Path, segments: int) -> tuple[float, float]:
    with Study.create(path, "bench") as study:
        fill_study(study, recordings=1, segments=segments, annotators=2, seed=1)
    edits, undos = [], []
    with Session.open(path, "bench") as session:
        recording = all_recordings(session.study)[0]
        if not segments:
            add_segment(session, recording.id, 0, 1_000_000, Verdict.ERROR)
        present = segments_of(session.study, recording.id)
        chosen = present[len(present) // 2]
        session.annotator_name = next(a.name for a in all_annotators(session.study) if a.id == chosen.annotator_id)
        for i in range(REPEAT):
            start = chosen.start_us + 1000 * (i % 2 + 1)
            edits.append(1000 * seconds(partial(move_segments, session, [(chosen.id, start, start + 500_000)])))
            undos.append(1000 * seconds(lambda: undo(session)))
    return statistics.median(edits), statistics.median(undos)
