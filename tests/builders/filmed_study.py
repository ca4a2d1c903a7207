"""A study with one short recording that has pictures and sound."""

from pathlib import Path

from annotate.study.recording_edits import add_recordings, probe_file
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip


def make_filmed_study(folder: Path) -> Path:
    """Make a study like the sample, whose pictures are small: 24 seconds at 25 frames a second."""
    folder.mkdir(parents=True, exist_ok=True)
    clip = make_clip(folder / "sample.mp4", size=(64, 48), frames=600, fps=25, gop=25, sound=True)
    path = folder / "sample.greenroom"
    with Session(Study.create(path, "Sample")) as session:
        add_recordings(session, [probe_file(clip)])
    return path
