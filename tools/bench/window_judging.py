"""How quickly the playhead is painted in the real window while three judges run, and idle beside it.

A beat is the time from when the playhead is due to move until it is painted: whatever the window is doing then makes it
late, also the storing and showing of what judges say. The judges are a server on loopback that answers after 50 ms, a
tiny GGUF file in llama.cpp, and `random`; all look at frames but the last. They run in the worker's processes.

Run with `python -m tools.bench.window_judging`; `make bench` collects `run()`.
"""

import importlib.util
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("GREENROOM_AOUT", "dummy")

from PySide6.QtWidgets import QApplication

from annotate.segments.segment_edits import add_segment
from app.gui.files.study_files import make_sample_study
from app.gui.window.main_window import MainWindow
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from project.queries.judgment_rows import all_judges
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from tests.builders.tiny_gguf import write_tiny_model
from tools.bench.measuring import FRAME_MS, dark_application
from tools.bench.row import Row, table
from tools.bench.stub_server import stub_server

SEGMENTS = 300
TICK_S = 1 / 60
BEATS = 900
WARM_S = 2.0
SIZE = (1600, 1000)
WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


def run() -> list[Row]:
    """Measure idle, then while the judges run."""
    dark_application()
    if importlib.util.find_spec("llama_cpp") is None:
        return [Row("playhead paint while three judges run", "llama-cpp-python is not installed")]
    with tempfile.TemporaryDirectory() as folder, stub_server() as url:
        path, segments = _study(Path(folder), url)
        window = MainWindow()
        window.resize(*SIZE)
        window.show()
        window.studio.open(path, "Ada")
        session = window.studio.session
        assert session is not None
        window.choose_recording(all_recordings(session.study)[0].id)
        window.set_mode("judges")
        window.studio.select(segments[:1])
        _wait(lambda: False, WARM_S)
        idle = _beats(window, lambda: False)
        work = prepare(session, AskRequest(all_judges(session.study), segments)).job
        assert work is not None
        window.jobs.start(work)
        _wait(lambda: _count(session) > 0, 120.0)
        before = _count(session)
        busy = _beats(window, lambda: not window.jobs.jobs())
        stored, who = _count(session) - before, _answered(session)
        window.jobs.cancel_all()
        _wait(lambda: not window.jobs.jobs(), 30.0)
        window.close()
    quiet, loud = (float(np.percentile(took, 95)) for took in (idle, busy))
    return [
        Row(
            f"playhead paint while three judges run ({stored} judgments came in {len(busy)} beats; {who})",
            f"{loud:.1f} ms (p95; longest {max(busy):.0f} ms)",
            f"idle, {quiet:.1f} ms (p95; longest {max(idle):.0f} ms)",
            f"{loud / quiet:.2f}",
            "<= 16 ms, p95",
            loud <= FRAME_MS,
        )
    ]


def _beats(window: MainWindow, over: Callable[[], bool]) -> list[float]:
    """Move the playhead sixty times a second; returns for each beat by how many milliseconds its paint was late."""
    timeline, took = window.timeline, []
    timeline.zoom_to_fit()
    duration_us = timeline.view.duration_us
    due = perf_counter()
    for beat in range(BEATS):
        due = max(due, perf_counter() - TICK_S) + TICK_S
        while (left := due - perf_counter()) > 0:
            QApplication.processEvents()
            time.sleep(min(0.001, left))
        timeline.set_playhead(duration_us * beat // BEATS)
        QApplication.processEvents()
        took.append((perf_counter() - due) * 1e3)
        if over():
            break
    return took


def _wait(done: Callable[[], bool], longest_s: float) -> None:
    """Let the window work until something is there."""
    until = perf_counter() + longest_s
    while perf_counter() < until and not done():
        QApplication.processEvents()
        time.sleep(0.01)


def _study(folder: Path, url: str) -> tuple[Path, list[str]]:
    path = make_sample_study(folder)
    model = write_tiny_model(folder / "model")
    draw = random.Random(5)
    with Session.open(path, "Ada") as session:
        (recording,) = all_recordings(session.study)
        made = []
        for _ in range(SEGMENTS):
            start = draw.randrange(recording.duration_us - 2_000_000)
            label = draw.choice(["error", "competence"])
            values = {**WHOLE, "correction": "Wait."} if label == "error" else WHOLE
            made.append(add_segment(session, recording.id, start, start + 1_500_000, label, values)[0])
        add_judge(session, "Server", "openai", "stub-1", {"url": f"{url}/v1", "concurrency": 4})
        settings = {"projector": str(model.projector), "max_tokens": 64, "threads": 1, "frames": 4}
        add_judge(session, "On this machine", "llama-cpp", str(model.model), settings)
        add_judge(session, "Random", "random")
    return path, made


def _count(session: Session) -> int:
    ((count,),) = session.study.rows("SELECT count(*) FROM judgment")
    return int(count)


def _answered(session: Session) -> str:
    """Return how many judgments of which judge there are."""
    rows = session.study.rows("SELECT json_extract(judge, '$.name') AS name, count(*) FROM judgment GROUP BY name")
    return ", ".join(f"{name} {count}" for name, count in rows)


if __name__ == "__main__":
    print(table(run()))
