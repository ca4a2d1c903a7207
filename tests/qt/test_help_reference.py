"""Pages whose parts are made from the program, filled in by a process."""

import sys
from collections.abc import Callable, Iterator

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


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "_PAGE_TEXTS", {})


@pytest.fixture
def loaders(qtbot: QtBot) -> Iterator[Callable[[str], ReferencePageLoader]]:
    made: list[ReferencePageLoader] = []

    def make(code: str) -> ReferencePageLoader:
        made.append(ReferencePageLoader(command=(sys.executable, "-S", "-c", code)))
        return made[-1]

    yield make
    for loader in made:
        loader.close()


def test_each_page_gets_its_own_text_once_and_is_found_by_it(
    loaders: Callable[[str], ReferencePageLoader], qtbot: QtBot
) -> None:
    wanted = unfilled_pages()
    assert "reference/commands.md" in wanted
    assert search("zebrafish") == []
    failing = loaders("raise SystemExit(1)")
    failing.load()
    qtbot.waitUntil(lambda: not failing.is_running)
    assert unfilled_pages() == wanted, "where nothing comes back they stay as they are"
    reference = loaders(TELLS)
    with qtbot.waitSignal(reference.pages_filled):
        reference.load()
        reference.load()
    assert [read_markdown(name).split()[-1] for name in wanted] == wanted
    assert {hit.section.page.name for hit in search("zebrafish")} == set(wanted)
    reference.load()
    assert not reference.is_running
