"""What the pages say stands in a menu stands there, under that very name."""

import re

import pytest

from app.gui.window.action_table import ACTIONS
from tests.contract.documentation import ROOT

STANDS: dict[str, set[str]] = {}
for spec in ACTIONS:
    STANDS.setdefault(spec.menu.replace("&", ""), set()).add(spec.text.replace("&", ""))
SHOWN = re.compile(rf"\*({'|'.join(STANDS)})(?: >|,)\s([^*]+)\*")
WITH_KEY = re.compile(SHOWN.pattern + r"\s\(`?((?:Ctrl\+|Shift\+|Alt\+)*(?:F?\d+|[A-Z]))`?[),]")
KEYS = {(spec.menu.replace("&", ""), spec.text.replace("&", "")): spec.keys for spec in ACTIONS}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_entry_of_a_menu_that_a_page_names_is_there(path) -> None:
    named = [(menu, " ".join(text.split())) for menu, text in SHOWN.findall(path.read_text("utf-8"))]
    assert [f"{menu} > {text}" for menu, text in named if text not in STANDS[menu]] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_key_in_brackets_behind_it_is_its_key(path) -> None:
    said = [(menu, " ".join(text.split()), key) for menu, text, key in WITH_KEY.findall(path.read_text("utf-8"))]
    assert [row for row in said if row[2] not in KEYS.get(row[:2], ())] == []


def test_enough_is_said_with_a_key_that_the_test_above_can_fail() -> None:
    assert sum(len(WITH_KEY.findall(path.read_text("utf-8"))) for path in PAGES) > 15
