"""Each rule on what it is for, and on what it must leave."""

import pytest

from anonymize.pii_detection.identity_numbers import is_iban, is_payment_card
from anonymize.pii_detection.pii_finder import PersonalFinder

FINDER = PersonalFinder()


def found(text: str) -> list[tuple[str, str]]:
    return [(hit.kind, hit.text) for hit in FINDER.find(text)]


@pytest.mark.parametrize(
    ("text", "kind", "part"),
    [
        ("my name's Jo with no e", "person", "Jo"),
        ("My name is Al", "person", "Al"),
        ("they call me stretch", "person", "stretch"),
        ("This is Ferdinand speaking.", "person", "Ferdinand"),
        ("Nice to meet you, Oksana.", "person", "Oksana"),
        ("Ask Dr Young about it", "person", "Young"),
        ("and then Rose left early", "person", "Rose"),
        ("it is spelled s m y t h e", "person", "s m y t h e"),
        ("we flew to Toronto", "place", "Toronto"),
        ("She went to Elmfield High School", "organisation", "Elmfield High School"),
        ("I was born on 3 March 1990", "date-of-birth", "3 March 1990"),
        ("my birthday is the second of june", "date-of-birth", "second of june"),
        ("we met on March 4th", "date", "March 4th"),
        ("ring me on oh one two one, four nine six oh one two three", "phone", "oh one two one"),
        ("call 020 7946 0958", "phone", "020 7946 0958"),
        ("it's ann dot lee at example dot com", "e-mail", "ann dot lee at example dot com"),
        ("ann.lee@example.org please", "e-mail", "ann.lee@example.org"),
        ("see example.org/ann", "link", "example.org/ann"),
        ("I live at 14 Maple Road", "address", "14 Maple Road"),
        ("12 rue Victor Hugo", "address", "12 rue Victor Hugo"),
        ("Hauptstra\u00dfe 5", "address", "Hauptstra\u00dfe 5"),
        ("the postcode is m one one a e", "address", "m one one a e"),
        ("card 5555 5555 5555 4444", "account", "5555 5555 5555 4444"),
        ("GB82 WEST 1234 5698 7654 32", "account", "GB82 WEST 1234 5698 7654 32"),
        ("the plate is HK07 ABC", "licence", "HK07 ABC"),
        ("my passport is 925665416", "id", "925665416"),
        ("student number four four one two", "id", "four four one two"),
    ],
)
def test_what_is_personal_is_found(text: str, kind: str, part: str) -> None:
    assert any(kind == one and part in words for one, words in found(text)), found(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm fine, and you?",
        "I'm sorry about that",
        "will you be there in may",
        "It may rose over the hill",
        "call me later",
        "call me tomorrow morning",
        "my name is not important",
        "Every week the Wellness coach robot asks how they are; see the Timeline",
        "there were 120 people in 3 rooms",
        "one two three four five six seven eight",
        "it costs 1,250,000 euros",
        "at a quarter past 7 on Tuesday",
        "In August it is hot",
        "The grace period is over",
        "version 3.1.4 came out in 2019",
        "two people in the way",
        "0:01:23.456",
        "5 minutes walk from here",
        "I asked Siri and Alexa",
        "",
        "   ",
        "!?",
    ],
)
def test_what_is_not_personal_is_left(text: str) -> None:
    assert found(text) == []


def test_check_digits() -> None:
    assert is_payment_card("4111111111111111")
    assert not is_payment_card("4111111111111112")
    assert not is_payment_card("0000000000000000")
    assert is_iban("DE89370400440532013000")
    assert is_iban("gb82west12345698765432")
    assert not is_iban("DE88370400440532013000")


@pytest.mark.parametrize(
    "text",
    [
        "Ich hei\u00dfe Annegret und wohne in der Lindenstra\u00dfe 12.",
        "Je m'appelle C\u00e9line, j'habite 12 rue de la Paix.",
        "\u041c\u0435\u043d\u044f \u0437\u043e\u0432\u0443\u0442 \u0410\u043d\u043d\u0430.",
        "\u79c1\u306f\u7530\u4e2d\u3067\u3059\u3002",
        "\u0627\u0633\u0645\u064a \u0641\u0627\u0637\u0645\u0629",
        "\u0130zmir'de ya\u015f\u0131yorum",
        "\U0001f600 \u200d\u0301 \x00",
    ],
)
def test_texts_of_other_languages_do_not_break_it(text: str) -> None:
    assert all(text[hit.start : hit.end] == hit.text for hit in FINDER.find(text))
