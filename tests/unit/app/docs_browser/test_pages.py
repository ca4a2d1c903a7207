"""Pages of the documentation in the window: titles, targets of links, and what is no page and no picture."""

import re

import pytest

from app.docs_browser.docs_pages import (
    DocsLinkTarget,
    DocsTheme,
    Page,
    find_page,
    find_picture,
    list_pages,
    page_html,
    resolve_link,
)
from app.docs_browser.docs_search import page_sections

THEME = DocsTheme(10.0, "#000000", "#555555", "#0000ff", "#cccccc", "#eeeeee", "#000000")
PAGES = {page.name: page for page in list_pages()}


def test_titles_are_what_the_pages_begin_with() -> None:
    assert PAGES["faces.md"] == Page("faces.md", "Faces", "How to", "Speech and people")
    assert PAGES["../NOTICE"].title == "Licences"
    assert [page.title for page in PAGES.values() if not page.title or page.title.endswith(".md")] == []


@pytest.mark.parametrize(
    ("page", "link", "target"),
    [
        ("index.md", "faces.md#in-the-window", DocsLinkTarget("faces.md", "in-the-window")),
        ("reference/commands.md", "../faces.md", DocsLinkTarget("faces.md")),
        ("faces.md", "#in-the-window", DocsLinkTarget("faces.md", "in-the-window")),
        ("../CONTRIBUTING.md", "docs/faces.md", DocsLinkTarget("faces.md")),
        ("../CONTRIBUTING.md", "ARCHITECTURE.md", DocsLinkTarget("../ARCHITECTURE.md")),
        ("index.md", "chains.png", DocsLinkTarget(picture="chains.png")),
        ("index.md", "https://cryptography.io", DocsLinkTarget(address="https://cryptography.io")),
        *(("index.md", name, None) for name in ("none.md", "../README.md", "../../etc/passwd", "/etc/passwd")),
    ],
)
def test_a_link_leads_to_a_page_a_picture_or_an_address(page: str, link: str, target: DocsLinkTarget | None) -> None:
    assert resolve_link(page, link) == target


@pytest.mark.parametrize("name", ["", "none.md", "../README.md", "../../etc/passwd", "/etc/passwd"])
def test_what_is_no_page_is_none(name: str) -> None:
    assert find_page(name) is None


@pytest.mark.parametrize(
    "name", ["/etc/x.png", "../resources/sample/x.png", "none.png", "index.md", "https://a.b/x.png"]
)
def test_only_shipped_pictures_are_pictures(name: str) -> None:
    assert find_picture(name) is None


def test_a_page_becomes_html_with_every_place_that_links_can_mean() -> None:
    html = page_html("faces.md", THEME)
    _, *places = (section.anchor for section in page_sections(PAGES["faces.md"]))
    assert "in-the-window" in places
    assert re.findall(r'<h\d><a name="([^"]*)">', html)[1:] == places
    assert "<!--" not in html
