"""The check of an erasure finds names in any script, and takes no other word for them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.erasure.personal_strings import PersonalString
from project.erasure.plain_search import PlainSearch
from project.erasure.subject_terms import IdentifyingTerms

THEIRS = {
    "राम शर्मा": ["राम शर्मा आया", "शर्मा आया", "राम-शर्मा", "रामशर्मा"],
    "প্রিয়াঙ্কা সেনগুপ্ত": ["প্রিয়াঙ্কা এল", "সেনগুপ্ত এল"],
    "முருகன் செல்வன்": ["முருகன் வந்தார்"],
    "สมชาย ใจดี": ["สมชายใจดี"],
    "דָּוִד כֹּהֵן": ["דוד בא", "דָּוִד", "ד. כהן"],
    "田中 さくら": ["田中さくら", "サクラ"],
    "Li Na": ["Li said so", "Na laughed", "Na Li", "li na"],
    "Bo Ek": ["Bo said", "BO", "Ek, Bo"],
    "Anne-Marie D'Arcy Smith-Jones": ["Anne came", "d'arcy", "DArcy", "AnneMarie", "smithjones"],
    "Will Rose": ["Will rose", "Rose came", "WILL", "@willrose"],
    "Владислав Елкин": ["владислав", "ЕЛКИН"],
    "José Ürün": ["Jose\u0301 left", "U\u0308ru\u0308n"],
    "P01": ["P01 laughs", "p01", "P01_kitchen.mp4"],
}
"""Name -> texts in which it surely stands: both searches have to know that."""

MAYBE = {
    "राम शर्मा": ["शर्माजी"],
    "דוד כהן": ["הכהן"],
    "佐藤 健": ["健くん", "佐藤さん"],
    "Li Na": ["lina", "na"],
    "Will Rose": ["a rose"],
    "Владислав Елкин": ["Елкину"],
}
"""Name -> texts about which a person decides."""

OTHERS = {
    "राम शर्मा": ["रमा", "रामायण"],
    "Li Na": ["carolina"],
    "佐藤 健": ["健康です"],
    "Will Rose": ["will it rise", "prose"],
    "Anna Thomas": ["Hannah and Susanna"],
    "P01": ["XP01", "P012"],
}
"""Name -> texts of other words."""


@pytest.mark.parametrize("name", THEIRS)
def test_what_is_theirs_is_removed_and_found_by_the_check(name: str) -> None:
    assert [text for text in THEIRS[name] if not IdentifyingTerms([name]).matches_text(text)] == []
    search = PlainSearch([name])
    assert [text for text in THEIRS[name] if not any(match.is_certain for match in search.find(text))] == []


def test_what_may_be_theirs_is_asked_about_and_another_word_is_not_theirs() -> None:
    for name, texts in MAYBE.items():
        for text in texts:
            assert [match.is_certain for match in PlainSearch([name]).find(text)] == [False], text
    for name, texts in OTHERS.items():
        for text in texts:
            assert [*PlainSearch([name]).find(text)] == [], text
            assert not IdentifyingTerms([name]).matches_text(text), text


def test_numbers_and_addresses_are_found_between_any_separators() -> None:
    kinds = {"phone": "+44 7700 900123", "address": "12 Acacia Avenue", "date-of-birth": "3 May 1982"}
    search = PlainSearch(strings=[PersonalString(kind, text) for kind, text in kinds.items()])
    for text in ("07700 900-123", "0044 (0)7700/900123", "12, acacia\navenue", "born 3 May 1982"):
        assert [match.is_certain for match in search.find(text)] == [True]
    assert [*search.find("13 May 1982, 07700 900124")] == []


def test_the_whole_name_of_somebody_else_and_a_shared_one_are_not_theirs() -> None:
    search = PlainSearch(["Anna Lind"], others=["Anna Berg", "Anna Lind-Berg"], shared={"lind"})
    assert [*search.find("Anna Berg and Lind")] == []
    assert [match.text for match in search.find("Anna Berg and Anna")] == ["Anna"]
    assert any(match.is_certain for match in search.find("Anna Lind-Berg"))


@given(st.text(), st.text())
def test_a_name_between_any_signs_is_found(before: str, after: str) -> None:
    text = f"{before} Änna Lind {after}"
    assert any(match.is_certain for match in PlainSearch(["Änna Lind"]).find(text))
    assert IdentifyingTerms(["Änna Lind"]).matches_text(text)
