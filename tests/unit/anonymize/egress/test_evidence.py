"""What counts as reviewed, and that any edit revokes it."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from annotate.segments.bulk_edits import add_comment
from annotate.study.people import add_participant, set_appearance, set_consent
from annotate.study.recording_edits import undo
from annotate.team.assignments import hold_out
from anonymize.egress.egress_authority import StudyAuthority
from anonymize.egress.egress_evidence import gather_work_evidence
from anonymize.egress.policy_edits import set_policy
from anonymize.faces.face_review_edits import assign_faces
from anonymize.pii_review import study_finder as search
from anonymize.pii_review.pii_decisions import decide_places, withdraw_decisions
from anonymize.pii_review.review_hits import find_hits
from anonymize.release.release_rules import waive_rule, withdraw_waiver
from anonymize.release.release_texts import confirm_texts
from benchmark.disclosure.conditions import MISSING_RECORDING
from project.entities.egress_policy import EgressLevel, EgressRequest, Forbidden, Policy, Purpose
from project.entities.face_regions import Keyframe
from project.entities.judgments import RAW_CONDITION
from project.entities.study_records import ConsentUse, Participant, ParticipantRole, Recording, Utterance
from project.ids import new_id
from project.progress import Silent
from project.queries.face_rows import set_track_box, tracks_of
from project.queries.pii_rows import PiiVerdict, PrivateWord, put_private_word
from project.queries.recording_rows import all_participants, insert_recording, set_hold_out
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import insert_utterances, update_utterance, utterances_of
from project.session.session import Session
from tests.builders.egress_requests import abroad
from tests.builders.release_study import review, settle
from tests.builders.subjects import gather

ANONYMIZED = Policy(EgressLevel.ANONYMIZED)
EVERYTHING = Policy(EgressLevel.RAW, "pilot with actors only", "Board 7")


@pytest.fixture(autouse=True)
def _anonymized(session: Session) -> None:
    set_policy(session, ANONYMIZED)


def forbidden(session: Session, departure: EgressRequest) -> str:
    """Return the rule that forbids a request and why, or "" where it may leave."""
    refusal = StudyAuthority(session).preview_refusal(departure)
    return "" if refusal is None else f"{refusal.rule}: {refusal.message} {refusal.hint}"


def test_what_passed_review_may_leave_and_nothing_raw(session: Session, recording: Recording, rendering: str) -> None:
    assert forbidden(session, abroad(recording.id, rendering)) == ""
    assert forbidden(session, abroad(recording.id, RAW_CONDITION)).startswith("raw: ")
    for condition in ("", "no such run", "../clips"):
        assert forbidden(session, abroad(recording.id, condition)).split(":")[0] in ("raw", "reviewed")
    beside = replace(abroad(recording.id, rendering), frames=("c" * 64,))
    assert forbidden(session, replace(beside, pictured=(rendering,))) == ""
    for picture in ("no such run", RAW_CONDITION):
        assert forbidden(session, replace(beside, pictured=(rendering, picture))).startswith("reviewed: ")


def _move_a_box(session: Session, recording: Recording) -> None:
    (face,) = tracks_of(session.study, recording.id)
    with session.step("Move"):
        set_track_box(session.study, face.id, Keyframe(500_000, 70, 45, 30, 40))


def _unassign(session: Session, recording: Recording) -> None:
    (face,) = tracks_of(session.study, recording.id)
    assign_faces(session, [face.id], None)


def _edit_an_utterance(session: Session, recording: Recording) -> None:
    (said,) = utterances_of(session.study, recording.id)
    with session.step("Edit"):
        update_utterance(session.study, replace(said, text="I am Anna, call 555-867-5309 now"))


def _draft(session: Session, recording: Recording) -> None:
    whose = all_participants(session.study)[0].id
    said = Utterance(new_id(), recording.id, 950_000, 990_000, "well", whose, checked=False)
    with session.step("Recognise"):
        insert_utterances(session.study, [said])


def _name_somebody(session: Session, recording: Recording) -> None:
    (segment,) = all_segments(session.study)
    assert segment.recording_id == recording.id
    add_comment(session, segment.id, "Call me at ada@lab.example.org")


def _private_word(session: Session, recording: Recording) -> None:
    with session.step("Private"):
        put_private_word(session.study, PrivateWord("call", "[X]"))


def _take_back_a_decision(session: Session, _: Recording) -> None:
    withdraw_decisions(
        session, [hit for hit in find_hits(session) if hit.verdict is PiiVerdict.HIDE and hit.is_spoken][:1]
    )


def test_an_edit_revokes_it_and_undo_restores_it(session: Session, recording: Recording, rendering: str) -> None:
    assert forbidden(session, abroad(recording.id, rendering)) == ""
    for edit, why in (
        (_move_a_box, "faces of recording 1 were changed"),
        (_unassign, ""),
        (_edit_an_utterance, "nobody read the scrubbed transcript"),
        (_draft, "nobody checked 1 utterance"),
        (_name_somebody, "undecided"),
        (_take_back_a_decision, "undecided"),
        (_private_word, ""),
    ):
        edit(session, recording)
        found = forbidden(session, abroad(recording.id, rendering))
        assert found.startswith("reviewed: "), edit
        assert why in found
        undo(session)
        assert forbidden(session, abroad(recording.id, rendering)) == "", edit
    _unassign(session, recording)
    review(session, recording)
    assert "were changed after" in forbidden(session, abroad(recording.id, rendering)), "the rendering is older"


def test_what_another_program_writes_meanwhile_is_seen(session: Session, recording: Recording, rendering: str) -> None:
    assert forbidden(session, abroad(recording.id, rendering)) == ""
    with closing(sqlite3.connect(session.study.path)) as other, other:
        assert other.execute("UPDATE track_correction SET participant_id = NULL").rowcount > 0
    assert forbidden(session, abroad(recording.id, rendering)) != ""


def test_what_is_kept_has_to_be_read_again(session: Session, recording: Recording, rendering: str) -> None:
    decide_places(session, [hit for hit in find_hits(session) if hit.is_spoken][:1], PiiVerdict.KEEP)
    assert "nobody read" in forbidden(session, abroad(recording.id, rendering))
    confirm_texts(session)
    assert forbidden(session, abroad(recording.id, rendering)) == ""


def test_the_file_of_the_rendering_is_another_one(session: Session, recording: Recording, rendering: str) -> None:
    (clip,) = session.study.folder.glob("clips/*.mp4")
    content = bytearray(clip.read_bytes())
    content[len(content) // 2] ^= 1
    assert forbidden(session, abroad(recording.id, rendering)) == ""
    clip.write_bytes(content)
    assert "not the file that was made" in forbidden(session, abroad(recording.id, rendering))
    clip.unlink()
    assert "not beside the study" in forbidden(session, abroad(recording.id, rendering))
    session.locate(session.main_medium(recording.id)).path.write_bytes(b"something else")
    assert "missing or was replaced" in forbidden(session, abroad(recording.id, rendering))


def test_what_the_check_found(session: Session, recording: Recording, rendering: str) -> None:
    withdraw_waiver(session, "independent-check", None)
    assert "misses the same faces" in forbidden(session, abroad(recording.id, rendering))
    waive_rule(session, "independent-check", None, "No second detector in tests")
    withdraw_waiver(session, "privacy-measured", None)
    assert "greenroom anonymize measure STUDY" in forbidden(session, abroad(recording.id, rendering))


def agree(session: Session, participant_id: str, use: ConsentUse, granted: bool = True) -> None:
    (person,) = [person for person in all_participants(session.study) if person.id == participant_id]
    set_consent(session, person, use, granted)


@pytest.mark.parametrize("level", [ANONYMIZED, EVERYTHING])
def test_everybody_who_appears_or_is_heard_has_to_agree(
    session: Session, recording: Recording, rendering: str, level: Policy
) -> None:
    set_policy(session, level)
    sent = abroad(recording.id, rendering if level is ANONYMIZED else RAW_CONDITION)
    assert forbidden(session, sent) == ""
    voice, _ = add_participant(session, "P02", ParticipantRole.BYSTANDER)
    with session.step("A voice from the next room"):
        insert_utterances(session.study, [Utterance(new_id(), recording.id, 910_000, 950_000, "Well", voice)])
    confirm_texts(session)
    settle(session)
    assert "P02 of recording 1 did not agree" in forbidden(session, sent)
    agree(session, voice, ConsentUse.MODELS)
    assert forbidden(session, sent) == ""
    agree(session, voice, ConsentUse.MODELS, False)
    agree(session, voice, ConsentUse.RELEASE)
    assert forbidden(session, sent).startswith("consent: "), "a release is something else"


def test_raw_footage_of_a_face_or_voice_of_nobody_known_stays(session: Session, recording: Recording) -> None:
    set_policy(session, EVERYTHING)
    (said,) = utterances_of(session.study, recording.id)
    with session.step("Whose voice?"):
        update_utterance(session.study, replace(said, participant_id=None))
    assert "who says 1 utterance" in forbidden(session, abroad(recording.id, RAW_CONDITION))
    undo(session)
    _unassign(session, recording)
    assert "1 face track of recording 1 belongs to nobody" in forbidden(session, abroad(recording.id, RAW_CONDITION))


def test_nothing_of_a_held_out_recording_leaves(session: Session, recording: Recording, rendering: str) -> None:
    with session.step("Hold out"):
        set_hold_out(session.study, recording.id, True)
    assert "held out" in forbidden(session, abroad(recording.id, rendering))
    set_policy(session, EVERYTHING)
    assert "held out" in forbidden(session, abroad(recording.id, RAW_CONDITION))


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO consent SELECT id, 'models', 1 FROM participant WHERE pseudonym = 'P03'",
        "DELETE FROM hold_out",
    ],
)
def test_what_another_program_says_of_consent_and_hold_outs_does_not_count(
    session: Session, recording: Recording, sql: str
) -> None:
    set_policy(session, EVERYTHING)
    for name in ("P02", "P03"):
        add_participant(session, name, ParticipantRole.BYSTANDER)
        set_appearance(session, recording.id, person_called(session, name), True)
    set_consent(session, person_called(session, "P02"), ConsentUse.MODELS, False)
    with session.step("Hold out"):
        set_hold_out(session.study, recording.id, True)
    with closing(sqlite3.connect(session.study.path)) as other, other:
        assert other.execute(sql).rowcount > 0
    assert "another program changed who agreed" in forbidden(session, abroad(recording.id, RAW_CONDITION))
    work = replace(abroad(recording.id, RAW_CONDITION), purpose=Purpose.CLUSTER)
    assert "another program changed who agreed" in gather_work_evidence(session, work).unwilling


def person_called(session: Session, name: str) -> Participant:
    return next(person for person in all_participants(session.study) if person.pseudonym == name)


def test_a_request_with_nothing_needs_no_review_but_has_to_be_cleared(session: Session, recording: Recording) -> None:
    assert forbidden(session, replace(abroad("", ""), texts=0, frames=())) == ""
    with pytest.raises(Forbidden) as refusal:
        StudyAuthority(session).permit(replace(abroad(recording.id, RAW_CONDITION), local=True, unapproved=1))
    assert refusal.value.rule == "cleared"


def test_a_window_searches_no_texts_itself(session: Session, recording: Recording, rendering: str) -> None:
    session.patient = False
    found = forbidden(session, abroad(recording.id, rendering))
    assert "not searched for personal information" in found
    assert "Speech > Personal information" in found
    work = search.prepare(session)
    search.store(session, work, search.compute(work.parameters, Silent()))
    assert forbidden(session, abroad(recording.id, rendering)) == ""


def test_whom_a_look_tells_of_and_people_of_the_examples_are_asked_too(session: Session, recording: Recording) -> None:
    set_policy(session, EVERYTHING)
    sent = abroad(recording.id, RAW_CONDITION)
    assert forbidden(session, sent) == ""
    assert "something that is gone" in forbidden(session, replace(sent, others=(MISSING_RECORDING,)))
    other = new_id()
    with session.step("Other"):
        insert_recording(session.study, replace(recording, id=other, number=9, name="other"))
    both = replace(sent, others=(other,))
    assert "nobody is said to appear in recording 9" in forbidden(session, both)
    who, _ = add_participant(session, "P09", ParticipantRole.USER, other)
    assert "P09 of recording 9 did not agree" in forbidden(session, both)
    gather(session, recording.id, "somebody", who)
    assert "P09 of recording 1 did not agree" in forbidden(session, sent)
    agree(session, who, ConsentUse.MODELS)
    assert forbidden(session, both) == ""
    hold_out(session, other)
    assert "recording 9 is held out" in forbidden(session, both)
    assert forbidden(session, sent) == ""
