"""Searching in the pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.docs_browser.docs_pages import heading_anchors, list_pages
from app.docs_browser.docs_search import page_sections, search, split_words


@pytest.mark.parametrize(
    ("typed", "page", "heading"),
    [
        ("withdraw", "withdrawal.md", ""),
        ("landmarks identity", "faces.md", "Landmarks and identity"),
        ("CERTIFICATE", "withdrawal.md", "The certificate"),
        ("krippendorff", "agreement.md", None),
        ("pipx", "install.md", None),
    ],
)
def test_what_is_looked_for_stands_first(typed: str, page: str, heading: str | None) -> None:
    first = search(typed)[0].section
    assert first.page.name == page
    assert heading is None or first.heading == heading


def test_every_word_has_to_be_there() -> None:
    assert search("krippendorff")
    assert search("krippendorff zebrafish") == []
    assert search("  ") == []


def test_an_excerpt_is_around_the_word_and_plain() -> None:
    for found in search("encrypted"):
        assert len(found.excerpt) < 180
        assert "](" not in found.excerpt
        assert "**" not in found.excerpt
    assert sum("encrypted" in docs_search_hit.excerpt.casefold() for docs_search_hit in search("encrypted")) > 5


@given(st.sampled_from([section for page in list_pages() for section in page_sections(page)]), st.data())
def test_any_words_of_a_section_find_it_or_better_ones(section, data) -> None:
    words = data.draw(st.lists(st.sampled_from(split_words(section.text) or ["greenroom"]), min_size=1, max_size=3))
    found = search(" ".join(words))
    assert len(found) == 60 or section.text == "" or section in [docs_search_hit.section for docs_search_hit in found]


def test_headings_with_the_same_words_have_anchors_of_their_own() -> None:
    assert [*heading_anchors(iter(["In the window", "In the window", "Größe & Maß", "In the window"]))] == [
        "in-the-window",
        "in-the-window_1",
        "groe-ma",
        "in-the-window_2",
    ]
