"""Many clips in one queue: what fails is listed, the rest is made, and a crash costs one clip."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.export import export_job as anonymization
from anonymize.export import export_queue as rendering_queue
from anonymize.export.export_queue import ClipState, load_unfinished, make_queue, run_queue
from project.errors import Cancelled, UserError
from project.progress import Progress, Silent
from project.queries.history_rows import runs_of
from project.queries.recording_rows import all_recordings
from project.session.jobs import JobSpec
from project.session.session import Session
from tests.builders.clips import make_clip
from tests.builders.face_pictures import StopAfter
from tests.builders.face_study import SIZE, found_faces, open_lab
from tests.builders.quiet_detector import detect_only

METHODS = {"solid": {}, "blur": {"strength": 0.5}}


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    detect_only(monkeypatch)
    with open_lab(tmp_path) as opened:
        found_faces(opened, [(20, 50, 24, 24)])
        add_recordings(opened, [probe_file(make_clip(tmp_path / "talk.mp4", size=SIZE, frames=4, fps=25))])
        yield opened


def ids(session: Session) -> list[str]:
    return [recording.id for recording in all_recordings(session.study)]


def silent(_work: JobSpec) -> Progress:
    return Silent()


def test_what_fails_is_listed_and_the_rest_is_made(session: Session, tmp_path: Path) -> None:
    queue = make_queue(session, ids(session), METHODS, tmp_path / "clips")
    ended = [(clip.method, clip.state, clip.problem) for clip, _ in run_queue(session, queue, silent)]
    assert [state for _, state, _ in ended] == [ClipState.DONE, ClipState.DONE, ClipState.FAILED, ClipState.FAILED]
    assert "have not been tracked yet" in ended[2][2]
    names = sorted(path.name for path in (tmp_path / "clips").iterdir())
    assert names == ["recording-0001-blur.mp4", "recording-0001-solid.mp4"]
    kept = runs_of(session.study, ids(session)[0], "anonymize")
    assert {run.backend: run.result["options"] for run in kept}["blur"] == {"strength": 0.5}
    again = load_unfinished(session)
    assert [clip.method for clip in again.pending] == ["solid", "blur"], "what failed is tried again"


def test_after_a_crash_one_clip_is_made_again(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = make_queue(session, ids(session)[:1], METHODS, tmp_path / "clips")

    def crash(session: Session, work: JobSpec, result: object) -> None:
        raise KeyboardInterrupt

    running = run_queue(session, queue, silent)
    next(running)
    first = (tmp_path / "clips" / "recording-0001-solid.mp4").stat().st_mtime_ns
    with monkeypatch.context() as patch:
        patch.setattr(anonymization, "JOB", replace(anonymization.JOB, store=crash))
        with pytest.raises(KeyboardInterrupt):
            next(running)
    assert (tmp_path / "clips" / "recording-0001-blur.mp4").exists(), "it crashed after the clip had its name"
    again = load_unfinished(session)
    assert [(clip.method, clip.state) for clip in again.pending] == [("blur", ClipState.RUNNING)]
    assert [clip.state for clip, _ in run_queue(session, again, silent)] == [ClipState.DONE]
    assert (tmp_path / "clips" / "recording-0001-solid.mp4").stat().st_mtime_ns == first
    assert load_unfinished(session) is None


def test_stopping_is_no_failure(session: Session, tmp_path: Path) -> None:
    queue = make_queue(session, ids(session)[:1], METHODS, tmp_path / "clips")
    with pytest.raises(Cancelled):
        list(run_queue(session, queue, lambda _work: StopAfter(1)))
    again = load_unfinished(session)
    assert len(again.pending) == 2
    assert list((tmp_path / "clips").iterdir()) == []


def test_a_disk_without_room_and_an_unknown_method_are_told_beforehand(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UserError, match="no anonymization method"):
        make_queue(session, ids(session), {"magic": {}}, tmp_path / "clips")
    whole, half = (rendering_queue.estimate_clip_size(session, ids(session)[0], *span) for span in ((), (0, 120_000)))
    assert half == pytest.approx(whole / 2, rel=0.1)
    needed = sum(rendering_queue.estimate_clip_size(session, recording) for recording in ids(session))
    assert 0 < needed < 200_000
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=needed * 2 - 1))
    make_queue(session, ids(session), {"solid": {}}, tmp_path / "clips")
    with pytest.raises(UserError, match="The clips need"):
        make_queue(session, ids(session), METHODS, tmp_path / "clips")
    assert not (tmp_path / "clips").exists()
