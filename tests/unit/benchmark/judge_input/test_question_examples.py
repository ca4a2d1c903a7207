"""Which questions of other recordings are shown as examples."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotate.chains.chain_edits import delete_chain
from annotate.study.people import add_participant, set_consent
from annotate.team.assignments import hold_out
from annotate.transcript.transcript_edits import add_utterance
from benchmark.judge_input.input_plan import InputPlan, InputSettings
from benchmark.judge_input.input_planning import plan_input
from benchmark.questions.verification import verify
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.entities.questions import CHECKLIST_KEYS, QuestionKind, VerificationDecision
from project.entities.study_records import ConsentUse, ParticipantRole
from project.queries.question_rows import all_questions, update_question
from project.queries.recording_rows import all_participants
from project.session.session import Session
from tests.builders.marked_study import open_study
from tests.builders.subjects import a_chain, a_question

HERE, OTHER = "walk", "walk 2"
WORDS = InputSettings(frames=0, before=0)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path, recordings=3) as opened:
        yield opened


def verified(session: Session, recording: str, word: str, by: int = 2) -> None:
    question = a_question(session, recording, word, QuestionKind.ESI)
    for who in ("Bo", "Cy")[:by]:
        session.annotator_name = who
        verify(session, question.id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    session.annotator_name = "Ada"


def willing(session: Session, recording: str, granted: bool = True) -> None:
    made, _ = add_participant(session, f"P-{recording}", ParticipantRole.USER, recording)
    participant = next(each for each in all_participants(session.study) if each.id == made)
    set_consent(session, participant, ConsentUse.MODELS, granted)


def planned(session: Session, task: str = "answer", **facts: bool) -> InputPlan:
    about = JudgmentTarget(JudgmentTargetKind.QUESTION, a_question(session, HERE, "Hereword").id).key
    return plan_input(session, about, task, "few-shot", settings=replace(WORDS, **facts))


def test_verified_questions_of_other_recordings_are_examples(session: Session) -> None:
    willing(session, OTHER)
    for number in range(5):
        verified(session, OTHER, f"Word{number}")
    verified(session, HERE, "Neighbour")
    add_utterance(session, OTHER, 0, 2_000_000, "How funny.", all_participants(session.study)[0].id)
    plan = planned(session)
    assert plan.other_recordings == (OTHER,)
    assert plan.notes[0] == "3 examples are questions of 1 other recording, verified."
    assert plan.text.count("Example:") == 3
    assert plan.text.count("User: How funny.") == 3
    assert plan.text.count('|   Answer: {"answer": "C"}') == 3
    assert re.search(r"\|   C: Word\d takes it for a joke\.", plan.text)
    assert "Neighbour" not in plan.text
    assert "How funny." not in planned(session, words=False).text


def test_examples_of_options_alone_tell_no_questions(session: Session) -> None:
    willing(session, OTHER)
    verified(session, OTHER, "Word")
    add_utterance(session, OTHER, 0, 2_000_000, "How funny.", all_participants(session.study)[0].id)
    text = planned(session, "options_only").text
    assert "Word takes it for a joke." in text
    assert "Why does" not in text
    assert "How funny." not in text


@pytest.mark.parametrize("why", ["refused", "held out", "once", "nobody known", "a score", "nobody looked"])
def test_what_may_not_be_shown_is_no_example(session: Session, why: str) -> None:
    if why != "nobody known":
        willing(session, OTHER, granted=why != "refused")
    verified(session, OTHER, "Word", by={"once": 1, "nobody looked": 0}.get(why, 2))
    if why == "held out":
        hold_out(session, OTHER)
    plan = planned(session, "truth" if why == "a score" else "answer")
    assert "Word" not in plan.text
    assert plan.other_recordings == ()
    assert plan.notes[0].startswith("There are no examples: ")
    assert "|" + " (nothing)" in plan.text


@pytest.mark.parametrize("why", ["willing", "refused", "held out", "gone"])
def test_an_example_whose_options_are_from_elsewhere_is_shown_where_those_may_be_sent(
    session: Session, why: str
) -> None:
    third = "walk 3"
    willing(session, OTHER)
    willing(session, third, granted=why != "refused")
    verified(session, OTHER, "Word")
    graph = a_chain(session, third)
    (question,) = [
        each_question for each_question in all_questions(session.study) if each_question.recording_id == OTHER
    ]
    wrong = (replace(question.wrong[0], source=graph.nodes[0].id), *question.wrong[1:])
    with session.step("Take"):
        update_question(session.study, replace(question, wrong=wrong))
    if why == "held out":
        hold_out(session, third)
    if why == "gone":
        delete_chain(session, graph.chain.id)
    plan = planned(session)
    assert ("Word" in plan.text) is (why == "willing")
    assert plan.other_recordings == ((OTHER, third) if why == "willing" else ())
