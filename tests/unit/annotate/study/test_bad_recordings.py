"""Exports of recordings that are not as one would like, and of exports that are stopped somewhere."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from annotate.study.recording_edits import add_recordings, probe_file, truncation_warning
from anonymize.export import export_job as anonymization
from anonymize.export import export_queue as rendering_queue
from anonymize.export.export_job import ClipExportResult
from anonymize.faces import face_tracking_job as face_tracking
from anonymize.methods import face_methods as registry
from anonymize.methods.face_methods import METHODS
from media.decoding import iterate_frames
from media.frame_index import load_index
from models.faces.track_file import save_tracks
from project.entities.study_records import FaceTrack
from project.errors import Cancelled
from project.files.fingerprints import file_sha256, hash_whole_file
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.progress import Silent
from project.queries.history_rows import latest_run
from project.queries.recording_rows import media_of
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.cancelling import CancelAt
from tests.builders.clips import Image, make_clip
from tests.builders.encoded import Planes, is_one_colour, pictures_to_encode
from tests.builders.face_study import Box, only_recording
from tests.builders.green_method import Green
from tests.builders.job_results import tracked
from tests.builders.terminal import Terminal

SIZE = (160, 120)
FRAMES = 12


def found_faces(session: Session, recording: str, times: NDArray[np.int64], boxes: Sequence[Box], **more: Any) -> None:
    """Store a run that found a face at rest at each of the boxes, in every picture whose time is given."""
    count = len(times)
    tracks = [
        FaceTrack(
            new_id(),
            np.arange(count, dtype=np.int32),
            times.astype(np.int64),
            np.array([box] * count, np.float32),
            np.ones(count, np.float32),
            np.zeros(count, np.uint8),
        )
        for box in boxes
    ]
    work = face_tracking.prepare(session, recording)
    facts = {"frames": count, "source_sha256": file_sha256(work.parameters.path), **more}
    result = tracked(save_tracks(tracks, cache_folder() / "faces"), tracks=len(tracks), **facts)
    face_tracking.store(session, work, result)


@contextmanager
def recorded(folder: Path, boxes: Sequence[Box] = (), cuts: Sequence[int] = (), **clip: Any) -> Iterator[Session]:
    """A study with one clip, in which a run found a face at rest at each of the boxes."""
    folder.mkdir(exist_ok=True)
    file = make_clip(folder / "walk.mp4", **{"size": SIZE, "frames": FRAMES, "fps": 25, **clip})
    with Session(Study.create(folder / "lab.greenroom"), "Ada") as session:
        (recording,), _ = add_recordings(session, [probe_file(file)])
        found_faces(session, recording, load_index(file).times.times_us, boxes, cuts=tuple(cuts))
        yield session


def exported(session: Session, folder: Path, method: str = "solid") -> tuple[ClipExportResult, list[Image]]:
    work = anonymization.prepare(session, only_recording(session), method, folder, overwrite=True)
    result, _ = run_inline(session, work, Silent())
    return result, [picture.image for picture in iterate_frames(result.output)]


NEED_NO_WEIGHTS = [name for name in METHODS if not registry.method_type(name).needs]
ONE_OF_THEM = [NEED_NO_WEIGHTS[0], *(pytest.param(name, marks=pytest.mark.soak) for name in NEED_NO_WEIGHTS[1:])]


def painted(session: Session, folder: Path) -> list[Planes]:
    """Export, and return the pictures as they were encoded."""
    with pictures_to_encode() as given:
        exported(session, folder)
    return given


@pytest.mark.parametrize("method", NEED_NO_WEIGHTS)
def test_a_recording_without_a_face_stays_as_it_is(tmp_path: Path, method: str) -> None:
    with recorded(tmp_path / "lab", sound=True) as session:
        result, shown = exported(session, tmp_path / "clips", method)
    source = [picture.image for picture in iterate_frames(tmp_path / "lab" / "walk.mp4")]
    assert (result.frames, result.faces_left, result.undrawn) == (FRAMES, (), ())
    assert max(np.abs(a.astype(int) - b).mean() for a, b in zip(shown, source, strict=True)) < 3


def test_forty_faces_are_all_hidden(tmp_path: Path) -> None:
    boxes: list[Box] = [(x * 80 + 20, y * 90 + 20, 40, 48) for y in range(5) for x in range(8)]
    with recorded(tmp_path / "lab", boxes, size=(640, 480), frames=4) as session:
        shown = painted(session, tmp_path / "clips")
    assert all(is_one_colour(picture, box, 5) for picture in shown for box in boxes)


@pytest.mark.parametrize("box", [(-20, 30, 50, 60), (130, 90, 60, 60), (60, -30, 40, 50), (-10, -10, 200, 160)])
def test_a_face_at_the_border_is_hidden_as_far_as_it_is_seen(tmp_path: Path, box: Box) -> None:
    with recorded(tmp_path / "lab", [box]) as session:
        shown = painted(session, tmp_path / "clips")
    assert all(is_one_colour(picture, box, 5) for picture in shown)


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_in_a_turned_video_the_face_is_hidden_where_it_is_seen(tmp_path: Path, rotation: int) -> None:
    box: Box = (20, 70, 30, 40) if rotation % 180 else (90, 20, 30, 40)
    with recorded(tmp_path / "lab", [box], rotation=rotation) as session:
        shown = painted(session, tmp_path / "clips")
    assert {brightness.shape for brightness, _, _ in shown} == {(160, 120) if rotation % 180 else (120, 160)}
    assert all(is_one_colour(picture, box, 5) for picture in shown)


def cutting(index: int, width: int, height: int) -> Image:
    """Another scene every five frames, every other one of them black."""
    scene = index // 5
    if scene % 2:
        return np.zeros((height, width, 3), np.uint8)
    blocks = np.random.default_rng(scene).integers(0, 256, (height // 4, width // 4, 3), np.uint8)
    return np.ascontiguousarray(blocks.repeat(4, 0).repeat(4, 1))


@pytest.mark.parametrize("method", ONE_OF_THEM)
def test_cuts_and_black_frames_are_rendered_like_any_other(tmp_path: Path, method: str) -> None:
    box: Box = (60, 40, 40, 50)
    with recorded(tmp_path / "lab", [box], cuts=range(5, 30, 5), frames=30, draw=cutting) as session:
        result, shown = exported(session, tmp_path / "clips", method)
    assert (result.frames, result.blanked) == (30, ())
    source = [picture.image for picture in iterate_frames(tmp_path / "lab" / "walk.mp4")]
    for before, after in zip(source, shown, strict=True):
        inside = slice(50, 80), slice(70, 90)
        detail = [np.abs(np.diff(image[inside].astype(int), axis=1)).mean() for image in (before, after)]
        assert detail[1] <= detail[0] / 2 or detail[0] < 2


@pytest.mark.parametrize("method", ONE_OF_THEM)
@pytest.mark.parametrize(
    "name", ["talk_vfr_tags.mp4", pytest.param("face_noface_vfr_hevc.mov", marks=pytest.mark.soak)]
)
def test_real_files_of_variable_rate_keep_every_time_stamp(
    shared_data: Path, tmp_path: Path, name: str, method: str
) -> None:
    source = shared_data / "media" / name
    times = load_index(source).times.times_us
    with Session(Study.create(tmp_path / "lab.greenroom"), "Ada") as session:
        (recording,), _ = add_recordings(session, [probe_file(source)])
        found_faces(session, recording, times[:40], [(200, 150, 200, 240)], frames=len(times))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("anonymize.rendering.residual_faces.check_rendering", lambda *_, **__: _Clean())
            result, _ = run_inline(
                session, anonymization.prepare(session, recording, method, tmp_path / "clips"), Silent()
            )
    after = load_index(result.output).times.times_us
    assert len(after) == len(times) == result.frames
    assert np.abs((after - after[0]) - (times - times[0])).max() <= 1


class _Clean:
    faces_left: tuple[int, ...] = ()
    doubtful: tuple[int, ...] = ()


@pytest.fixture(scope="module")
def stopped_at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[int, str], None]]:
    folder = tmp_path_factory.mktemp("stopped")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry.METHODS, "green", f"{Green.__module__}:Green")
        with recorded(folder / "lab", [(20, 50, 24, 24)], sound=True) as session:
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


@settings(max_examples=settings.default.max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 10_000), method=st.sampled_from(["blur", "green"]))
def test_stopped_at_any_point_nothing_is_left(stopped_at: Callable[[int, str], None], at: int, method: str) -> None:
    stopped_at(at, method)


def test_a_queue_that_is_stopped_anywhere_goes_on_to_the_same_clips(tmp_path: Path) -> None:
    with recorded(tmp_path / "lab", [(20, 50, 24, 24)]) as session:
        queue = rendering_queue.make_queue(
            session, [only_recording(session)], {"solid": {}, "blur": {}}, tmp_path / "clips"
        )
        with suppress(Cancelled):
            list(rendering_queue.run_queue(session, queue, lambda _: CancelAt(9)))
        again = rendering_queue.load_unfinished(session)
        assert again is not None
        list(rendering_queue.run_queue(session, again, lambda _: Silent()))
        assert rendering_queue.load_unfinished(session) is None
        assert latest_run(session.study, only_recording(session), "anonymize") is not None
    names = sorted(path.name for path in (tmp_path / "clips").iterdir())
    assert names == ["recording-0001-blur.mp4", "recording-0001-solid.mp4"]


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
        assert faces.ends_early_s == missing
        export = anonymization.prepare(session, recording, "solid", tmp_path / "clips")
        clip, _ = run_inline(session, export, Silent())
    assert clip.ends_early_s == missing


def test_a_whole_file_is_added_without_a_warning(tmp_path: Path) -> None:
    assert truncation_warning(probe_file(make_clip(tmp_path / "a.mp4", frames=5, size=(160, 120)))) is None
