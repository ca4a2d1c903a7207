"""Names of a study's participants, as people say and misspell them."""

import pytest

from anonymize.pii_detection.pii_finder import KnownWord, PersonalFinder

KNOWN = [
    KnownWord("Wojciech", participant_id="p1"),
    KnownWord("Wojtek", participant_id="p1"),
    KnownWord("Jo", participant_id="p2"),
    KnownWord("Katherine Mbeki", participant_id="p3"),
    KnownWord("blue house", "place"),
]
FINDER = PersonalFinder(KNOWN, ["Pepper", "Wojtek"])


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("then wojciech came", "p1"),
        ("then voytek came", "p1"),
        ("then Wojcech came", "p1"),
        ("WOJTEK'S turn", "p1"),
        ("so jo left", "p2"),
        ("Catherine was there", "p3"),
        ("ask kathryn about it", "p3"),
    ],
)
def test_names_and_misspellings_belong_to_their_participant(text: str, who: str) -> None:
    assert [hit.participant_id for hit in FINDER.find(text)] == [who]


@pytest.mark.parametrize("text", ["a yo-yo", "joy is here", "the job is done", "so we left together"])
def test_short_names_have_to_be_exact_and_words_are_no_misspellings(text: str) -> None:
    assert FINDER.find(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("then zyxa laughs", [("zyxa", "p4")]),
        ("zyxas mug", [("zyxas", "p4")]),
        ("one quel, then zyxa  quel", [("quel", None), ("zyxa  quel", "p4")]),
        ("a rose for von den and der", []),
    ],
)
def test_each_word_of_a_name_is_found_in_small_letters_too(text: str, found: list[tuple[str, str | None]]) -> None:
    known = [
        KnownWord("Zyxa Quel", participant_id="p4"),
        KnownWord("Rose von Quel", participant_id="p5"),
        KnownWord("near the blue lake", "place"),
    ]
    assert [(hit.text, hit.participant_id) for hit in PersonalFinder(known).find(text)] == found


def test_a_phrase_has_its_kind() -> None:
    assert [(hit.kind, hit.text) for hit in FINDER.find("near the Blue  House")] == [("place", "Blue  House")]


def test_public_words_win_but_not_over_a_participants_name() -> None:
    assert [hit.text for hit in FINDER.find("Hello Pepper, I'm Wojtek")] == ["Wojtek"]
    assert PersonalFinder([], ["Anna"]).find("I'm Anna") == []
