"""The real window, in a process of its own: opens a study, plays each of its recordings for a moment, closes.

It prints what became of each recording as JSON: its name, how long it played, and what was said about it.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import greenroom
from app.gui.player.cameras import SideCamera
from app.gui.startup import make_application
from app.gui.window.application import GarbageCollector
from app.gui.window.main_window import MainWindow
from project.queries.recording_rows import all_recordings
from widgets.player.camera_grid import MAIN

_LONGEST_S = 20
_BRIEF_S = 0.02


def play_all(study: Path, seconds: float) -> None:
    """Play every recording of a study.

    Args:
        study: its file.
        seconds: of playing; what is not played is left as soon as that is said.
    """
    app = make_application()
    window = MainWindow()
    GarbageCollector(window.studio)
    window.resize(1360, 860)
    window.show()

    def wait(done: Callable[[], bool], limit: float = _LONGEST_S) -> None:
        end = time.monotonic() + limit
        while not done() and time.monotonic() < end:
            app.processEvents()
            time.sleep(_BRIEF_S)

    assert window.open_study(study)
    problems: list[str] = []
    lines: list[str] = []
    window.player.problem.connect(lambda error: problems.append(str(error)))
    window.player.message.connect(lines.append)
    results = []
    for recording in all_recordings(window.studio.session.study):
        problems.clear()
        window.choose_recording(recording.id)
        begin = window.player.position_us
        window.player.play()
        wait(lambda begin=begin: not window.player.playing or window.player.position_us > begin)
        wait(lambda: not window.player.playing, seconds)
        reached = window.player.position_us
        window.player.pause()
        told = {"name": recording.name, "played_us": reached - begin, "problems": list(problems)}
        results.append({**told, "beside": _beside(window, wait)})
    window.close()
    wait(lambda: not window.isVisible(), 2)
    print(json.dumps({"recordings": results, "told": lines}), flush=True)


def _beside(window: MainWindow, wait: Callable[[Callable[[], bool]], None]) -> dict[str, str]:
    """Show every further camera and hear every further sound; returns the name of each file -> what became of it."""
    told = {}
    for key, camera in window.views.cameras.items():
        view = window.views.grid.view(key)
        wait(lambda view=view, camera=camera: view.picture() is not None or _why_not(camera) != "")
        name = Path(camera.located.medium.path).stem
        told[name] = "shown" if view.picture() is not None else _why_not(camera)
    for key, name in window.views.sources():
        if key == MAIN:
            continue
        window.views.select_sound(key)
        engine = window.views.sound._engine
        window.player.play()
        wait(lambda engine=engine: engine.running() or engine.failed())
        told.setdefault(name, "heard" if engine.running() else str(engine.refusal or ""))
        window.player.pause()
        window.player.seek(0)
    return told


def _why_not(camera: SideCamera) -> str:
    """Return what a camera says in place of its picture; "" while it has said nothing yet."""
    plate = camera._plate
    return "" if plate is None or plate.icon == "loader" else plate.title


if __name__ == "__main__":
    greenroom._leave_no_memory()
    play_all(Path(sys.argv[1]), float(sys.argv[2]))
