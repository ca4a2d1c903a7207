"""Pages whose parts are made from the program, filled in by a process."""

import sys
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.docs_browser import docs_pages as contents
from app.docs_browser.docs_pages import read_markdown, unfilled_pages
from app.docs_browser.docs_search import search
from app.gui.help.help_topics import ReferencePageLoader

TELLS = """
import json, sys
pages = [{"page": name, "title": "", "text": f"# {name}\\n\\nzebrafish {name}"} for name in sys.argv[1:]]
print(json.dumps({"pages": pages}))
"""
FAILS = "raise SystemExit(1)"


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "_PAGE_TEXTS", {})


@pytest.fixture
def reference(qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[ReferencePageLoader]:
    made = ReferencePageLoader(command=(sys.executable, "-c", request.param))
    yield made
    made.close()


@pytest.mark.parametrize("reference", [TELLS], indirect=True)
def test_each_page_gets_its_own_text_once_and_is_found_by_it(reference: ReferencePageLoader, qtbot: QtBot) -> None:
    wanted = unfilled_pages()
    assert "reference/commands.md" in wanted
    assert search("zebrafish") == []
    with qtbot.waitSignal(reference.pages_filled):
        reference.load()
        reference.load()
    assert [read_markdown(name).split()[-1] for name in wanted] == wanted
    assert {docs_search_hit.section.page.name for docs_search_hit in search("zebrafish")} == set(wanted)
    reference.load()
    assert not reference.is_running


@pytest.mark.parametrize("reference", [FAILS], indirect=True)
def test_where_nothing_comes_back_the_pages_stay_as_they_are(reference: ReferencePageLoader, qtbot: QtBot) -> None:
    wanted = unfilled_pages()
    reference.load()
    qtbot.waitUntil(lambda: not reference.is_running)
    assert unfilled_pages() == wanted


@pytest.mark.parametrize("reference", ["import time; time.sleep(60)"], indirect=True)
def test_it_can_be_stopped(reference: ReferencePageLoader) -> None:
    reference.load()
    reference.close()
    assert not reference.is_running
