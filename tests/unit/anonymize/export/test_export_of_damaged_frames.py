"""What was damaged when faces were looked for is covered, however it decodes later."""

from pathlib import Path
from typing import cast

import av

from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.export import export_job as anonymization
from anonymize.faces import face_tracking_job as face_tracking
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip


def test_frames_that_were_damaged_when_tracked_are_blanked(tmp_path: Path) -> None:
    Study.create(tmp_path / "lab.greenroom").close()
    clip = make_clip(tmp_path / "walk.mp4", frames=6, fps=25, size=(160, 120))
    with Session.open(tmp_path / "lab.greenroom") as session:
        (recording,), _ = add_recordings(session, [probe_file(clip)])
        tracking = face_tracking.prepare(session, recording)
        found = face_tracking.compute(tracking.parameters, Silent())
        assert found["damaged_frames"] == []
        face_tracking.store(session, tracking, {**found, "damaged_frames": [1, 4]})
        export = anonymization.prepare(session, recording, "solid", tmp_path / "clips")
        result, _ = run_inline(session, export, Silent())
    assert cast(list[float], result["blanked"]) == [0.04, 0.16]


def test_frames_that_are_damaged_are_known_to_the_study_and_covered(tmp_path: Path) -> None:
    Study.create(tmp_path / "lab.greenroom").close()
    clip = make_clip(tmp_path / "walk.mp4", frames=40, fps=25, size=(160, 120), gop=10)
    with av.open(str(clip)) as container:
        packets = [(packet.pos or 0, packet.size) for packet in container.demux(video=0) if packet.size]
    place, size = packets[20]
    data = bytearray(clip.read_bytes())
    data[place : place + size] = bytes(size)
    clip.write_bytes(data)
    with Session.open(tmp_path / "lab.greenroom") as session:
        (recording,), _ = add_recordings(session, [probe_file(clip)])
        run_inline(session, face_tracking.prepare(session, recording), Silent())
        run = latest_run(session.study, recording, "faces")
        damaged = cast(list[int], run.result["damaged_frames"])
        assert set(range(20, 30)) <= set(damaged) <= set(range(10, 30))
        export = anonymization.prepare(session, recording, "solid", tmp_path / "clips")
        assert export.parameters["damaged_frames"] == damaged
        result, _ = run_inline(session, export, Silent())
    assert cast(list[float], result["blanked"]) == [frame / 25 for frame in damaged]
