"""What was reviewed is what leaves: every box that was found, and every byte of the file in which it was found."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anonymize.export import export_job as anonymization
from anonymize.faces.face_review import build_face_sheet
from anonymize.faces.face_review_edits import mark_reviewed
from anonymize.release import release_job as job
from anonymize.release.release_plan import KEEP, ReleasePlan
from anonymize.rendering import face_renderer
from project.errors import UserError
from project.files.fingerprints import fingerprint
from project.files.temporary_files import cache_folder
from project.progress import Silent
from project.queries.history_rows import SOURCE_SHA256_KEY
from project.queries.recording_rows import all_recordings
from project.session.jobs import run_inline
from project.session.session import MediaState, Session
from tests.builders import release_study as labs
from tests.builders.clips import make_clip
from tests.builders.interference import interfere

PLAN = ReleasePlan(methods=("solid",), formats=("csv",))
PADDING = 12 << 20
BETWEEN = 1_100_000
"""A place in a padded file that its fingerprint does not read."""


def padded_clip(path: Path, **given: Any) -> Path:
    made = make_clip(path, **given)
    with made.open("ab") as file:
        file.write((PADDING + 8).to_bytes(4, "big") + b"free" + bytes(PADDING))
    return made


@pytest.fixture(scope="module")
def padded_lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labs, "make_clip", padded_clip)
        return labs.lab(tmp_path_factory.mktemp("padded"))


@pytest.fixture
def padded(padded_lab: Path, tmp_path: Path) -> Path:
    """The file of a study with a long recording."""
    shutil.copytree(padded_lab.parent, tmp_path / "padded")
    return tmp_path / "padded" / padded_lab.name


@pytest.fixture
def session(padded: Path) -> Iterator[Session]:
    with Session.open(padded, "Ada Byron") as opened:
        yield opened


def footage(session: Session) -> Path:
    return session.locate(session.main_medium(all_recordings(session.study)[0].id)).path


def change_unnoticed(path: Path, byte: bytes = b"x") -> None:
    """Change a byte that no sample holds; size and time of the file stay as they were."""
    before, stat = fingerprint(path), path.stat()
    with path.open("r+b") as file:
        file.seek(BETWEEN)
        file.write(byte)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert fingerprint(path) == before
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (stat.st_size, stat.st_mtime_ns)


def released(session: Session, folder: Path) -> job.ReleaseResult:
    return run_inline(session, job.prepare(session, folder, PLAN), Silent())[0]


def broken(session: Session, plan: ReleasePlan = PLAN) -> list[str]:
    return [blocker.rule for blocker in job.build_checklist(session, plan).remaining]


def test_a_change_between_samples_of_a_file_keeps_it_from_a_release(session: Session, tmp_path: Path) -> None:
    path = footage(session)
    assert broken(session) == []
    change_unnoticed(path)
    medium = session.main_medium(all_recordings(session.study)[0].id)
    assert session.locate(medium).state is MediaState.PRESENT, "at a glance it is the same"
    (reason,) = job.build_checklist(session, PLAN).remaining
    assert reason.rule == "file"
    assert "was changed since its faces were tracked" in reason.sentence
    assert released(session, tmp_path / "out").released is False
    assert not (tmp_path / "out").exists()
    change_unnoticed(path, b"\0")
    assert broken(session) == [], "the original is back"


def test_a_window_does_not_read_the_file_and_its_release_does(session: Session, tmp_path: Path) -> None:
    session.patient = False
    change_unnoticed(footage(session))
    assert broken(session) == []
    result = released(session, tmp_path / "out")
    assert result.released is False
    assert "was changed since its faces were tracked" in result.reasons[0].sentence
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_replaced_while_it_is_rendered_and_put_back_leaves_no_rendering(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = footage(session), footage(session).with_name("kept")

    def swap(*_: Any) -> None:
        path.rename(kept)
        make_clip(path, size=(160, 120), frames=labs.FRAMES, fps=labs.FPS)

    interfere(monkeypatch, face_renderer, "render", before=swap, after=lambda *_: kept.replace(path))
    result = released(session, tmp_path / "out")
    assert result.released is False
    assert "changed or replaced while it was in use" in result.reasons[0].sentence
    facts = [*(cache_folder() / "releases").glob("*/facts.json")]
    assert facts == [], "what was rendered of the other file is not taken up again"


def test_a_file_that_is_changed_before_the_release_has_its_name(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interfere(monkeypatch, job, "find_leaks", before=lambda *_: change_unnoticed(footage(session)))
    with pytest.raises(UserError, match="changed"):
        released(session, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_clip_is_rendered_of_the_file_that_was_tracked(session: Session, tmp_path: Path) -> None:
    (recording,) = all_recordings(session.study)
    change_unnoticed(footage(session))
    work = anonymization.prepare(session, recording.id, "solid", tmp_path / "clips")
    with pytest.raises(UserError, match="was changed since its faces were tracked"):
        run_inline(session, work, Silent())
    assert [*(tmp_path / "clips").iterdir()] == []


def sql(study: Path, *statements: str) -> None:
    with sqlite3.connect(study) as connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0
    connection.close()


def test_faces_of_a_file_that_nobody_read_whole_are_not_released(padded: Path) -> None:
    sql(padded, f"UPDATE run SET result = json_remove(result, '$.{SOURCE_SHA256_KEY}')")
    with Session.open(padded, "Ada Byron") as session:
        mark_reviewed(session, all_recordings(session.study)[0].id)
        assert broken(session) == ["file"]


@pytest.mark.usefixtures("english_names")
def test_the_sound_that_leaves_is_that_of_the_file_in_which_speech_was_found(study: Path) -> None:
    loud = ReleasePlan(methods=("solid",), formats=("csv",), sound=KEEP)
    with Session.open(study, "Ada Byron") as session:
        assert "transcript" not in broken(session, loud)
    for other in ("json_remove(result, '$.source_sha256')", "json_set(result, '$.source_sha256', 'ab')"):
        sql(study, f"UPDATE run SET result = {other} WHERE kind = 'speech'")
        with Session.open(study, "Ada Byron") as session:
            assert broken(session, loud) == ["transcript"]


def _first_track(column: str, change: Callable[[bytes], bytes]) -> Callable[[sqlite3.Connection], None]:
    def do(connection: sqlite3.Connection) -> None:
        row, content = connection.execute(f"SELECT id, {column} FROM face_track").fetchone()
        connection.execute(f"UPDATE face_track SET {column} = ? WHERE id = ?", (change(content), row))

    return do


def _moved(boxes: bytes) -> bytes:
    found = np.frombuffer(boxes, "<f4").copy().reshape(-1, 4)
    found[3, :2] = 0
    return found.tobytes()


def _said(statement: str) -> Callable[[sqlite3.Connection], None]:
    def do(connection: sqlite3.Connection) -> None:
        assert connection.execute(statement).rowcount > 0

    return do


def _another_run(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO run SELECT 'other', recording_id, kind, backend, parameters, result, finished_at || '1', "
        "program_version FROM run WHERE kind = 'faces'"
    )
    connection.execute("UPDATE face_track SET run_id = 'other'")


TAMPERED: dict[str, Callable[[sqlite3.Connection], None]] = {
    "boxes": _first_track("boxes", _moved),
    "times": _first_track("times_us", lambda times: times[:8] + bytes([times[8] ^ 1]) + times[9:]),
    "fewer": _said(
        "UPDATE face_track SET count = 1, frames = substr(frames, 1, 4), times_us = substr(times_us, 1, 8), "
        "boxes = substr(boxes, 1, 16), scores = substr(scores, 1, 4), origins = substr(origins, 1, 1)"
    ),
    "deleted": _said("DELETE FROM face_track"),
    "another run": _another_run,
    "frames of the run": _said("UPDATE run SET result = json_set(result, '$.frames', 19) WHERE kind = 'faces'"),
    "damaged frames": _said("UPDATE run SET result = json_set(result, '$.damaged_frames', json('[1]'))"),
    "checksum of the file": _said(f"UPDATE run SET result = json_set(result, '$.{SOURCE_SHA256_KEY}', 'ab')"),
    "detector": _said("UPDATE run SET backend = 'none' WHERE kind = 'faces'"),
}


def test_what_was_found_is_changed_in_the_file_of_the_study(study: Path) -> None:
    copy = study.with_name("copy.greenroom")
    for tampered, change in TAMPERED.items():
        shutil.copy(study, copy)
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            change(connection)
        with Session.open(copy, "Ada Byron") as session:
            found = build_face_sheet(session, all_recordings(session.study)[0].id)
            assert not found.reviews, tampered
            assert len(found.revoked) == 1, tampered
    with Session.open(copy, "Ada Byron") as session:
        assert "faces-reviewed" in broken(session)


def test_tracks_that_change_places_are_reviewed_in_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        labs, "make_clip", lambda path, **given: make_clip(path, **{**given, "metadata": {"title": path.stem}})
    )
    study = labs.lab(tmp_path, recordings=2)
    sql(
        study,
        "UPDATE face_track SET run_id = (SELECT r.id FROM run r WHERE r.kind = 'faces' AND r.id <> face_track.run_id)",
    )
    with Session.open(study, "Ada Byron") as session:
        sheets = [build_face_sheet(session, recording.id) for recording in all_recordings(session.study)]
        assert [sheet.reviews for sheet in sheets] == [[], []]
        assert broken(session).count("faces-reviewed") == 2
