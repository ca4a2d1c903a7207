"""In the window a hint names an entry of a menu, never a command."""

import ast
import re

import pytest

from app.gui.window.action_table import ACTIONS
from tests.builders.command_chain import ROOT
from widgets.window_terms import WINDOW_TERMS, in_window_terms

_LOWER_FLOORS = ("project", "media", "models", "annotate", "anonymize", "benchmark")
_NO_COMMAND = re.compile(r"greenroom (withdrawal|tier|encrypted|faces \d|that)")
"""Keys and formats that begin with the program's name, and one sentence."""


@pytest.mark.parametrize(
    ("hint", "shown"),
    [
        ("Find them: greenroom faces STUDY", "Find them: Faces > Track faces"),
        ("Look again: greenroom transcribe STUDY --speech-only", "Look again: Speech > Find speech"),
        ("Get one: greenroom models fetch sface. It is small.", "Get one: File > Models… It is small."),
        ("Try: greenroom judge test STUDY my judge", "Try: View > Judges"),
        ("Make one with `greenroom new`.", "Make one with File > New study…"),
        ("greenroom check STUDY lists them. Go on.", "File > Recover a study… lists them. Go on."),
        ("Read it: greenroom policy show STUDY. Then: greenroom policy confirm STUDY", None),
        ('Waive it: greenroom release STUDY --waive pii-reviewed:3="WHY".', "Waive it: Study > Release…"),
        ("Change it: greenroom policy set STUDY raw --host {} --reason ... --allowed-by ...", None),
        ("The greenroom check went fine.", "The greenroom check went fine."),
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
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call):
                    texts = [text for text in ast.walk(node) if isinstance(text, ast.Constant)]
                    said = [in_window_terms(text.value) for text in texts if isinstance(text.value, str)]
                    left += [text for text in said if re.search("greenroom [a-z]", _NO_COMMAND.sub("", text))]
    assert left == []
