"""The labelled sentences: they are what their README says, and rules alone find what must be found."""

import hashlib

import pytest

from anonymize.pii_detection.pii_finder import PersonalFinder
from anonymize.pii_detection.pii_hit import KINDS, NAMES, STRUCTURED
from tests.pii.labelled import DEVELOPMENT, HELD_OUT, PUBLIC, Span, judged, sentences


def test_the_parts_are_halves_by_the_hash_of_the_text() -> None:
    ordered = sorted(sentences(), key=lambda sentence: hashlib.sha256(sentence.text.encode()).hexdigest())
    half = len(ordered) // 2
    assert {sentence.part for sentence in ordered[:half]} == {DEVELOPMENT}
    assert {sentence.part for sentence in ordered[half:]} == {HELD_OUT}


def test_spans_hold_words_and_do_not_overlap() -> None:
    for sentence in sentences():
        at = 0
        for start, end, _ in sentence.spans:
            assert at <= start < end <= len(sentence.text)
            assert sentence.text[start:end] == sentence.text[start:end].strip()
            at = end


@pytest.mark.parametrize("part", [DEVELOPMENT, HELD_OUT])
def test_rules_alone_find_what_must_be_found(part: str) -> None:
    finder = PersonalFinder(public=PUBLIC)

    def find(text: str) -> list[Span]:
        return [(hit.start, hit.end, KINDS[hit.kind].group) for hit in finder.find(text)]

    figures = judged(sentences(part), find)
    assert figures.recall(NAMES) >= 0.90
    assert figures.recall(STRUCTURED) >= 0.98
    assert figures.precision() >= 0.80
