"""Limits of a study, held to their range and never loosened by damage; and what a step of the filter still asks."""

import pytest

from benchmark.authoring.question_requests import (
    parse_rule,
    plan_step_requests,
    questions_reaching,
    set_deciding_steps,
    set_rules,
)
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.filter_outcomes import read_funnel_input
from benchmark.questions.filter_rules import (
    STEPS,
    FilterRule,
    ScoreCombination,
    default_rule,
    read_rules,
    rule_property,
)
from benchmark.questions.question_edits import add_questions
from project.entities.judgments import JudgmentStatus
from project.entities.questions import Maker
from project.entities.study_records import Json
from project.errors import UserError
from project.progress import Silent
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.question_filter import prepare_step, read_funnel
from tests.builders.questions_said import ask_about, question, said


def set_limits(session: Session, *texts: str) -> None:
    rules = read_rules(session.study)
    for text in texts:
        key, rules[key] = parse_rule(session, text, rules)
    set_rules(session, rules)


def test_limits_are_set_kept_and_undone(session: Session) -> None:
    add_judge(session, "a", "oracle", "", {})
    add_judge(session, "b", "random", "", {})
    set_limits(session, "difficulty=3", "truth.several=mean", "options-only.runs=5", "review.judges=a+b")
    rules = read_rules(session.study)
    assert (rules["difficulty"].limit, rules["truth"].several) == (3, ScoreCombination.MEAN)
    assert (rules["options-only"].runs, len(rules["review"].judges)) == (5, 2)
    assert not set_rules(session, {"truth": rules["truth"]}), "limits that are as before are no step"
    set_limits(session, "review.judges=all")
    assert read_rules(session.study)["review"].judges == ()
    session.study.undo()
    session.study.undo()
    assert read_rules(session.study) == {key: default_rule(step) for key, step in STEPS.items()}


def test_what_cannot_be_set_is_one_line(session: Session) -> None:
    for text, says in (
        ("difficulty", "is not a setting"),
        ("taste=2", "no step “taste”"),
        ("difficulty=4", "“4” is not allowed as limit of difficulty"),
        ("difficulty=\N{SUPERSCRIPT TWO}", "not a whole number"),
        ("stability.runs=1", "number of runs"),
        ("truth.several=median", "not allowed"),
        ("truth.judges=nobody", "no judge “nobody”"),
    ):
        with pytest.raises(UserError, match=says):
            set_limits(session, text)


def test_a_step_that_drops_nothing_cannot_decide(session: Session) -> None:
    with pytest.raises(UserError, match="cannot decide"):
        set_deciding_steps(session, ["distractors"])
    for steps in ({"truth", "difficulty"}, set[str]()):
        set_deciding_steps(session, [*steps])
        assert {key for key, rule in read_rules(session.study).items() if rule.decides} == steps


def test_a_limit_that_cannot_be_understood_lets_nothing_through(session: Session) -> None:
    whole: dict[str, Json] = {"limit": 0, "runs": 1, "several": "mean", "judges": [], "decides": False}
    damages: list[Json] = ["strict", {"limit": 0}, {**whole, "limit": -5}, {**whole, "decides": "no"}]
    for damage in damages:
        with session.step("Damage"):
            session.study.set_property(rule_property("truth"), damage)
        assert read_rules(session.study)["truth"] == FilterRule(2, 1, decides=True), damage
    with session.step("Mend"):
        session.study.set_property(rule_property("truth"), whole)
    assert read_rules(session.study)["truth"].limit == 0


def test_only_what_is_missing_is_asked_and_nobody_scores_what_they_made(session: Session) -> None:
    judge, _ = add_judge(session, "knows", "oracle", "", {})
    first, second, third, fourth = ask_about(session, 4)
    said(session, first, judge, "truth", {"score": 2})
    said(session, second, judge, "truth", {}, status=JudgmentStatus.REFUSED)
    said(session, third, judge, "truth", {"score": "two"})
    ids = [about.id for about in (first, second, third, fourth)]
    missing = plan_step_requests(read_funnel_input(session), "truth", [judge], ids)
    assert [request.about for request in missing.requests] == [[f"question/{fourth.id}"]]
    assert missing.answered_count == 3
    again = plan_step_requests(read_funnel_input(session), "truth", [judge], ids, again=True)
    assert [request.about for request in again.requests] == [[f"question/{about}" for about in ids[1:]]]
    made = question(5, maker=Maker.JUDGE, judgment_id=said(session, first, judge, "word_question", {}).id)
    add_questions(session, [made])
    missing = plan_step_requests(read_funnel_input(session), "review", [judge], [first.id, made.id])
    assert [len(request.about) for request in missing.requests] == [1]
    assert [*missing.left_out.values()] == [(made.id,)]


def test_runs_are_told_apart_by_seeds_and_asked_as_warm_as_the_step_says(session: Session) -> None:
    model, _ = add_judge(session, "m", "openai", "some-model", {"url": "http://127.0.0.1:9/v1", "frames": 4})
    (about,) = ask_about(session, 1)
    requests = plan_step_requests(read_funnel_input(session), "stability", [model], [about.id]).requests
    assert [(request.seed, request.task) for request in requests] == [(0, "answer"), (1, "answer")]
    assert {request.judges[0].settings["temperature"] for request in requests} == {0.2}
    assert {request.judges[0].id for request in requests} == {model.id}
    set_limits(session, "options-only.runs=3")
    alone = plan_step_requests(read_funnel_input(session), "options-only", [model], [about.id]).requests
    assert [request.seed for request in alone] == [0, 1, 2]
    assert "temperature" not in alone[0].judges[0].settings


def test_a_step_runs_alone_and_its_answers_are_scores(session: Session) -> None:
    judge, _ = add_judge(session, "always D", "constant", "", {"says": "D"})
    made = ask_about(session, 5)
    plans = prepare_step(session, "stability", [judge])
    assert [plan.job.kind for plan in plans] == ["ask", "ask"]
    for plan in plans:
        run_inline(session, plan.job, Silent())
    assert len(read_funnel(session, (), ["stability"]).survivors) == 5
    assert prepare_step(session, "stability", ["always D"], [made[0].id]) == []
    missing = plan_step_requests(read_funnel_input(session), "stability", [judge], [made[0].id])
    assert missing.answered_count == 2
    plans = prepare_step(session, "options-only", ["always D"])
    run_inline(session, plans[0].job, Silent())
    assert [*read_funnel(session, (), ["options-only"]).steps[0].dropped] == [made[3].id]


def test_what_reaches_a_step_is_what_the_steps_before_keep_and_a_step_needs_a_judge(session: Session) -> None:
    judge, _ = add_judge(session, "j", "oracle", "", {})
    first, second = ask_about(session, 2)
    said(session, first, judge, "difficulty", {"score": 3})
    said(session, second, judge, "difficulty", {"score": 1})
    reading = read_funnel_input(session)
    assert questions_reaching(reading, "truth", ["difficulty", "truth"]) == (first.id,)
    assert questions_reaching(reading, "truth", ["truth"]) == (first.id, second.id)
    assert questions_reaching(reading, "truth") == ()
    with pytest.raises(UserError, match="computed"):
        prepare_step(session, "duplicates", [judge])
    with pytest.raises(UserError, match="no judge “nobody”"):
        prepare_step(session, "truth", ["nobody"])
