"""What holds for every text, also for long ones that nobody says, such as what a recogniser repeats."""

from itertools import pairwise

import pytest
import regex
import tldextract
from hypothesis import given
from hypothesis import strategies as st

from anonymize.pii_detection.pii_finder import KnownWord, PersonalFinder
from anonymize.pii_detection.pii_hit import KINDS, PiiSpan, resolve_overlaps
from anonymize.pii_detection.pii_replacement import PersonalPlaces, Replacements
from anonymize.pii_detection.presidio_rules import find_links
from anonymize.pii_detection.text_scrubber import TextScrubber, find_identifying
from models.runtime.native_libraries import without_heavy_packages
from project.text_matching.spellings import find_dates
from tests.pii.labelled import sentences

with without_heavy_packages():
    from presidio_analyzer.predefined_recognizers import UrlRecognizer

SUFFIXES = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

FINDER = PersonalFinder([KnownWord("Anastasia", participant_id="p1"), KnownWord("Bo")], ["Pepper"])
PIECES = [sentence.text for sentence in sentences()]
TALK = st.lists(st.sampled_from(PIECES) | st.text(max_size=12), min_size=1, max_size=4).map(" ".join)


@given(TALK)
def test_hits_stand_in_the_text_in_order_and_a_scrubbed_text_stays_as_it_is(text: str) -> None:
    at = 0
    for hit in FINDER.find(text):
        assert at <= hit.start < hit.end <= len(text)
        assert hit.text == text[hit.start : hit.end] == hit.text.strip()
        assert hit.kind in KINDS
        assert 0 < hit.score <= 1
        at = hit.end
    replacements = Replacements(people={"p1": "Rowan"})
    scrubber = TextScrubber({}, (PersonalPlaces(FINDER.find, replacements), find_identifying))
    once = scrubber.scrub(text).text
    assert scrubber.scrub(once).text == once


places = st.integers(-2, 30)


@given(st.lists(st.tuples(places, places, st.sampled_from(list(KINDS)), st.sampled_from([0.5, 0.7, 1.0]))))
def test_what_any_rule_found_is_inside_some_hit(found: list[tuple[int, int, str, float]]) -> None:
    text = "abcdefghij klmno pqrst uvwxyz"
    spans = [PiiSpan(start, end, kind, score) for start, end, kind, score in found]
    hits = resolve_overlaps(text, spans)
    covered = {at for hit in hits for at in range(hit.start, hit.end)}
    for span in spans:
        inside = {at for at in range(max(span.start, 0), min(span.end, len(text))) if not text[at].isspace()}
        assert inside <= covered
    assert all(a.end <= b.start for a, b in pairwise(hits))


REPEATED = (
    *("hundert", "quatre-vingt-", "A ", "dot ", "Großmarktstraßen", "a-", "A", "x.y ", "Anna, ", "a@", "five ", "é"),
    *("12 rue de la ", "区", "路街", "calle de la "),
)
REPEATED_NUMBERS = ("3.4.5.", "www.", "::1 ", "1/", "+1", "a.com/", "1.1.1.1 ", "00:11:22:", "1 2 3 4 5 ", "1")
"""Each of these holds hundreds of hits, which take longer than what holds none."""


@pytest.mark.parametrize(
    ("piece", "length"),
    [
        *((piece, 10_000) for piece in REPEATED[:4]),
        *((piece, 1_000) for piece in REPEATED_NUMBERS[:2]),
        *(pytest.param(piece, 120_000, marks=pytest.mark.soak) for piece in REPEATED),
        *(pytest.param(piece, 20_000, marks=pytest.mark.soak) for piece in REPEATED_NUMBERS),
    ],
)
def test_what_is_repeated_without_end_is_searched_to_its_end(piece: str, length: int) -> None:
    text = f"{piece * (length // len(piece))}, or write to bob@lab.example.org"
    hits = PersonalFinder().find(text)
    assert text[hits[-1].start : hits[-1].end].endswith("bob@lab.example.org")


def test_a_street_with_one_endless_word_is_searched_to_its_end() -> None:
    for text in (f"12 rue {'a' * 3_000}", f"12 rue {'hundertund-' * 300}", f"calle {'a-' * 2_000}"):
        hits = PersonalFinder().find(f"{text} or call 07700 900123")
        assert hits[-1].kind == "phone"
    assert find_dates(f"12 rue {'- ' * 100_000} on 3. of May, 1982") == {(82, 5, 3)}


parts = ("www.", "a", "example", ".com", ".co.uk", ".", "-", "/x", " ", "https://", "é", "1", ".academy", "'")


@given(st.lists(st.sampled_from(parts), max_size=14).map("".join))
def test_links_are_found_as_presidio_finds_them_without_trying_every_length_at_every_place(text: str) -> None:
    covered = {at for link in find_links(text) for at in range(link.start, link.end)}
    for pattern in UrlRecognizer().patterns:
        for hit in regex.finditer(pattern.regex, text):
            # Presidio takes quotes around a link for a part of it.
            if SUFFIXES(hit[0]).top_domain_under_public_suffix:
                link = {at for at in range(*hit.span()) if text[at] not in "'\""}
                assert link <= covered, (text, hit[0], covered)
