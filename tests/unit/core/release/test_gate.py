"""Each rule that the study alone can break, broken and kept."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.commands.face_review import assign_faces, mark_seen
from app.core.commands.participants import add_participant, set_consent
from app.core.commands.release import confirm_texts, set_words, waive, withdraw_waiver
from app.core.release.job import Checklist, checklist, prepare
from app.core.release.plan import KEEP, SCRUB, SOLID, ReleasePlan, kept_plan
from app.core.session import Session
from project.errors import UserError
from project.queries.face_reviews import set_face_review
from project.queries.faces import tracks_of
from project.queries.hold_outs import set_hold_out
from project.queries.participants import all_participants, set_appearance
from project.queries.recordings import all_recordings
from project.queries.regions import set_track_box
from project.regions import Keyframe
from project.types import ConsentUse, FaceReview, ParticipantRole, Recording
from tests.unit.core.release.lab import review, track

PLAN = ReleasePlan(methods=("solid",))


@pytest.fixture
def recording(session: Session) -> Recording:
    return all_recordings(session.study)[0]


def rules(session: Session, plan: ReleasePlan = PLAN) -> list[str]:
    return [one.rule for one in checklist(session, plan).standing]


def left_out(session: Session, plan: ReleasePlan = PLAN) -> dict[int, str]:
    found: Checklist = checklist(session, plan)
    return found.selection.left_out


def test_a_lab_that_did_everything_breaks_no_rule(session: Session) -> None:
    assert rules(session) == []


def test_a_file_that_is_gone(session: Session, recording: Recording) -> None:
    medium = session.main_medium(recording.id)
    assert medium is not None
    session.locate(medium).path.unlink()
    assert rules(session) == ["file"]


def test_faces_that_were_looked_for_in_another_file(session: Session, recording: Recording) -> None:
    track(session, recording, None, fingerprint="0" * 32)
    assert rules(session) == ["faces-tracked"]


def test_a_review_holds_until_the_masks_change(session: Session, recording: Recording) -> None:
    (face,) = tracks_of(session.study, recording.id)
    with session.step("Move"):
        set_track_box(session.study, face.id, Keyframe(500_000, 70, 45, 30, 40))
    assert rules(session) == ["faces-reviewed"]
    assert "changed after" in checklist(session, PLAN).reasons[0].sentence
    review(session, recording)
    assert rules(session) == []


def test_a_review_of_another_state_is_none(session: Session, recording: Recording) -> None:
    with session.step("Forge"):
        who = session.annotator()
        assert who is not None
        set_face_review(session.study, FaceReview(recording.id, who.id, "some other state", "2026-01-01T00:00:00.000Z"))
    assert rules(session) == ["faces-reviewed"]


def test_a_new_run_has_to_be_reviewed_again(session: Session, recording: Recording) -> None:
    track(session, recording, all_participants(session.study)[0].id)
    assert rules(session) == ["faces-reviewed"]


def test_a_face_that_ends_in_the_middle_of_the_picture_has_to_be_looked_at(
    session: Session, recording: Recording
) -> None:
    track(session, recording, all_participants(session.study)[0].id, frames=10)
    review(session, recording)
    (reason,) = checklist(session, PLAN).standing
    assert (reason.rule, reason.recording, reason.time_us) == ("uncovered", 1, 1_000_000)
    mark_seen(session, recording.id, [(0, 2_000_000)])
    assert rules(session) == []


def test_nobody_is_said_to_appear(session: Session, recording: Recording) -> None:
    (face,) = tracks_of(session.study, recording.id)
    assign_faces(session, [face.id], None)
    with session.step("Take out"):
        set_appearance(session.study, recording.id, all_participants(session.study)[0].id, False)
    review(session, recording)
    assert rules(session) == ["consent-known"]
    waive(session, "consent-known", recording.id, "Recorded in a public square")
    assert rules(session) == []
    withdraw_waiver(session, "consent-known", recording.id)
    assert rules(session) == ["consent-known"]


def test_a_face_of_nobody_known_is_no_matter_where_all_is_solid(session: Session, recording: Recording) -> None:
    (face,) = tracks_of(session.study, recording.id)
    assign_faces(session, [face.id], None)
    review(session, recording)
    assert rules(session) == []
    assert rules(session, replace(PLAN, methods=("blur",))) == ["consent-known"]
    painting = replace(PLAN, methods=("blur",), without_consent=SOLID)
    assert rules(session, painting) == []
    (one,) = checklist(session, painting).selection.candidates
    assert one.painted == [face.id]


def test_who_did_not_consent_is_left_out_or_painted(session: Session) -> None:
    (person,) = all_participants(session.study)
    set_consent(session, person, ConsentUse.RELEASE, False)
    assert left_out(session) == {1: "1 participant did not consent to release."}
    assert rules(session) == ["something"]
    assert rules(session, replace(PLAN, without_consent=SOLID)) == []


def test_who_is_only_seen_as_a_face_counts_too(session: Session, recording: Recording) -> None:
    other, _ = add_participant(session, "P02", ParticipantRole.BYSTANDER)
    (face,) = tracks_of(session.study, recording.id)
    assign_faces(session, [face.id], other)
    review(session, recording)
    assert left_out(session) == {1: "1 participant did not consent to release."}


def test_robots_need_no_consent(session: Session, recording: Recording) -> None:
    robot, _ = add_participant(session, "R01", ParticipantRole.ROBOT, recording.id)
    assert robot
    assert left_out(session) == {}


def test_hold_outs_are_left_out_whatever_else_holds(session: Session, recording: Recording) -> None:
    with session.step("Hold out"):
        set_hold_out(session.study, recording.id, True)
    assert left_out(session) == {1: "It is held out."}
    assert rules(session) == ["something"]


def test_sound_needs_everybody(session: Session, recording: Recording) -> None:
    keeping = replace(PLAN, sound=KEEP, without_consent=SOLID)
    assert rules(session, keeping) == []
    add_participant(session, "P02", ParticipantRole.BYSTANDER, recording.id)
    assert rules(session, keeping) == ["sound-consent"]
    with pytest.raises(UserError, match="cannot be waived"):
        waive(session, "sound-consent", None, "They will not mind it")


def test_texts_have_to_be_read_as_they_are_now(session: Session) -> None:
    scrubbing = replace(PLAN, texts=SCRUB)
    assert rules(session) == []
    assert rules(session, scrubbing) == ["texts-reviewed"]
    confirm_texts(session)
    assert rules(session, scrubbing) == []
    set_words(session, {"Anna": "P01"})
    assert rules(session, scrubbing) == ["texts-reviewed"]
    set_words(session, {})
    assert rules(session, scrubbing) == []


@pytest.mark.parametrize(
    "plan",
    [
        replace(PLAN, methods=("raw",)),
        replace(PLAN, only={1: ("raw",)}),
        replace(PLAN, methods=("no such method",)),
        replace(PLAN, formats=("jsonl",)),
        replace(PLAN, formats=("no such format",)),
        replace(PLAN, sound="robot voice"),
        replace(PLAN, texts="as they are"),
        replace(PLAN, video=("8k",)),
        replace(PLAN, without_consent="whatever"),
    ],
)
def test_what_can_never_be_released_is_refused_at_once(session: Session, plan: ReleasePlan, tmp_path: Path) -> None:
    with pytest.raises(UserError):
        prepare(session, tmp_path / "release", plan)


@pytest.mark.parametrize("reason", ["", "no", "just because", "  two   words "])
def test_a_waiver_needs_a_reason(session: Session, reason: str) -> None:
    with pytest.raises(UserError, match="reason"):
        waive(session, "privacy-limit", None, reason)


def test_a_plan_is_remembered_as_it_was_chosen(session: Session) -> None:
    from app.core.commands.release import keep_plan

    chosen = replace(PLAN, only={1: ("blur", "pixelate")}, formats=("srt",), title="Visits", texts=SCRUB)
    keep_plan(session, chosen)
    assert kept_plan(session) == chosen
