"""What can be asked at all, and what the rules ask for: no option is the answer again, however it is written."""

import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmark.questions.question_validity import (
    MAX_OPTION_CHARS,
    MAX_PATHS,
    QuestionDraft,
    balance_positions,
    draft_problem,
    find_paths,
    find_required_question,
    normalize_option,
    required_questions,
)
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.questions import CHAIN_QUESTION_KINDS, QuestionKind, WrongOption
from tests.builders.drawn_questions import drawn


def draft(answer: str = "She waves", *wrong: str, text: str = "What happens?") -> QuestionDraft:
    options = wrong or ("He leaves", "They sing", "A door shuts", "It rains")
    return QuestionDraft(QuestionKind.EVENT, "", ("n",), text, answer, tuple(WrongOption(option) for option in options))


def test_what_changes_the_meaning_makes_another_option() -> None:
    assert draft_problem(draft()) == ""
    twice = draft("She waves", "It rains", "it rains!", "They sing", "A door shuts")
    assert draft_problem(twice).startswith("Two wrong")
    near = ("Ada is not angry with Ben", "Ben is angry with Ada", "Ada is angry with Cleo", "Ada was angry with Ben")
    assert draft_problem(draft("Ada is angry with Ben", *near)) == ""
    assert draft_problem(draft("He is bored", "He is boring", "It rains", "They sing", "A door shuts")) == ""
    assert draft_problem(draft("?", "!", "…", "😀", "😢")) == ""


WIDE = "".join(chr(ord(sign) + 0xFEE0) if sign != " " else sign for sign in "She waves")
AGAIN = [
    *("She waves", "she WAVES", " She  waves. ", "She-waves!", WIDE),
    *("She wa\u200bves", "Sh\u00e9 w\u00e0ves", "The she wave"),
]
CHANGES: list[Callable[[str], str]] = [str.upper, str.lower, str.title, "{}.".format, " {} ".format]


@pytest.mark.parametrize("wrong", AGAIN)
def test_the_answer_is_no_wrong_option(wrong: str) -> None:
    assert draft_problem(draft("She waves", wrong, "They sing", "A door shuts", "It rains"))


def test_too_few_too_many_empty_and_endless_are_refused() -> None:
    assert "4 options" in draft_problem(draft("She waves", "He leaves", "They sing", "A door shuts"))
    assert draft_problem(draft("She waves", "He leaves", "They sing", "A door shuts"), options=4) == ""
    assert "6 options" in draft_problem(draft("a", "b", "c", "d", "e", "f"))
    for nothing in ("", "  ", "\u200b", "\x00"):
        assert draft_problem(draft(nothing))
        assert draft_problem(draft(text=nothing))
    assert draft_problem(draft("x" * (MAX_OPTION_CHARS + 1)))
    assert draft_problem(draft("half \ud800 a sign"))


@given(st.text(min_size=1, max_size=30))
@example("ß")
@example("İ")
@example("ǆ")
@example("\u00a8\u00b8")
@example("\u05b8'\u05b0x")
def test_normalising_twice_changes_nothing_and_case_never_counts(text: str) -> None:
    assert normalize_option(normalize_option(text)) == normalize_option(text)
    assert normalize_option(unicodedata.normalize("NFD", text)) == normalize_option(unicodedata.normalize("NFC", text))


@given(st.lists(st.text(max_size=12), min_size=5, max_size=5))
def test_whatever_passes_has_five_different_options(texts: list[str]) -> None:
    if draft_problem(draft(*texts)) == "":
        assert len({normalize_option(text) for text in texts}) == 5
        assert len({text.casefold().strip() for text in texts}) == 5


@given(st.text(min_size=1, max_size=20), st.sampled_from(CHANGES))
def test_the_answer_in_other_marks_and_case_never_passes(answer: str, changed: Callable[[str], str]) -> None:
    question_draft = draft(answer, changed(answer), "one", "two", "three")
    if normalize_option(changed(answer)) == normalize_option(answer):
        assert draft_problem(question_draft)
    assert draft_problem(replace(question_draft, wrong=(WrongOption(answer), *question_draft.wrong[1:])))


HOUSE = drawn(
    {"a": "rain", "b": "a wet floor", "c": "a fall", "d": "shame", "e": "a laugh", "f": "anger"},
    "a>b b>c c>d e>d d>f",
    kinds={"d": NodeKind.EMOTION, "f": NodeKind.EMOTION},
)


def line(nodes: int) -> ChainGraph:
    return drawn([f"step {at}" for at in range(nodes)], " ".join(f"c{at}>c{at + 1}" for at in range(nodes - 1)))


def test_each_node_and_each_subchain_has_its_questions() -> None:
    wanted = required_questions(HOUSE)
    assert Counter(spec.kind.value for spec in wanted) == {"EU": 4, "MSE": 2, "CW": 4, "CH/W": 4}
    assert {spec.aspect for spec in wanted if spec.kind is QuestionKind.STATE} == {"emotion"}
    (shame,) = [spec for spec in wanted if spec.kind is QuestionKind.WHY and spec.covers[0] == "d"]
    assert shame.covers == ("d", "c", "e")
    assert required_questions(drawn({}), CHAIN_QUESTION_KINDS) == []
    of_one_node = required_questions(drawn({"a": "rain"}), CHAIN_QUESTION_KINDS)
    assert [spec.kind for spec in of_one_node] == [QuestionKind.EVENT]
    wanted = required_questions(HOUSE, CHAIN_QUESTION_KINDS)
    assert [find_required_question(HOUSE, spec.part) for spec in wanted] == wanted
    assert len({spec.part for spec in wanted}) == len(wanted)
    for nothing in ("", "EU:", "EU:z", "CW:a", "multi-step:start:a>b", "XX:a", "multi-step"):
        assert find_required_question(HOUSE, nothing) is None


def test_paths_are_the_longest_between_their_ends_and_have_an_end() -> None:
    short_cut = drawn({"a": "rain", "b": "a wet floor", "c": "a fall", "d": "shame"}, "a>b b>c a>c c>d")
    assert find_paths(short_cut) == [("a", "b", "c", "d"), ("a", "b", "c"), ("b", "c", "d")]
    assert find_paths(drawn({"a": "rain", "b": "a wet floor"}, "a>b")) == []
    assert len(find_paths(line(30))) == MAX_PATHS
    assert len(find_paths(line(30))[0]) == 30


@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 11])
def test_a_single_line_has_as_many_paths_as_the_formula_says(nodes: int) -> None:
    assert len(find_paths(line(nodes))) == max(0, (nodes - 1) * (nodes - 2) // 2)
    asked = required_questions(line(nodes), [QuestionKind.STEPS])
    assert len(asked) == 3 * len(find_paths(line(nodes)))


@given(st.integers(0, 60), st.integers(2, 8), st.integers(0, 5))
def test_places_are_balanced(count: int, options: int, seed: int) -> None:
    places = balance_positions(count, options, seed)
    times = Counter(places)
    assert len(places) == count
    assert {*places} <= {*range(options)}
    assert max(times.values(), default=0) - min(times[at] for at in range(options)) <= 1
    assert places == balance_positions(count, options, seed)


def test_places_are_in_no_order() -> None:
    places = balance_positions(100, 5, 1)
    assert places not in (sorted(places), balance_positions(100, 5, 2), [at % 5 for at in range(100)])
