"""Every part of the meta information is edited as a step, and no answer of a judge writes over a person's words."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.cues.cue_marks import CuePrelabel
from annotate.cues.prelabels import replace_prelabels
from annotate.meta import meta_edits as commands
from annotate.meta.recording_cast import read_cued_utterances
from annotate.meta.scenes import read_scene_events
from annotate.segments.segment_edits import set_field
from annotate.study import recording_edits as history
from benchmark.authoring.meta_answers import import_answer, is_human_summary, read_answers
from benchmark.judge_input.judged_subjects import locate_target
from benchmark.judge_input.subject_material import MATERIAL
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import LookKind, SummarySource
from project.errors import UserError
from project.queries.question_rows import contradictions_in, person_descriptions, summaries_of
from project.session.session import Session
from tests.builders.scene_study import ANN, BO, HELLO, SECOND, TOLD, R, answered, open_room

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


def test_what_cannot_be_seen_is_taken_out_and_what_is_too_long_refused(session: Session) -> None:
    commands.set_person_description(session, R, ANN, LookKind.OTHER, "tall\u202e\x1b[31m")
    assert looks(session) == {(ANN, "other"): "tall[31m"}
    with pytest.raises(UserError, match="at most 200"):
        commands.set_person_description(session, R, ANN, LookKind.OTHER, "x" * 201)
    with pytest.raises(UserError, match="no longer part"):
        commands.set_person_description(session, R, "nobody", LookKind.OTHER, "tall")


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
    second = answered(session, "words_summary", {"summary": "They part."}, 2)
    assert import_answer(session, first).new == 1
    assert not is_human_summary(session, R, WORDS)
    assert import_answer(session, second).new == 1
    assert summary(session) == "They part."
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


def test_what_judges_write_is_taken_over_under_pseudonyms(session: Session) -> None:
    import_answer(
        session, answered(session, "words_summary", {"summary": "The User Ann greets User Bo, another user."})
    )
    import_answer(session, answered(session, "audit", {"contradictions": "User Bo waves, or User Ann does."}))
    assert summary(session) == "Ann greets Bo, another user."
    assert not is_human_summary(session, R, WORDS)
    assert contradictions_in(session.study, R)[0].text == "Bo waves, or Ann does."


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


def test_answers_about_anything_else_are_not_taken(session: Session) -> None:
    other = answered(session, "verdict", {"label": "error"})
    assert read_answers(session, R) == []
    with pytest.raises(UserError, match="no answer about a recording"):
        import_answer(session, other)


def test_voice_over_is_marked_left_out_and_taken_back(session: Session) -> None:
    commands.set_voice_over(session, TOLD, True)
    assert [utterance.utterance.id for utterance in read_cued_utterances(session, R) if utterance.is_voice_over] == [
        TOLD
    ]
    assert [event.segment.label for event in read_scene_events(session, R)] == ["voice_over"]
    assert not commands.set_voice_over(session, TOLD, True)
    session.annotator_name = "Bo"
    with pytest.raises(UserError, match="Somebody else"):
        commands.set_voice_over(session, TOLD, False)
    session.annotator_name = "Ada"
    commands.set_voice_over(session, TOLD, False)
    assert not any(utterance.is_voice_over for utterance in read_cued_utterances(session, R))


def test_a_moment_at_the_end_is_marked_inside_the_recording(session: Session) -> None:
    commands.mark_scene_at(session, R, 60 * SECOND, "change", "cut")
    (found,) = read_scene_events(session, R)
    assert (found.segment.start_us, found.segment.end_us) == (59_500_000, 60 * SECOND)
    assert not read_cued_utterances(session, R)[0].is_voice_over
    assert read_cued_utterances(session, R)[0].utterance.id == HELLO


def test_judges_are_told_what_people_marked_of_scenes_under_names_of_the_request(session: Session) -> None:
    made, _ = commands.mark_scene_at(session, R, 20 * SECOND, "event", "arrival")
    set_field(session, made, "participant", BO)
    set_field(session, made, "description", "Bo comes\nin.")
    replace_prelabels(session, R, [CuePrelabel("change", "cut", 40 * SECOND, 41 * SECOND, None, "")], "scenes")
    place = locate_target(session, JudgmentTarget(JudgmentTargetKind.RECORDING, R))
    told = MATERIAL["scenes"](session, place, {}, lambda text: text.replace("Bo", "User"))
    assert told == "20.0 s to 20.5 s: Somebody comes or goes: User: User comes in."
