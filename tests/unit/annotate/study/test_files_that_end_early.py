"""A recording that was cut off can be used, and whoever uses it is told."""

from pathlib import Path

import pytest

from annotate.study.recording_edits import add_recordings, probe_file, truncation_warning
from anonymize.export import export_job as anonymization
from anonymize.faces import face_tracking_job as face_tracking
from project.progress import Silent
from project.queries.recording_rows import media_of
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.terminal import Terminal


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    clip = make_clip(tmp_path / "walk.mkv", frames=40, fps=25, size=(160, 120), gop=10)
    clip.write_bytes(clip.read_bytes()[: clip.stat().st_size // 2])
    return clip


def test_adding_a_file_that_was_cut_off_says_so(tmp_path: Path, cut: Path, capsys: pytest.CaptureFixture[str]) -> None:
    greenroom = Terminal(capsys)
    whole = make_clip(tmp_path / "whole.mp4", frames=5, size=(160, 120))
    greenroom("new", tmp_path / "lab.greenroom")
    text = greenroom("add", tmp_path / "lab.greenroom", whole, cut)
    (line,) = [line for line in text.splitlines() if "ends early" in line]
    assert "walk.mkv" in line
    greenroom("new", tmp_path / "two.greenroom")
    first, second = greenroom.json("add", tmp_path / "two.greenroom", whole, cut)["recordings"]
    assert first["ends_early_s"] == 0
    assert 0.3 < second["ends_early_s"] < 1.6


def test_results_say_that_the_recording_ends_early(tmp_path: Path, cut: Path) -> None:
    with Session(Study.create(tmp_path / "lab.greenroom")) as session:
        file = probe_file(cut)
        assert truncation_warning(file)
        (recording,), _ = add_recordings(session, [file])
        (medium,) = media_of(session.study, recording)
        assert medium.facts.missing_us == file.facts.missing_us > 0
        missing = file.facts.missing_us / 1e6
        faces, _ = run_inline(session, face_tracking.prepare(session, recording), Silent())
        assert faces["ends_early_s"] == missing
        export = anonymization.prepare(session, recording, "solid", tmp_path / "clips")
        clip, _ = run_inline(session, export, Silent())
    assert clip["ends_early_s"] == missing


def test_a_whole_file_is_added_without_a_warning(tmp_path: Path) -> None:
    assert truncation_warning(probe_file(make_clip(tmp_path / "a.mp4", frames=5, size=(160, 120)))) is None
