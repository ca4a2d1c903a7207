"""An export that was not looked at afterwards is none."""

from pathlib import Path
from typing import cast

import pytest

from annotate.study.recording_edits import add_recordings, probe_file
from annotate.team.assignments import hold_out
from anonymize.export import export_job as anonymization
from anonymize.faces import face_tracking_job as face_tracking
from project.errors import Cancelled, UserError
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(Study.create(tmp_path / "lab.greenroom"), "Ada")


@pytest.fixture
def export(session: Session, tmp_path: Path) -> JobSpec:
    (recording,), _ = add_recordings(session, [probe_file(make_clip(tmp_path / "walk.mp4", size=(160, 120), frames=6))])
    run_inline(session, face_tracking.prepare(session, recording), Silent())
    return anonymization.prepare(session, recording, "solid", tmp_path / "clips")


def test_a_clip_has_no_name_before_it_was_looked_at(session: Session, export: JobSpec, tmp_path: Path) -> None:
    named = Path(str(export.parameters["output"]))
    looked: list[Path] = []

    def stop(clip: Path, *_: object, **__: object) -> None:
        assert clip.stat().st_size > 0
        assert not named.exists()
        looked.append(clip)
        raise Cancelled

    with session, pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonymize.rendering.residual_faces.check_rendering", stop)
        with pytest.raises(Cancelled):
            run_inline(session, export, Silent())
        assert latest_run(session.study, export.recording_id, "anonymize") is None
    assert len(looked) == 1
    assert list((tmp_path / "clips").iterdir()) == []


def test_a_check_that_fails_leaves_no_clip(session: Session, export: JobSpec, tmp_path: Path) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no detector")

    with session, pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonymize.rendering.residual_faces.check_rendering", fail)
        with pytest.raises(RuntimeError):
            run_inline(session, export, Silent())
    assert list((tmp_path / "clips").iterdir()) == []


def test_the_study_keeps_the_name_of_a_clip_and_no_folder(session: Session, export: JobSpec) -> None:
    with session:
        result, _ = run_inline(session, export, Silent())
        kept = latest_run(session.study, export.recording_id, "anonymize")
    assert Path(cast(str, result["output"])).is_file()
    assert kept.result["output"] == "recording-0001-solid.mp4"
    assert "output" not in kept.parameters


def test_a_recording_that_is_held_out_is_never_exported(session: Session, export: JobSpec, tmp_path: Path) -> None:
    with session:
        hold_out(session, export.recording_id)
        with pytest.raises(UserError, match="held out"):
            anonymization.prepare(session, export.recording_id, "solid", tmp_path / "others")
        hold_out(session, export.recording_id, False)
        anonymization.prepare(session, export.recording_id, "solid", tmp_path / "others")
