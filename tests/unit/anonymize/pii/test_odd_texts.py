"""Long texts that nobody says, such as what a recogniser repeats: each rule gets to their end, in linear time."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from presidio_analyzer.context_aware_enhancers import LemmaContextAwareEnhancer
from presidio_analyzer.predefined_recognizers import UrlRecognizer

from anonymize.pii_detection.pii_finder import PersonalFinder
from anonymize.pii_detection.presidio_engine import analyzer, find_links
from anonymize.pii_detection.presidio_recognizers import SUFFIXES, BlankEngine, NearContext
from project.text_matching.spellings import find_dates

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
    assert find_dates(f"12 rue {'- ' * 100_000} on 3. of May, 1982") == {(82, 5, 3)}


@pytest.mark.parametrize("piece", ["3.4.5.", "www.", "::1 ", "1/", "+1", "a.com/", "1.1.1.1 ", "00:11:22:"])
def test_marks_and_digits_without_end_are_searched_to_their_end(piece: str) -> None:
    text = f"{piece * (_LENGTH // 6 // len(piece))} or write to bob@lab.example.org"
    assert [text[hit.start : hit.end] for hit in PersonalFinder().find(text)][-1].endswith("bob@lab.example.org")


class Read(list[str]):
    """Counts how many of its entries are read."""

    reads = 0

    def __getitem__(self, at):
        Read.reads += 1
        return super().__getitem__(at)


def test_the_words_before_a_number_are_read_and_no_others() -> None:
    engine = BlankEngine("en")
    known = engine.process_text("the ip of it is ::1 " * 2_000, "en")
    known.lemmas = Read(known.lemmas)
    near = NearContext()
    found = near._extract_surrounding_words(known, "::1", known.tokens_indices[-2])
    assert "ip" in found
    assert 0 < Read.reads <= NearContext.FAR


def test_words_before_a_number_are_those_that_presidio_reads() -> None:
    for text in ("my ip address is 10.0.0.1", "ip: 10.0.0.1", "10.0.0.1", "see the url of the website 10.0.0.1 there"):
        known = BlankEngine("en").process_text(text, "en")
        start = text.index("10.0.0.1")
        theirs = LemmaContextAwareEnhancer()._extract_surrounding_words(known, "10.0.0.1", start)
        assert set(NearContext()._extract_surrounding_words(known, "10.0.0.1", start)) == set(theirs)


def test_no_pattern_of_links_tries_every_length_at_every_place() -> None:
    assert "URL" not in analyzer().get_supported_entities()


@given(
    st.lists(
        st.sampled_from(
            ("www.", "a", "example", ".com", ".co.uk", ".", "-", "/x", " ", "https://", "é", "1", ".academy", "'")
        ),
        max_size=14,
    ).map("".join)
)
def test_links_are_found_as_presidio_finds_them(text: str) -> None:
    recognizer = UrlRecognizer()
    covered = {at for link in find_links(text) for at in range(link.start, link.end)}
    for pattern in recognizer.patterns:
        for hit in regex.finditer(pattern.regex, text):
            if SUFFIXES(hit[0]).top_domain_under_public_suffix:
                assert {*range(*hit.span())} <= covered, (text, hit[0], covered)
