"""Every kind of job in the window's queue, each under the watchdog: its worker runs beside the window.

What comes back from it is stored and shown in the window's thread. `fetch` is left out: it needs a network.

`python -m tests.bench.event_loop_jobs FOLDER [--explain]` prints what `make bench` collects.
"""

import argparse
import json
import os
from dataclasses import asdict
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("GREENROOM_AOUT", "dummy")

from app.core.commands.judges import add_judge
from app.core.commands.recordings import add_medium, add_recordings, probe_file
from app.core.commands.segments import add_segment
from app.core.faces import tracking
from app.core.jobs import Work, run_here
from app.core.judging.judges import trying
from app.core.judging.runs.asking import prepare as prepare_ask
from app.core.judging.runs.wanted import AskRequest
from app.core.pii import search
from app.core.session import Session
from app.gui.application import make_application
from app.gui.collector import Collector
from app.gui.main_window import MainWindow
from project.opening import beside
from project.progress import Silent
from project.queries.judges import all_judges
from project.store import Study
from project.types import MediumRole
from tests.bench.watchdog import Block, Watchdog
from tests.contract.footage import face_clip
from tests.contract.test_jobs import PREPARE

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
    Collector(window.studio)
    window.resize(1600, 1000)
    window.show()
    window.studio.open(path, "Ada")
    session = window.studio.session
    assert session is not None
    recording = str(session.study.rows("SELECT id FROM recording")[0][0])
    window.choose_recording(recording)
    watchdog, found = Watchdog(chosen.explain), dict[str, Block]()
    watchdog.watch(lambda: None, lambda: window.player.times is not None, 1.0, LONGEST_S)
    for kind, work in _works(session, recording, chosen.folder).items():
        start = partial(window.jobs.start, work)
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
        beside(path, ending).unlink(missing_ok=True)
    Study.create(path).close()
    with Session.open(path, "Ada") as session:
        file = probe_file(face_clip(folder / "two seconds.mp4"))
        (recording,), _ = add_recordings(session, [file])
        add_medium(session, recording, file, MediumRole.MICROPHONE)
        run_here(session, tracking.prepare(session, recording), Silent())
        add_judge(session, "constant", "constant", "", {})
        for at in range(SEGMENTS):
            add_segment(session, recording, at * 2_000, at * 2_000 + 500_000, "error")
    return path


def _works(session: Session, recording: str, folder: Path) -> dict[str, Work]:
    works = {kind: make(session, recording, folder / "out") for kind, make in PREPARE.items()}
    (judge,) = all_judges(session.study)
    segments = [str(row[0]) for row in session.study.rows("SELECT id FROM segment")]
    asked = prepare_ask(session, AskRequest([judge], segments)).work
    texts = search.prepare(session)
    assert asked is not None
    assert texts is not None
    return {**works, "ask": asked, "pii": texts, "try_judge": trying.prepare(judge)}


if __name__ == "__main__":
    main()
