"""What holds for every text."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.pii_detection.pii_finder import KnownWord, PersonalFinder
from anonymize.pii_detection.pii_hit import KINDS, PiiSpan, resolve_overlaps
from anonymize.pii_detection.pii_replacement import PersonalPlaces, Replacements
from anonymize.pii_detection.text_scrubber import TextScrubber, find_identifying
from tests.pii.labelled import sentences

FINDER = PersonalFinder([KnownWord("Anastasia", participant_id="p1"), KnownWord("Bo")], ["Pepper"])
PIECES = [sentence.text for sentence in sentences()]
TALK = st.lists(st.sampled_from(PIECES) | st.text(max_size=12), min_size=1, max_size=4).map(" ".join)


@settings(deadline=None, max_examples=60)
@given(TALK)
def test_hits_stand_in_the_text_in_order_and_do_not_overlap(text: str) -> None:
    at = 0
    for hit in FINDER.find(text):
        assert at <= hit.start < hit.end <= len(text)
        assert hit.text == text[hit.start : hit.end]
        assert hit.text == hit.text.strip()
        assert hit.kind in KINDS
        assert 0 < hit.score <= 1
        at = hit.end


@settings(deadline=None, max_examples=60)
@given(TALK)
def test_a_scrubbed_text_stays_as_it_is(text: str) -> None:
    replacements = Replacements(people={"p1": "Rowan"})
    scrubber = TextScrubber({}, (PersonalPlaces(FINDER.find, replacements), find_identifying))
    once = scrubber.scrub(text).text
    assert scrubber.scrub(once).text == once


@given(
    st.lists(
        st.tuples(
            st.integers(-2, 30), st.integers(-2, 30), st.sampled_from(list(KINDS)), st.sampled_from([0.5, 0.7, 1.0])
        )
    )
)
def test_what_any_rule_found_is_inside_some_hit(found: list[tuple[int, int, str, float]]) -> None:
    text = "abcdefghij klmno pqrst uvwxyz"
    stretches = [PiiSpan(start, end, kind, score) for start, end, kind, score in found]
    hits = resolve_overlaps(text, stretches)
    covered = {at for hit in hits for at in range(hit.start, hit.end)}
    for stretch in stretches:
        inside = {at for at in range(max(stretch.start, 0), min(stretch.end, len(text))) if not text[at].isspace()}
        assert inside <= covered
    assert all(a.end <= b.start for a, b in pairwise(hits))


def test_hours_of_talk_are_searched() -> None:
    filler = "So then we went on and did the next thing together, and it was a good day for all of us. " * 10
    once = "".join(f"{piece} {filler}\n" for piece in PIECES)
    text = once * (300_000 // len(once) + 1)
    hits = FINDER.find(text)
    assert len(hits) > 150
    assert hits[-1].end <= len(text)


@pytest.mark.parametrize("piece", ["a-", "1 2 3 4 5 ", "A", "x.y ", "Anna, ", "a@", "five ", "\u00e9", "12 rue de la "])
def test_a_long_text_of_anything_is_searched(piece: str) -> None:
    text = piece * (30_000 // len(piece))
    assert all(hit.end <= len(text) for hit in FINDER.find(text))
