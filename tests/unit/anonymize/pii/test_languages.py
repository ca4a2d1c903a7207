"""Numbers, dates and addresses in five languages and in digits of any script; the language of a transcript."""

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
from anonymize.pii_detection.text_languages import UNKNOWN_LANGUAGE, detect_language
from models.names.name_finders import NamesByLanguage, NameSpan
from project.text_matching.number_words import number_views
from project.text_matching.spoken_forms import write_out_spoken
from tests.pii.labelled import listed


def found(text: str) -> list[tuple[str, str]]:
    return [(hit.text, hit.kind) for hit in PersonalFinder().find(text)]


def test_digits_of_any_script_are_seen_beside_letters_of_any_script() -> None:
    for text, number in listed("digits.jsonl"):
        start = text.index(number)
        hits = PersonalFinder().find(text)
        assert any(hit.start <= start and hit.end >= start + len(number) for hit in hits), text


def test_letters_and_numbers_that_are_no_postcode_are_left() -> None:
    for text in ("e five second place", "mp3 4gb", "at 7 2pm"):
        assert ADDRESS not in {kind for _, kind in found(text)}, text


def test_numbers_are_written_out() -> None:
    for text, digits in listed("numbers.jsonl"):
        assert digits in [view.text for view in number_views(text)], text


def test_a_view_knows_where_its_digits_come_from() -> None:
    text = "Also null eins, sieben und dann Schluss"
    (view,) = [view for view in number_views(text) if "01" in view.text]
    start = view.text.index("01")
    assert text[slice(*view.original_span(start, start + 2))] == "null eins"
    assert view.text.endswith("und dann Schluss")


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


def test_a_surname_with_a_hyphen_at_the_end_of_a_line_is_hidden_whole() -> None:
    for end in ("-\r\n", "\u2010 \n"):
        (hit,) = PersonalFinder().find(f"Please ask Mrs Pemberton{end}Shaw about it.")
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


def test_words_before_a_telephone_number_are_no_address() -> None:
    for text in (
        "la calle no la digo, el móvil es 612 345 678",
        "rue et téléphone 06 12 34 56 78",
        "der Weg 0176 123456",
    ):
        assert [*find_addresses(text)] == [], text


def test_a_street_beside_a_number_or_called_like_a_telephone_is_an_address() -> None:
    for text, address in listed("streets.jsonl"):
        assert any(text[found.start : found.end].startswith(address) for found in find_addresses(text)), text


# Spoken numbers and letters as they are written, and where they come from

SAID = (
    "one two three oh zero ten twenty nineteen hundred thousand and double triple a b i o p first third plus "
    "dash , - . 7 42 the as in peter Anna \u00e9t\u00e9 \u0130stanbul"
)
WORDS = st.sampled_from(SAID.split())


def test_what_is_said_is_written_out() -> None:
    for said, expected in listed("said.jsonl"):
        assert write_out_spoken(said).text == expected
    for text in ("I am one of them", "a cat and a dog", "Oh, I see", "12 Rue 4", "an x-ray", "one", "", "vitamin C"):
        assert write_out_spoken(text).text == text, "it is no number"


@given(st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=60))
def test_every_character_says_where_it_comes_from(text: str) -> None:
    found = write_out_spoken(text)
    assert len(found.text) == len(found.starts) == len(found.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(found.starts, found.ends, strict=True))
    assert list(found.starts) == sorted(found.starts)
    for letter, start, end in zip(found.text, found.starts, found.ends, strict=True):
        if end - start == 1 and not letter.isdigit() and text[start] not in "oO":
            assert text[start] == letter or not letter.isalnum()
