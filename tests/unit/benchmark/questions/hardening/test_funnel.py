"""The funnel: what is kept, what falls and why, what is open; and that nothing passes unseen."""

from dataclasses import replace

import pytest

from benchmark.authoring import question_requests as thresholds
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.filter_funnel import read_funnel, surviving_questions
from benchmark.questions.filter_outcomes import (
    FilterVerdict,
    drop_chance,
    judge_scores,
    read_funnel_input,
    read_question_input,
)
from benchmark.questions.filter_rules import STEPS, ScoreCombination, default_rule, read_rules
from benchmark.questions.question_edits import add_questions, correct_question
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.entities.questions import Maker
from project.entities.study_records import Json
from project.errors import UserError
from project.session.session import Session
from tests.builders.questions_said import GEMINI, GPT, ask_about, pass_all, question, said


def fate(session: Session, step: str, question_id: str = "question-00000") -> tuple[FilterVerdict, str]:
    found = read_funnel(session, (), [step]).stage(step).outcomes[question_id]
    return found.verdict, found.reason


def test_steps_come_in_the_order_of_the_paper_with_its_thresholds(session: Session) -> None:
    ask_about(session, 1)
    told = [(step.key, step.step.needs.value, step.rule.limit) for step in read_funnel(session).steps]
    assert told == [
        ("duplicates", "at most", 90),
        ("review", "at least", 4),
        ("distractors", "", 0),
        ("difficulty", "at least", 2),
        ("truth", "at least", 2),
        ("separability", "at least", 2),
        ("relevance", "at least", 3),
        ("options-only", "at most", 50),
        ("stability", "at least", 1),
    ]


def test_what_every_step_keeps_survives_and_each_other_falls_where_it_fails(session: Session) -> None:
    made = ask_about(session, 9)
    pass_all(session, made[:1])
    for each_question, task, score in zip(
        made[1:], ["review_score", "difficulty", "truth", "separability", "relevance"], [3, 1, 1, 1, 2], strict=False
    ):
        pass_all(session, [each_question], GPT, {task: score})
    pass_all(session, made[6:])
    said(session, made[6], GPT, "options_only", {"answer": made[6].correct_letter})
    other = "A" if made[7].correct_letter != "A" else "B"
    said(session, made[7], GPT, "answer", {"answer": other}, seed=1)
    said(session, made[8], GPT, "truth", {}, status=JudgmentStatus.REFUSED)
    found = read_funnel(session)
    fell = {stage.key: [*stage.dropped] for stage in found.steps if stage.dropped}
    assert fell == {
        "review": [made[1].id],
        "difficulty": [made[2].id],
        "truth": [made[3].id],
        "separability": [made[4].id],
        "relevance": [made[5].id],
        "options-only": [made[6].id],
        "stability": [made[7].id],
    }
    assert {stage.key: stage.undecided for stage in found.steps if stage.undecided} == {
        "truth": {made[8].id: "gpt refused"}
    }
    assert found.stage("difficulty").dropped[made[2].id] == "gpt 1"
    assert found.stage("options-only").dropped[made[6].id] == "gpt right in 1 of 1"
    assert found.survivors == (made[0].id,)


def test_what_was_said_about_one_question_is_read_without_the_others(session: Session) -> None:
    made = ask_about(session, 3)
    for judge, score in ((GPT, 1), (GEMINI, 3)):
        for each_question in made[:2]:
            said(session, each_question, judge, "difficulty", {"score": score})
    step, whole = STEPS["difficulty"], read_funnel_input(session)
    for each_question in made:
        alone = read_question_input(session, each_question)
        assert [*alone.questions] == [each_question.id]
        assert judge_scores(alone, step, each_question) == judge_scores(whole, step, each_question)
    assert [
        judge_score.value for judge_score in judge_scores(read_question_input(session, made[0]), step, made[0])
    ] == [3, 1]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"score": None},
        {"score": "3"},
        {"score": True},
        {"score": 4},
        {"score": -1},
        {"score": 2.5},
        {"score": [3]},
        {"scores": 3},
        {"score": {"score": 3}},
        {"score": 10**30},
    ],
)
def test_a_score_that_is_none_is_open(session: Session, answer: dict[str, Json]) -> None:
    (question,) = ask_about(session, 1)
    said(session, question, GPT, "difficulty", answer)
    assert fate(session, "difficulty") == (FilterVerdict.OPEN, "gpt could not be read")


@pytest.mark.parametrize("letter", ["F", "Z", "", "AB", "a", None, 1, ["A"]])
def test_a_letter_that_no_option_has_is_open(session: Session, letter: Json) -> None:
    (question,) = ask_about(session, 1)
    said(session, question, GPT, "options_only", {"answer": letter})
    for seed in (0, 1):
        said(session, question, GPT, "answer", {"answer": letter}, seed=seed)
    assert fate(session, "options-only") == (FilterVerdict.OPEN, "gpt could not be read")
    assert fate(session, "stability") == (FilterVerdict.OPEN, "gpt could not be read")


@pytest.mark.parametrize("status", [JudgmentStatus.REFUSED, JudgmentStatus.UNPARSED])
def test_a_refusal_after_a_score_takes_it_back_and_a_failure_does_not(session: Session, status: JudgmentStatus) -> None:
    (question,) = ask_about(session, 1)
    said(session, question, GPT, "truth", {"score": 2})
    said(session, question, GPT, "truth", {}, status=JudgmentStatus.ERROR)
    assert fate(session, "truth")[0] is FilterVerdict.KEPT
    said(session, question, GPT, "truth", {"score": 2}, status=status)
    assert fate(session, "truth")[0] is FilterVerdict.OPEN


def test_scores_of_a_question_as_it_was_do_not_count_and_count_again_after_an_undo(session: Session) -> None:
    (question,) = ask_about(session, 1)
    pass_all(session, [question])
    assert read_funnel(session).survivors == (question.id,)
    correct_question(session, question.id, answer="Ana waits outside.")
    stage = read_funnel(session).stage("review")
    assert [*stage.undecided] == [question.id]
    session.study.undo()
    assert read_funnel(session).survivors == (question.id,)


class TestSecondJudge:
    def test_a_judge_does_not_score_what_it_made(self, session: Session) -> None:
        (first,) = ask_about(session, 1)
        worded = said(session, first, GPT, "word_question", {})
        each_question = question(1, maker=Maker.JUDGE, judgment_id=worded.id)
        add_questions(session, [each_question])
        said(session, each_question, GPT, "review_score", {"score": 5})
        verdict, why = fate(session, "review", each_question.id)
        assert (verdict, why) == (FilterVerdict.OPEN, "gpt made it: another judge has to score it")
        said(session, each_question, GEMINI, "review_score", {"score": 3})
        assert fate(session, "review", each_question.id) == (FilterVerdict.DROPPED, "gemini 3")

    def test_the_same_model_under_another_name_is_the_same_judge(self, session: Session) -> None:
        (first,) = ask_about(session, 1)
        maker = JudgeEntry("judge-a", "a", "openai", "gpt-4o")
        worded = said(session, first, maker, "word_question", {})
        each_question = question(1, maker=Maker.JUDGE, judgment_id=worded.id)
        add_questions(session, [each_question])
        said(session, each_question, JudgeEntry("judge-b", "b", "openai", "GPT-4o"), "review_score", {"score": 5})
        assert fate(session, "review", each_question.id)[0] is FilterVerdict.OPEN

    def test_where_the_maker_is_not_known_nobody_is_a_second_judge(self, session: Session) -> None:
        each_question = question(0, maker=Maker.JUDGE, judgment_id="gone")
        add_questions(session, [each_question])
        said(session, each_question, GEMINI, "review_score", {"score": 5})
        assert fate(session, "review")[0] is FilterVerdict.OPEN


class TestSeveralJudges:
    def test_the_strictest_decides_unless_the_mean_is_asked_for(self, session: Session) -> None:
        (question,) = ask_about(session, 1)
        said(session, question, GPT, "difficulty", {"score": 3})
        said(session, question, GEMINI, "difficulty", {"score": 1})
        assert fate(session, "difficulty") == (FilterVerdict.DROPPED, "gemini 1, gpt 3")
        rule = replace(read_rules(session.study)["difficulty"], several=ScoreCombination.MEAN)
        thresholds.set_rules(session, {"difficulty": rule})
        assert fate(session, "difficulty") == (FilterVerdict.KEPT, "mean 2: gemini 1, gpt 3")

    def test_one_that_cannot_be_read_keeps_it_open_but_saves_none(self, session: Session) -> None:
        good, bad = ask_about(session, 2)
        said(session, good, GPT, "difficulty", {"score": 3})
        said(session, bad, GPT, "difficulty", {"score": 0})
        for each_question in (good, bad):
            said(session, each_question, GEMINI, "difficulty", {}, status=JudgmentStatus.UNPARSED)
        assert fate(session, "difficulty", good.id)[0] is FilterVerdict.OPEN
        assert fate(session, "difficulty", bad.id)[0] is FilterVerdict.DROPPED

    def test_a_judge_that_does_not_count_is_not_seen_and_one_that_counts_is_waited_for(self, session: Session) -> None:
        entry, _ = add_judge(session, "knows", "oracle", "", {})
        (question,) = ask_about(session, 1)
        said(session, question, GPT, "difficulty", {"score": 0})
        rule = replace(read_rules(session.study)["difficulty"], judges=(entry.id,))
        thresholds.set_rules(session, {"difficulty": rule})
        assert fate(session, "difficulty")[0] is FilterVerdict.OPEN
        said(session, question, entry, "difficulty", {"score": 2})
        assert fate(session, "difficulty") == (FilterVerdict.KEPT, "knows 2")


class TestOptionsAlone:
    def test_more_runs_ask_for_more_than_a_lucky_guess(self, session: Session) -> None:
        (question,) = ask_about(session, 1)
        wrong = "A" if question.correct_letter != "A" else "B"
        thresholds.set_rules(session, {"options-only": replace(read_rules(session.study)["options-only"], runs=3)})
        said(session, question, GPT, "options_only", {"answer": question.correct_letter}, seed=0)
        assert fate(session, "options-only") == (FilterVerdict.OPEN, "gpt 1 of 3 runs answered")
        said(session, question, GPT, "options_only", {"answer": wrong}, seed=1)
        said(session, question, GPT, "options_only", {"answer": wrong}, seed=2)
        assert fate(session, "options-only") == (FilterVerdict.KEPT, "gpt right in 1 of 3")
        said(session, question, GPT, "options_only", {"answer": question.correct_letter}, seed=2)
        assert fate(session, "options-only") == (FilterVerdict.DROPPED, "gpt right in 2 of 3")

    def test_what_guessing_alone_drops_is_known(self) -> None:
        step = STEPS["options-only"]
        rule = default_rule(step)
        assert drop_chance(step, rule, 5) == pytest.approx(0.2)
        assert drop_chance(step, replace(rule, runs=3), 5) == pytest.approx(3 * 0.04 * 0.8 + 0.008)
        assert drop_chance(STEPS["truth"], rule, 5) is None


class TestStability:
    model = JudgeEntry("judge-m", "m", "openai", "some-model")

    def test_only_answers_at_the_steps_temperature_count(self, session: Session) -> None:
        (question,) = ask_about(session, 1)
        for seed, letter in enumerate("AB"):
            said(session, question, self.model, "answer", {"answer": letter}, seed=seed, settings={"temperature": 0.0})
        assert fate(session, "stability")[0] is FilterVerdict.OPEN
        for seed in (0, 1):
            said(session, question, self.model, "answer", {"answer": "C"}, seed=seed, settings={"temperature": 0.2})
        assert fate(session, "stability") == (FilterVerdict.KEPT, "Answered m C C")

    def test_answers_that_differ_fall(self, session: Session) -> None:
        (question,) = ask_about(session, 1)
        for seed, letter in enumerate("AB"):
            said(session, question, GPT, "answer", {"answer": letter}, seed=seed)
        assert fate(session, "stability") == (FilterVerdict.DROPPED, "Answered gpt A B")

    def test_one_run_is_not_enough(self, session: Session) -> None:
        (question,) = ask_about(session, 1)
        said(session, question, GPT, "answer", {"answer": "A"})
        said(session, question, GPT, "answer", {"answer": "A"}, seed=1, variant="cot")
        assert fate(session, "stability") == (FilterVerdict.OPEN, "gpt 1 of 2 runs answered")


class TestSurvives:
    def test_where_no_step_decides_all_do(self, session: Session) -> None:
        made = ask_about(session, 2)
        assert surviving_questions(session) == {question.id for question in made}

    def test_a_step_that_decides_keeps_back_what_falls_and_what_is_open(self, session: Session) -> None:
        made = ask_about(session, 3)
        said(session, made[0], GPT, "difficulty", {"score": 2})
        said(session, made[1], GPT, "difficulty", {"score": 1})
        thresholds.set_deciding_steps(session, ["difficulty"])
        assert surviving_questions(session) == {made[0].id}
        said(session, made[2], GPT, "difficulty", {"score": 3})
        assert surviving_questions(session) == {made[0].id, made[2].id}
        session.study.undo()
        assert surviving_questions(session) == {question.id for question in made}

    def test_a_step_that_is_not_there_is_one_line(self, session: Session) -> None:
        with pytest.raises(UserError, match="no step “taste”"):
            read_funnel(session, (), ["taste"])
