"""Meta information is edited in steps, no judge writes over a person's words, and all parts of it come in one form."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.cues.cue_marks import CuePrelabel
from annotate.cues.prelabels import add_cue, replace_prelabels
from annotate.meta import meta_edits as commands
from annotate.meta.meta_summary import build_meta_information, format_meta_json, format_prose
from annotate.meta.recording_cast import person_boxes, read_cued_utterances
from annotate.meta.scenes import read_scene_events
from annotate.segments.segment_edits import set_field
from annotate.study import recording_edits as history
from anonymize.pii_review.pii_decisions import mark_text
from anonymize.release.scrubbed_study import collect_meta_information
from benchmark.authoring.meta_answers import import_answer, is_human_summary
from benchmark.judge_input.judged_subjects import locate_target
from benchmark.judge_input.subject_material import MATERIAL, MaterialSource
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import LookKind, SummarySource
from project.errors import UserError
from project.queries.question_rows import contradictions_in, person_descriptions, summaries_of
from project.search.free_texts import free_texts
from project.session.session import Session
from tests.builders.scene_study import ANN, BO, HELLO, SECOND, TOLD, R, answered, open_room, seen

WORDS = SummarySource.WORDS


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_room(tmp_path) as opened:
        yield opened


def looks(session: Session) -> dict[tuple[str, str], str]:
    return {
        (description.participant_id, description.kind.value): description.text
        for description in person_descriptions(session.study, R)
    }


def summary(session: Session) -> str:
    found = summaries_of(session.study, R).get(WORDS)
    return "" if found is None else found.text


def test_looks_are_set_taken_back_and_undone(session: Session) -> None:
    commands.set_person_description(session, R, ANN, LookKind.HAIR, " long,\n dark ")
    assert looks(session) == {(ANN, "hair"): "long, dark"}
    commands.set_person_description(session, R, ANN, LookKind.HAIR, "")
    assert looks(session) == {}
    history.undo(session)
    assert looks(session) == {(ANN, "hair"): "long, dark"}
    commands.set_person_description(session, R, ANN, LookKind.HAIR, "tall\u202e\x1b[31m")
    assert looks(session) == {(ANN, "hair"): "tall[31m"}
    with pytest.raises(UserError, match="up to 200"):
        commands.set_person_description(session, R, ANN, LookKind.HAIR, "x" * 201)


def test_the_lines_of_a_judge_become_looks_of_those_who_are_there(session: Session) -> None:
    commands.set_person_description(session, R, BO, LookKind.HAIR, "bald")
    lines = "User Ann | clothing | red coat\n- ann | Clothing | blue scarf\nBo | hair | short\nZoe | hair | long\nWhat?"
    taken = import_answer(session, answered(session, "looks", {"looks": lines}))
    assert looks(session) == {(ANN, "clothing"): "red coat, blue scarf", (BO, "hair"): "bald"}
    assert (taken.new, taken.kept, taken.unparsed_lines) == (1, 1, ("Zoe | hair | long", "What?"))
    import_answer(session, "looks-1", replace_own=True)
    assert looks(session)[BO, "hair"] == "short"


def test_a_summary_that_a_person_changed_is_not_written_over(session: Session) -> None:
    first = answered(session, "words_summary", {"summary": "They meet."})
    second = answered(session, "words_summary", {"summary": "The User Ann leaves User Bo, another user."}, 2)
    with pytest.raises(UserError, match="not an answer about a recording"):
        import_answer(session, answered(session, "verdict", {"label": "error"}))
    assert import_answer(session, first).new == 1
    assert not is_human_summary(session, R, WORDS)
    assert import_answer(session, second).new == 1
    assert summary(session) == "Ann leaves Bo, another user.", "taken over under pseudonyms"
    commands.write_summary(session, R, WORDS, "They meet and part.")
    assert is_human_summary(session, R, WORDS)
    assert summaries_of(session.study, R)[WORDS].judgment_id == second
    refused = import_answer(session, first)
    assert (refused.new, refused.kept) == (0, 1)
    assert summary(session) == "They meet and part."
    import_answer(session, first, replace_own=True)
    assert summary(session) == "They meet."
    history.undo(session)
    assert summary(session) == "They meet and part."


def test_a_new_audit_replaces_what_nobody_touched_and_keeps_the_rest(session: Session) -> None:
    import_answer(session, answered(session, "audit", {"contradictions": "1. One says red.\n2. Two.\n3. Three."}))
    contradiction, two, _three = contradictions_in(session.study, R)
    commands.settle_contradiction(session, contradiction.id, "It is red.")
    commands.settle_contradiction(session, two.id, "Look again.", settled=False)
    own, _ = commands.add_contradiction(session, R, "Mine")
    import_answer(session, answered(session, "audit", {"contradictions": "two\nFour"}, 2))
    found = [(each.text, each.resolution, each.settled) for each in contradictions_in(session.study, R)]
    assert sorted(found) == [
        ("Four", "", False),
        ("Mine", "", False),
        ("One says red.", "It is red.", True),
        ("Two.", "Look again.", False),
    ]
    import_answer(session, answered(session, "audit", {"contradictions": "None."}, 3))
    assert "Four" not in {each.text for each in contradictions_in(session.study, R)}
    commands.edit_contradiction(session, own, "Mine too")
    commands.remove_contradictions(session, [own])
    assert own not in {each.id for each in contradictions_in(session.study, R)}


def test_voice_over_is_marked_left_out_and_taken_back(session: Session) -> None:
    commands.set_voice_over(session, TOLD, True)
    assert [utterance.utterance.id for utterance in read_cued_utterances(session, R) if utterance.is_voice_over] == [
        TOLD
    ]
    assert [event.segment.label for event in read_scene_events(session, R)] == ["voice_over"]
    assert not commands.set_voice_over(session, TOLD, True)
    session.annotator_name = "Bo"
    with pytest.raises(UserError, match="Another annotator"):
        commands.set_voice_over(session, TOLD, False)
    session.annotator_name = "Ada"
    commands.set_voice_over(session, TOLD, False)
    assert not any(utterance.is_voice_over for utterance in read_cued_utterances(session, R))
    commands.mark_scene_at(session, R, 60 * SECOND, "change", "cut")
    (at_the_end,) = read_scene_events(session, R)
    assert (at_the_end.segment.start_us, at_the_end.segment.end_us) == (59_500_000, 60 * SECOND)


def test_judges_are_told_what_people_marked_of_scenes_under_names_of_the_request(session: Session) -> None:
    made, _ = commands.mark_scene_at(session, R, 20 * SECOND, "event", "arrival")
    set_field(session, made, "participant", BO)
    set_field(session, made, "description", "Bo comes\nin.")
    replace_prelabels(session, R, [CuePrelabel("change", "cut", 40 * SECOND, 41 * SECOND, None, "")], "scenes")
    place = locate_target(session, JudgmentTarget(JudgmentTargetKind.RECORDING, R))
    told = MATERIAL["scenes"](MaterialSource(session, place, {}, lambda text: text.replace("Bo", "User")))
    assert told == "20.0 s to 20.5 s: Somebody comes or goes: User: User comes in."


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Session]:
    with open_room(tmp_path) as opened:
        seen(opened, (ANN, 2.0, (300, 100, 60, 80)), (ANN, 2.5, (310, 100, 60, 80)), (None, 30.0, (0, 0, 30, 40)))
        commands.set_person_description(opened, R, ANN, LookKind.CLOTHING, "red coat")
        commands.set_voice_over(opened, TOLD, True)
        opened_cue = add_cue(opened, HELLO, "action", "gesture", ANN, "Waves.")
        assert opened_cue
        add_cue(opened, HELLO, "response", "nod", BO, "Nods.")
        commands.mark_scene_at(opened, R, 20 * SECOND, "change", "elsewhere")
        replace_prelabels(opened, R, [CuePrelabel("change", "cut", 40 * SECOND, 41 * SECOND, None, "")], "scenes")
        commands.write_summary(opened, R, SummarySource.FRAMES, "Two people meet.")
        commands.add_contradiction(opened, R, "Who waves?")
        yield opened


def test_it_has_every_part(filled: Session) -> None:
    found = json.loads(format_meta_json(build_meta_information(filled, R)))
    ann, bo, unknown = found["people"]
    assert (ann["name"], ann["looks"], ann["seen"]) == ("Ann", {"clothing": "red coat"}, [{"start": 2.0, "end": 3.46}])
    assert [one["id"] for one in ann["tracks"]] == ["track-1", "track-2"]
    assert ann["tracks"][0]["person"] == [210.0, 52.0, 240.0, 308.0]
    assert (bo["name"], bo["speaks"], bo["tracks"]) == ("Bo", 3.0, [])
    assert (unknown["name"], len(unknown["tracks"])) == (None, 1)
    hello, well = found["speech"]
    assert (hello["speaker"], hello["first_frame"], hello["last_frame"]) == ("Ann", 0, 50)
    assert hello["with_cues"] == "Hello [Bo: Nods] there [Waves]"
    assert [cue["who"] for cue in hello["cues"] + hello["responses"]] == ["Ann", "Bo"]
    assert well["speaker"] == "Bo"
    assert [one["text"] for one in found["voice_over"]] == ["Years later they met again"]
    assert [(span["start"], span["end"]) for span in found["without_speech"]] == [(0, 2), (4, 15), (18, 60)]
    assert [(one["track"], one["label"]) for one in found["scenes"]] == [
        ("sound", "voice_over"),
        ("change", "elsewhere"),
    ]
    assert found["summaries"] == {"words": "", "frames": "Two people meet."}
    assert found["contradictions"] == [{"text": "Who waves?", "resolution": "", "settled": False}]


def test_prose_tells_people_then_what_happens_by_time(filled: Session) -> None:
    assert format_prose(filled, R, {ANN: "User A", BO: "User B"}).splitlines() == [
        "User A: red coat",
        "2.00-4.00 s User A: Hello [User B: Nods] there [Waves]",
        "10.00-14.00 s (Voice-over)",
        "15.00-18.00 s User B: Well well",
        "20.00-20.50 s (Other place or time)",
    ]
    filled.annotator_name = "Bo"
    commands.mark_scene_at(filled, R, 20 * SECOND + 100_000, "change", "elsewhere")
    assert format_prose(filled, R, {}).count("Other place or time") == 1, "what two people marked is told once"


SIDE = st.floats(1, 400, allow_nan=False, width=32)
PLACE = st.floats(-200, 800, allow_nan=False, width=32)


@given(st.lists(st.tuples(PLACE, PLACE, SIDE, SIDE), min_size=1, max_size=8))
def test_a_person_region_lies_in_the_picture_and_holds_what_of_the_face_does(boxes: list[tuple[float, ...]]) -> None:
    faces = np.array(boxes, np.float32)
    found = person_boxes(faces, 640, 360)
    assert (found[:, :2] >= 0).all()
    assert (found[:, 2:] >= 0).all()
    assert (found[:, 0] + found[:, 2] <= 640.001).all()
    assert (found[:, 1] + found[:, 3] <= 360.001).all()
    for face, region in zip(faces, found, strict=True):
        left, right = np.clip([face[0], face[0] + face[2]], 0, 640)
        top, bottom = np.clip([face[1], face[1] + face[3]], 0, 360)
        assert region[0] <= left + 0.01
        assert region[0] + region[2] >= right - 0.01
        assert region[1] <= top + 0.01
        assert region[1] + region[3] >= bottom - 0.01


def test_what_was_marked_by_hand_is_in_no_part_of_the_scrubbed_file(filled: Session) -> None:
    marked = ("there", "Waves", "coat", "people meet", "Who")
    for text in [*free_texts(filled.study)]:
        for word in marked:
            if word in text.text:
                mark_text(filled, text, text.text.index(word), text.text.index(word) + len(word), "other")
    raw, scrubbed = (json.dumps(collect_meta_information(filled, scrubbed=on)) for on in (False, True))
    for word in marked:
        assert word in raw
        assert word not in scrubbed, word
