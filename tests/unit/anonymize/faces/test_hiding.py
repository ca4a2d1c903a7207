"""From what people drew and said to what a rendering hides, and to what its run says about it."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import anonymize.rendering.face_renderer
import anonymize.rendering.residual_faces
from annotate.study.people import add_participant
from anonymize.export import export_job as anonymization
from anonymize.faces.face_review_edits import assign_faces, dismiss_faces
from anonymize.faces.masking_plan import build_render_plan, gather_parameters, rendering_key
from anonymize.methods import face_methods as registry
from anonymize.methods.face_methods import Face, FaceSource, Image
from anonymize.methods.solid import Solid
from media.decoding import iterate_frames
from media.frame_index import load_index
from models.faces import face_detectors as detectors
from models.faces.track_file import save_tracks
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.entities.study_records import Json, ParticipantRole
from project.errors import Cancelled, UserError
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.progress import Progress, Silent
from project.queries.face_rows import insert_region, mask_state, set_track_box
from project.queries.history_rows import latest_run
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from tests.builders.encoded import is_one_colour, pictures_to_encode
from tests.builders.face_study import FRAMES, Box, found_faces, only_recording, open_lab

LEFT: Box = (20, 50, 24, 24)
RIGHT: Box = (110, 50, 24, 24)


class Green:
    """Draws faces that are green where the identity says so, and none for anybody else."""

    kind: ClassVar = "face"
    name: ClassVar = "green"
    title: ClassVar = "Green"
    description: ClassVar = "Green."
    reversible: ClassVar = False
    from_source: ClassVar = False
    needs: ClassVar[tuple[str, ...]] = ()
    options_type: ClassVar = Solid.options_type
    cache: ClassVar[list[Path | None]] = []

    def __init__(self, options: Any) -> None:
        self.options = options

    def begin(self, source: FaceSource, progress: Progress) -> None:
        assert source.cache is not None
        self.cache.append(source.cache)
        (source.cache / "done so far").write_text("half")

    def draw(self, face: Face) -> Image | None:
        if face.identity != "P01":
            return None
        drawn = np.zeros((*face.alpha.shape, 3), np.uint8)
        drawn[..., 1] = 200
        return drawn

    def end(self) -> None:
        pass


class Broken(Green):
    """Stops at the first face."""

    name: ClassVar = "broken"

    def draw(self, face: Face) -> Image | None:
        raise Cancelled


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


@pytest.fixture
def green(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Green, Broken):
        monkeypatch.setitem(registry.METHODS, kind.name, f"{__name__}:{kind.__name__}")
    Green.cache.clear()


def exported(session: Session, folder: Path, method: str = "solid", **more: Any) -> tuple[Mapping[str, Json], JobSpec]:
    work = anonymization.prepare(session, only_recording(session), method, folder, overwrite=True, **more)
    return run_inline(session, work, Silent())[0], work


def painted(session: Session, folder: Path, method: str, *boxes: Box) -> list[list[bool]]:
    """Export, and tell of each box and each frame whether its inside was painted over before it was encoded."""
    with pictures_to_encode() as given:
        exported(session, folder, method)
    return [[is_one_colour(picture, box, 6) for picture in given] for box in boxes]


def draw_region(session: Session, kind: RegionKind, box: Box, start: int = 0, end: int = FRAMES) -> str:
    x, y, width, height = (int(v) for v in box)
    keyframe = Keyframe(start * 40_000, x, y, width, height)
    new = Region(new_id(), only_recording(session), kind, "drawn", start * 40_000, end * 40_000, (keyframe,))
    with session.step("Draw region"):
        insert_region(session.study, new)
    return new.id


def test_a_face_drawn_by_hand_is_hidden_while_it_lasts(session: Session, tmp_path: Path) -> None:
    found_faces(session, [LEFT])
    draw_region(session, RegionKind.FACE, RIGHT, 2, 4)
    found, drawn = painted(session, tmp_path / "clips", "solid", LEFT, RIGHT)
    assert found == [True] * FRAMES
    assert drawn == [False, True, True, True, True, False], "a frame longer on either side, like every track"


def test_a_face_drawn_by_hand_is_not_lost_where_the_cache_has_another_list_of_frames(
    session: Session, tmp_path: Path
) -> None:
    found_faces(session, [])
    draw_region(session, RegionKind.FACE, RIGHT, 3, 5)
    path = session.require_picture(only_recording(session)).path
    load_index(path, cache_folder())
    (kept,) = cache_folder().glob("index-*.npz")
    with np.load(kept) as stored:
        arrays = {name: stored[name] for name in stored.files}
    np.savez(kept, **{**arrays, "times": arrays["times"][:2], "pts": arrays["pts"][:2]})
    with pytest.raises(UserError, match="list of the frames"):
        exported(session, tmp_path / "clips")
    assert not [*(tmp_path / "clips").glob("*.mp4")]
    (drawn,) = painted(session, tmp_path / "clips", "solid", RIGHT)
    assert drawn == [False, False, True, True, True, True]


def test_tracks_that_are_changed_in_the_cache_hide_nothing(session: Session, tmp_path: Path) -> None:
    found_faces(session, [LEFT])
    work = anonymization.prepare(session, only_recording(session), "solid", tmp_path / "clips", overwrite=True)
    save_tracks([], tmp_path).replace(str(work.parameters["tracks"]))
    with pytest.raises(UserError, match="changed in the cache"):
        run_inline(session, work, Silent())
    assert not [*(tmp_path / "clips").glob("*.mp4")]


def test_the_checksum_of_an_export_is_that_of_the_clip_that_was_looked_at(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_faces(session, [LEFT])
    raw = session.require_picture(only_recording(session)).path.read_bytes()
    render = anonymize.rendering.face_renderer.render

    def swapped(*given: Any) -> Any:
        done = render(*given)
        done.output.write_bytes(raw)
        return done

    monkeypatch.setattr(anonymize.rendering.face_renderer, "render", swapped)
    result, _ = exported(session, tmp_path / "clips")
    assert result["sha256"] != hashlib.sha256(raw).hexdigest()


def test_a_clip_that_is_another_one_while_it_is_looked_at_does_not_stay(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_faces(session, [LEFT])
    check = anonymize.rendering.residual_faces.check_rendering

    def swapped(clip: Path, *given: Any, **named: Any) -> Any:
        made = clip.read_bytes()
        result = check(clip, *given, **named)
        clip.write_bytes(made + b"more")
        return result

    monkeypatch.setattr(anonymize.rendering.residual_faces, "check_rendering", swapped)
    with pytest.raises(UserError, match="was changed or replaced"):
        exported(session, tmp_path / "clips")
    assert not [*(tmp_path / "clips").glob("*.mp4")]


def test_an_area_is_painted_whatever_the_method_and_nothing_is_not(session: Session, tmp_path: Path) -> None:
    found_faces(session, [])
    draw_region(session, RegionKind.AREA, LEFT)
    draw_region(session, RegionKind.NOTHING, RIGHT)
    area, nothing = painted(session, tmp_path / "clips", "blur", LEFT, RIGHT)
    assert (area, nothing) == ([True] * FRAMES, [False] * FRAMES)


def test_a_keyframe_moves_what_is_hidden(session: Session, tmp_path: Path) -> None:
    (track,) = found_faces(session, [LEFT])
    with session.step("Move face"):
        set_track_box(session.study, track, Keyframe(0, *(int(v) for v in RIGHT)))
    left, right = painted(session, tmp_path / "clips", "solid", LEFT, RIGHT)
    assert (left, right) == ([False] * FRAMES, [True] * FRAMES)


@pytest.mark.usefixtures("green")
def test_a_drawn_face_follows_the_pseudonym_and_one_that_cannot_be_drawn_is_said(
    session: Session, tmp_path: Path
) -> None:
    left, _ = found_faces(session, [LEFT, RIGHT])
    person, _ = add_participant(session, "P01", ParticipantRole.USER)
    assign_faces(session, [left], person)
    result, work = exported(session, tmp_path / "clips", "green")
    assert work.parameters["identities"] == {left: "P01"}
    image = next(iter(iterate_frames(Path(str(result["output"]))))).image.astype(int)
    assert image[62, 32, 1] > image[62, 32, 0] + 100
    assert result["undrawn"] == [frame * 0.04 for frame in range(FRAMES)]
    kept = latest_run(session.study, work.recording_id, "anonymize")
    assert not {"identities", "regions", "path", "tracks", "cuts"} & set(kept.parameters)


@pytest.mark.usefixtures("green")
def test_what_was_worked_out_is_kept_when_it_stops_and_gone_when_it_is_done(session: Session, tmp_path: Path) -> None:
    found_faces(session, [LEFT])
    with pytest.raises(Cancelled):
        exported(session, tmp_path / "clips", "broken")
    with pytest.raises(Cancelled):
        exported(session, tmp_path / "clips", "broken")
    first, again = Green.cache
    assert first == again, "the same work is taken up where it stopped"
    assert first is not None
    assert (first / "done so far").is_file()
    exported(session, tmp_path / "clips", "green")
    assert Green.cache[-1] not in (None, first)
    assert not Path(str(Green.cache[-1])).exists()


def test_another_mask_is_other_work(session: Session) -> None:
    (track,) = found_faces(session, [LEFT])

    def key(**options: Json) -> str:
        parameters = gather_parameters(session, only_recording(session), "blur", options)
        build_render_plan(parameters, Path("out.mp4"))
        return rendering_key(parameters, {})

    first = key()
    assert key() == first
    assert key(strength=0.6) != first
    dismiss_faces(session, [track])
    assert key() != first


def test_a_track_that_was_edited_while_it_rendered_makes_the_clip_outdated(session: Session, tmp_path: Path) -> None:
    (track,) = found_faces(session, [LEFT])
    recording = only_recording(session)
    work = anonymization.prepare(session, recording, "solid", tmp_path / "clips")
    state = mask_state(session.study, recording)
    assert work.parameters["mask_state"] == state
    result = anonymization.compute(work.parameters, Silent())
    dismiss_faces(session, [track])
    anonymization.store(session, work, result)
    kept = latest_run(session.study, recording, "anonymize")
    assert kept.result["outdated"] is True
    assert kept.parameters["mask_state"] == state, "it says which masks the clip has"
    exported(session, tmp_path / "clips")
    newer = latest_run(session.study, recording, "anonymize")
    assert newer.result["outdated"] is False


def test_a_method_without_its_weights_is_one_line_with_the_command(
    session: Session, tmp_path: Path, green: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_faces(session, [LEFT])
    monkeypatch.setattr(Green, "needs", ("yunet",))
    with pytest.raises(UserError, match="Green needs the weights “yunet”") as refused:
        exported(session, tmp_path / "clips", "green")
    assert refused.value.hint == "Get them with: greenroom models fetch yunet"
    assert not (tmp_path / "clips").exists()


def test_a_witness_looks_at_the_clip_where_one_is_installed(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_faces(session, [LEFT], detector="centerface")
    result, work = exported(session, tmp_path / "clips")
    assert (result["checked_by"], result["independent"]) == ("centerface", False)
    monkeypatch.setattr(detectors, "_is_installed", lambda name: True)
    with_yunet = anonymization.prepare(session, work.recording_id, "solid", tmp_path / "clips", overwrite=True)
    names = str(with_yunet.parameters["detector"]).split("+")
    assert "centerface" in names
    assert with_yunet.parameters["witness"] in names
    assert with_yunet.parameters["witness"] != "centerface"
