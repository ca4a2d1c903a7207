"""Who is hidden in an export, and whose face may stay: from what was said in the study to the pixels of the clip."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotate.study.people import add_participant, change_role
from annotate.study.recording_edits import add_recordings, probe_file, undo
from anonymize.export import export_job as anonymization
from anonymize.faces import face_tracking_job as face_tracking
from anonymize.faces.face_review_edits import assign_faces, dismiss_faces
from media.decoding import iterate_frames
from models.faces.track_file import save_tracks
from project.entities.study_records import Json, ParticipantRole
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.progress import Silent
from project.queries.face_rows import tracks_of
from project.queries.recording_rows import all_participants
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.encoded import Planes, distance, inside, pictures_to_encode
from tests.builders.face_study import FRAMES, Box, found_faces, only_recording, open_lab
from tests.contract.footage import face_clip

LEFT: Box = (20, 50, 24, 24)
RIGHT: Box = (110, 50, 24, 24)
EDGE = 4
"""What is this far inside a face, in pixels, is hidden: its last ones may show."""


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_lab(tmp_path) as opened:
        yield opened


def hidden(session: Session, folder: Path, *, keep_robots: bool = False) -> list[bool]:
    """Export, and tell of each of the two places whether its inside is one colour in every frame.

    It is exactly one colour, or exactly as it was filmed, where the encoder gets it. What the clip shows is nearer to
    that than to the other: how near, encoders and processors differ in.
    """
    work = anonymization.prepare(
        session, only_recording(session), "solid", folder, keep_robots=keep_robots, overwrite=True
    )
    filmed = planes_of(folder.parent / "walk.mp4")
    with pictures_to_encode() as painted:
        result, _ = run_inline(session, work, Silent())
    shown = planes_of(Path(str(result["output"])))
    assert len(filmed) == len(painted) == len(shown) == FRAMES
    covered = []
    for place in (LEFT, RIGHT):
        flat = set()
        for before, to_encode, after in zip(filmed, painted, shown, strict=True):
            face, given, seen = (inside(picture, place, EDGE) for picture in (before, to_encode, after))
            grey = [np.full_like(part, part[0, 0]) for part in given]
            flat.add(distance(given, grey) == 0)
            if distance(given, grey) == 0:
                assert distance(seen, given) < distance(seen, face)
            else:
                assert distance(given, face) == 0
                assert distance(seen, face) < distance(seen, [np.full_like(part, part.mean()) for part in face])
        assert len(flat) == 1, "a face is hidden in every frame or in none"
        covered.append(flat.pop())
    return covered


def planes_of(clip: Path) -> list[Planes]:
    """Return the pictures of a clip."""
    return [tuple(plane.copy() for plane in picture.planes) for picture in iterate_frames(clip)]


def test_every_face_is_hidden_until_something_is_said(session: Session, tmp_path: Path) -> None:
    found_faces(session, [LEFT, RIGHT])
    assert hidden(session, tmp_path / "clips") == [True, True]
    assert hidden(session, tmp_path / "clips", keep_robots=True) == [True, True]


def test_only_the_face_of_a_robot_stays_and_only_when_asked_for(session: Session, tmp_path: Path) -> None:
    left, right = found_faces(session, [LEFT, RIGHT])
    robot, _ = add_participant(session, "R1", ParticipantRole.ROBOT)
    user, _ = add_participant(session, "P01", ParticipantRole.USER)
    assign_faces(session, [left], robot)
    assign_faces(session, [right], user)
    assert hidden(session, tmp_path / "clips") == [True, True]
    assert hidden(session, tmp_path / "clips", keep_robots=True) == [False, True]
    (person,) = [p for p in all_participants(session.study) if p.id == user]
    change_role(session, person, ParticipantRole.BYSTANDER)
    assert hidden(session, tmp_path / "clips", keep_robots=True) == [False, True]


def test_what_is_no_face_is_not_hidden_until_that_is_taken_back(session: Session, tmp_path: Path) -> None:
    left, _ = found_faces(session, [LEFT, RIGHT])
    dismiss_faces(session, [left])
    assert hidden(session, tmp_path / "clips") == [False, True]
    assert undo(session).name == "Dismiss face"
    assert hidden(session, tmp_path / "clips") == [True, True]


def test_tracks_that_were_found_anew_are_hidden_whatever_was_said_about_the_old_ones(
    session: Session, tmp_path: Path
) -> None:
    left, _ = found_faces(session, [LEFT, RIGHT])
    dismiss_faces(session, [left])
    found_faces(session, [LEFT, RIGHT])
    assert hidden(session, tmp_path / "clips") == [True, True]


def test_tracks_of_other_content_are_not_used(session: Session, tmp_path: Path) -> None:
    found_faces(session, [LEFT], fingerprint="another file's")
    with pytest.raises(UserError, match="not been tracked"):
        hidden(session, tmp_path / "clips")
    assert not (tmp_path / "clips").exists()


def test_a_file_of_the_same_size_with_other_content_is_not_exported(session: Session, tmp_path: Path) -> None:
    found_faces(session, [LEFT])
    content = bytearray((tmp_path / "walk.mp4").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "walk.mp4").write_bytes(content)
    with pytest.raises(UserError, match="not the one that was added"):
        hidden(session, tmp_path / "clips")


def test_frames_that_were_not_looked_at_are_covered(session: Session, tmp_path: Path) -> None:
    found_faces(session, [])
    work = anonymization.prepare(session, only_recording(session), "solid", tmp_path / "clips")
    fewer = replace(work, parameters={**work.parameters, "frames": 4})
    result, _ = run_inline(session, fewer, Silent())
    assert result["blanked"] == [0.16, 0.2]


@pytest.fixture
def filmed(tmp_path: Path) -> Iterator[Session]:
    """A session with a clip of two seconds in which a real face was found."""
    with Session(Study.create(tmp_path / "filmed.greenroom"), "Ada") as session:
        (recording,), _ = add_recordings(session, [probe_file(face_clip(tmp_path / "two seconds.mp4"))])
        run_inline(session, face_tracking.prepare(session, recording), Silent())
        yield session


def nothing_found(session: Session, recording: str) -> None:
    """Store a newer run that found no face in all of the clip."""
    work = face_tracking.prepare(session, recording)
    found: dict[str, Json] = {"frames": 20, "frames_with_face": 0, "tracks": 0, "seconds": 0.0}
    face_tracking.store(session, work, {**found, "file": str(save_tracks([], cache_folder() / "faces"))})


def test_the_check_knows_which_faces_may_stay_and_says_when_others_show(filmed: Session, tmp_path: Path) -> None:
    recording = only_recording(filmed)
    robot, _ = add_participant(filmed, "R1", ParticipantRole.ROBOT)

    def export(start_us: int | None = None) -> dict[str, Json]:
        work = anonymization.prepare(
            filmed, recording, "solid", tmp_path / "clips", keep_robots=True, start_us=start_us, overwrite=True
        )
        return run_inline(filmed, work, Silent())[0]

    tracks = [track.id for track in tracks_of(filmed.study, recording)]
    for track in tracks:
        assign_faces(filmed, [track], robot)
    result = export()
    assert (result["faces_left"], result["doubtful"]) == ([], []), "a robot's face may be seen"
    for track in tracks:
        dismiss_faces(filmed, [track])
    result = export(start_us=1_000_000)
    assert (result["faces_left"], result["doubtful"]) == ([], []), "somebody said that there is nothing to hide"
    nothing_found(filmed, recording)
    result = export(start_us=1_000_000)
    assert result["faces_left"] == []
    assert result["doubtful"] == [1 + n / 10 for n in range(10)], "times are those of the recording"
