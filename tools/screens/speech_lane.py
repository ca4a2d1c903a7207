"""The picture of the speech lane, with drafts that nobody looked at: `python -m tools.screens.speech_lane`."""

import json
import os
import sys
import tempfile
from pathlib import Path

from app.cli.main import run
from project.entities.study_records import Utterance
from project.ids import new_id
from project.queries.recording_rows import all_recordings
from project.queries.transcript_rows import insert_utterances
from project.store.study import Study
from resources import resource
from tests.contract.documentation import ROOT
from tools.screens.taking import WindowCamera
from tools.screens.tutorial import SIZE

_STUDY = "tutorial/first.greenroom"


def main() -> int:
    """Make a study of the sample, find speech in it, and take the timeline."""
    os.environ |= {"QT_QPA_PLATFORM": "offscreen", "GREENROOM_AOUT": "dummy"}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("CONFIG", "CACHE", "DATA", "STATE"):
            os.environ[f"XDG_{name}_HOME"] = f"{folder}/{name.lower()}"
        os.chdir(folder)
        run(["demo", "--only-video", "--dir", "tutorial"])
        run(["new", _STUDY])
        run(["add", _STUDY, "tutorial/sample.mp4"])
        run(["transcribe", _STUDY, "--speech-only"])
        _take(_drafts(Path(_STUDY).resolve()))
    return 0


def _drafts(path: Path) -> Path:
    """Add what is said as if a model had heard it."""
    said = json.loads(resource("sample", "sample.truth.json").read_text("utf-8"))["utterances"]
    with Study.open(path) as study, study.step("Transcribe"):
        (recording,) = all_recordings(study)
        drafts = [
            Utterance(new_id(), recording.id, one["start_us"], one["end_us"], one["text"], checked=False)
            for one in said
        ]
        insert_utterances(study, drafts)
    return path


def _take(path: Path) -> None:
    from app.gui.startup import make_application
    from app.gui.window.main_window import MainWindow
    from tools.screens.answers import NobodyThere

    app = make_application()
    window = MainWindow(NobodyThere(Path.cwd()))
    window.commands.set_theme("light")
    window.resize(*SIZE)
    window.show()
    window.studio.open(path, "Ada")
    session = window.studio.session
    assert session is not None
    (recording,) = all_recordings(session.study)
    window.choose_recording(recording.id)
    camera = WindowCamera(window, ROOT / "docs")
    camera.settle(2.0)
    window.timeline.zoom_to_fit()
    camera.take("speech-lane", window.timeline, seconds=1.5)
    window.close()
    app.processEvents()


if __name__ == "__main__":
    sys.exit(main())
