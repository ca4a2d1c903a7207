"""From answers to figures: who is right throughout, who always says the same, who guesses, who stops early."""

import random
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.classification import constant_macro_f1
from benchmark.metrics.published_figures import DIMENSIONS, join_metric_key, score_ranges
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK as RATED
from benchmark.tasks.benchmark_task import ItemResponse, get_benchmark_task
from benchmark.tasks.question_task import R3Entry
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json

LABELS = ["error", "competence", "none"]
ATTRIBUTES = ["emotions", "knowledge", "norms"]


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


def test_the_oracle_is_right_and_the_constant_judge_as_the_closed_form_says() -> None:
    truth = ["error"] * 10 + ["competence"] * 6 + ["none"] * 4
    entry = get_benchmark_task("verdict")
    assert entry.score(verdicts([(text, text) for text in truth])) == {"accuracy": 1.0, "macro_f1": 1.0}
    constant = entry.score(verdicts([(text, "error") for text in truth]))
    assert constant["accuracy"] == 0.5
    assert constant["macro_f1"] == pytest.approx(constant_macro_f1(truth, "error", LABELS))


def test_what_could_not_be_read_is_wrong_and_macro_f1_is_over_the_labels_of_the_task() -> None:
    found = get_benchmark_task("verdict").score(verdicts([("error", None), ("error", "error")]))
    assert found["accuracy"] == 0.5
    assert found["macro_f1"] == pytest.approx(2 / 3 / 3)


def test_attributes_are_matched_whole_and_in_part() -> None:
    pairs: list[tuple[list[Json], list[Json] | None]] = [
        (["norms"], ["norms"]),
        (["norms", "emotions"], ["emotions"]),
        (["knowledge"], []),
        (["knowledge"], None),
    ]
    traits: dict[str, Json] = {"labels": [*ATTRIBUTES]}
    found = get_benchmark_task("attributes").score(
        [said("attributes", "attributes", true, given, traits) for true, given in pairs]
    )
    assert found["exact_match"] == 0.25
    assert found["partial_match"] == 0.5
    # Norms: one of two found; emotions: the only one found; knowledge: none of two.
    assert found["macro_f1"] == pytest.approx((2 / 3 + 1 + 0) / 3)


@pytest.mark.parametrize("key", ["verdict", "attributes", "pre", "r3vqa", "esi"])
def test_without_items_every_figure_is_undefined(key: str) -> None:
    assert {*get_benchmark_task(key).score([]).values()} == {None}
    assert get_benchmark_task(key).chance([]) == {}


def chain_items(
    subchains: Sequence[int], answers: Callable[[int], Json], chain: str = "c", kind: str = "CW"
) -> list[ItemResponse]:
    """Return questions of one chain: so many of each of its subchains, which share none."""
    found = []
    for at, size in enumerate(subchains):
        for _ in range(size):
            number = len(found)
            traits: dict[str, Json] = {
                "labels": [*"ABCDE"],
                "kind": kind,
                "question": f"{chain}{number}",
                "chain": chain,
                "steps": 2,
                "subchains": {f"{chain} result {at}": size},
            }
            found.append(said("answer", "answer", "B", answers(number), traits, number, chain))
    return found


def test_a_chain_is_understood_only_as_a_whole() -> None:
    entry = get_benchmark_task("r3vqa")
    right = chain_items([2, 3], lambda _: "B", "a")
    slip = chain_items([2, 3], lambda number: "A" if number == 4 else "B", "b", "EU")
    found = entry.score([*right, *slip])
    assert found["accuracy"] == pytest.approx(0.9)
    assert found["accuracy.CW"] == 1.0
    assert found["accuracy.EU"] == pytest.approx(0.8)
    assert found["accuracy.MSE"] is None
    assert found["chain_consistency"] == 0.5
    assert found["subchain_consistency"] == 0.75


def test_a_question_that_was_not_asked_leaves_what_it_belongs_to_not_understood() -> None:
    found = get_benchmark_task("r3vqa").score(chain_items([2, 3], lambda _: "B")[:-1])
    assert found["accuracy"] == 1.0
    assert found["chain_consistency"] == 0.0
    assert found["subchain_consistency"] == 0.5


def test_a_chain_that_is_there_twice_counts_twice() -> None:
    right, wrong = chain_items([2], lambda _: "B", "a"), chain_items([2], lambda _: "A", "b")
    assert get_benchmark_task("r3vqa").score([*right, *right, *wrong])["chain_consistency"] == pytest.approx(2 / 3)


@given(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=1, max_size=4))
def test_chance_of_consistency_is_the_mean_of_the_powers(chains: list[list[int]]) -> None:
    items = [
        chain_item for at, sizes in enumerate(chains) for chain_item in chain_items(sizes, lambda _: "B", f"c{at} ")
    ]
    found = R3Entry().chance(items)
    assert found["accuracy"] == pytest.approx(0.2)
    assert found["chain_consistency"] == pytest.approx(sum(0.2 ** sum(sizes) for sizes in chains) / len(chains))
    parts = [size for sizes in chains for size in sizes]
    assert found["subchain_consistency"] == pytest.approx(sum(0.2**size for size in parts) / len(parts))


def test_a_judge_that_is_right_with_nine_in_ten_lands_at_the_mean_of_the_powers() -> None:
    chance = random.Random(3)
    sizes = [[2, 3], [4], [1, 1, 2]] * 400
    items = [
        chain_item
        for at, each in enumerate(sizes)
        for chain_item in chain_items(each, lambda _: "B" if chance.random() < 0.9 else "A", f"c{at} ")
    ]
    expected = sum(0.9 ** sum(each) for each in sizes) / len(sizes)
    error = (expected * (1 - expected) / len(sizes)) ** 0.5
    assert R3Entry().score(items)["chain_consistency"] == pytest.approx(expected, abs=3 * error)


def test_five_options_are_guessed_one_time_in_five_and_four_one_in_four() -> None:
    traits: dict[str, Json] = {"labels": [*"ABCDE"]}
    assert get_benchmark_task("rationale").chance([said("rationale", "rationale", "A", "A", traits)]) == {
        "accuracy": 0.2
    }
    four: dict[str, Json] = {"labels": [*"ABCD"], "aspect": "IFA"}
    found = get_benchmark_task("esi").chance([said("answer", "answer", "A", "A", four)])
    assert found == {"accuracy": 0.25, "accuracy.IFA": 0.25}


def test_guessed_ratings_are_as_far_from_people_as_is_foretold() -> None:
    chance = random.Random(5)
    people = [{key: chance.uniform(low, high) for key, (low, high) in score_ranges().items()} for _ in range(3000)]
    items = [
        ItemResponse(
            "i",
            0,
            "r",
            {RATED: {**truth}},
            {RATED: {key: chance.randint(*score_ranges()[key]) for key in truth}},
            {},
            {},
        )
        for truth in people
    ]
    entry = get_benchmark_task("sotopia_eval")
    found, foretold = entry.score(items), entry.chance(items)
    assert {*foretold} == {join_metric_key(text, key) for text in ("pearson_r", "mae") for key in DIMENSIONS} | {
        "pearson_r",
        "mae",
    }
    for metric, expected in foretold.items():
        assert found[metric] == pytest.approx(expected, abs=0.06 if metric.startswith("p") else 0.03 * expected), metric
