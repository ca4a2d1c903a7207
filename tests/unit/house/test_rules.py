"""The rules of `make lint` about texts see what breaks them, and nothing else."""

import ast
from collections.abc import Callable, Iterator, Mapping

import pytest

from tools.house.error_texts import error_texts
from tools.house.source_rules import (
    floating_windows,
    rich_texts,
    shell_commands,
    short_waits,
    silent_errors,
    unguarded_controls,
    untranslated_texts,
)

Rule = Callable[[Mapping[str, ast.Module]], Iterator[str]]


def broken(rule: Rule, source: str) -> list[str]:
    return [*rule({"app.gui.page": ast.parse(source)})]


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (silent_errors, 'raise UserError("The file is gone.")'),
        (silent_errors, 'raise UserError("The file is gone", "Look for it.")'),
        (short_waits, "qtbot.waitUntil(done, timeout=20_000)"),
        (short_waits, "subprocess.run(x, timeout=60)"),
        (untranslated_texts, 'button.setText("Open study")'),
        (untranslated_texts, 'tr(f"Open {name}")'),
        (untranslated_texts, 'tr("{} of {}").format(1, 2)'),
        (untranslated_texts, 'trn("One study", count)'),
        (rich_texts, "label = QLabel(text)"),
        (rich_texts, "class Title(QLabel):\n    pass"),
        (rich_texts, "label = RichLabel(text)"),
        (rich_texts, "view.setHtml(text)"),
        (rich_texts, "button.setToolTip(text)"),
        (rich_texts, "form.addRow(name, field)"),
        (rich_texts, "def data(self, index, role):\n    return text if role == Qt.ToolTipRole else None"),
        (shell_commands, 'label = PlainLabel(tr("Fetch it: greenroom model fetch yunet"))'),
        (floating_windows, "super().__init__(parent, Qt.WindowType.Window)"),
        (unguarded_controls, "box = QComboBox()"),
    ],
)
def test_what_breaks_a_rule_is_told(rule: Rule, source: str) -> None:
    (line,) = broken(rule, source)
    assert line.startswith("app.gui.page:1: ")


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (silent_errors, 'raise UserError("Gone.", f"Get it: greenroom model fetch {name}")'),
        (short_waits, "thread.join(HANG_S)"),
        (untranslated_texts, 'button.setText(tr("Open {name}").format(name=name))'),
        (rich_texts, 'button.setToolTip(tr("Open it"))'),
        (rich_texts, "title = PlainLabel(text)\nform.addRow(title, field)"),
        (
            shell_commands,
            'def make():\n    """See `greenroom model fetch`."""\n    return tr("Fetch it: File > Models…")',
        ),
        (floating_windows, "attach(self, owner)"),
        (unguarded_controls, "box = ComboBox()"),
    ],
)
def test_what_keeps_it_is_let_through(rule: Rule, source: str) -> None:
    assert broken(rule, source) == []


def test_errors_are_listed_with_their_hints_sorted_by_message() -> None:
    source = """HINT = "Free some space."
class Full(UserError): ...
def save(name):
    raise Full(f"{name} is full.", HINT)
    raise UserError("A name is " "missing.", "Type it.")
"""
    assert error_texts({"app.disk": ast.parse(source)}) == [
        ("A name is missing.", "Type it.", "app.disk:5"),
        ("{name} is full.", "Free some space.", "app.disk:4"),
    ]
