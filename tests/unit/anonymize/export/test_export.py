"""An export that was not looked at afterwards is none; what was damaged is covered; one frame before and after."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from annotate.study.recording_edits import add_recordings, probe_file
from annotate.team.assignments import hold_out
from anonymize.export import export_job as anonymization
from anonymize.export import preview_job as preview
from anonymize.faces import face_tracking_job as face_tracking
from media.decoding import iterate_frames
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.progress import Silent
from project.queries.history_rows import latest_run, runs_of
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.encoded import pictures_to_encode
from tests.builders.face_study import FRAMES, found_faces, only_recording, open_lab
from tests.builders.quiet_detector import detect_only

FACE = (20, 50, 24, 24)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    detect_only(monkeypatch)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        found_faces(opened, [FACE])
        yield opened


@pytest.fixture
def export(session: Session, tmp_path: Path) -> JobSpec:
    return anonymization.prepare(session, only_recording(session), "solid", tmp_path / "clips")


def test_a_clip_has_no_name_before_it_was_looked_at_and_none_where_that_fails(
    session: Session, export: JobSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Path] = []

    def stop(clip: Path, *_: object, **__: object) -> None:
        assert clip.stat().st_size > 0
        assert not export.parameters.output.exists()
        looked.append(clip)
        raise RuntimeError("no detector")

    monkeypatch.setattr("anonymize.rendering.residual_faces.check_rendering", stop)
    with pytest.raises(RuntimeError, match="no detector"):
        run_inline(session, export, Silent())
    assert len(looked) == 1
    assert list((tmp_path / "clips").iterdir()) == []
    assert latest_run(session.study, export.recording_id, "anonymize") is None


def test_the_study_keeps_the_name_of_a_clip_and_no_folder(session: Session, export: JobSpec) -> None:
    result, _ = run_inline(session, export, Silent())
    kept = latest_run(session.study, export.recording_id, "anonymize")
    assert result.output.is_file()
    assert kept.result["output"] == "recording-0001-solid.mp4"
    assert "output" not in kept.parameters


def test_a_recording_that_is_held_out_is_never_exported(session: Session, tmp_path: Path) -> None:
    hold_out(session, only_recording(session))
    with pytest.raises(UserError, match="held out"):
        anonymization.prepare(session, only_recording(session), "solid", tmp_path / "others")
    hold_out(session, only_recording(session), False)
    anonymization.prepare(session, only_recording(session), "solid", tmp_path / "others")


def test_frames_that_are_damaged_are_known_to_the_study_and_covered(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "walk.mp4", frames=40, fps=25, size=(160, 120), gop=10)
    with av.open(str(clip)) as container:
        packets = [(packet.pos or 0, packet.size) for packet in container.demux(video=0) if packet.size]
    place, size = packets[20]
    data = bytearray(clip.read_bytes())
    data[place : place + size] = bytes(size)
    clip.write_bytes(data)
    with Session(Study.create(tmp_path / "damaged.greenroom"), "Ada") as session:
        (recording,), _ = add_recordings(session, [probe_file(clip)])
        run_inline(session, face_tracking.prepare(session, recording), Silent())
        damaged = latest_run(session.study, recording, "faces").result["damaged_frames"]
        assert set(range(20, 30)) <= set(damaged) <= set(range(10, 30))
        work = anonymization.prepare(session, recording, "solid", tmp_path / "clips")
        assert work.parameters.damaged_frames == tuple(damaged)
        # However it decodes later, and also where fewer frames were looked at.
        elsewhere = replace(work.parameters, damaged_frames=(1, *damaged), frames=38)
        result = anonymization.compute(elsewhere, Silent())
    assert result.blanked == tuple(frame / 25 for frame in (1, *damaged, 38, 39))


# One frame before and after


def shown(session: Session, time_us: int, method: str = "solid") -> preview.Preview:
    work = preview.prepare(session, only_recording(session), method, time_us)
    result, changes = run_inline(session, work, Silent())
    assert not changes
    return preview.take_preview(result)


def test_a_preview_is_the_frame_of_an_export_and_leaves_nothing(session: Session, tmp_path: Path) -> None:
    made = shown(session, 90_000, "blur")
    assert (made.time_us, made.faces, made.undrawn, made.nearest_us) == (80_000, 1, False, None)
    assert (made.before == [picture.image for picture in iterate_frames(tmp_path / "walk.mp4")][2]).all()
    assert [path for path in cache_folder().rglob("*") if path.suffix == ".npz" and "index" not in path.name] == []
    assert runs_of(session.study, only_recording(session), "preview") == []
    with pictures_to_encode() as pictures:
        work = anonymization.prepare(session, only_recording(session), "blur", tmp_path / "clips")
        run_inline(session, work, Silent())
    light = made.after.astype(int) @ [299, 587, 114] / 1000
    assert np.abs(light - (pictures[2][0].astype(int) - 16) * 255 / 219).mean() < 3
    assert (made.after != made.before).any()
    assert shown(session, 10_000_000).time_us == (FRAMES - 1) * 40_000, "past the end it is the last frame"
