"""Each rule that the study alone can break, broken and kept."""

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.interchange.annotation_files import apply_import, plan_import, read_file
from annotate.interchange.lane_mapping import guess_mapping
from annotate.segments.segment_edits import add_segment
from annotate.study.people import add_participant, set_consent
from anonymize.faces.face_review_edits import assign_faces, dismiss_faces, mark_seen
from anonymize.pii_review.pii_decisions import decide_places, keep_words, mark_text
from anonymize.pii_review.review_hits import find_hits, find_undecided
from anonymize.release.private_content import set_private_words
from anonymize.release.release_gate import compute_signature
from anonymize.release.release_job import build_checklist, prepare
from anonymize.release.release_plan import KEEP, SCRUB, SOLID, ReleasePlan
from anonymize.release.release_rules import (
    ReleaseBlocker,
    ReleaseCandidate,
    select_candidates,
    waive_rule,
    withdraw_waiver,
)
from anonymize.release.release_texts import confirm_texts, list_released_texts
from models.weights import installed_weights as weights
from project.entities.face_regions import Keyframe
from project.entities.study_records import ConsentUse, ParticipantRole, Recording, Utterance
from project.entities.transcript import estimate_word_times
from project.errors import UserError
from project.ids import new_id
from project.queries.face_rows import set_track_box, tracks_of
from project.queries.pii_rows import PiiVerdict
from project.queries.recording_rows import all_participants, all_recordings, set_appearance, set_hold_out
from project.queries.transcript_rows import delete_utterance, insert_utterances, update_utterance, utterances_of
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.listed_names import LISTED
from tests.builders.release_study import listen, review, track

PLAN = ReleasePlan(methods=("solid",))


def rules(session: Session, plan: ReleasePlan = PLAN) -> list[str]:
    return [blocker.rule for blocker in build_checklist(session, plan).remaining]


def undecided(session: Session, plan: ReleasePlan) -> list[ReleaseBlocker]:
    """Return what keeps a release for personal information."""
    return [blocker for blocker in build_checklist(session, plan).remaining if blocker.rule == "pii-reviewed"]


def only_candidate(session: Session, plan: ReleasePlan) -> ReleaseCandidate:
    (candidate,) = build_checklist(session, plan).selection.candidates
    return candidate


def left_out(session: Session, plan: ReleasePlan = PLAN) -> dict[int, str]:
    return build_checklist(session, plan).selection.left_out


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE consent SET granted = 1",
        "UPDATE pii_decision SET decision = 'keep'",
        "INSERT INTO public_word VALUES ('Anna')",
        "INSERT INTO waiver SELECT 'w-9', r.id, 'pii-reviewed', 'because I say so', a.id, '2026' "
        "FROM recording r, annotator a LIMIT 1",
    ],
)
def test_what_another_program_changed_stops_it(session: Session, sql: str) -> None:
    (person,) = all_participants(session.study)
    set_consent(session, person, ConsentUse.MODELS, False)
    set_private_words(session, {"Zoe": "[PERSON_1]"})
    decide_places(session, find_hits(session), PiiVerdict.HIDE)
    assert "history" not in rules(session)
    with closing(sqlite3.connect(session.study.path)) as connection, connection:
        assert connection.execute(sql).rowcount > 0
    assert "history" in rules(session)


def test_a_file_that_is_gone_and_faces_of_another_file(session: Session, recording: Recording) -> None:
    track(session, recording, None, fingerprint="0" * 32)
    assert rules(session) == ["faces-tracked"]
    session.locate(session.main_medium(recording.id)).path.unlink()
    assert rules(session) == ["file"]


def test_a_review_holds_until_the_masks_change(session: Session, recording: Recording) -> None:
    (face,) = tracks_of(session.study, recording.id)
    with session.step("Move"):
        set_track_box(session.study, face.id, Keyframe(500_000, 70, 45, 30, 40))
    assert rules(session) == ["faces-reviewed"]
    assert "changed after" in build_checklist(session, PLAN).reasons[0].sentence
    review(session, recording)
    assert rules(session) == []
    track(session, recording, all_participants(session.study)[0].id)
    assert rules(session) == ["faces-reviewed"], "of a new run too"


def test_a_face_that_ends_in_the_middle_of_a_picture_is_looked_at(session: Session, recording: Recording) -> None:
    track(session, recording, all_participants(session.study)[0].id, frames=10)
    review(session, recording)
    (reason,) = build_checklist(session, PLAN).remaining
    assert (reason.rule, reason.recording, reason.time_us) == ("uncovered", 1, 1_000_000)
    mark_seen(session, recording.id, [(0, 2_000_000)])
    assert rules(session) == []


def test_who_speaks_and_did_not_consent_is_left_out_though_never_seen(session: Session, recording: Recording) -> None:
    voice, _ = add_participant(session, "P02", ParticipantRole.BYSTANDER)
    with session.step("A voice from the next room"):
        insert_utterances(session.study, [Utterance(new_id(), recording.id, 0, 900_000, "Hello", voice)])
    for plan in (SOUNDING, replace(PLAN, texts=SCRUB)):
        assert left_out(session, plan) == {1: "1 participant did not consent to release."}
    assert left_out(session) == {}, "neither sound nor texts leave"
    candidate = only_candidate(session, replace(SOUNDING, without_consent=SOLID))
    assert [who.pseudonym for who in candidate.refusing] == ["P02"]
    assert candidate.audio_treatment.muted[0][0] == 0


def test_nobody_is_said_to_appear(session: Session, recording: Recording) -> None:
    (face,) = tracks_of(session.study, recording.id)
    assign_faces(session, [face.id], None)
    with session.step("Take out"):
        set_appearance(session.study, recording.id, all_participants(session.study)[0].id, False)
    review(session, recording)
    assert rules(session) == ["consent-known"]
    waive_rule(session, "consent-known", recording.id, "Recorded in a public square")
    assert rules(session) == []
    withdraw_waiver(session, "consent-known", recording.id)
    assert rules(session) == ["consent-known"]


def test_a_face_of_nobody_known_is_no_matter_where_all_is_solid(session: Session, recording: Recording) -> None:
    (face,) = tracks_of(session.study, recording.id)
    assign_faces(session, [face.id], None)
    review(session, recording)
    assert rules(session) == []
    assert rules(session, replace(PLAN, methods=("blur",))) == ["consent-known"]
    assert rules(session, replace(PLAN, methods=("solid", "blur"))) == ["consent-known"]
    painting = replace(PLAN, methods=("blur",), without_consent=SOLID)
    assert rules(session, painting) == []
    assert only_candidate(session, painting).solid_face_ids == [face.id]


def test_who_did_not_consent_is_left_out_or_painted(session: Session) -> None:
    (person,) = all_participants(session.study)
    set_consent(session, person, ConsentUse.RELEASE, False)
    assert left_out(session) == {1: "1 participant did not consent to release."}
    assert rules(session) == ["something"]
    assert rules(session, replace(PLAN, without_consent=SOLID)) == []


def test_who_is_only_a_face_counts_too_and_robots_need_no_consent(session: Session, recording: Recording) -> None:
    add_participant(session, "R01", ParticipantRole.ROBOT, recording.id)
    assert left_out(session) == {}
    other, _ = add_participant(session, "P02", ParticipantRole.BYSTANDER)
    (face,) = tracks_of(session.study, recording.id)
    assign_faces(session, [face.id], other)
    review(session, recording)
    assert left_out(session) == {1: "1 participant did not consent to release."}


def test_hold_outs_and_what_is_not_chosen_are_left_out(session: Session, recording: Recording) -> None:
    assert left_out(session, replace(PLAN, recordings=(2,))) == {1: "It is not chosen."}
    assert left_out(session, replace(PLAN, recordings=(1,))) == {}
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
        waive_rule(session, "sound-consent", None, "They will not mind it")


def test_texts_have_to_be_read_as_they_are_now(session: Session) -> None:
    scrubbing = replace(PLAN, texts=SCRUB)
    assert rules(session) == []
    assert rules(session, scrubbing) == ["texts-reviewed"]
    confirm_texts(session)
    assert rules(session, scrubbing) == []
    set_private_words(session, {"Anna": "P01"})
    assert rules(session, scrubbing) == ["texts-reviewed"]
    set_private_words(session, {})
    assert rules(session, scrubbing) == []


def test_words_that_an_import_made_codes_of_are_searched_and_read(session: Session, tmp_path: Path) -> None:
    log = tmp_path / "gaze.csv"
    log.write_text(f"Time_Relative_sf,Duration_sf,Subject,Behavior,Event_Type\n0.1,0.5,P01,{LISTED},State start\n")
    document = read_file(log)
    mapping, places = guess_mapping(session, document), (all_recordings(session.study)[0].id,)
    apply_import(session, plan_import(session, document, mapping, places), log.name)
    (blocker,) = undecided(session, PLAN)
    assert f"“{LISTED}”" in blocker.sentence
    scrubbed = list_released_texts(session)
    assert ("code", LISTED) in [(text.place, text.after) for text in scrubbed]
    keep_words(session, [LISTED])
    assert undecided(session, PLAN) == []


def test_what_can_never_be_released_is_refused_at_once(session: Session, tmp_path: Path) -> None:
    for wrong in (
        {"methods": ("raw",)},
        {"only": {1: ("raw",)}},
        {"formats": ("jsonl",)},
        {"sound": "robot voice"},
        {"texts": "as they are"},
        {"without_consent": "whatever"},
    ):
        with pytest.raises(UserError):
            prepare(session, tmp_path / "release", replace(PLAN, **wrong))


def test_a_waiver_needs_a_reason(session: Session) -> None:
    for reason in ("", "  two   words "):
        with pytest.raises(UserError, match="reason"):
            waive_rule(session, "privacy-limit", None, reason)


SOUNDING = replace(PLAN, sound=KEEP)


def said(session: Session, recording: Recording, **what: object) -> None:
    """Change the one utterance."""
    (utterance,) = utterances_of(session.study, recording.id)
    with session.step("Write"):
        update_utterance(session.study, replace(utterance, **what))


def test_sound_needs_a_look_for_speech_in_the_file_as_it_is(session: Session, recording: Recording) -> None:
    assert rules(session, SOUNDING) == []
    listen(session, recording, [], fingerprint="of another file")
    assert rules(session, SOUNDING) == ["transcript"]
    assert "Nobody looked for speech" in build_checklist(session, SOUNDING).remaining[0].sentence
    assert rules(session) == [], "without sound it is no matter"
    assert rules(session, replace(SOUNDING, video=("1hz",))) == [], "pictures have no sound"
    (utterance,) = utterances_of(session.study, recording.id)
    with session.step("Delete"):
        delete_utterance(session.study, utterance.id)
    listen(session, recording, [(100_000, 800_000)])
    assert rules(session, SOUNDING) == ["transcript"]
    listen(session, recording, [])
    assert rules(session, SOUNDING) == [], "a recording without speech needs no transcript"


def test_what_is_said_outside_the_transcript_is_listed_with_its_times(session: Session, recording: Recording) -> None:
    listen(session, recording, [(100_000, 800_000), (1_400_000, 1_900_000)])
    (reason,) = build_checklist(session, SOUNDING).remaining
    assert (reason.rule, reason.recording, reason.time_us) == ("transcript", 1, 1_400_000)
    assert "0:00:01.400 to 0:00:01.900" in reason.sentence
    assert "--at 1.400" in str(reason.describe_as_json("s.greenroom")["link"])
    said(session, recording, end_us=1_800_000)
    assert rules(session, SOUNDING) == []
    said(session, recording, text=" ")
    assert rules(session, SOUNDING) == ["transcript", "transcript"], "an utterance without words covers nothing"
    with pytest.raises(UserError, match="cannot be waived"):
        waive_rule(session, "transcript", None, "It is only a cough")


def test_a_draft_has_to_be_checked(session: Session, recording: Recording) -> None:
    said(session, recording, checked=False)
    assert rules(session, SOUNDING) == ["transcript-checked"]
    waive_rule(session, "transcript-checked", None, "The recogniser is good enough here")
    assert rules(session, SOUNDING) == []
    withdraw_waiver(session, "transcript-checked", None)
    said(session, recording, checked=True)
    assert rules(session, SOUNDING) == []


@pytest.mark.parametrize("speaker", [{"participant_id": None}, {"suggested": True}])
def test_a_voice_of_nobody_known_is_not_released(
    session: Session, recording: Recording, speaker: dict[str, object]
) -> None:
    for plan in (SOUNDING, replace(PLAN, sound="mcadams")):
        said(session, recording, participant_id=all_participants(session.study)[0].id, suggested=False)
        assert rules(session, plan) == []
        said(session, recording, **speaker)
        assert rules(session, plan) == ["voice"]


def test_who_did_not_consent_is_muted_where_voices_are_changed(session: Session, recording: Recording) -> None:
    other, _ = add_participant(session, "P02", ParticipantRole.BYSTANDER, recording.id)
    changing = replace(PLAN, sound="pitch-formant", without_consent=SOLID)

    def muted() -> tuple[tuple[int, int], ...]:
        assert rules(session, changing) == []
        return only_candidate(session, changing).audio_treatment.muted

    assert muted() == ()
    said(session, recording, participant_id=other)
    assert muted() == ((0, 1_050_000),)
    said(session, recording, participant_id=None)
    waive_rule(session, "voice", recording.id, "It is a voice on the radio")
    assert muted() == ((0, 1_050_000),), "a waiver lets nobody be heard where somebody refused"


def test_everything_personal_that_leaves_was_decided_on(session: Session, recording: Recording) -> None:
    scrubbing = replace(PLAN, texts=SCRUB)
    assert rules(session, SOUNDING) == []
    said(session, recording, text="I am Anna, call 555-867-5309, or ask Robert Miller")
    for plan, more in ((SOUNDING, []), (scrubbing, ["texts-reviewed"])):
        assert sorted({*rules(session, plan)}) == ["pii-reviewed", *more]
        (reason,) = undecided(session, plan)
        assert "utterance" in reason.sentence
        assert "name of a person" in reason.sentence
        assert "Miller" not in reason.sentence + reason.hint
    assert rules(session) == [], "neither texts nor sound leave"
    decide_places(session, find_undecided(session), PiiVerdict.KEEP)
    assert rules(session, SOUNDING) == []


POLISH = "Dzień dobry, nazywam się Anna i mieszkam w małym miasteczku nad morzem, a pan skąd do nas przyjechał dzisiaj"
GERMAN = "Guten Tag, ich komme aus einer kleinen Stadt am Meer, und woher sind Sie denn heute zu uns gekommen"


@pytest.mark.parametrize(("text", "why"), [(POLISH, "no rules"), (GERMAN, "no model of German names")])
def test_a_transcript_in_a_language_without_rules_or_names_is_read_by_a_person(
    session: Session, recording: Recording, text: str, why: str
) -> None:
    said(session, recording, text=text)
    decide_places(session, find_undecided(session), PiiVerdict.KEEP)
    for plan in (SOUNDING, replace(PLAN, texts=SCRUB)):
        (reason,) = undecided(session, plan)
        assert why in reason.sentence
        assert reason.can_be_waived
    assert rules(session) == [], "neither texts nor sound leave"
    waive_rule(session, "pii-reviewed", recording.id, "Two of us read all of it")
    assert "pii-reviewed" not in rules(session, SOUNDING)


def test_english_speech_needs_the_model_of_english_names(
    session: Session, recording: Recording, english_names_folder: Path
) -> None:
    shutil.rmtree(weights.weights_folder())
    said(session, recording, text=f"And then we all went down to the beach with {LISTED.lower()} to see the boats")
    decide_places(session, find_undecided(session), PiiVerdict.HIDE)
    assert rules(session) == [], "neither texts nor sound leave"
    for plan in (SOUNDING, replace(PLAN, texts=SCRUB)):
        (reason,) = undecided(session, plan)
        assert "no model of English names" in reason.sentence
        assert "greenroom model fetch ner-english" in reason.hint
        assert '--waive pii-reviewed:1="WHY"' in reason.hint
        assert reason.weights == "ner-english"
    shutil.copytree(english_names_folder, weights.weights_folder())
    (reason,) = undecided(session, SOUNDING)
    assert "undecided (name of a person)" in reason.sentence, "it was searched again, and the name has to be decided on"
    assert not reason.can_be_waived
    decide_places(session, find_undecided(session), PiiVerdict.HIDE)
    assert "pii-reviewed" not in rules(session, SOUNDING)


def test_the_signature_of_a_release_holds_whatever_hides_or_mutes(session: Session, recording: Recording) -> None:
    text = utterances_of(session.study, recording.id)[0].text
    said(session, recording, words=estimate_word_times(text, 0, 900_000))
    (face,) = tracks_of(session.study, recording.id)
    (spoken,) = [free_text for free_text in free_texts(session.study) if free_text.table == "utterance"]
    (utterance,) = utterances_of(session.study, recording.id)
    later = tuple(replace(word, start_us=word.start_us + 1) for word in utterance.words)
    names = [hit for hit in find_hits(session) if hit.is_spoken]

    def signature() -> str:
        return compute_signature(session, SOUNDING, select_candidates(session, SOUNDING), "0" * 64)

    before = signature()
    for edit in (
        lambda: said(session, recording, words=later),
        lambda: decide_places(session, names[:1], PiiVerdict.KEEP),
        lambda: mark_text(session, spoken, 0, 4, "other"),
        lambda: keep_words(session, ["Pepper"]),
        lambda: set_private_words(session, {"Carla": "P07"}),
        lambda: dismiss_faces(session, [face.id]),
        lambda: add_participant(session, "P02", ParticipantRole.ROBOT, recording.id),
    ):
        edit()
        assert signature() != before
        session.study.undo()
        assert signature() == before
    add_segment(session, recording.id, 0, 90_000, "competence", {})
    assert signature() == before, "annotations may go on being edited"
