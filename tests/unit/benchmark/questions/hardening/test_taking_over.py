"""Harder wrong options: what judges propose, what of it can be used, and what a take-over does to scores."""

from dataclasses import replace

import pytest

from benchmark.questions.filter_funnel import (
    Proposal,
    apply_newest_proposals,
    apply_options,
    newest_proposals,
    read_funnel,
)
from benchmark.questions.filter_outcomes import read_funnel_input
from benchmark.questions.question_edits import get_question
from project.entities.questions import Question, WrongOption
from project.entities.study_records import Json
from project.errors import UserError
from project.session.session import Session
from tests.builders.questions_said import GEMINI, GPT, ask_about, pass_all, said

HARDER: dict[str, Json] = {
    **{f"wrong_{at}": text for at, text in enumerate(("Ana yawns.", "Ana nods.", "Ana waves.", "Ana frowns."), 1)},
    **{f"plausibility_{at}": likely for at, likely in enumerate((40, 90, 0, 70), 1)},
}


def proposed(session: Session, about: Question, **other: Json) -> Proposal:
    said(session, about, GPT, "distractors", {**HARDER, **other})
    (found,) = newest_proposals(read_funnel_input(session), about)
    return found


def test_the_most_plausible_come_first(session: Session) -> None:
    (question,) = ask_about(session, 1)
    found = proposed(session, question)
    assert [(each.text, each.plausibility) for each in found.wrong] == [
        ("Ana nods.", 90),
        ("Ana frowns.", 70),
        ("Ana yawns.", 40),
        ("Ana waves.", 0),
    ]
    assert (found.judge, found.rejection_reason) == ("gpt", "")


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"wrong_2": None}, "proposes 3 wrong options"),
        ({"wrong_2": "   "}, "proposes 3 wrong options"),
        ({"wrong_2": ["Ana nods."]}, "proposes 3 wrong options"),
        ({"wrong_2": "x" * 5000}, "proposes 3 wrong options"),
        ({"wrong_2": "Ana YAWNS"}, "same"),
        ({"wrong_2": "ana sighs, because the coffee is cold"}, "answer"),
        ({"wrong_2": "\N{ZERO WIDTH SPACE}"}, "empty"),
    ],
)
def test_what_cannot_be_used_is_not_taken_over(session: Session, other: dict[str, Json], why: str) -> None:
    (question,) = ask_about(session, 1)
    found = proposed(session, question, **other)
    assert why in found.rejection_reason
    changes, refused = apply_newest_proposals(session, read_funnel_input(session), [question.id])
    assert not changes
    assert why in refused[question.id]
    assert get_question(session, question.id).wrong == question.wrong


@pytest.mark.parametrize("likely", [None, -1, 101, True, "90", 2.5])
def test_a_plausibility_that_is_none_is_left_open(session: Session, likely: Json) -> None:
    (question,) = ask_about(session, 1)
    found = proposed(session, question, plausibility_2=likely)
    assert found.wrong[-1] == WrongOption("Ana nods.", None)


def test_scores_of_before_count_no_more_and_again_after_an_undo(session: Session) -> None:
    first, second = ask_about(session, 2)
    pass_all(session, [first, second])
    assert len(read_funnel(session).survivors) == 2
    found = proposed(session, first)
    apply_options(session, first.id, first.checksum, found.wrong)
    after = read_funnel(session)
    assert [*after.stage("review").undecided] == [first.id]
    assert after.survivors == (second.id,)
    now = get_question(session, first.id)
    assert now.wrong == found.wrong
    assert (now.text, now.answer, now.place) == (first.text, first.answer, first.place)
    assert read_funnel(session, (), ["distractors"]).stage("distractors").with_proposed_options == {first.id}
    session.study.undo()
    assert get_question(session, first.id).wrong == first.wrong
    assert len(read_funnel(session).survivors) == 2


def test_some_of_them_can_be_taken_over(session: Session) -> None:
    (question,) = ask_about(session, 1)
    found = proposed(session, question)
    apply_options(session, question.id, question.checksum, (*found.wrong[:1], *question.wrong[1:]))
    now = get_question(session, question.id)
    assert [each.text for each in now.wrong] == ["Ana nods.", "Ben leaves.", "Ben sleeps.", "Ben sings."]
    assert [each.plausibility for each in now.wrong] == [90, None, None, None]


def test_a_proposal_for_the_question_as_it_was_is_refused(session: Session) -> None:
    (question,) = ask_about(session, 1)
    found = proposed(session, question)
    apply_options(session, question.id, question.checksum, found.wrong)
    with pytest.raises(UserError, match="changed since"):
        apply_options(session, question.id, question.checksum, question.wrong)
    now = get_question(session, question.id)
    with pytest.raises(UserError, match="same"):
        apply_options(session, question.id, now.checksum, (*now.wrong[:3], now.wrong[0]))
    with pytest.raises(UserError, match="no longer part"):
        apply_options(session, "gone", question.checksum, found.wrong)
    assert newest_proposals(read_funnel_input(session), replace(now)) == []


def test_all_are_taken_over_in_one_step_the_newest_that_can_be_used(session: Session) -> None:
    first, second, third = ask_about(session, 3)
    for question in (first, second):
        said(session, question, GPT, "distractors", HARDER)
    said(session, second, GEMINI, "distractors", {"wrong_1": "Only one."})
    changes, refused = apply_newest_proposals(session, read_funnel_input(session), [first.id, second.id, third.id])
    assert changes.ids("question") == {first.id, second.id}
    assert refused == {}
    session.study.undo()
    assert get_question(session, second.id).wrong == second.wrong
