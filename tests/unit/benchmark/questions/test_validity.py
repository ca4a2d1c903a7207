"""What can be asked at all: no option is the answer again, whatever it is written like."""

import unicodedata
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmark.questions.question_validity import MAX_OPTION_CHARS, QuestionDraft, draft_problem, normalize_option
from project.entities.questions import QuestionKind, WrongOption


def draft(answer: str = "She waves", *wrong: str, text: str = "What happens?") -> QuestionDraft:
    options = wrong or ("He leaves", "They sing", "A door shuts", "It rains")
    return QuestionDraft(QuestionKind.EVENT, "", ("n",), text, answer, tuple(WrongOption(option) for option in options))


def test_a_sound_question_can_be_used() -> None:
    assert draft_problem(draft()) == ""


WIDE = "".join(chr(ord(sign) + 0xFEE0) if sign != " " else sign for sign in "She waves")
AGAIN = [
    *("She waves", "she WAVES", " She  waves. ", "She-waves!", WIDE),
    *("She wa\u200bves", "Sh\u00e9 w\u00e0ves", "The she wave"),
]
CHANGES: list[Callable[[str], str]] = [str.upper, str.lower, str.title, "{}.".format, " {} ".format]


@pytest.mark.parametrize("wrong", AGAIN)
def test_the_answer_is_no_wrong_option(wrong: str) -> None:
    assert draft_problem(draft("She waves", wrong, "They sing", "A door shuts", "It rains"))


def test_two_wrong_options_are_not_the_same() -> None:
    assert draft_problem(draft("She waves", "It rains", "it rains!", "They sing", "A door shuts")).startswith(
        "Two wrong"
    )


def test_what_changes_the_meaning_makes_another_option() -> None:
    near = ("Ada is not angry with Ben", "Ben is angry with Ada", "Ada is angry with Cleo", "Ada was angry with Ben")
    assert draft_problem(draft("Ada is angry with Ben", *near)) == ""
    assert draft_problem(draft("He is bored", "He is boring", "It rains", "They sing", "A door shuts")) == ""


def test_too_few_too_many_empty_and_endless_are_refused() -> None:
    assert "4 options" in draft_problem(draft("She waves", "He leaves", "They sing", "A door shuts"))
    assert draft_problem(draft("She waves", "He leaves", "They sing", "A door shuts"), options=4) == ""
    assert "6 options" in draft_problem(draft("a", "b", "c", "d", "e", "f"))
    for nothing in ("", "  ", "\u200b", "\x00"):
        assert draft_problem(draft(nothing))
        assert draft_problem(draft(text=nothing))
    assert draft_problem(draft("x" * (MAX_OPTION_CHARS + 1)))
    assert draft_problem(draft("half \ud800 a sign"))


def test_options_of_marks_alone_stay_apart() -> None:
    assert draft_problem(draft("?", "!", "…", "😀", "😢")) == ""


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
    question_draft = draft(*texts)
    if draft_problem(question_draft) == "":
        assert len({normalize_option(text) for text in texts}) == 5
        assert len({text.casefold().strip() for text in texts}) == 5


@given(
    st.text(min_size=1, max_size=20), st.sampled_from([str.upper, str.lower, str.title, "{}.".format, " {} ".format])
)
def test_the_answer_in_other_marks_and_case_never_passes(answer: str, changed: Callable[[str], str]) -> None:
    question_draft = draft(answer, changed(answer), "one", "two", "three")
    if normalize_option(changed(answer)) == normalize_option(answer):
        assert draft_problem(question_draft)
    assert draft_problem(replace(question_draft, wrong=(WrongOption(answer), *question_draft.wrong[1:])))
