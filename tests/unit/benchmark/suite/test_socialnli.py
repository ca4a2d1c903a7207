"""Plausibilities from reasons and from a slider, where they are undefined, and who wrote what is checked."""

import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.items.candidates import CandidatePool, ItemCandidate, ItemSamplingRule
from benchmark.tasks.benchmark_task import ItemResponse
from benchmark.tasks.statement_task import SocialNli, SocialNliFacts, judge_plausibility
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from project.errors import UserError

OK = {"nli_likelihood/nli_support": JudgmentStatus.OK}


def said(truth: int, answers: Mapping[str, Mapping[str, Json]], **traits: Json) -> ItemResponse:
    return ItemResponse("i", 0, "r", {"nli_plausibility": {"plausibility": truth}}, answers, OK, traits)


def weighed(truth: int, plus: int, minus: int) -> ItemResponse:
    scores = {"nli_likelihood/nli_support": {"score": plus}, "nli_likelihood/nli_oppose": {"score": minus}}
    return said(truth, scores)


def outright(truth: int, plausibility: int) -> ItemResponse:
    return said(truth, {"nli_plausibility": {"plausibility": plausibility}})


@given(st.lists(st.integers(0, 10), min_size=2, max_size=30))
def test_an_even_reason_against_leaves_the_score_of_the_one_for_it(tenths: list[int]) -> None:
    found = SocialNli().score([weighed(10 * tenth, tenth, 5) for tenth in tenths])
    assert found["mae"] == pytest.approx(0)
    assert found["undecided"] == 0
    if len({*tenths}) > 1:
        assert found["pearson_r"] == pytest.approx(1)
    else:
        assert found["pearson_r"] is None


@pytest.mark.parametrize(("plus", "minus"), [(0, 0), (10, 10)])
def test_nothing_over_nothing_is_even_and_counted(plus: int, minus: int) -> None:
    assert judge_plausibility(weighed(50, plus, minus)) == (0.5, False)
    found = SocialNli().score([weighed(50, plus, minus), weighed(80, 8, 5)])
    assert found["undecided"] == 0.5


def test_what_people_say_outright_is_the_plausibility() -> None:
    found = SocialNli().score([outright(20, 20), outright(90, 70)])
    assert found["mae"] == pytest.approx(0.1)
    assert found["pearson_r"] == pytest.approx(1)


def test_half_an_answer_is_none() -> None:
    half = said(80, {"nli_likelihood/nli_support": {"score": 8}})
    assert judge_plausibility(half) is None
    assert SocialNli().score([half, half]) == dict.fromkeys(("pearson_r", "mae", "calibration_error", "undecided"))


def test_the_share_of_accurate_explanations_is_told_by_author() -> None:
    yes, no = ({"nli_fact": {"accurate": text}} for text in ("yes", "no"))
    checked = [said(0, yes, author="people"), said(0, yes, author="gpt"), said(0, no, author="gpt"), said(0, {})]
    found = SocialNliFacts().score(checked)
    assert found == {"factuality": pytest.approx(2 / 3), "factuality.gpt": 0.5, "factuality.people": 1}


def test_authors_take_turns_and_a_seed_draws_the_same_in_any_order() -> None:
    made = [
        ItemCandidate(f"s{at}", "r", "c", at, at + 1, "x", {"traits": {"author": "people" if at % 5 else "gpt"}})
        for at in range(50)
    ]
    task = SocialNliFacts()
    drawn = task.sample(CandidatePool(made), ItemSamplingRule(10), random.Random("0 0")).items
    again = task.sample(CandidatePool(made[::-1]), ItemSamplingRule(10), random.Random("0 0")).items
    assert drawn == again
    authors = [item_candidate.content["traits"]["author"] for item_candidate in drawn]
    assert authors.count("gpt") == authors.count("people") == 5


def test_without_statements_it_says_so() -> None:
    for task in (SocialNli(), SocialNliFacts()):
        with pytest.raises(UserError, match="no item can be made"):
            task.sample(CandidatePool(()), ItemSamplingRule(0), random.Random(0))
