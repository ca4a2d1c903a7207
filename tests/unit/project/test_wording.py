"""By which words somebody is found."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.erasure.mentions import NEAR, IdentifyingTerms
from project.erasure.personal_strings import PersonalSearch

SAID = "my grandmother kept seven blue herons in her bathtub"


@pytest.mark.parametrize(
    "text",
    [
        "P01",
        "then p01.",
        "(P01)",
        "Änna  LIND laughs",
        "a\u0308nna lind",
        "Änna's turn",
        "Lind",
        "LIND and lind",
        "änna does",
        "Linds turn",
        "annas mug",
        '{"a": "\\u00c4nna Lind"}',
    ],
)
def test_names_are_found_as_words_in_any_case_and_spelling(text: str) -> None:
    assert IdentifyingTerms(["P01", "Änna Lind"]).matches_text(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("P01", "P01_kitchen.mp4"),
        ("Änna", "left-änna_02.mp4"),
        ("Änna", "Änna2"),
        ("Änna", "Anna"),
        ("Anna", "An\u00adna"),
        ("Anna", "An\u200bna laughs"),
        ("O'Neil", "o\u2019neil's"),
        ("Anna\u2011Lena", "Anna-Lena"),
        ("田中", "田中さんが来た"),
        ("김민준", "김민준이 웃는다"),
        ("สมชาย", "นายสมชายมา"),
        ("Anna", "Annaさん"),
    ],
)
def test_names_are_found_in_names_of_files_without_accents_and_in_scripts_without_spaces(name: str, text: str) -> None:
    assert IdentifyingTerms([name]).matches_text(text)


@pytest.mark.parametrize(("name", "text"), [("A", "A2"), ("P1", "P12"), ("Anna", "Annabel"), ("Lena", "Helena")])
def test_another_name_is_not_theirs(name: str, text: str) -> None:
    assert not IdentifyingTerms([name]).matches_text(text)


@pytest.mark.parametrize(
    "text", ["Lind laughs", "Anna Lind", "A\u0308nna Lind", "x\nL\u00adind\ny", SAID, "\\u004cind", "x_ÄNNA LIND_y"]
)
def test_what_is_found_is_not_there_once_it_was_replaced(text: str) -> None:
    found = IdentifyingTerms(["Änna Lind"], said=[SAID], quoted=NEAR)
    assert found.matches_text(text)
    assert not found.matches_text(found.redact_text(text))


@pytest.mark.parametrize("text", ["P011", "XP01", "linden", "annabel", "", "somebody"])
def test_parts_of_words_are_not_names(text: str) -> None:
    assert not IdentifyingTerms(["P01", "Änna Lind"]).matches_text(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mark", True),
        ("MARK laughs", True),
        ("may", False),
        ("a mark", False),
        ("marks", False),
        ("von", False),
        ("mark von may", True),
        ("otto", True),
    ],
)
def test_a_word_of_a_name_that_is_everybodys_is_found_with_a_capital_only(text: str, found: bool) -> None:
    assert IdentifyingTerms(["Mark von May", "otto von berg"]).matches_text(text) is found


def test_a_pseudonym_of_one_letter_does_not_find_every_article() -> None:
    found = IdentifyingTerms(["A"])
    assert (found.matches_text("A laughs"), found.matches_text("a laugh")) == (True, False)


def test_a_sentence_is_found_where_enough_of_it_stands() -> None:
    near, far = IdentifyingTerms(said=[SAID], quoted=NEAR), IdentifyingTerms(said=[SAID])
    part = "They said: “Grandmother kept seven blue herons in…”"
    assert (near.matches_text(part), far.matches_text(part)) == (True, False)
    assert not near.matches_text("my grandmother kept seven blue")


def test_words_are_found_in_json_also_one_by_one() -> None:
    found = IdentifyingTerms(["Änna Lind"])
    assert found.matches_json([["Änna", 1, 2], ["Lind", 2, 3]])
    assert found.matches_json_text(json.dumps({"x": ["said Änna Lind"]}))
    assert found.matches_json({"Änna Lind": 1})
    assert found.prune_json({"a": ["Änna Lind", "b"], "Änna Lind": 2, "c": "Änna Lind", "d": None}) == {
        "a": ["b"],
        "d": None,
    }


@given(st.text(), st.text())
def test_a_name_with_signs_around_it_is_always_found(before: str, after: str) -> None:
    assert IdentifyingTerms(["Änna Lind"]).matches_text(f"{before} Änna Lind {after}")


def test_a_first_name_that_two_share_is_not_theirs_in_the_whole_name_of_the_other() -> None:
    names = ["Anna Lind"]
    wording = IdentifyingTerms(names, search=PersonalSearch(names), others=["Anna Berg", "Anna Lind-Berg", "Bo"])
    for text in ("Anna Berg laughs", "anna_berg.mp4", "ANNA BERG's turn"):
        assert not wording.matches_text(text)
    for text in (
        "Anna laughs",
        "Anna Berg and Anna",
        "Anna Lind, Anna Berg",
        "Anna Lind-Berg",
        "annab@example.org, Lind",
    ):
        assert wording.matches_text(text)


def test_a_name_that_both_have_is_theirs() -> None:
    for names in (["Anna Berg"], ["anna  berg"], ["Annaberg"]):
        assert IdentifyingTerms(names, search=PersonalSearch(names), others=["Anna Berg"]).matches_text(
            "Anna Berg laughs"
        )


def test_a_sentence_of_theirs_is_found_with_the_name_of_somebody_else_in_it() -> None:
    wording = IdentifyingTerms(["Anna Lind"], said=["he is called Anna Berg by all"], quoted=6, others=["Anna Berg"])
    assert wording.matches_text("he is called Anna Berg by all")
