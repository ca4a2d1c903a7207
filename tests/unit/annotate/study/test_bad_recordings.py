"""Exports of recordings that are not as one would like, and of exports that are stopped somewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.study.recording_edits import add_recordings, probe_file, truncation_warning
from anonymize.export import export_job as anonymization
from anonymize.faces import face_tracking_job as face_tracking
from anonymize.methods import face_methods as registry
from media.frame_index import load_index
from models.faces.track_file import save_tracks
from project.errors import Cancelled
from project.files.fingerprints import file_sha256, hash_whole_file
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.progress import Silent
from project.queries.recording_rows import media_of
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.cancelling import CancelAt
from tests.builders.clips import make_clip
from tests.builders.encoded import is_one_colour, pictures_to_encode
from tests.builders.face_study import Box, only_recording
from tests.builders.face_tracks import track
from tests.builders.green_method import Green
from tests.builders.job_results import tracked
from tests.builders.terminal import Terminal

SIZE = (160, 120)


@contextmanager
def recorded(folder: Path, box: Box, **clip: Any) -> Iterator[Session]:
    """A study with one clip, in which a run found a face at rest."""
    folder.mkdir(exist_ok=True)
    file = make_clip(folder / "walk.mp4", size=SIZE, frames=4, fps=25, **clip)
    times = load_index(file).times.times_us
    found = track([box] * len(times), times_us=times, name=new_id())
    with Session(Study.create(folder / "lab.greenroom"), "Ada") as session:
        (recording,), _ = add_recordings(session, [probe_file(file)])
        work = face_tracking.prepare(session, recording)
        kept = save_tracks([found], cache_folder() / "faces")
        face_tracking.store(session, work, tracked(kept, len(times), 1, source_sha256=file_sha256(file)))
        yield session


@pytest.mark.parametrize(
    ("box", "rotation"),
    [((-20, 30, 50, 60), 0), ((60, -30, 40, 50), 0), ((20, 70, 30, 40), 90), ((90, 20, 30, 40), 180)],
)
def test_a_face_at_the_border_and_in_a_turned_video_is_hidden_where_it_is_seen(
    tmp_path: Path, box: Box, rotation: int
) -> None:
    with recorded(tmp_path / "lab", box, **({"rotation": rotation} if rotation else {})) as session:
        work = anonymization.prepare(session, only_recording(session), "solid", tmp_path / "clips")
        with pictures_to_encode() as shown:
            run_inline(session, work, Silent())
    assert {brightness.shape for brightness, _, _ in shown} == {(160, 120) if rotation == 90 else (120, 160)}
    assert all(is_one_colour(picture, box, 5) for picture in shown)


@pytest.fixture(scope="module")
def stopped_at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[int, str], None]]:
    folder = tmp_path_factory.mktemp("stopped")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry.METHODS, "green", f"{Green.__module__}:Green")
        with recorded(folder / "lab", (20, 50, 24, 24), sound=True) as session:
            counted = {}
            for method in ("blur", "green"):
                progress = CancelAt(None)
                work = anonymization.prepare(session, only_recording(session), method, folder / "whole")
                # The file is read whole once in a process, with looks of its own.
                hash_whole_file(work.parameters.path)
                run_inline(session, work, progress)
                counted[method] = progress.looks
            runs = len(session.study.rows("SELECT id FROM run"))

            def stop(at: int, method: str) -> None:
                work = anonymization.prepare(session, only_recording(session), method, folder / "clips", overwrite=True)
                with pytest.raises(Cancelled):
                    run_inline(session, work, CancelAt(1 + at % counted[method]))
                assert list((folder / "clips").iterdir()) == []
                assert list((cache_folder() / "faces").glob("*.npz")) == []
                assert len(session.study.rows("SELECT id FROM run")) == runs

            yield stop


@settings(max_examples=settings.default.max_examples // 3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 10_000), method=st.sampled_from(["blur", "green"]))
def test_stopped_at_any_point_nothing_is_left(stopped_at: Callable[[int, str], None], at: int, method: str) -> None:
    stopped_at(at, method)


def test_a_file_that_was_cut_off_is_said_to_end_early_where_it_is_added_and_in_results(
    tmp_path: Path, greenroom: Terminal
) -> None:
    whole = make_clip(tmp_path / "whole.mp4", frames=5, size=SIZE)
    cut = make_clip(tmp_path / "walk.mkv", frames=40, fps=25, size=SIZE, gop=10)
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    assert truncation_warning(probe_file(whole)) is None
    greenroom("new", tmp_path / "lab.greenroom")
    (line,) = [
        line for line in greenroom("add", tmp_path / "lab.greenroom", whole, cut).splitlines() if "early" in line
    ]
    assert "walk.mkv" in line
    with Session(Study.create(tmp_path / "two.greenroom")) as session:
        (recording,), _ = add_recordings(session, [probe_file(cut)])
        (medium,) = media_of(session.study, recording)
        missing = medium.facts.missing_us / 1e6
        assert 0.3 < missing < 1.6
        faces, _ = run_inline(session, face_tracking.prepare(session, recording), Silent())
        assert faces.ends_early_s == missing
        export = anonymization.prepare(session, recording, "solid", tmp_path / "clips")
        clip, _ = run_inline(session, export, Silent())
    assert clip.ends_early_s == missing
