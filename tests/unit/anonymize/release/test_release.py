"""A release as a whole: what is in it and what is not, that it can be made again, that a failure leaves nothing."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import av
import pytest

from annotate.interchange.annotation_files import FORMATS, get_format
from annotate.segments.segment_edits import add_segment
from annotate.study.people import add_participant, set_consent
from anonymize.faces.face_review_edits import assign_faces
from anonymize.masking.masks import FaceMask
from anonymize.release import release_job as job
from anonymize.release.private_content import set_private_words
from anonymize.release.release_plan import KEY_PROPERTY, SCRUB, SOLID, ReleasePlan
from anonymize.release.release_rendering import ReleaseRendering
from anonymize.release.release_rules import ReleaseBlocker, valid_waivers
from anonymize.release.release_texts import confirm_texts
from anonymize.rendering import face_renderer
from anonymize.rendering.face_renderer import RenderPlan
from media.clip_writer import paint_clip
from media.decoding import iterate_frames
from media.frame_index import load_index
from project.entities.study_records import ConsentUse, ParticipantRole, Recording, Waiver
from project.errors import Cancelled, UserError
from project.files.temporary_files import cache_folder
from project.ids import new_id
from project.progress import Silent
from project.queries.face_rows import tracks_of
from project.queries.history_rows import latest_run
from project.queries.policy_rows import insert_waiver
from project.queries.recording_rows import all_participants, all_recordings
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.face_pictures import StopAfter
from tests.builders.interference import interfere
from tests.builders.quiet_detector import detect_only
from tests.builders.release_study import review
from tests.builders.words_in_files import words_in

PLAN = ReleasePlan(methods=("solid",), formats=("csv",))
CLIPS = replace(PLAN, video=("source",))
SECRETS = ("Anna", "Ada Byron", "kitchen", "555-867", "lab.example", "Visits", "x264", "x264 - core", "Lavf")


def release(session: Session, folder: Path, plan: ReleasePlan = CLIPS) -> job.ReleaseResult:
    result, _ = run_inline(session, job.prepare(session, folder, plan), Silent())
    return result


def rules(result: job.ReleaseResult) -> list[str]:
    """Return the rules for which nothing was released."""
    assert result.released is False
    return [reason.rule for reason in result.reasons]


def left_by(tmp_path: Path) -> list[str]:
    """Return what lies beside the lab."""
    return sorted(path.name for path in tmp_path.iterdir() if path.name != "lab")


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_is_in_it(session: Session, tmp_path: Path) -> None:
    out = tmp_path / "release"
    result = release(session, out, PLAN)
    assert result.released is True
    assert names(out) == {
        "DATACARD.md",
        "LICENCE.md",
        "ACCESS.md",
        "manifest.json",
        "recordings.csv",
        "participants.csv",
        "annotations/csv/annotations.csv",
        "video-source/solid/recording-0001.mp4",
        "video-15hz/solid/recording-0001.mp4",
        "frames-1hz/solid/recording-0001/00000.jpg",
        "frames-1hz/solid/recording-0001/00001.jpg",
    }
    assert result.files == len(names(out))
    source = load_index(out / "video-source/solid/recording-0001.mp4")
    assert source.times.times_us.tolist() == [n * 100_000 for n in range(20)]
    assert len(load_index(out / "video-15hz/solid/recording-0001.mp4")) == 30
    for clip in out.rglob("*.mp4"):
        with av.open(str(clip)) as opened:
            assert [stream.type for stream in opened.streams] == ["video"]
        for picture in iterate_frames(clip, load_index(clip)):
            assert abs(picture.planes[0][50:70, 65:85].astype(int) - 128).max() < 16, "the face is grey"
    for path in out.rglob("*"):
        assert path.stat().st_mtime == 946_684_800
        assert words_in(path, SECRETS) == []
    card = (out / "DATACARD.md").read_text()
    assert "No second detector in tests" in card
    assert "waived by A01" in card
    assert "$" not in card
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_two_releases_of_a_study_have_the_same_manifest_but_for_encoded_files(session: Session, tmp_path: Path) -> None:
    plan = replace(CLIPS, formats=tuple(key for key in FORMATS if not get_format(key).lossless), texts=SCRUB)
    confirm_texts(session)
    manifests = []
    for place in ("one", "two"):
        release(session, tmp_path / place, plan)
        manifest = json.loads((tmp_path / place / "manifest.json").read_text())
        for file in manifest["files"]:
            if file["encoded"]:
                file["sha256"] = file["bytes"] = None
        manifests.append(manifest)
    assert manifests[0] == manifests[1]
    assert {file["path"] for file in manifests[0]["files"]} == names(tmp_path / "one") - {"manifest.json"}
    today = datetime.now(UTC).date().isoformat().encode()
    assert [path for path in (tmp_path / "one").rglob("*.*") if path.is_file() and today in path.read_bytes()] == []
    key = session.study.get_property(KEY_PROPERTY)
    assert isinstance(key, str)
    medium = session.main_medium(all_recordings(session.study)[0].id)
    text = (tmp_path / "one" / "manifest.json").read_text()
    assert key not in text
    assert medium.fingerprint not in text


def test_texts_leave_scrubbed_and_only_then(session: Session, tmp_path: Path) -> None:
    release(session, tmp_path / "without")
    without = (tmp_path / "without/annotations/csv/annotations.csv").read_text("utf-8-sig")
    assert "error" in without
    assert "rationale" not in without
    assert "utterance" not in without
    set_private_words(session, {"Anna": "P01"})
    confirm_texts(session)
    release(session, tmp_path / "with", replace(CLIPS, texts=SCRUB))
    kept = (tmp_path / "with/annotations/csv/annotations.csv").read_text("utf-8-sig")
    assert "P01 robot looked away; see [LINK_1]" in kept
    assert "I am P01, call [PHONE_1]" in kept
    assert "A01: A01 here: is it P01?" in kept
    own = [row[0] for table in ("segment", "recording") for row in session.study.rows(f"SELECT id FROM {table}")]
    assert [row for row in own if row in kept] == []


def test_who_did_not_consent_is_solid_and_says_nothing(session: Session, recording: Recording, tmp_path: Path) -> None:
    other, _ = add_participant(session, "P02", ParticipantRole.BYSTANDER, recording.id)
    (face,) = tracks_of(session.study, recording.id)
    assign_faces(session, [face.id], other)
    (person, _) = all_participants(session.study)
    set_consent(session, person, ConsentUse.RELEASE, False)
    review(session, recording)
    confirm_texts(session)
    plan = replace(CLIPS, methods=("pixelate",), without_consent=SOLID, texts=SCRUB)
    assert release(session, tmp_path / "release", plan).released is True
    clip = tmp_path / "release/video-source/pixelate/recording-0001.mp4"
    for picture in iterate_frames(clip, load_index(clip)):
        assert abs(picture.planes[0][45:75, 62:88].astype(int) - 128).max() < 16
    assert "utterance" not in (tmp_path / "release/annotations/csv/annotations.csv").read_text("utf-8-sig")
    assert "painted solid" in (tmp_path / "release/DATACARD.md").read_text()


def test_a_word_that_stands_in_the_finished_release_removes_it(session: Session, tmp_path: Path) -> None:
    set_private_words(session, {"withdraws": "x"})
    with pytest.raises(UserError, match=r"LICENCE\.md"):
        release(session, tmp_path / "release")
    assert left_by(tmp_path) == []


def test_a_refusal_writes_nothing_and_is_kept_as_a_run(session: Session, recording: Recording, tmp_path: Path) -> None:
    (face,) = tracks_of(session.study, recording.id)
    assign_faces(session, [face.id], None)
    assert rules(release(session, tmp_path / "release")) == ["faces-reviewed"]
    assert left_by(tmp_path) == []
    run = latest_run(session.study, recording.id, "release")
    assert (run.result["released"], run.result["rules"]) == (False, ["faces-reviewed"])
    assert str(tmp_path) not in json.dumps([dict(run.parameters), dict(run.result)])


def test_what_changed_while_it_waited_counts(session: Session, tmp_path: Path) -> None:
    work = job.prepare(session, tmp_path / "release", PLAN)
    assert job.renew(session, work) is work
    (person,) = all_participants(session.study)
    set_consent(session, person, ConsentUse.RELEASE, False)
    fresh = job.renew(session, work)
    assert not work.parameters.texts.exists()
    assert rules(run_inline(session, fresh, Silent())[0]) == ["something"]
    assert not (tmp_path / "release").exists()


@pytest.fixture
def source(session: Session, recording: Recording) -> Path:
    """The file of the recording."""
    return session.locate(session.main_medium(recording.id)).path


def test_consent_that_is_withdrawn_stops_it(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (person,) = all_participants(session.study)
    interfere(monkeypatch, job, "_write", after=lambda *_: set_consent(session, person, ConsentUse.RELEASE, False))
    assert rules(release(session, tmp_path / "release")) == ["something"]
    assert left_by(tmp_path) == []


def test_private_words_that_are_given_while_it_is_made_stop_it_and_annotating_does_not(
    session: Session, recording: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = partial(add_segment, session, recording.id, 0, 90_000, "competence", {})
    interfere(monkeypatch, job, "_write", after=lambda *_: mark())
    assert release(session, tmp_path / "first").released is True
    interfere(monkeypatch, job, "_write", after=lambda *_: set_private_words(session, {"Carla": "P07"}))
    assert rules(release(session, tmp_path / "second")) == ["rendered"]
    assert left_by(tmp_path) == ["first"]


def test_a_rendering_changed_in_the_cache_is_made_anew(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = ReleaseBlocker("face-left", "A face is left.", "Cover it.", 1)
    monkeypatch.setattr("anonymize.release.release_job.outcome_blockers", lambda _outcomes: [left])
    rules(release(session, tmp_path / "release"))
    (clip,) = (cache_folder() / "releases").glob("*/clip.mp4")
    made = clip.read_bytes()
    clip.write_bytes(made[:-1] + bytes([made[-1] ^ 1]))
    rules(release(session, tmp_path / "release"))
    assert clip.read_bytes()[-1] == made[-1]


def test_a_clip_that_changes_after_the_check_stops_it(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clips: dict[Path, bytes] = {}

    def change(_folder: Path, _plan: ReleasePlan, renderings: Sequence[ReleaseRendering], *_: Any) -> None:
        clip = renderings[0].clip
        clips[clip] = clip.read_bytes()
        clip.write_bytes(clips[clip] + b"more")

    def restore(*_: Any) -> None:
        for clip, content in clips.items():
            clip.write_bytes(content)

    interfere(monkeypatch, job, "write_media", before=change, after=restore)
    with pytest.raises(UserError, match="changed in the cache"):
        release(session, tmp_path / "release")
    assert left_by(tmp_path) == []


def test_texts_that_are_changed_in_the_cache_stop_it(session: Session, tmp_path: Path) -> None:
    for pattern in ("private", "*.csv"):
        work = job.prepare(session, tmp_path / "release", PLAN)
        changed = next(work.parameters.texts.rglob(pattern))
        changed.write_bytes(changed.read_bytes().replace(b"Anna", b"Bob") + b" ")
        with pytest.raises(UserError, match="changed in the cache"):
            job.compute(work.parameters, Silent())
        assert not (tmp_path / "release").exists()


def test_a_file_that_is_changed_after_it_was_read_back_removes_the_release(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(folder: Path, *_: Any) -> None:
        with (folder / name).open("a") as file:
            file.write("\n")

    interfere(monkeypatch, job, "find_leaks", after=change)
    for name in ("manifest.json", "more.md"):
        with pytest.raises(UserError, match="changed while it was checked"):
            release(session, tmp_path / "release")
        assert left_by(tmp_path) == [], name


def test_a_file_that_another_program_puts_there_before_the_manifest_is_made_is_not_released(
    session: Session, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replace_file(folder: Path, *_: Any) -> None:
        other = tmp_path / "other"
        if name.endswith(".mp4"):
            # What a reading back has nothing against: another clip, encoded by the program itself.
            paint_clip(source, other, lambda _picture: None, sound="none")
        else:
            other.write_text("Other words.\n")
        other.replace(folder / name)

    interfere(monkeypatch, job, "write_cards", after=replace_file)
    for name in ("video-source/solid/recording-0001.mp4", "annotations/csv/annotations.csv", "more.md"):
        with pytest.raises(UserError, match="changed while it was made"):
            release(session, tmp_path / "release")
        assert left_by(tmp_path) == [], name


def test_a_clip_put_in_the_cache_never_leaves(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def show_faces(plan: RenderPlan, *_: Any) -> None:
        paint_clip(plan.source, plan.destination, lambda _picture: None, sound="none", overwrite=True)

    interfere(monkeypatch, face_renderer, "render", after=show_faces)
    result = release(session, tmp_path / "release")
    assert rules(result)
    assert "A rendering in the cache is damaged" in result.reasons[0].sentence


def test_a_waiver_without_a_reason_or_of_a_rule_that_has_none_counts_for_nothing(session: Session) -> None:
    who = session.annotator()
    with session.step("Written by another program"):
        for rule, reason in (
            *(("privacy-limit", "x"), ("face-left", "it is fine so"), ("no-rule", "it is fine so")),
            ("independent-check", "as in the other copy"),
        ):
            insert_waiver(session.study, Waiver(new_id(), None, rule, reason, who.id, "2026-01-01T00:00:00.000Z"))
    counted = {rule: len(waived) for (rule, _), waived in valid_waivers(session).items()}
    assert counted == {"independent-check": 2, "privacy-measured": 1}, "each reason of two copies counts"


def test_a_face_that_a_detector_finds_or_that_reaches_out_of_its_mask_is_told(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    detect_only(monkeypatch, [(60, 40, 30, 40)])
    assert "face-left" in rules(release(session, tmp_path / "release"))
    detect_only(monkeypatch)
    real = FaceMask.draw_area

    def smaller(self: Any, *arguments: Any) -> Any:
        area = real(self, *arguments)
        if area is not None:
            area.alpha[: area.alpha.shape[0] // 3] = 0
        return area

    monkeypatch.setattr(FaceMask, "draw_area", smaller)
    assert "face-under-mask" in rules(release(session, tmp_path / "release"))
    assert left_by(tmp_path) == []


@pytest.mark.parametrize("after", [60, *(pytest.param(times, marks=pytest.mark.soak) for times in (1, 16))])
def test_cancelling_leaves_nothing(session: Session, tmp_path: Path, after: int) -> None:
    work = job.prepare(session, tmp_path / "release", PLAN)
    with pytest.raises(Cancelled):
        run_inline(session, work, StopAfter(after))
    assert left_by(tmp_path) == []
    assert not work.parameters.texts.exists()
