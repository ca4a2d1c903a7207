"""Long texts that nobody says, such as what a recogniser repeats: each rule gets to their end, in linear time."""

import pytest

from anonymize.pii.finding import PersonalFinder
from project.withdrawing.spellings import dates_in

_LENGTH = 120_000
"""Characters; a rule that goes back over all of a text from each place in it takes half an hour for one."""


@pytest.mark.parametrize("piece", ["hundert", "quatre-vingt-", "A ", "dot ", "Großmarktstraßen"])
def test_what_is_repeated_without_end_is_searched_to_its_end(piece: str) -> None:
    text = f"{piece * (_LENGTH // len(piece))} or 07700 900123"
    assert [text[hit.start : hit.end] for hit in PersonalFinder().find(text)][-1].endswith("07700 900123")


def test_a_street_with_one_endless_word_is_searched_to_its_end() -> None:
    for text in (f"12 rue {'a' * 3_000}", f"12 rue {'hundertund-' * 300}", f"calle {'a-' * 2_000}"):
        found = PersonalFinder().find(f"{text} or call 07700 900123")
        assert found[-1].kind == "phone"


def test_french_streets_with_a_town_are_still_found() -> None:
    for text in (
        "12 rue Victor Hugo, 75001 Paris",
        "3 bis, rue de l\u2019Abbé-Grégoire , 38000 Grenoble",
        "12 rue d\u2019Assas, 75006 Paris",
    ):
        assert [(text[hit.start : hit.end], hit.kind) for hit in PersonalFinder().find(text)] == [(text, "address")]


def test_days_are_read_from_texts_without_end() -> None:
    assert dates_in(f"12 rue {'- ' * 100_000} on 3. of May, 1982") == {(82, 5, 3)}
