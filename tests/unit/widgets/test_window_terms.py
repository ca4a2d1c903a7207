"""In the window a hint names an entry of a menu, never a command, and what somebody types finds the one they mean."""

import ast
import re

import pytest

from app.gui.window.action_table import ACTIONS
from tests.builders.command_chain import ROOT
from widgets.dialogs.command_palette import match_score
from widgets.window_terms import WINDOW_TERMS, in_window_terms

_LOWER_FLOORS = ("project", "media", "models", "annotate", "anonymize", "benchmark")
_NO_COMMAND = re.compile(r"greenroom (withdrawal|tier|encrypted|faces \d|that)")
"""Keys and formats that begin with the program's name, and one sentence."""


@pytest.mark.parametrize(
    ("hint", "shown"),
    [
        ("Look again: greenroom speech transcribe STUDY --speech-only", "Look again: Speech > Find speech"),
        ("Get one: greenroom model fetch sface. It is small.", "Get one: File > Models… It is small."),
        ("Make one with `greenroom new`.", "Make one with File > New study…"),
        ("Read it: greenroom policy show STUDY. Then: greenroom policy confirm STUDY", None),
        ('Waive it: greenroom release make STUDY --waive pii-reviewed:3="WHY".', "Waive it: Study > Release…"),
        ("The greenroom study check went fine.", "The greenroom study check went fine."),
    ],
)
def test_a_command_becomes_the_entry_of_the_menu(hint: str, shown: str | None) -> None:
    assert in_window_terms(hint) == shown if shown else "greenroom" not in in_window_terms(hint)


def test_each_entry_is_in_the_menus() -> None:
    entries = {f"{action.menu} > {action.text}".replace("&", "") for action in ACTIONS}
    assert {*WINDOW_TERMS.values()} <= entries


def test_every_command_that_a_lower_floor_names_has_an_entry() -> None:
    left = []
    for folder in _LOWER_FLOORS:
        for path in (ROOT / folder).rglob("*.py"):
            source = path.read_text("utf-8")
            for node in ast.walk(ast.parse(source)) if "greenroom " in source else ():
                if isinstance(node, ast.Call):
                    texts = [text for text in ast.walk(node) if isinstance(text, ast.Constant)]
                    said = [in_window_terms(text.value) for text in texts if isinstance(text.value, str)]
                    left += [text for text in said if re.search("greenroom [a-z]", _NO_COMMAND.sub("", text))]
    assert left == []


NAMES = ("Make segment from marks", "Mark start", "Locate missing media…", "Review", "Reviewed by others", "Übersicht")


def found(typed: str) -> list[str]:
    fits = [(how, name) for name in NAMES if (how := match_score(typed, name)) is not None]
    return [name for how, name in sorted(fits, reverse=True)]


def test_the_start_of_the_name_comes_before_the_start_of_a_word_and_that_before_letters_inside() -> None:
    assert found("ma")[:2] == ["Mark start", "Make segment from marks"]
    whole, word, inside = (match_score(typed, "Mark start") or 0 for typed in ("mark", "start", "tart"))
    assert whole > word > inside > 0
    assert found("review") == ["Review", "Reviewed by others"]


def test_first_letters_of_words_find_it() -> None:
    assert found("msfm") == ["Make segment from marks"]
    assert found("lmm")[0] == "Locate missing media…"
    assert match_score("csv", "Save a picture as SVG…", "Chains") is None


def test_each_word_must_be_somewhere_in_any_order() -> None:
    assert found("marks make") == ["Make segment from marks"]
    assert match_score("make nothing", "Make segment from marks") is None
    assert match_score("view settings", "Theme", "View") is None
    assert match_score("theme view", "Theme", "View") is not None


def test_accents_and_capitals_make_no_difference() -> None:
    assert found("ubersicht") == found("ÜBERSICHT") == ["Übersicht"]
