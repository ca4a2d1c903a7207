"""The documentation inside the window: every link of a page leads somewhere, every part of the window has a page."""

import ast
import re

import pytest
from markdown_it import MarkdownIt

from app.docs_browser.docs_pages import (
    DocsTheme,
    Page,
    find_page,
    find_picture,
    list_pages,
    page_html,
    read_markdown,
    resolve_link,
)
from app.docs_browser.docs_search import page_sections
from app.gui.help.help_topics import DIALOG_PAGES, MODE_PAGES, START_PAGE, TUTORIAL_PAGE, WINDOW_PAGES
from app.gui.window.page_registry import MODES, WINDOWS
from docs.site.hook import FROM_THE_ROOT
from tests.contract.documentation import ROOT

LOOK = DocsTheme(10.0, "#000000", "#555555", "#0000ff", "#cccccc", "#eeeeee", "#000000")
WITHOUT_HELP = {"AgreeDialog", "ChoiceDialog", "OwnDialog", "TextDialog", "_Saying"}
"""Questions, and a line that says what is awaited: the page is the one of the window behind them."""
NAMED = {page.name: page for page in list_pages()}
ANCHORS = {name: {page_section.anchor for page_section in page_sections(page)} for name, page in NAMED.items()}
TOPICS = {START_PAGE, TUTORIAL_PAGE, *MODE_PAGES.values(), *WINDOW_PAGES.values(), *DIALOG_PAGES.values()}


def dialogs() -> set[str]:
    """Return every class of a dialog."""
    bases: dict[str, set[str]] = {}
    for floor in ("widgets", "app/gui"):
        for path in (ROOT / floor).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    bases[node.name] = {ast.unparse(base) for base in node.bases}
    found = {"QDialog"}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return found - {"QDialog"}


def test_every_mode_window_and_dialog_has_its_page() -> None:
    assert set(MODE_PAGES) == {mode.key for mode in MODES}
    assert set(WINDOW_PAGES) == set(WINDOWS)
    assert set(DIALOG_PAGES) == dialogs() - WITHOUT_HELP


@pytest.mark.parametrize("topic", sorted(TOPICS))
def test_a_topic_is_a_page_with_that_place(topic: str) -> None:
    name, _, anchor = topic.partition("#")
    assert anchor in ANCHORS[name]


@pytest.mark.parametrize("name", NAMED)
def test_every_link_of_every_page_leads_somewhere(name: str) -> None:
    for block in MarkdownIt("commonmark").enable("table").parse(read_markdown(name)):
        for token in block.children or ():
            link = str(token.attrs.get("href", "") if token.type == "link_open" else token.attrs.get("src", ""))
            if not link:
                continue
            found = resolve_link(name, link)
            assert found is not None, link
            assert not found.page or found.anchor in ANCHORS[found.page], link
            assert not found.address or re.match(r"https://|mailto:", found.address), link
            assert bool(found.picture) == (token.type == "image"), link


@pytest.mark.parametrize("name", NAMED)
def test_a_page_becomes_html_with_every_place_that_links_can_mean(name: str) -> None:
    html = page_html(name, LOOK)
    headed = re.findall(r'<h\d><a name="([^"]*)">', html)
    title, *places = (page_section.anchor for page_section in page_sections(NAMED[name]))
    assert title == ""
    assert headed[1:] == places
    assert "<!--" not in html
    assert [
        each_match
        for each_match in re.findall(r'(?:src|href)="([^"]*)"', html)
        if re.match(r"(?:file|http):", each_match)
    ] == []


def test_every_page_of_the_root_that_the_site_has_is_shown_too() -> None:
    in_site = {f"../{source}" for source, name in FROM_THE_ROOT.items() if name.endswith(".md")}
    assert in_site == {name for name in NAMED if name.startswith("../")}


@pytest.mark.parametrize("name", ["", "none.md", "../README.md", "../../etc/passwd", "/etc/passwd"])
def test_what_is_no_page_is_none(name: str) -> None:
    assert find_page(name) is None
    assert resolve_link("index.md", name or "none.md") is None


@pytest.mark.parametrize(
    "name", ["/etc/x.png", "../resources/sample/x.png", "none.png", "index.md", "https://a.b/x.png"]
)
def test_only_shipped_pictures_are_pictures(name: str) -> None:
    assert find_picture(name) is None


def test_titles_are_what_the_pages_begin_with() -> None:
    assert NAMED["faces.md"] == Page("faces.md", "Faces", "How to", "Speech and people")
    assert NAMED["../NOTICE"].title == "Licences"
    assert [page.title for page in list_pages() if not page.title or page.title.endswith(".md")] == []
