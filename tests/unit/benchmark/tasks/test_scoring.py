"""From answers to figures: who is right throughout, who always says the same, who guesses, who stops early."""

import random
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.published_figures import DIMENSIONS, join_metric_key, score_ranges
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK as RATED
from benchmark.tasks.benchmark_task import SUITE, ItemResponse, score
from benchmark.tasks.question_task import ChainQuestionTask
from benchmark.tasks.statement_task import FactCheckTask, SocialNliTask, judge_plausibility
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from tests.builders.metric_cases import constant_macro_f1

LABELS = ["error", "competence", "none"]


def said(
    key: str, field: str, truth: Json, answer: Json, traits: Mapping[str, Json], number: int = 0, recording: str = "r"
) -> ItemResponse:
    return ItemResponse(
        f"i{number}",
        0,
        recording,
        {key: {field: truth}},
        {} if answer is None else {key: {field: answer}},
        {key: JudgmentStatus.UNPARSED if answer is None else JudgmentStatus.OK},
        traits,
    )


def verdicts(pairs: Sequence[tuple[str, str | None]]) -> list[ItemResponse]:
    return [said("verdict", "label", true, given, {"labels": [*LABELS]}) for true, given in pairs]


def test_the_oracle_is_right_the_constant_judge_as_the_closed_form_says_and_what_could_not_be_read_wrong() -> None:
    truth = ["error"] * 10 + ["competence"] * 6 + ["none"] * 4
    entry = SUITE.make("verdict")
    assert score(entry, verdicts([(text, text) for text in truth])) == {"accuracy": 1.0, "macro_f1": 1.0}
    constant = score(entry, verdicts([(text, "error") for text in truth]))
    assert constant["accuracy"] == 0.5
    assert constant["macro_f1"] == pytest.approx(constant_macro_f1(truth, "error", LABELS))
    found = score(SUITE.make("verdict"), verdicts([("error", None), ("error", "error")]))
    assert found["accuracy"] == 0.5
    assert found["macro_f1"] == pytest.approx(2 / 3 / 3)


def chain_items(
    subchains: Sequence[int], answers: Callable[[int], Json], chain: str = "c", kind: str = "CW"
) -> list[ItemResponse]:
    """Return questions of one chain: so many of each of its subchains, which share none."""
    items: list[ItemResponse] = []
    for at, size in enumerate(subchains):
        for _ in range(size):
            number = len(items)
            traits: dict[str, Json] = {
                "labels": [*"ABCDE"],
                "kind": kind,
                "question": f"{chain}{number}",
                "chain": chain,
                "steps": 2,
                "subchains": {f"{chain} result {at}": size},
            }
            items.append(said("answer", "answer", "B", answers(number), traits, number, chain))
    return items


def test_a_chain_is_understood_only_as_a_whole() -> None:
    entry = SUITE.make("r3vqa")
    right = chain_items([2, 3], lambda _: "B", "a")
    slip = chain_items([2, 3], lambda number: "A" if number == 4 else "B", "b", "EU")
    figures = score(entry, [*right, *slip])
    assert figures["accuracy"] == pytest.approx(0.9)
    assert (figures["accuracy.CW"], figures["accuracy.MSE"]) == (1.0, None)
    assert figures["accuracy.EU"] == pytest.approx(0.8)
    assert (figures["chain_consistency"], figures["subchain_consistency"]) == (0.5, 0.75)
    figures = score(SUITE.make("r3vqa"), chain_items([2, 3], lambda _: "B")[:-1])
    assert [figures[key] for key in ("accuracy", "chain_consistency", "subchain_consistency")] == [1.0, 0.0, 0.5]


@given(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=1, max_size=4))
def test_chance_of_consistency_is_the_mean_of_the_powers(chains: list[list[int]]) -> None:
    items = [item for at, sizes in enumerate(chains) for item in chain_items(sizes, lambda _: "B", f"c{at} ")]
    found = ChainQuestionTask().chance(items)
    assert found["accuracy"] == pytest.approx(0.2)
    assert found["chain_consistency"] == pytest.approx(sum(0.2 ** sum(sizes) for sizes in chains) / len(chains))
    parts = [size for sizes in chains for size in sizes]
    assert found["subchain_consistency"] == pytest.approx(sum(0.2**size for size in parts) / len(parts))


def test_guessed_ratings_are_as_far_from_people_as_is_foretold() -> None:
    chance = random.Random(5)
    people = [{key: chance.uniform(low, high) for key, (low, high) in score_ranges().items()} for _ in range(1000)]
    items = []
    for truth in people:
        guess = {key: chance.randint(*score_ranges()[key]) for key in truth}
        items.append(ItemResponse("i", 0, "r", {RATED: {**truth}}, {RATED: guess}, {}, {}))
    entry = SUITE.make("sotopia_eval")
    found, foretold = score(entry, items), entry.chance(items)
    metrics = ("pearson_r", "mae")
    assert {*foretold} == {*metrics, *(join_metric_key(metric, key) for metric in metrics for key in DIMENSIONS)}
    for metric, expected in foretold.items():
        assert found[metric] == pytest.approx(expected, abs=0.1 if metric.startswith("p") else 0.06 * expected), metric


OK = {"nli_likelihood/nli_support": JudgmentStatus.OK}


def weighed_up(truth: int, answers: Mapping[str, Mapping[str, Json]], **traits: Json) -> ItemResponse:
    return ItemResponse("i", 0, "r", {"nli_plausibility": {"plausibility": truth}}, answers, OK, traits)


def weighed(truth: int, plus: int, minus: int) -> ItemResponse:
    scores = {"nli_likelihood/nli_support": {"score": plus}, "nli_likelihood/nli_oppose": {"score": minus}}
    return weighed_up(truth, scores)


def outright(truth: int, plausibility: int) -> ItemResponse:
    return weighed_up(truth, {"nli_plausibility": {"plausibility": plausibility}})


@given(st.lists(st.integers(0, 10), min_size=2, max_size=30))
def test_an_even_reason_against_leaves_the_score_of_the_one_for_it(tenths: list[int]) -> None:
    figures = score(SocialNliTask(), [weighed(10 * tenth, tenth, 5) for tenth in tenths])
    assert figures["mae"] == pytest.approx(0)
    assert figures["undecided"] == 0
    assert figures["pearson_r"] == (pytest.approx(1) if len({*tenths}) > 1 else None)


def test_what_people_say_outright_is_the_plausibility_and_half_an_answer_is_none() -> None:
    figures = score(SocialNliTask(), [outright(20, 20), outright(90, 70)])
    assert figures["mae"] == pytest.approx(0.1)
    assert figures["pearson_r"] == pytest.approx(1)
    assert judge_plausibility(weighed(50, 0, 0)) == judge_plausibility(weighed(50, 10, 10)) == (0.5, False)
    assert score(SocialNliTask(), [weighed(50, 0, 0), weighed(80, 8, 5)])["undecided"] == 0.5
    half = weighed_up(80, {"nli_likelihood/nli_support": {"score": 8}})
    assert judge_plausibility(half) is None
    assert score(SocialNliTask(), [half, half]) == dict.fromkeys(metric.key for metric in SocialNliTask().metrics)


def test_the_share_of_accurate_explanations_is_told_by_author() -> None:
    yes, no = ({"nli_fact": {"accurate": text}} for text in ("yes", "no"))
    checked = [
        weighed_up(0, yes, author="people"),
        weighed_up(0, yes, author="gpt"),
        weighed_up(0, no, author="gpt"),
        weighed_up(0, {}),
    ]
    figures = score(FactCheckTask(), checked)
    assert figures == {"factuality": pytest.approx(2 / 3), "factuality.gpt": 0.5, "factuality.people": 1}
