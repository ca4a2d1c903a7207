"""What holds for everything that can be done in the window, and for everything that it says."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.gui.window.action_table import ACTIONS
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import MODES
from app.gui.window.shortcuts import DEFAULT_KEYS
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.contract.documentation import ROOT, page

FLOORS = ("app", "widgets", "project", "media", "models", "anonymize", "benchmark")
SPEAKING = (
    "QPushButton",
    "QCheckBox",
    "QPlainTextEdit",
    "QDialog",
    "OwnDialog",
    "PlainLabel",
    "QAbstractButton",
    "QTableView",
    "QTreeView",
)
"""Qt's own widgets: a screen reader knows what they are, also where they paint something beside."""


def sources(name: str, *floors: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield the path and the tree of every source of some floors that has a name in it."""
    for floor in floors:
        for path in sorted((ROOT / floor).rglob("*.py")):
            if name in (text := path.read_text("utf-8")):
                yield str(path.relative_to(ROOT)), ast.parse(text)


def entries(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        yield action
        below = action.menu()
        if isinstance(below, QMenu):
            yield from entries(below)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "lab.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=2, segments=8, annotators=2)
    return path


@pytest.fixture
def window(qtbot: QtBot, study: Path) -> Iterator[MainWindow]:
    made = MainWindow()
    qtbot.addWidget(made)
    made.show()
    assert made.open_study(study)
    yield made
    made.close()


def test_every_action_is_in_a_menu_and_says_its_keys(window: MainWindow) -> None:
    in_menus: set[QAction] = set()
    for menu in window.menuBar().actions():
        in_menus |= {*entries(menu.menu())}
    for spec in ACTIONS:
        action = window.menus.actions[spec.key]
        assert action in in_menus, spec.key
        assert action.toolTip(), spec.key
        if action.isEnabled():
            assert all(key in action.toolTip() for key in DEFAULT_KEYS[spec.key]), f"{spec.key}: {action.toolTip()}"
        else:
            assert window.menus.disabled_reason(spec) in action.toolTip(), spec.key


def test_every_action_is_in_the_palette(window: MainWindow) -> None:
    offered = {command_entry.key for command_entry in window.command_palette.open_palette().shown_entries()}
    assert {f"action {spec.key}" for spec in ACTIONS if spec.key != "palette"} <= offered


def test_what_cannot_be_done_says_what_has_to_be_done_first(window: MainWindow) -> None:
    window.close_study()
    for spec in ACTIONS:
        action = window.menus.actions[spec.key]
        assert action.isEnabled() or window.menus.disabled_reason(spec).endswith("."), spec.key


def test_the_page_about_keys_has_the_keys_of_every_mode_and_of_every_menu() -> None:
    told = page("keyboard")
    for mode in MODES:
        assert f"`{mode.keys}`" in told, mode.name
    for menu in dict.fromkeys(spec.menu.replace("&", "") for spec in ACTIONS):
        assert f"*{menu}*" in told, menu


def test_every_widget_that_paints_itself_has_a_role_for_screen_readers() -> None:
    silent = []
    for path, tree in sources("paintEvent", "widgets", "app"):
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            paints = any(isinstance(stmt, ast.FunctionDef) and stmt.name == "paintEvent" for stmt in node.body)
            roles = [
                stmt for stmt in node.body if isinstance(stmt, ast.Assign) and ast.unparse(stmt).startswith("ROLE = ")
            ]
            bases = {ast.unparse(base) for base in node.bases}
            if paints and not roles and not bases & {*SPEAKING}:
                silent.append(f"{path}: {node.name}")
    assert silent == []


def test_a_role_reaches_the_screen_reader_with_what_is_shown(window: MainWindow) -> None:
    timeline = window.timeline
    told = QAccessible.queryAccessibleInterface(timeline)
    assert told.role() == QAccessible.Role.List
    assert told.text(QAccessible.Text.Name) == "Timeline"
    assert told.text(QAccessible.Text.Value) == timeline.accessibleDescription() != ""


def test_everything_in_sight_that_takes_the_focus_has_a_name(window: MainWindow) -> None:
    window.choose_recording(window.recordings.model.rows()[0].id)
    nameless = []
    for mode in MODES:
        window.set_mode(mode.key)
        for child in window.findChildren(QWidget):
            told = QAccessible.queryAccessibleInterface(child)
            if child.isVisible() and child.focusPolicy() & child.focusPolicy().TabFocus and told is not None:
                name = told.text(QAccessible.Text.Name) or told.text(QAccessible.Text.Description)
                if not name.strip() and child.focusProxy() is None and "qt_" not in child.objectName():
                    nameless.append(
                        f"{mode.key}: {type(child).__name__} {child.objectName()} in {type(child.parent()).__name__}"
                    )
    assert nameless == []


def test_every_error_that_a_user_can_mend_says_what_to_do_next() -> None:
    silent = []
    for path, tree in sources("UserError", *FLOORS):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "UserError":
                given = [*node.args, *node.keywords]
                if len(given) < 2 and not any(isinstance(arg, ast.Starred) for arg in node.args):
                    silent.append(f"{path}:{node.lineno}")
    assert silent == []
