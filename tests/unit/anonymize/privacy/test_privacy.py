"""Measuring exports of a study: which one, against which limits, and what is kept."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.export import export_job as anonymization
from anonymize.measures.privacy_report import PrivacyReport
from anonymize.privacy import exported_clips
from anonymize.privacy import privacy_job as privacy
from anonymize.privacy.exported_clips import (
    find_clip,
    find_export,
    find_unchanged_clip,
    list_exports,
    list_unread_renderings,
    read_checksums,
)
from anonymize.privacy.privacy_job import choose_strangers, load_tools
from anonymize.privacy.privacy_limits import (
    PrivacyLimits,
    exceeded_limits,
    read_privacy_limits,
    set_privacy_limits,
    unmeasured_limits,
)
from models.weights.installed_weights import FOLDER_VARIABLE
from project.codec import load
from project.entities.study_records import Json, Participant, ParticipantRole, Run
from project.errors import UserError
from project.files.fingerprints import file_sha256
from project.ids import new_id
from project.progress import Silent
from project.queries.face_rows import assign_participant, insert_tracks, set_dismissed
from project.queries.history_rows import SOURCE_SHA256_KEY, insert_run, latest_run
from project.queries.recording_rows import insert_participant
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.face_tracks import track
from tests.builders.privacy_reports import report
from tests.builders.quiet_detector import detect_only

LIMITS = PrivacyLimits()


def test_each_measure_has_a_limit_of_its_own() -> None:
    assert exceeded_limits(report(), LIMITS) == []
    assert unmeasured_limits(report()) == []
    assert unmeasured_limits(report(rate=None)) == ["Re-identification was not measured. Nobody else."]
    for wrong, words in (
        ({"rate": 0.03}, "3 % of all faces are re-identified (toy); 2 % allowed."),
        ({"worst": 0.06}, "6 % of the faces of one track are re-identified (toy); 5 % allowed."),
        ({"leaks": 2}, "In 2 of 80 frames a face is not covered; none is allowed."),
        ({"detected": 0.01}, "1 % of the hidden faces are still found; 0 % allowed."),
    ):
        assert exceeded_limits(report(**wrong), LIMITS) == [words]


def test_what_is_allowed_is_not_over() -> None:
    assert exceeded_limits(report(rate=0.02, worst=0.05), LIMITS) == []
    loose = PrivacyLimits(reidentified=0.5, worst_track=0.5, leak_frames=3, detected=0.2)
    assert exceeded_limits(report(rate=0.4, worst=0.4, leaks=3, detected=0.1), loose) == []
    assert exceeded_limits(report(detected=1.0, replaces=True), LIMITS) == [], "another face in its place may be found"


def test_a_mask_that_is_taken_for_somebody_whoever_is_behind_it_re_identifies_nobody() -> None:
    assert exceeded_limits(report(rate=0.5, worst=0.5, chance=0.5), LIMITS) == []
    assert exceeded_limits(report(rate=0.5, worst=0.5, chance=0.1), LIMITS)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab")
    with Session(Study.create(folder / "lab.greenroom"), "Ada") as made:
        for name, frames in (("one of ana.mp4", 12), ("two.mp4", 13)):
            make_clip(folder / name, frames=frames, fps=10, size=(160, 120))
        add_recordings(made, [probe_file(folder / name) for name in ("one of ana.mp4", "two.mp4")])
    return folder


@pytest.fixture
def session(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    detect_only(monkeypatch)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    with Session.open(tmp_path / "lab.greenroom", "Ada") as opened:
        yield opened


def ids(session: Session) -> list[str]:
    return [row[0] for row in session.study.rows("SELECT id FROM recording ORDER BY number")]


def found_faces(session: Session, recording: str, name: str) -> None:
    medium = session.main_medium(recording)
    about = {"fingerprint": medium.fingerprint}
    found = {"frames": 12, SOURCE_SHA256_KEY: file_sha256(session.locate(medium).path)}
    run = Run(new_id(), recording, "faces", "centerface", about, found, "2026", "0")
    times = [round(k * 1e5) for k in range(12)]
    with session.study.run_transaction():
        insert_run(session.study, run)
        insert_tracks(session.study, run.id, medium.id, [track([(40, 30, 48, 60)] * 12, name=name, times_us=times)])


def export(session: Session, recording: str) -> Path:
    work = anonymization.prepare(session, recording, "solid", session.study.folder / "clips", overwrite=True)
    result, _ = run_inline(session, work, Silent())
    return result.output


@pytest.fixture
def clip(session: Session) -> Path:
    found_faces(session, ids(session)[0], "t1")
    return export(session, ids(session)[0])


def test_a_measured_export_carries_its_report_in_the_study_and_beside_the_clip(session: Session, clip: Path) -> None:
    _, changes = run_inline(session, privacy.prepare(session, clip), Silent())
    assert len(changes.ids("run")) == 1
    (exported_clip,) = list_exports(session)
    assert exported_clip.report.frames == 12
    assert exported_clip.measured_at
    beside = json.loads((clip.parent / f"{clip.stem}.privacy.json").read_text("utf-8"))
    assert load(PrivacyReport, beside, "it") == exported_clip.report
    kept = latest_run(session.study, ids(session)[0], "privacy")
    for text in (json.dumps(beside), json.dumps([dict(kept.parameters), dict(kept.result)])):
        assert "ana" not in text
        assert str(session.study.folder) not in text


def test_a_clip_whose_faces_were_changed_since_is_not_measured(session: Session, clip: Path) -> None:
    with session.step("Dismiss"):
        set_dismissed(session.study, "t1", True)
    with pytest.raises(UserError, match="changed since"):
        privacy.prepare(session, clip)


def test_an_export_is_called_by_its_clip_its_run_or_its_recording(session: Session) -> None:
    with pytest.raises(UserError, match="no exported clips"):
        find_export(session, None)
    found_faces(session, ids(session)[0], "t1")
    clip = export(session, ids(session)[0])
    run = list_exports(session)[0].run.id
    for text in (None, str(clip), run, "1", "1:solid", clip.name):
        assert find_export(session, text)[0].run.id == run
    assert find_export(session, str(clip))[1] == clip
    assert find_clip(session, list_exports(session)[0]) == clip
    for text in ("1:blur", "2", "nobody"):
        with pytest.raises(UserError):
            find_export(session, text)
    other = make_clip(clip.with_name("other.mp4"), frames=3)
    for ask in (lambda: find_export(session, str(other)), lambda: privacy.prepare(session, other)):
        with pytest.raises(UserError, match="not exported from this study"):
            ask()


def test_people_of_other_recordings_are_strangers_and_robots_are_not(session: Session) -> None:
    first, second = ids(session)
    found_faces(session, first, "t1")
    found_faces(session, second, "t2")
    assert choose_strangers(session, first) == ()
    for pseudonym, role, owner in (("P01", ParticipantRole.USER, "t2"), ("R01", ParticipantRole.ROBOT, "t2")):
        who = Participant(new_id(), pseudonym, role)
        with session.step("Name"):
            insert_participant(session.study, who)
            assign_participant(session.study, owner, who.id)
        strangers = choose_strangers(session, first)
        if role is ParticipantRole.ROBOT:
            assert strangers == ()
        else:
            (stranger,) = strangers
            assert stranger.identity == "P01"
            assert np.shape(stranger.boxes) == (len(stranger.frames), 4)
    assert choose_strangers(session, second) == ()


def test_limits_are_kept_in_the_study_and_can_be_undone(session: Session) -> None:
    assert read_privacy_limits(session.study) == LIMITS
    tight = PrivacyLimits(reidentified=0.01, leak_frames=2)
    assert set_privacy_limits(session, tight)
    assert read_privacy_limits(session.study) == tight
    session.study.undo(None)
    assert read_privacy_limits(session.study) == LIMITS
    with pytest.raises(UserError):
        PrivacyLimits(reidentified=1.5)
    with session.step("Break"):
        spoilt: dict[str, Json] = {"reidentified": True, "worst_track": "0.9", "detected": "no", "leak_frames": 4.0}
        session.study.set_property("privacy_limits", spoilt)
    assert read_privacy_limits(session.study) == replace(LIMITS, leak_frames=4)


def test_without_weights_the_detector_that_is_always_there_looks_again_and_is_not_independent() -> None:
    with load_tools("centerface") as tools:
        assert (tools.detector.key, tools.independent) == ("centerface", False)
        assert (tools.embedders, tools.landmarks, tools.driver) == ((), None, None)
        assert tools.flow is not None
    with load_tools("yunet") as tools:
        assert tools.independent


def test_with_weights_one_model_measures_what_the_other_drives(
    shared_models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(shared_models))
    with load_tools("centerface+yunet") as tools:
        assert (tools.detector.key, tools.independent) == ("rfb320", True)
        assert (tools.landmarks.key, tools.driver.key) == ("pfld", "mediapipe")
        assert [embedder.key for embedder in tools.embedders] == ["mobilefacenet"]


def test_another_clip_of_the_name_is_not_measured_for_the_export(session: Session, clip: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / clip.name
    other.parent.mkdir()
    make_clip(other, frames=12, fps=10, size=(160, 120))
    with pytest.raises(UserError, match="is not the exported clip"):
        run_inline(session, privacy.prepare(session, other), Silent())
    assert latest_run(session.study, ids(session)[0], "privacy") is None
    assert [path.name for path in other.parent.iterdir()] == [clip.name]
    assert run_inline(session, privacy.prepare(session, clip), Silent())[0]


# Where a rendering lies, and that a window does not stand still to find out

CONTENT = b"a rendering"


@pytest.fixture
def rendering(session: Session, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file too large for a window, which nobody read yet."""
    monkeypatch.setattr(exported_clips, "MAX_FOREGROUND_BYTES", len(CONTENT) - 1)
    place = session.study.folder / "clip.mp4"
    place.write_bytes(CONTENT)
    return place


def run_of(digest: str = hashlib.sha256(CONTENT).hexdigest()) -> Run:
    return Run("run", "r-1", "anonymize", "solid", {}, {"output": "clip.mp4", "sha256": digest}, "", "")


def test_a_window_knows_a_large_one_only_after_somebody_read_it(session: Session, rendering: Path) -> None:
    session.patient = False
    assert find_unchanged_clip(session, run_of()) is None
    assert list_unread_renderings(session, [run_of()]) == [rendering]
    read_checksums([rendering])
    assert list_unread_renderings(session, [run_of()]) == []
    assert find_unchanged_clip(session, run_of()) == rendering
    rendering.write_bytes(b"another file")
    assert find_unchanged_clip(session, run_of()) is None
    assert list_unread_renderings(session, [run_of()]) == [rendering]
