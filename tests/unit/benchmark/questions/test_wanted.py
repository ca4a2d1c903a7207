"""What the rules ask for, and which paths multi-step questions follow."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.questions.question_validity import (
    MAX_PATHS,
    balance_positions,
    find_paths,
    find_required_question,
    required_questions,
)
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.questions import CHAIN_QUESTION_KINDS, QuestionKind
from tests.builders.drawn_questions import drawn

HOUSE = drawn(
    {"a": "rain", "b": "a wet floor", "c": "a fall", "d": "shame", "e": "a laugh", "f": "anger"},
    "a>b b>c c>d e>d d>f",
    kinds={"d": NodeKind.EMOTION, "f": NodeKind.EMOTION},
)


def line(nodes: int) -> ChainGraph:
    return drawn([f"step {at}" for at in range(nodes)], " ".join(f"c{at}>c{at + 1}" for at in range(nodes - 1)))


def test_each_node_and_each_subchain_has_its_questions() -> None:
    found = required_questions(HOUSE)
    assert Counter(question_spec.kind.value for question_spec in found) == {"EU": 4, "MSE": 2, "CW": 4, "CH/W": 4}
    assert {question_spec.aspect for question_spec in found if question_spec.kind is QuestionKind.STATE} == {"emotion"}
    (shame,) = [
        question_spec
        for question_spec in found
        if question_spec.kind is QuestionKind.WHY and question_spec.covers[0] == "d"
    ]
    assert shame.covers == ("d", "c", "e")


def test_an_empty_chain_asks_for_nothing() -> None:
    assert required_questions(drawn({}), CHAIN_QUESTION_KINDS) == []
    assert [
        required_question.kind for required_question in required_questions(drawn({"a": "rain"}), CHAIN_QUESTION_KINDS)
    ] == [QuestionKind.EVENT]


def test_paths_are_the_longest_between_their_ends_and_the_longest_come_first() -> None:
    short_cut = drawn({"a": "rain", "b": "a wet floor", "c": "a fall", "d": "shame"}, "a>b b>c a>c c>d")
    assert find_paths(short_cut) == [("a", "b", "c", "d"), ("a", "b", "c"), ("b", "c", "d")]
    assert find_paths(drawn({"a": "rain", "b": "a wet floor"}, "a>b")) == []


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 11])
def test_a_single_line_has_as_many_paths_as_the_formula_says(nodes: int) -> None:
    assert len(find_paths(line(nodes))) == max(0, (nodes - 1) * (nodes - 2) // 2)
    asked = required_questions(line(nodes), [QuestionKind.STEPS])
    assert len(asked) == 3 * len(find_paths(line(nodes)))


def test_the_number_of_paths_has_an_end() -> None:
    assert len(find_paths(line(30))) == MAX_PATHS
    assert len(find_paths(line(30))[0]) == 30


def test_what_is_wanted_is_known_by_its_part() -> None:
    for required_question in required_questions(HOUSE, CHAIN_QUESTION_KINDS):
        assert find_required_question(HOUSE, required_question.part) == required_question
    parts = [required_question.part for required_question in required_questions(HOUSE, CHAIN_QUESTION_KINDS)]
    assert len({*parts}) == len(parts)
    for nothing in ("", "EU:", "EU:z", "CW:a", "multi-step:start:a>b", "XX:a", "multi-step"):
        assert find_required_question(HOUSE, nothing) is None


@given(st.integers(0, 60), st.integers(2, 8), st.integers(0, 5))
def test_places_are_balanced(count: int, options: int, seed: int) -> None:
    found = balance_positions(count, options, seed)
    times = Counter(found)
    assert len(found) == count
    assert {*found} <= {*range(options)}
    assert max(times.values(), default=0) - min((times[at] for at in range(options)), default=0) <= 1
    assert found == balance_positions(count, options, seed)


def test_places_are_in_no_order() -> None:
    found = balance_positions(100, 5, 1)
    assert found != sorted(found)
    assert found != balance_positions(100, 5, 2)
    assert [at % 5 for at in range(100)] != found
