"""The picture of the speech lane, with drafts that nobody looked at: `python -m tools.screens.speech_lane`."""

import json
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
from tools.screens.taking import sample_window, use_own_folders

_STUDY = "tutorial/first.greenroom"


def main() -> int:
    """Make a study of the sample, find speech in it, and take the timeline."""
    with tempfile.TemporaryDirectory() as folder:
        use_own_folders(folder)
        run(["demo", "--only-video", "--dir", "tutorial"])
        run(["new", _STUDY])
        run(["add", _STUDY, "tutorial/sample.mp4"])
        run(["speech", "transcribe", _STUDY, "--speech-only"])
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
    with sample_window(path, ROOT / "docs") as camera:
        camera.settle(2.0)
        camera.window.timeline.zoom_to_fit()
        camera.take("speech-lane", camera.window.timeline, seconds=1.5)


if __name__ == "__main__":
    sys.exit(main())
