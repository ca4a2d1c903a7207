"""What holds for every mode of the window and every window about the study."""

import re
from importlib import import_module

import pytest

from app.gui.window.action_table import ACTIONS
from app.gui.window.page_registry import MODES, WINDOWS, WindowMode
from tests.contract.documentation import ROOT, all_pages

OPENING = {
    spec.key: key
    for spec in ACTIONS
    for key in spec.handler.__code__.co_consts
    if spec.handler.__name__ == "<lambda>" and "open_window" in spec.handler.__code__.co_names
}
"""Key of an action -> the window that it opens."""
MADE = {f"mode {mode.key}": mode.factory for mode in MODES if mode.factory} | WINDOWS


@pytest.mark.parametrize("name", MADE)
def test_it_can_be_loaded_and_says_what_it_makes(name: str) -> None:
    module, function = MADE[name].split(":")
    assert getattr(import_module(module), function).__doc__


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.key)
def test_the_documentation_names_each_mode(mode: WindowMode) -> None:
    assert re.search(rf"\*{mode.name}\*|`{re.escape(mode.keys)}`", all_pages())


@pytest.mark.parametrize("key", WINDOWS)
def test_an_action_opens_each_window_and_the_documentation_names_it(key: str) -> None:
    (action,) = [spec for spec in ACTIONS if OPENING.get(spec.key) == key]
    menu, text = (part.replace("&", "").rstrip("…") for part in (action.menu, action.text))
    assert re.search(rf"\*{menu}(?: > |, ){re.escape(text)}…?\*", all_pages().replace("\n", " ")), f"{menu} > {text}"


def _sources() -> dict[str, str]:
    files = [path for folder in ("app/gui", "widgets") for path in sorted((ROOT / folder).rglob("*.py"))]
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in files}


def test_every_dialog_belongs_to_the_window_that_it_is_opened_from() -> None:
    """`OwnDialog` sees to that, and to where it is shown; a plain QDialog without a parent may open behind."""
    plain = {file for file, text in _sources().items() if re.search(r"class \w+\((?:.*, )?QDialog\b", text)}
    assert plain == {"widgets/dialogs/dialog_windows.py"}


def test_no_window_floats_beside_the_main_window() -> None:
    """Window managers are told whose a window is where it is a dialog, which `attach` makes of it, and only there."""
    floating = re.compile(r"(?:setParent|__init__|setWindowFlags?)\([^)]*WindowType\.Window\b")
    assert {file for file, text in _sources().items() if floating.search(text)} == set()
