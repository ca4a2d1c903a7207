"""Where the examples of a prompt come from, and what people of a study said most."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.chains.chain_edits import delete_chain
from annotate.review.peer_review import review_segment
from annotate.study.people import add_participant, set_consent
from annotate.team.assignments import hold_out
from annotate.transcript.transcript_edits import add_utterance
from anonymize.egress.egress_log import read_log
from benchmark.judge_input.input_plan import InputPlan, InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.judge_input.judged_subjects import answer_counts
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.verification import verify
from project.codec import dump, load
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import CHECKLIST_KEYS, QuestionKind, VerificationDecision
from project.entities.study_records import ConsentUse, Json, Participant, ParticipantRole, ReviewDecision
from project.progress import Silent
from project.queries.question_rows import all_questions, update_question
from project.queries.recording_rows import all_participants, participants_in
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.marked_study import SECOND, mark, open_study
from tests.builders.misbehaving_server import misbehaving, says
from tests.builders.subjects import a_chain, a_question

HERE, OTHER, THIRD = "walk", "walk 2", "walk 3"
WORDS = InputSettings(frames=0, before=0)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=3) as opened:
        yield opened


def decide_on_models(session: Session, recording: str = OTHER) -> Participant:
    """Let somebody in a recording agree that their words are sent to models."""
    made, _ = add_participant(session, f"P-{recording}", ParticipantRole.USER, recording)
    participant = next(each for each in all_participants(session.study) if each.id == made)
    set_consent(session, participant, ConsentUse.MODELS, True)
    return participant


def agreed_on(session: Session, start: float, label: str, said: str, recording: str = OTHER, **values: Json) -> str:
    """Let Bo mark a segment in which something is said, and Ada agree."""
    made = mark(session, "Bo", start, start + 5, label, recording=recording, **values)
    speaker = next((participant.id for participant in participants_in(session.study, recording)), None)
    add_utterance(session, recording, round(start * SECOND), round((start + 2) * SECOND), said, speaker)
    review_segment(session, made, ReviewDecision.AGREE)
    return made


def plan_segment(session: Session, segment: str, task: str = "verdict") -> InputPlan:
    return plan_input(session, segment, task, "few-shot", settings=WORDS)


def test_agreed_segments_of_other_recordings_are_examples(session: Session) -> None:
    decide_on_models(session)
    for number in range(5):
        agreed_on(session, 20 * number, "error", f"Words {number}.")
    agreed_on(session, 200, "competence", "A kind word.")
    here = agreed_on(session, 300, "error", "From the same recording.", HERE)
    plan = plan_segment(session, here)
    assert plan.other_recordings == (OTHER,)
    assert load(InputPlan, dump(plan), "plan") == plan
    assert plan.notes[0] == "3 examples are segments of other recordings that people agreed on."
    assert plan.text.count("Example:") == 3
    assert "A kind word." in plan.text
    assert '{"label": "competence"}' in plan.text
    assert plan.text.count("From the same recording.") == 1
    assert plan_segment(session, here).text == plan.text
    assert "A kind word." not in plan_segment(session, mark(session, "Ada", 400, 410, recording=OTHER)).text


def test_a_segment_that_may_not_be_shown_is_no_example(session: Session) -> None:
    who = decide_on_models(session)
    made, here = agreed_on(session, 20, "error", "Words."), mark(session, "Ada", 1, 5)
    mark(session, "Bo", 40, 45, recording=OTHER)
    add_utterance(session, OTHER, 40 * SECOND, 42 * SECOND, "Nobody reviewed this.", who.id)
    agreed_on(session, 20, "error", "Nobody is known here.", THIRD)
    text = plan_segment(session, here).text
    assert "Words." in text
    assert "Nobody" not in text

    def disagree() -> None:
        session.annotator_name = "Cy"
        review_segment(session, made, ReviewDecision.DISAGREE)
        session.annotator_name = "Ada"

    for forbid in (
        lambda: set_consent(session, who, ConsentUse.MODELS, False),
        lambda: hold_out(session, OTHER),
        disagree,
        lambda: add_utterance(session, OTHER, 100 * SECOND, 101 * SECOND, "Nobody knows who speaks."),
    ):
        forbid()
        plan = plan_segment(session, here)
        assert "Words." not in plan.text
        assert plan.notes[0].startswith("The examples are those of the scheme")
        assert "And what may I call you?" in plan.text
        session.study.undo()


def test_examples_answer_the_task_that_is_asked(session: Session) -> None:
    decide_on_models(session)
    agreed_on(session, 20, "error", "Words.", attributes=["norms", "emotions"])
    here = mark(session, "Ada", 1, 5, "competence")
    told = plan_segment(session, here, "attributes").text
    assert "|   Label: Error" in told
    assert '|   Answer: {"attributes": ["emotions", "norms"]}' in told
    assert '|   Answer: {"multiple": "yes"}' in plan_segment(session, here, "multiple").text
    assert '|   Answer: {"error": "yes"}' in plan_segment(session, here, "error").text


def test_shares_count_what_people_said(session: Session) -> None:
    for start, label in ((0, "error"), (10, "error"), (20, "competence")):
        mark(session, "Bo", start, start + 5, label, attributes=["norms"], rationale=f"Because {start}.")
    counts = answer_counts(session, "shrec", "segments", "verdict")
    assert counts == [({"label": "error"}, 2), ({"label": "competence"}, 1)]
    assert answer_counts(session, "shrec", "segments", "attributes") == [({"attributes": ["norms"]}, 3)]
    whole = answer_counts(session, "shrec", "segments", "assess")
    assert whole[0] == ({"label": "error", "attributes": ["norms"]}, 2)
    mark(session, "Ada", 40, 45, "competence")
    mark(session, "Ada", 50, 55, "competence")
    assert answer_counts(session, "shrec", "segments", "verdict")[0] == ({"label": "competence"}, 3)
    assert answer_counts(session, "shrec", "segments", "ratings") == []


def test_the_journal_names_the_recordings_that_examples_are_from(session: Session) -> None:
    decide_on_models(session)
    agreed_on(session, 20, "error", "Words.")
    here = mark(session, "Ada", 1, 5)
    with misbehaving(says('{"label": "error"}')) as server:
        judge, _ = add_judge(session, "model", "openai", "fake", {"url": server.url, "sees": "text", "tries": 1})
        run_inline(session, prepare(session, AskRequest([judge], [here], "verdict", "few-shot")).job, Silent())
        assert "Words." in json.dumps(server.asked[0].body)
    (line,) = read_log(session)
    assert line.egress.request.others == (OTHER,)
    assert line.recording == "1 (walk), with words of 2 (walk 2)"


def verified(session: Session, recording: str, word: str, by: int = 2) -> None:
    question = a_question(session, recording, word, QuestionKind.ESI)
    for who in ("Bo", "Cy")[:by]:
        session.annotator_name = who
        verify(session, question.id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    session.annotator_name = "Ada"


def plan_question(session: Session, task: str = "answer", words: bool = True) -> InputPlan:
    about = JudgmentTarget(JudgmentTargetKind.QUESTION, a_question(session, HERE, "Hereword").id).key
    return plan_input(session, about, task, "few-shot", settings=replace(WORDS, words=words))


def test_verified_questions_of_other_recordings_are_examples(session: Session) -> None:
    decide_on_models(session)
    for number in range(5):
        verified(session, OTHER, f"Word{number}")
    verified(session, HERE, "Neighbour")
    add_utterance(session, OTHER, 0, 2_000_000, "How funny.", all_participants(session.study)[0].id)
    plan = plan_question(session)
    assert plan.other_recordings == (OTHER,)
    assert plan.notes[0] == "3 examples are questions of 1 other recording, verified."
    assert plan.text.count("Example:") == plan.text.count("User: How funny.") == 3
    assert plan.text.count('|   Answer: {"answer": "C"}') == 3
    assert re.search(r"\|   C: Word\d takes it for a joke\.", plan.text)
    assert "Neighbour" not in plan.text
    assert "How funny." not in plan_question(session, words=False).text
    options = plan_question(session, "options_only").text
    assert re.search(r"Word\d takes it for a joke\.", options)
    assert "Why does" not in options
    assert "How funny." not in options


def test_a_question_that_may_not_be_shown_is_no_example(session: Session) -> None:
    who = decide_on_models(session)
    verified(session, OTHER, "Word")
    verified(session, OTHER, "Once", by=1)
    verified(session, THIRD, "Unknown")
    text = plan_question(session).text
    assert "Word takes it" in text
    assert not [word for word in ("Once", "Unknown") if word in text]
    assert "Word" not in plan_question(session, "truth").text, "scores have no examples"
    for forbid in (lambda: set_consent(session, who, ConsentUse.MODELS, False), lambda: hold_out(session, OTHER)):
        forbid()
        plan = plan_question(session)
        assert "Word" not in plan.text
        assert plan.other_recordings == ()
        assert plan.notes[0].startswith("There are no examples: ")
        set_consent(session, who, ConsentUse.MODELS, True)


def test_an_example_whose_options_are_from_elsewhere_is_shown_where_those_may_be_sent(session: Session) -> None:
    decide_on_models(session)
    lender = decide_on_models(session, THIRD)
    verified(session, OTHER, "Word")
    graph = a_chain(session, THIRD)
    (question,) = [question for question in all_questions(session.study) if question.recording_id == OTHER]
    wrong = (replace(question.wrong[0], source=graph.nodes[0].id), *question.wrong[1:])
    with session.step("Take"):
        update_question(session.study, replace(question, wrong=wrong))
    plan = plan_question(session)
    assert "Word" in plan.text
    assert plan.other_recordings == (OTHER, THIRD)
    for forbid, allow in (
        (
            lambda: set_consent(session, lender, ConsentUse.MODELS, False),
            lambda: set_consent(session, lender, ConsentUse.MODELS, True),
        ),
        (lambda: delete_chain(session, graph.chain.id), session.study.undo),
        (lambda: hold_out(session, THIRD), lambda: None),
    ):
        forbid()
        plan = plan_question(session)
        assert "Word" not in plan.text
        assert plan.other_recordings == ()
        allow()
