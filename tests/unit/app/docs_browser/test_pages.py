"""Pages of the documentation in the window: titles, targets of links, what is no page, and the search."""

import re

import pytest

from app.docs_browser.docs_pages import (
    DocsLinkTarget,
    DocsTheme,
    Page,
    find_page,
    find_picture,
    heading_anchors,
    list_pages,
    page_html,
    resolve_link,
)
from app.docs_browser.docs_search import page_sections, search

THEME = DocsTheme(10.0, "#000000", "#555555", "#0000ff", "#cccccc", "#eeeeee", "#000000")
PAGES = {page.name: page for page in list_pages()}


def test_titles_are_what_the_pages_begin_with() -> None:
    assert PAGES["faces.md"] == Page("faces.md", "Faces", "How to", "Speech and people")
    assert [page.title for page in PAGES.values() if not page.title or page.title.endswith(".md")] == []


@pytest.mark.parametrize(
    ("page", "link", "target"),
    [
        ("index.md", "faces.md#in-the-window", DocsLinkTarget("faces.md", "in-the-window")),
        ("reference/commands.md", "../faces.md", DocsLinkTarget("faces.md")),
        ("faces.md", "#in-the-window", DocsLinkTarget("faces.md", "in-the-window")),
        ("../CONTRIBUTING.md", "docs/faces.md", DocsLinkTarget("faces.md")),
        ("index.md", "chains.png", DocsLinkTarget(picture="chains.png")),
        ("index.md", "https://cryptography.io", DocsLinkTarget(address="https://cryptography.io")),
        ("index.md", "../../etc/passwd", None),
    ],
)
def test_a_link_leads_to_a_page_a_picture_or_an_address(page: str, link: str, target: DocsLinkTarget | None) -> None:
    assert resolve_link(page, link) == target


def test_only_what_is_shipped_is_a_page_or_a_picture() -> None:
    for name in ("", "none.md", "../README.md", "../../etc/passwd", "/etc/passwd"):
        assert find_page(name) is None
    for name in ("/etc/x.png", "../resources/sample/x.png", "none.png", "index.md", "https://a.b/x.png"):
        assert find_picture(name) is None


def test_a_page_becomes_html_with_every_place_that_links_can_mean() -> None:
    html = page_html("faces.md", THEME)
    _, *places = (section.anchor for section in page_sections(PAGES["faces.md"]))
    assert "in-the-window" in places
    assert re.findall(r'<h\d><a name="([^"]*)">', html)[1:] == places
    assert "<!--" not in html
    same = [*heading_anchors(iter(["In the window", "In the window", "Größe & Maß"]))]
    assert same == ["in-the-window", "in-the-window_1", "groe-ma"]


@pytest.mark.parametrize(
    ("typed", "page", "heading"),
    [("withdraw", "withdrawal.md", ""), ("landmarks identity", "faces.md", "Landmarks and identity")],
)
def test_what_is_looked_for_stands_first_and_every_word_has_to_be_there(typed: str, page: str, heading: str) -> None:
    first = search(typed)[0]
    assert (first.section.page.name, first.section.heading) == (page, heading)
    assert "](" not in first.excerpt
    assert search(f"{typed} zebrafish") == search("  ") == []
