"""What a step still has to ask, of whom, with which seeds; and that it is asked as any other question is."""

from dataclasses import replace

import pytest

from benchmark.authoring import question_requests as thresholds
from benchmark.authoring.question_requests import plan_step_requests, prepare_step, questions_reaching
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.filter_funnel import read_funnel
from benchmark.questions.filter_outcomes import read_funnel_input
from benchmark.questions.filter_rules import read_rules
from benchmark.questions.question_edits import add_questions
from project.entities.judgments import JudgmentStatus
from project.entities.questions import Maker
from project.errors import UserError
from project.progress import Silent
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.questions_said import ask_about, question, said


def test_only_what_is_missing_is_asked(session: Session) -> None:
    judge, _ = add_judge(session, "knows", "oracle", "", {})
    first, second, third = ask_about(session, 3)
    said(session, first, judge, "truth", {"score": 2})
    said(session, second, judge, "truth", {}, status=JudgmentStatus.REFUSED)
    ids = [question.id for question in (first, second, third)]
    found = plan_step_requests(read_funnel_input(session), "truth", [judge], ids)
    assert [request.about for request in found.requests] == [[f"question/{third.id}"]]
    assert found.answered_count == 2
    again = plan_step_requests(read_funnel_input(session), "truth", [judge], ids, again=True)
    assert [request.about for request in again.requests] == [[f"question/{second.id}", f"question/{third.id}"]]


def test_what_answered_with_nothing_that_can_be_used_is_asked_again_only_when_wished(session: Session) -> None:
    judge, _ = add_judge(session, "knows", "oracle", "", {})
    (question,) = ask_about(session, 1)
    said(session, question, judge, "truth", {"score": "two"})
    assert not plan_step_requests(read_funnel_input(session), "truth", [judge], [question.id]).requests
    assert plan_step_requests(read_funnel_input(session), "truth", [judge], [question.id], again=True).requests


def test_runs_are_told_apart_by_seeds_and_asked_as_warm_as_the_step_says(session: Session) -> None:
    model, _ = add_judge(session, "m", "openai", "some-model", {"url": "http://127.0.0.1:9/v1", "frames": 4})
    (question,) = ask_about(session, 1)
    found = plan_step_requests(read_funnel_input(session), "stability", [model], [question.id]).requests
    assert [(each.seed, each.task) for each in found] == [(0, "answer"), (1, "answer")]
    assert {each.judges[0].settings["temperature"] for each in found} == {0.2}
    assert {each.judges[0].id for each in found} == {model.id}
    rules = read_rules(session.study)
    thresholds.set_rules(session, {"options-only": replace(rules["options-only"], runs=3)})
    alone = plan_step_requests(read_funnel_input(session), "options-only", [model], [question.id]).requests
    assert [each.seed for each in alone] == [0, 1, 2]
    assert "temperature" not in alone[0].judges[0].settings


def test_a_judge_is_not_asked_to_score_what_it_made(session: Session) -> None:
    maker, _ = add_judge(session, "maker", "constant", "", {})
    other, _ = add_judge(session, "other", "oracle", "", {})
    (first,) = ask_about(session, 1)
    worded = said(session, first, maker, "word_question", {})
    made = question(1, maker=Maker.JUDGE, judgment_id=worded.id)
    add_questions(session, [made])
    found = plan_step_requests(read_funnel_input(session), "review", [maker, other], [first.id, made.id])
    assert [(each.judges[0].name, len(each.about)) for each in found.requests] == [("maker", 1), ("other", 2)]
    assert found.left_out == {"maker made it: another judge has to score it.": (made.id,)}


def test_a_step_runs_alone_and_its_answers_are_scores(session: Session) -> None:
    guesses, _ = add_judge(session, "always D", "constant", "", {"says": "D"})
    made = ask_about(session, 5)
    jobs, _ = prepare_step(session, "stability", [guesses])
    assert [job.job.kind for job in jobs if job.job] == ["ask", "ask"]
    for job in jobs:
        assert job.job is not None
        run_inline(session, job.job, Silent())
    assert len(read_funnel(session, (), ["stability"]).survivors) == 5
    jobs, found = prepare_step(session, "stability", ["always D"], [made[0].id])
    assert (jobs, found.answered_count) == ([], 2)
    jobs, _ = prepare_step(session, "options-only", ["always D"])
    assert jobs[0].job is not None
    run_inline(session, jobs[0].job, Silent())
    assert [*read_funnel(session, (), ["options-only"]).steps[0].dropped] == [made[3].id]


def test_what_reaches_a_step_is_what_the_steps_before_keep(session: Session) -> None:
    judge, _ = add_judge(session, "j", "oracle", "", {})
    first, second = ask_about(session, 2)
    said(session, first, judge, "difficulty", {"score": 3})
    said(session, second, judge, "difficulty", {"score": 1})
    reading = read_funnel_input(session)
    assert questions_reaching(reading, "truth", ["difficulty", "truth"]) == (first.id,)
    assert questions_reaching(reading, "truth", ["truth"]) == (first.id, second.id)
    assert questions_reaching(reading, "truth") == ()


def test_a_step_without_a_judge_cannot_be_asked(session: Session) -> None:
    judge, _ = add_judge(session, "j", "oracle", "", {})
    ask_about(session, 1)
    with pytest.raises(UserError, match="computed"):
        prepare_step(session, "duplicates", [judge])
    with pytest.raises(UserError, match="no judge “nobody”"):
        prepare_step(session, "truth", ["nobody"])
