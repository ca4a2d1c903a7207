"""From what people drew and said in the study to what an export hides, and to what its run says about it."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from annotate.study.people import add_participant, change_role
from annotate.study.recording_edits import undo
from anonymize.export import export_job as anonymization
from anonymize.export.export_job import ClipExportResult
from anonymize.faces.face_review_edits import assign_faces, dismiss_faces
from anonymize.methods import face_methods as registry
from anonymize.methods.face_methods import Face, Image
from anonymize.rendering import face_renderer, residual_faces
from models.faces import face_detectors as detectors
from models.faces.track_file import save_tracks
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.entities.study_records import Json, ParticipantRole
from project.errors import Cancelled, UserError
from project.ids import new_id
from project.progress import Silent
from project.queries.face_rows import insert_region, mask_state, set_track_box
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_participants
from project.session.jobs import JobSpec, run_inline
from project.session.session import Session
from tests.builders.encoded import Planes, inside, is_one_colour, pictures_to_encode
from tests.builders.face_study import FRAMES, Box, found_faces, only_recording, open_lab
from tests.builders.green_method import Green
from tests.builders.quiet_detector import detect_only

LEFT: Box = (20, 50, 24, 24)
RIGHT: Box = (110, 50, 24, 24)
ALL, NONE = [True] * FRAMES, [False] * FRAMES


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    detect_only(monkeypatch)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    return tmp_path / "clips"


Exported = tuple[ClipExportResult, JobSpec, list[Planes]]


def exported(session: Session, folder: Path, method: str = "solid", **more: Any) -> Exported:
    """Export; return what its run says, the job, and the pictures before they were encoded."""
    work = anonymization.prepare(session, only_recording(session), method, folder, overwrite=True, **more)
    with pictures_to_encode() as pictures:
        result, _ = run_inline(session, work, Silent())
    return result, work, pictures


def hidden(session: Session, folder: Path, method: str = "solid", **more: Any) -> list[list[bool]]:
    """Export, and tell of both places and each frame whether the inside was painted over before it was encoded."""
    _, _, pictures = exported(session, folder, method, **more)
    return [[is_one_colour(picture, place, 6) for picture in pictures] for place in (LEFT, RIGHT)]


def draw_region(session: Session, kind: RegionKind, box: Box, start: int = 0, end: int = FRAMES) -> None:
    keyframe = Keyframe(start * 40_000, *(int(side) for side in box))
    new = Region(new_id(), only_recording(session), kind, "drawn", start * 40_000, end * 40_000, (keyframe,))
    with session.step("Draw region"):
        insert_region(session.study, new)


def test_every_face_is_hidden_until_something_is_said(session: Session, clips: Path) -> None:
    found_faces(session, [LEFT, RIGHT])
    assert hidden(session, clips) == [ALL, ALL]
    assert hidden(session, clips, keep_robots=True) == [ALL, ALL]


def test_only_the_face_of_a_robot_stays_and_only_when_asked_for(session: Session, clips: Path) -> None:
    left, right = found_faces(session, [LEFT, RIGHT])
    robot, _ = add_participant(session, "R1", ParticipantRole.ROBOT)
    user, _ = add_participant(session, "P01", ParticipantRole.USER)
    assign_faces(session, [left], robot)
    assign_faces(session, [right], user)
    assert hidden(session, clips) == [ALL, ALL]
    assert hidden(session, clips, keep_robots=True) == [NONE, ALL]
    (person,) = [p for p in all_participants(session.study) if p.id == user]
    change_role(session, person, ParticipantRole.BYSTANDER)
    assert hidden(session, clips, keep_robots=True) == [NONE, ALL]


def test_what_is_no_face_is_shown_until_it_is_taken_back_or_found_anew(session: Session, clips: Path) -> None:
    left, _ = found_faces(session, [LEFT, RIGHT])
    dismiss_faces(session, [left])
    assert hidden(session, clips) == [NONE, ALL]
    assert undo(session).name == "Dismiss face"
    assert hidden(session, clips) == [ALL, ALL]
    dismiss_faces(session, [left])
    found_faces(session, [LEFT, RIGHT])
    assert hidden(session, clips) == [ALL, ALL]


def test_an_area_is_painted_whatever_the_method_and_nothing_is_not(session: Session, clips: Path) -> None:
    found_faces(session, [])
    draw_region(session, RegionKind.AREA, LEFT)
    draw_region(session, RegionKind.NOTHING, RIGHT)
    assert hidden(session, clips, "blur") == [ALL, NONE]


def test_a_keyframe_moves_what_is_hidden(session: Session, clips: Path) -> None:
    (track,) = found_faces(session, [LEFT])
    with session.step("Move face"):
        set_track_box(session.study, track, Keyframe(0, *(int(side) for side in RIGHT)))
    assert hidden(session, clips) == [NONE, ALL]


def test_a_face_drawn_by_hand_is_hidden_while_it_lasts(session: Session, clips: Path) -> None:
    found_faces(session, [LEFT])
    draw_region(session, RegionKind.FACE, RIGHT, 3, 5)
    drawn = [False, False, True, True, True, True]  # a frame longer on either side, like every track
    assert hidden(session, clips) == [ALL, drawn]


def test_tracks_of_another_file_or_changed_ones_hide_nothing(session: Session, clips: Path, tmp_path: Path) -> None:
    found_faces(session, [LEFT], fingerprint="another file's")
    with pytest.raises(UserError, match="not been tracked"):
        exported(session, clips)
    found_faces(session, [LEFT])
    work = anonymization.prepare(session, only_recording(session), "solid", clips)
    save_tracks([], tmp_path).replace(work.parameters.tracks)
    with pytest.raises(UserError, match="in the cache have changed"):
        run_inline(session, work, Silent())
    content = bytearray((tmp_path / "walk.mp4").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "walk.mp4").write_bytes(content)
    with pytest.raises(UserError, match="not the one that was added"):
        exported(session, clips)
    assert not [*clips.glob("*.mp4")]


def test_the_checksum_is_of_the_clip_that_was_checked(
    session: Session, clips: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_faces(session, [LEFT])
    raw = session.require_picture(only_recording(session)).path.read_bytes()
    render, check = face_renderer.render, residual_faces.check_rendering

    def replaced_after(*given: Any) -> Any:
        done = render(*given)
        done.output.write_bytes(raw)
        return done

    def replaced_meanwhile(clip: Path, *given: Any, **named: Any) -> Any:
        result = check(clip, *given, **named)
        clip.write_bytes(clip.read_bytes() + b"more")
        return result

    with monkeypatch.context() as patch:
        patch.setattr(face_renderer, "render", replaced_after)
        assert exported(session, clips)[0].sha256 != hashlib.sha256(raw).hexdigest()
    monkeypatch.setattr(residual_faces, "check_rendering", replaced_meanwhile)
    with pytest.raises(UserError, match="was changed or replaced"):
        exported(session, clips / "others")
    assert not [*(clips / "others").glob("*.mp4")]


def test_the_check_knows_which_faces_may_stay(session: Session, clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    detect_only(monkeypatch, [LEFT])
    robot, _ = add_participant(session, "R1", ParticipantRole.ROBOT)
    tracks = found_faces(session, [LEFT])

    def checked(**more: Any) -> tuple[Json, Json]:
        result, _, _ = exported(session, clips, keep_robots=True, **more)
        return result.faces_left, result.doubtful

    assert checked() == (tuple(frame * 0.04 for frame in range(FRAMES)), ())
    assign_faces(session, tracks, robot)
    assert checked() == ((), ()), "a robot's face may be seen"
    dismiss_faces(session, tracks)
    assert checked() == ((), ()), "somebody said that there is nothing to hide"
    found_faces(session, [])
    assert checked(start_us=120_000) == ((), (0.12, 0.16, 0.2)), "times are those of the recording"


def test_a_witness_that_is_installed_looks_too(session: Session, clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found_faces(session, [LEFT], detector="centerface")
    result, work, _ = exported(session, clips)
    assert (result.checked_by, result.independent) == ("centerface", False)
    monkeypatch.setattr(detectors.DETECTORS, "is_installed", lambda name: True)
    with_others = anonymization.prepare(session, work.recording_id, "solid", clips, overwrite=True).parameters
    names = with_others.detector.split("+")
    assert "centerface" in names
    assert with_others.witness in names
    assert with_others.witness != "centerface"


class OnlyFirst(Green):
    """Draws nobody but P01."""

    def draw(self, face: Face) -> Image | None:
        return super().draw(face) if face.identity == "P01" else None


class Broken(Green):
    """Stops at the first face."""

    name: ClassVar = "broken"

    def draw(self, face: Face) -> Image | None:
        raise Cancelled


@pytest.fixture
def green(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (OnlyFirst, Broken):
        monkeypatch.setitem(registry.METHODS, kind.name, f"{__name__}:{kind.__name__}")
    Green.caches.clear()


@pytest.mark.usefixtures("green")
def test_a_drawn_face_follows_the_pseudonym_and_one_that_cannot_be_drawn_is_said(session: Session, clips: Path) -> None:
    left, _ = found_faces(session, [LEFT, RIGHT])
    person, _ = add_participant(session, "P01", ParticipantRole.USER)
    assign_faces(session, [left], person)
    result, work, pictures = exported(session, clips, "green")
    assert work.parameters.identities == {left: "P01"}
    drawn, painted = ([plane.mean() for plane in inside(pictures[0], place, 6)] for place in (LEFT, RIGHT))
    assert drawn[0] > 130 > 80 > drawn[1]
    assert painted == pytest.approx([128] * 3, abs=1)
    assert result.undrawn == tuple(frame * 0.04 for frame in range(FRAMES))
    kept = latest_run(session.study, work.recording_id, "anonymize")
    assert not {"identities", "regions", "path", "tracks", "cuts"} & set(kept.parameters)


@pytest.mark.usefixtures("green")
def test_what_was_worked_out_is_kept_when_it_stops_and_gone_when_it_is_done(session: Session, clips: Path) -> None:
    found_faces(session, [LEFT])
    for _ in range(2):
        with pytest.raises(Cancelled):
            exported(session, clips, "broken")
    first, again = Green.caches
    assert first == again, "the same work is taken up where it stopped"
    assert (first / "done so far").is_file()
    exported(session, clips, "green")
    assert Green.caches[-1] not in (None, first)
    assert not Green.caches[-1].exists()


def test_a_track_that_was_edited_while_it_rendered_makes_the_clip_outdated(session: Session, clips: Path) -> None:
    (track,) = found_faces(session, [LEFT])
    recording = only_recording(session)
    work = anonymization.prepare(session, recording, "solid", clips)
    state = mask_state(session.study, recording)
    assert work.parameters.mask_state == state
    result = anonymization.compute(work.parameters, Silent())
    dismiss_faces(session, [track])
    anonymization.store(session, work, result)
    kept = latest_run(session.study, recording, "anonymize")
    assert kept.result["outdated"] is True
    assert kept.parameters["mask_state"] == state, "it says which masks the clip has"
    exported(session, clips)
    assert latest_run(session.study, recording, "anonymize").result["outdated"] is False
