"""Every kind of job in the window's queue, each under the watchdog: its worker runs beside the window.

What comes back from it is stored and shown in the window's thread. `fetch` is left out: it needs a network.

`python -m tools.bench.event_loop_jobs FOLDER [--explain]` prints what `make bench` collects.
"""

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("GREENROOM_AOUT", "dummy")

from annotate.segments.segment_edits import add_segment
from annotate.study.recording_edits import add_medium, add_recordings, probe_file
from anonymize.faces import face_tracking_job as tracking
from anonymize.pii_review import study_finder as search
from app.gui.startup import make_application
from app.gui.window.application import GarbageCollector
from app.gui.window.main_window import MainWindow
from benchmark.judging import judge_trial as trying
from benchmark.judging.ask_job import prepare as prepare_ask
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from project.entities.study_records import MediumRole
from project.progress import Silent
from project.queries.judgment_rows import all_judges
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from project.store.opening import sibling_path
from project.store.study import Study
from tests.builders.asked_jobs import PREPARE
from tests.contract.footage import face_clip
from tools.bench.watchdog import Block, Watchdog

SETTLE_S, LONGEST_S = 0.3, 120.0
SEGMENTS = 400
"""That a judge is asked about: answers that pour in are what holds a window up."""


def main() -> None:
    """Measure and print one JSON object: kind -> block."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--explain", action="store_true", help="also say where the time went")
    chosen = parser.parse_args()
    path = _study(chosen.folder)
    make_application()
    window = MainWindow()
    GarbageCollector(window.studio)
    window.resize(1600, 1000)
    window.show()
    window.studio.open(path, "Ada")
    session = window.studio.session
    assert session is not None
    recording = str(session.study.rows("SELECT id FROM recording")[0][0])
    window.choose_recording(recording)
    watchdog, found = Watchdog(chosen.explain), dict[str, Block]()
    watchdog.watch(lambda: None, lambda: window.player.times is not None, 1.0, LONGEST_S)
    for kind, make in _kinds(session, recording, chosen.folder).items():
        start = partial(window.jobs.start, make())
        found[kind] = watchdog.watch(start, lambda: not window.jobs.busy, SETTLE_S, LONGEST_S)
        if not found[kind].ended:
            window.jobs.cancel_all()
        if chosen.explain:
            block = found[kind]
            print(f"{block.ms:7.0f} {block.processor_ms:7.0f}  {kind}", flush=True)
            print(f"                   {block.doing}" if block.ms > 50 else "", flush=True)
    if not chosen.explain:
        print(json.dumps({f"job {kind}": asdict(block) for kind, block in found.items()}))
    os._exit(0)


def _study(folder: Path) -> Path:
    path = folder / "jobs.greenroom"
    for ending in ("", "-wal", "-shm", "-journal"):
        sibling_path(path, ending).unlink(missing_ok=True)
    Study.create(path).close()
    with Session.open(path, "Ada") as session:
        file = probe_file(face_clip(folder / "two seconds.mp4"))
        (recording,), _ = add_recordings(session, [file])
        add_medium(session, recording, file, MediumRole.MICROPHONE)
        run_inline(session, tracking.prepare(session, recording), Silent())
        add_judge(session, "constant", "constant", "", {})
        for at in range(SEGMENTS):
            add_segment(session, recording, at * 2_000, at * 2_000 + 500_000, "error")
    return path


def _kinds(session: Session, recording: str, folder: Path) -> dict[str, Callable[[], JobSpec]]:
    """Return how each kind is asked for, in this order: the window searches texts before it exports."""
    (judge,) = all_judges(session.study)

    def ask() -> JobSpec:
        segments = [str(row[0]) for row in session.study.rows("SELECT id FROM segment")]
        asked = prepare_ask(session, AskRequest([judge], segments)).job
        assert asked is not None
        return asked

    def search_texts() -> JobSpec:
        work = search.prepare(session)
        assert work is not None
        return work

    def about_recording(kind: str) -> Callable[[], JobSpec]:
        return lambda: PREPARE[kind](session, recording, folder / "out")

    first = ["transcribe", "speakers", "cues"]
    rest = [kind for kind in PREPARE if kind not in first]
    return {
        **{kind: about_recording(kind) for kind in first},
        "pii": search_texts,
        **{kind: about_recording(kind) for kind in rest},
        "ask": ask,
        "try_judge": lambda: trying.prepare(judge),
    }


if __name__ == "__main__":
    main()
