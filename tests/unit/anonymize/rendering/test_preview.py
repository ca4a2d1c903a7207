"""One frame before and after, which leaves nothing behind."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from anonymize.export import export_job as anonymization
from anonymize.export import preview_job as preview
from anonymize.faces.face_review_edits import dismiss_faces
from anonymize.rendering.compositing import Painter
from anonymize.rendering.face_renderer import RenderPlan, create_painter
from media.decoding import iterate_frames
from media.frame_index import FrameIndex
from project.errors import Cancelled, UserError
from project.files.temporary_files import cache_folder
from project.progress import Silent
from project.queries.history_rows import runs_of
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.face_study import FRAMES, SIZE, Box, found_faces, only_recording, open_lab

FACE: Box = (20, 50, 24, 24)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


def shown(session: Session, time_us: int, method: str = "solid") -> preview.Preview:
    work = preview.prepare(session, only_recording(session), method, time_us)
    result, changes = run_inline(session, work, Silent())
    assert not changes
    return preview.take_preview(result)


@pytest.mark.parametrize("method", ["solid", "blur", "pixelate"])
def test_it_is_the_frame_that_an_export_would_have(session: Session, tmp_path: Path, method: str) -> None:
    found_faces(session, [FACE])
    made = shown(session, 90_000, method)
    assert (made.time_us, made.faces, made.undrawn, made.nearest_us) == (80_000, 1, False, None)
    source = [picture.image for picture in iterate_frames(tmp_path / "walk.mp4")]
    assert (made.before == source[2]).all()
    work = anonymization.prepare(session, only_recording(session), method, tmp_path / "clips")
    result, _ = run_inline(session, work, Silent())
    clip = [picture.image for picture in iterate_frames(Path(str(result["output"])))]
    assert np.abs(made.after.astype(int) - clip[2]).mean() < 3
    assert (made.after != made.before).any()


def test_it_leaves_neither_a_file_nor_a_run(session: Session) -> None:
    found_faces(session, [FACE])
    shown(session, 0)
    assert [path for path in cache_folder().rglob("*") if path.suffix == ".npz" and "index" not in path.name] == []
    assert runs_of(session.study, only_recording(session), "preview") == []


def test_a_preview_that_is_stopped_leaves_no_file(session: Session) -> None:
    class Stopped(Silent):
        def check_cancelled(self) -> None:
            raise Cancelled

    found_faces(session, [FACE])
    work = preview.prepare(session, only_recording(session), "solid", 0)
    with pytest.raises(Cancelled):
        preview.compute(work.parameters, Stopped())
    assert list((cache_folder() / "previews").glob("*")) == []


def test_where_no_face_is_hidden_it_says_which_frame_to_go_to(session: Session) -> None:
    (track,) = found_faces(session, [FACE])
    dismiss_faces(session, [track])
    made = shown(session, 0)
    assert (made.faces, made.nearest_us) == (0, None)
    assert (made.before == made.after).all()


def test_before_faces_were_looked_for_there_is_none(session: Session) -> None:
    with pytest.raises(UserError, match="not been tracked"):
        preview.prepare(session, only_recording(session), "solid", 0)


def test_past_the_end_it_is_the_last_frame(session: Session) -> None:
    found_faces(session, [FACE])
    assert shown(session, 10_000_000).time_us == (FRAMES - 1) * 40_000


def test_two_pictures_are_written(session: Session, tmp_path: Path) -> None:
    found_faces(session, [FACE])
    work = preview.prepare(session, only_recording(session), "solid", 40_000)
    said = preview.write_pictures(preview.compute(work.parameters, Silent()), tmp_path / "pictures")
    names = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert names == ["preview-00000040-after.png", "preview-00000040-before.png"]
    assert said["faces"] == 1
    assert next(iter(iterate_frames(tmp_path / "pictures" / names[0]))).image.shape[1::-1] == SIZE


def test_what_a_method_keeps_meanwhile_lies_among_the_previews(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path | None] = []

    def noted(plan: RenderPlan, index: FrameIndex) -> Painter:
        seen.append(plan.cache)
        return create_painter(plan, index)

    monkeypatch.setattr("anonymize.rendering.face_renderer.create_painter", noted)
    found_faces(session, [FACE])
    shown(session, 0)
    (own,) = seen
    assert own.parent == cache_folder() / "previews"
    assert not own.exists()
