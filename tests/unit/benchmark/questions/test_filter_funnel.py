"""The funnel: what is kept, what falls and why, what is open; and harder options, which take scores back."""

from dataclasses import replace
from typing import Any

import pytest

from benchmark.authoring.question_requests import set_deciding_steps, set_rules
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.filter_funnel import (
    Proposal,
    apply_newest_proposals,
    apply_options,
    newest_proposals,
    surviving_questions,
)
from benchmark.questions.filter_outcomes import (
    FilterVerdict,
    judge_scores,
    most_similar_earlier,
    read_funnel_input,
    read_question_input,
)
from benchmark.questions.filter_rules import STEPS, ScoreCombination, default_rule, read_rules
from benchmark.questions.question_edits import add_questions, get_question
from project.entities.judgments import JudgeEntry, JudgmentStatus
from project.entities.questions import Maker, Question, WrongOption
from project.entities.study_records import Json
from project.errors import UserError
from project.session.session import Session
from tests.builders.question_filter import read_funnel
from tests.builders.questions_said import GEMINI, GPT, HARDER, ask_about, pass_all, question, said

KEPT, DROPPED, OPEN = FilterVerdict.KEPT, FilterVerdict.DROPPED, FilterVerdict.OPEN


def outcome(session: Session, step: str, question_id: str = "question-00000") -> tuple[FilterVerdict, str]:
    found = read_funnel(session, (), [step]).stage(step).outcomes[question_id]
    return found.verdict, found.reason


def change_rule(session: Session, step: str, **changes: Any) -> None:
    set_rules(session, {step: replace(read_rules(session.study)[step], **changes)})


def wrong_letter(about: Question) -> str:
    return "A" if about.correct_letter != "A" else "B"


def test_steps_come_in_the_order_of_the_paper_with_its_thresholds(session: Session) -> None:
    ask_about(session, 1)
    assert [(stage.key, stage.step.needs.value, stage.rule.limit) for stage in read_funnel(session).steps] == [
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
    failing = {"review_score": 3, "difficulty": 1, "truth": 1, "separability": 1, "relevance": 2}
    for about, (task, score) in zip(made[1:6], failing.items(), strict=True):
        pass_all(session, [about], GPT, {task: score})
    pass_all(session, made[6:])
    said(session, made[6], GPT, "options_only", {"answer": made[6].correct_letter})
    said(session, made[7], GPT, "answer", {"answer": wrong_letter(made[7])}, seed=1)
    said(session, made[8], GPT, "truth", {}, status=JudgmentStatus.REFUSED)
    funnel = read_funnel(session)
    fell = {stage.key: [*stage.dropped] for stage in funnel.steps if stage.dropped}
    steps = ("review", "difficulty", "truth", "separability", "relevance", "options-only", "stability")
    assert fell == {step: [about.id] for step, about in zip(steps, made[1:8], strict=True)}
    undecided = {stage.key: stage.undecided for stage in funnel.steps if stage.undecided}
    assert undecided == {"truth": {made[8].id: "gpt refused"}}
    assert funnel.stage("difficulty").dropped[made[2].id] == "gpt 1"
    assert funnel.stage("options-only").dropped[made[6].id] == "gpt right in 1 of 1"
    assert funnel.survivors == (made[0].id,)
    with pytest.raises(UserError, match="no step “taste”"):
        read_funnel(session, (), ["taste"])


def test_what_was_said_about_one_question_is_read_without_the_others(session: Session) -> None:
    made = ask_about(session, 3)
    for judge, score in ((GPT, 1), (GEMINI, 3)):
        for about in made[:2]:
            said(session, about, judge, "difficulty", {"score": score})
    step, whole = STEPS["difficulty"], read_funnel_input(session)
    for about in made:
        alone = read_question_input(session, about)
        assert [*alone.questions] == [about.id]
        assert judge_scores(alone, step, about) == judge_scores(whole, step, about)
    assert [score.value for score in judge_scores(whole, step, made[0])] == [3, 1]


def test_a_score_or_letter_that_is_none_is_open(session: Session) -> None:
    scores: list[Json] = [None, "3", True, 4, 2.5]
    letters: list[Json] = ["F", "", "AB", "a", 1]
    for about, score, letter in zip(ask_about(session, len(scores)), scores, letters, strict=True):
        said(session, about, GPT, "difficulty", {"score": score})
        for seed in (0, 1):
            said(session, about, GPT, "answer", {"answer": letter}, seed=seed)
        for step in ("difficulty", "stability"):
            assert outcome(session, step, about.id) == (OPEN, "gpt could not be read"), (score, letter)


def test_a_refusal_after_a_score_takes_it_back_and_a_failure_does_not(session: Session) -> None:
    statuses = (JudgmentStatus.REFUSED, JudgmentStatus.UNPARSED)
    for about, status in zip(ask_about(session, 2), statuses, strict=True):
        said(session, about, GPT, "truth", {"score": 2})
        said(session, about, GPT, "truth", {}, status=JudgmentStatus.ERROR)
        assert outcome(session, "truth", about.id)[0] is KEPT
        said(session, about, GPT, "truth", {"score": 2}, status=status)
        assert outcome(session, "truth", about.id)[0] is OPEN


def test_a_judge_does_not_score_what_it_or_its_model_made_or_what_nobody_knows_the_maker_of(session: Session) -> None:
    (first,) = ask_about(session, 1)
    maker = JudgeEntry("judge-a", "a", "openai", "gpt-4o")
    worded = said(session, first, maker, "word_question", {})
    made = question(1, maker=Maker.JUDGE, judgment_id=worded.id)
    unknown = question(2, maker=Maker.JUDGE, judgment_id="gone")
    add_questions(session, [made, unknown])
    for judge in (maker, JudgeEntry("judge-b", "b", "openai", "GPT-4o")):
        said(session, made, judge, "review_score", {"score": 5})
        assert outcome(session, "review", made.id)[0] is OPEN
    for about in (made, unknown):
        said(session, about, GEMINI, "review_score", {"score": 3})
    assert outcome(session, "review", made.id) == (DROPPED, "gemini 3")
    assert outcome(session, "review", unknown.id)[0] is OPEN


def test_the_strictest_judge_decides_unless_the_mean_is_asked_for_and_an_unread_one_saves_none(
    session: Session,
) -> None:
    about, good, bad = ask_about(session, 3)
    said(session, about, GPT, "difficulty", {"score": 3})
    said(session, about, GEMINI, "difficulty", {"score": 1})
    assert outcome(session, "difficulty") == (DROPPED, "gemini 1, gpt 3")
    for other, score, verdict in ((good, 3, OPEN), (bad, 0, DROPPED)):
        said(session, other, GPT, "difficulty", {"score": score})
        said(session, other, GEMINI, "difficulty", {}, status=JudgmentStatus.UNPARSED)
        assert outcome(session, "difficulty", other.id)[0] is verdict
    change_rule(session, "difficulty", several=ScoreCombination.MEAN)
    assert outcome(session, "difficulty") == (KEPT, "mean 2: gemini 1, gpt 3")


def test_a_judge_that_does_not_count_is_not_seen_and_one_that_counts_is_waited_for(session: Session) -> None:
    entry, _ = add_judge(session, "knows", "oracle", "", {})
    (about,) = ask_about(session, 1)
    said(session, about, GPT, "difficulty", {"score": 0})
    change_rule(session, "difficulty", judges=(entry.id,))
    assert outcome(session, "difficulty")[0] is OPEN
    said(session, about, entry, "difficulty", {"score": 2})
    assert outcome(session, "difficulty") == (KEPT, "knows 2")


def test_more_runs_on_options_alone_ask_for_more_than_a_lucky_guess(session: Session) -> None:
    (about,) = ask_about(session, 1)
    change_rule(session, "options-only", runs=3)
    said(session, about, GPT, "options_only", {"answer": about.correct_letter}, seed=0)
    assert outcome(session, "options-only") == (OPEN, "gpt 1 of 3 runs answered")
    for seed in (1, 2):
        said(session, about, GPT, "options_only", {"answer": wrong_letter(about)}, seed=seed)
    assert outcome(session, "options-only") == (KEPT, "gpt right in 1 of 3")
    said(session, about, GPT, "options_only", {"answer": about.correct_letter}, seed=2)
    assert outcome(session, "options-only") == (DROPPED, "gpt right in 2 of 3")


def test_only_answers_of_several_runs_at_the_steps_temperature_tell_of_stability(session: Session) -> None:
    about, differing, once = ask_about(session, 3)
    model = JudgeEntry("judge-m", "m", "openai", "some-model")
    for seed, letter in enumerate("AB"):
        said(session, about, model, "answer", {"answer": letter}, seed=seed, settings={"temperature": 0.0})
        said(session, differing, GPT, "answer", {"answer": letter}, seed=seed)
    assert outcome(session, "stability")[0] is OPEN
    for seed in (0, 1):
        said(session, about, model, "answer", {"answer": "C"}, seed=seed, settings={"temperature": 0.2})
    assert outcome(session, "stability") == (KEPT, "Answered m C C")
    assert outcome(session, "stability", differing.id) == (DROPPED, "Answered gpt A B")
    said(session, once, GPT, "answer", {"answer": "A"})
    said(session, once, GPT, "answer", {"answer": "A"}, seed=1, variant="cot")
    assert outcome(session, "stability", once.id) == (OPEN, "gpt 1 of 2 runs answered")


def test_a_step_that_decides_keeps_back_what_falls_and_what_is_open(session: Session) -> None:
    made = ask_about(session, 3)
    every = {about.id for about in made}
    assert surviving_questions(session) == every, "where no step decides all survive"
    said(session, made[0], GPT, "difficulty", {"score": 2})
    said(session, made[1], GPT, "difficulty", {"score": 1})
    set_deciding_steps(session, ["difficulty"])
    assert surviving_questions(session) == {made[0].id}
    said(session, made[2], GPT, "difficulty", {"score": 3})
    assert surviving_questions(session) == {made[0].id, made[2].id}
    session.study.undo()
    assert surviving_questions(session) == every


def proposed(session: Session, about: Question, **other: Json) -> Proposal:
    said(session, about, GPT, "distractors", {**HARDER, **other})
    (proposal,) = newest_proposals(read_funnel_input(session), about)
    return proposal


def test_the_most_plausible_options_come_first_and_what_cannot_be_used_is_not_taken_over(session: Session) -> None:
    (about,) = ask_about(session, 1)
    proposal = proposed(session, about)
    assert [(option.text, option.plausibility) for option in proposal.wrong] == [
        ("Ana nods.", 90),
        ("Ana frowns.", 70),
        ("Ana yawns.", 40),
        ("Ana waves.", 0),
    ]
    assert (proposal.judge, proposal.rejection_reason) == ("gpt", "")
    for likely in (None, 101, "90"):
        assert proposed(session, about, plausibility_2=likely).wrong[-1] == WrongOption("Ana nods.", None)
    for wrong, why in ((None, "proposes 3 wrong options"), ("Ana YAWNS", "same"), (about.answer.lower(), "answer")):
        assert why in proposed(session, about, wrong_2=wrong).rejection_reason
        changes, refused = apply_newest_proposals(session, read_funnel_input(session), [about.id])
        assert not changes
        assert why in refused[about.id]


def test_after_a_take_over_scores_of_before_count_no_more_and_again_after_an_undo(session: Session) -> None:
    first, second = ask_about(session, 2)
    pass_all(session, [first, second])
    assert len(read_funnel(session).survivors) == 2
    proposal = proposed(session, first)
    apply_options(session, first.id, first.checksum, proposal.wrong)
    after = read_funnel(session)
    assert [*after.stage("review").undecided] == [first.id]
    assert after.survivors == (second.id,)
    now = get_question(session, first.id)
    assert (now.text, now.answer, now.place, now.wrong) == (first.text, first.answer, first.place, proposal.wrong)
    assert read_funnel(session, (), ["distractors"]).stage("distractors").with_proposed_options == {first.id}
    session.study.undo()
    assert get_question(session, first.id).wrong == first.wrong
    assert len(read_funnel(session).survivors) == 2


def test_a_proposal_for_the_question_as_it_was_is_refused(session: Session) -> None:
    (about,) = ask_about(session, 1)
    proposal = proposed(session, about)
    apply_options(session, about.id, about.checksum, proposal.wrong)
    now = get_question(session, about.id)
    for question_id, checksum, wrong, says in (
        (about.id, about.checksum, about.wrong, "changed since"),
        (about.id, now.checksum, (*now.wrong[:3], now.wrong[0]), "same"),
        ("gone", about.checksum, proposal.wrong, "no longer in"),
    ):
        with pytest.raises(UserError, match=says):
            apply_options(session, question_id, checksum, wrong)
    assert newest_proposals(read_funnel_input(session), now) == []


def test_all_are_taken_over_in_one_step_the_newest_that_can_be_used(session: Session) -> None:
    first, second, third = ask_about(session, 3)
    for about in (first, second):
        said(session, about, GPT, "distractors", HARDER)
    said(session, second, GEMINI, "distractors", {"wrong_1": "Only one."})
    changes, refused = apply_newest_proposals(session, read_funnel_input(session), [first.id, second.id, third.id])
    assert (changes.ids("question"), refused) == ({first.id, second.id}, {})
    session.study.undo()
    assert get_question(session, second.id).wrong == second.wrong


def test_copies_are_found_and_questions_about_other_times_or_answers_are_not() -> None:
    first = question(0, text="Why does Ana leave the room at 0:10?", answer="She is angry with Ben.")
    copy = question(1, text="Why does Ana leave the room, at 0:10?", answer="She is angry with Ben")
    later = question(2, text="Why does Ana leave the room at 0:50?", answer="She is angry with Ben.")
    other = question(3, text="Why does Ana leave the room at 0:10?", answer="Her bus is about to come.")
    elsewhere = replace(copy, id="question-00004", recording_id="elsewhere")
    similar = most_similar_earlier([first, copy, later, other, elsewhere])
    assert similar == most_similar_earlier([elsewhere, other, later, copy, first])
    assert similar[copy.id] == (100, first.id)
    assert later.id not in similar
    assert similar[other.id][0] < default_rule(STEPS["duplicates"]).limit
    assert elsewhere.id not in similar


def test_many_questions_of_one_recording_are_compared_with_all_earlier_ones() -> None:
    made = [question(at, text=f"Question {'abcdefghij'[at % 10] * (at // 10 + 1)}", answer="x") for at in range(600)]
    made.append(question(600, text=made[0].text, answer="x"))
    assert most_similar_earlier(made)[made[600].id] == (100, made[0].id)
