"""Numbers, dates and addresses in five languages and in digits of any script; the language of a transcript."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.pii_detection.identity_numbers import (
    is_chinese_id,
    is_french_social_security,
    is_german_card,
    is_german_tax,
    is_spanish_id,
)
from anonymize.pii_detection.pii_finder import KnownWord, PersonalFinder
from anonymize.pii_detection.pii_hit import ADDRESS
from anonymize.pii_detection.postal_addresses import find_addresses
from anonymize.pii_detection.text_languages import UNKNOWN_LANGUAGE, count_words_by_language, detect_language
from models.names.name_finders import NamesByLanguage, NameSpan
from project.text_matching.number_words import number_views
from project.text_matching.spoken_forms import write_out_spoken
from tests.pii.labelled import listed


def found(text: str) -> list[tuple[str, str]]:
    return [(hit.text, hit.kind) for hit in PersonalFinder().find(text)]


@pytest.mark.parametrize(("text", "number"), listed("digits.jsonl"))
def test_digits_of_any_script_are_seen_beside_letters_of_any_script(text: str, number: str) -> None:
    start = text.index(number)
    assert any(hit.start <= start and hit.end >= start + len(number) for hit in PersonalFinder().find(text))


@pytest.mark.parametrize("text", ["e five second place", "I finished b two third", "mp3 4gb", "at 7 2pm"])
def test_letters_and_numbers_that_are_no_postcode_are_left(text: str) -> None:
    assert ADDRESS not in {kind for _, kind in found(text)}


@pytest.mark.parametrize(("text", "digits"), listed("numbers.jsonl"))
def test_numbers_are_written_out(text: str, digits: str) -> None:
    assert digits in [view.text for view in number_views(text)]


def test_a_view_knows_where_its_digits_come_from() -> None:
    text = "Also null eins, sieben und dann Schluss"
    (view,) = [view for view in number_views(text) if "01" in view.text]
    start = view.text.index("01")
    assert text[slice(*view.original_span(start, start + 2))] == "null eins"
    assert view.text.endswith("und dann Schluss")


def test_articles_and_words_of_other_languages_are_no_numbers() -> None:
    for text in ("ich habe eine Katze", "un perro y una gata", "une fois par jour", "six of them came once"):
        assert [*number_views(text)] == []


def test_identity_numbers_have_their_check_digit() -> None:
    assert is_chinese_id("11010519491231002X")
    assert not is_chinese_id("110105194912310021")
    assert is_french_social_security("255081416802538")
    assert not is_french_social_security("255081416802539")
    assert is_german_tax("86095742719")
    assert not is_german_tax("86095742718")
    assert is_german_card("L01X00T471")
    assert not is_german_card("L01X00T472")
    assert is_spanish_id("12345678Z")
    assert is_spanish_id("X1234567L")
    assert not is_spanish_id("12345678A")


@pytest.mark.parametrize("end", ["-\n", "-\r\n", "\u2010 \n", "- "])
def test_a_surname_with_a_hyphen_at_the_end_of_a_line_is_hidden_whole(end: str) -> None:
    text = f"Please ask Mrs Pemberton{end}Shaw about it."
    (hit,) = PersonalFinder().find(text)
    assert hit.text == f"Pemberton{end}Shaw"
    known = PersonalFinder([KnownWord("Quill-Zorb", participant_id="P")]).find(f"then quill{end}Zorb left")
    assert [pii_match.text for pii_match in known if pii_match.participant_id == "P"] == [f"quill{end}Zorb"]


def test_the_language_of_a_text_is_told_by_its_words() -> None:
    assert detect_language("so what do you want to do first then") == "en"
    assert detect_language("also was möchtest du denn zuerst machen") == "de"
    assert detect_language("那我们先做什么呢") == "zh"
    assert detect_language("dzień dobry jak się masz dzisiaj") == "pl"
    assert detect_language("mhrm grzl") == UNKNOWN_LANGUAGE
    assert detect_language("12345") == UNKNOWN_LANGUAGE


def test_words_are_counted_by_language_and_short_texts_together() -> None:
    short = ["dzień", "dobry", "jak się", "masz", "dzisiaj", "w tym", "pięknym mieście", "nad morzem"]
    assert count_words_by_language([*short, "and what would you like to do about it this afternoon then"]) == {
        "pl": 12,
        "en": 12,
    }


class Listed:
    """A model that knows one name, and which texts it was asked about."""

    key = "listed"
    parameters: dict[str, str] = {}

    def __init__(self, name: str) -> None:
        self.name = name
        self.read: list[str] = []

    def find_all(self, texts):
        self.read += texts
        return [
            [NameSpan(at, at + len(self.name), "person", 0.6)] if (at := text.find(self.name)) >= 0 else []
            for text in texts
        ]


def test_each_model_of_names_reads_the_texts_of_its_language_and_those_of_none() -> None:
    german, english = Listed("Brandt"), Listed("Quill")
    both = NamesByLanguage("own+spacy", [("de", german), ("en", english)], lambda text: text[:2].strip())
    texts = ["de Brandt", "en Quill", "   Brandt und Quill"]
    assert [[name.start for name in names] for names in both.find_all(texts)] == [[3], [3], [3, 14]]
    assert german.read == ["de Brandt", texts[2]]
    assert english.read == ["en Quill", texts[2]]


@pytest.mark.parametrize(
    "text",
    [
        "calle y telefono 612 345 678",
        "la calle no la digo, el móvil es 612 345 678",
        "rue et téléphone 06 12 34 56 78",
        "die Straße Telefon 0176 1234567",
        "der Weg 0176 1234567",
    ],
)
def test_words_before_a_telephone_number_are_no_address(text: str) -> None:
    assert [text[address.start : address.end] for address in find_addresses(text)] == []


@pytest.mark.parametrize(("text", "address"), listed("streets.jsonl"))
def test_a_street_beside_a_number_or_called_like_a_telephone_is_an_address(text: str, address: str) -> None:
    assert any(text[found.start : found.end].startswith(address) for found in find_addresses(text))


# Spoken numbers and letters as they are written, and where they come from

SAID = (
    "one two three oh zero ten twenty nineteen hundred thousand and double triple a b i o p first third plus "
    "dash , - . 7 42 the as in peter Anna \u00e9t\u00e9 \u0130stanbul"
)
WORDS = st.sampled_from(SAID.split())


@pytest.mark.parametrize(("said", "expected"), listed("said.jsonl"))
def test_what_is_said_is_written_out(said: str, expected: str) -> None:
    assert write_out_spoken(said).text == expected


@pytest.mark.parametrize(
    "text",
    ["I am one of them", "a cat and a dog", "Oh, I see", "12 Rue 4", "an x-ray", "one", "", "vitamin C", "I, too"],
)
def test_what_is_no_number_stays(text: str) -> None:
    assert write_out_spoken(text).text == text


@given(st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=60))
def test_every_character_says_where_it_comes_from(text: str) -> None:
    found = write_out_spoken(text)
    assert len(found.text) == len(found.starts) == len(found.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(found.starts, found.ends, strict=True))
    assert list(found.starts) == sorted(found.starts)
    for letter, start, end in zip(found.text, found.starts, found.ends, strict=True):
        if end - start == 1 and not letter.isdigit() and text[start] not in "oO":
            assert text[start] == letter or not letter.isalnum()


@given(st.lists(WORDS, min_size=1, max_size=14).map(" ".join))
def test_nothing_but_blanks_gets_lost(text: str) -> None:
    found = write_out_spoken(text)
    covered = {at for start, end in zip(found.starts, found.ends, strict=True) for at in range(start, end)}
    left = "".join(letter for at, letter in enumerate(text) if at not in covered)
    assert set(left) <= set(" ,-\t")
