"""What a study, a file or a model says is shown as it is: nothing in the window takes it for HTML.

Qt guesses: a label, a tool tip or a message box renders a text that looks like HTML, and reads the files that pictures
in it name. So each kind of place has one way for texts that are not literals of the program.
"""

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from tests.contract.documentation import ROOT

RICH = {
    "app/gui/export/export_dialog.py": "names of methods, which the program ships",
    "app/gui/chains/chains_page.py": "keys, of the program's own texts",
    "app/gui/review/review_items.py": "values, each escaped",
    "app/gui/settings/schemes_window.py": "what a study has of a scheme, each escaped",
    "app/gui/transcript/transcript_page.py": "keys, of the program's own texts",
}
"""Who shows rich text in a label, and of what."""
HTML = {
    "app/gui/study/dialogs.py": "questions of the program's own",
    "app/gui/faces/faces_page.py": "a question of the program's own",
    "app/gui/window/menu_handlers.py": "about the program",
    "widgets/graph/graph_canvas.py": "widgets/graph/graph_model.py escapes",
    "app/gui/annotate/conversation.py": "turns, each escaped",
    "app/gui/help/help_pages.py": "pages of the documentation, which the program ships",
    "widgets/text_labels.py": "the plain label, the plain tip and the rich label",
    "widgets/inspector/scheme_browser.py": "widgets/inspector/scheme_browser.py escapes",
    "widgets/form/checklists.py": "the tip that it has",
    "widgets/timeline/timeline_view.py": "what describes segments, nodes and verdicts escapes",
}
"""Who uses what takes HTML by itself, and why it is plain or escaped there."""
TAKES_HTML = frozenset(
    {
        *("QLabel", "QMessageBox", "QProgressDialog", "QErrorMessage", "QTextBrowser", "QWhatsThis", "QInputDialog"),
        *("QSplashScreen", "QStaticText", "QGraphicsTextItem", "QTextDocument", "setHtml", "insertHtml", "appendHtml"),
        *("setMarkdown", "setWhatsThis", "setTabToolTip", "setTabWhatsThis"),
    }
)
"""Qt's names that show rich text, or guess."""
ESCAPING = frozenset(
    {
        *(
            "plain_tip",
            "definition_tooltip",
            "utterance_tooltip",
            "node_tooltip",
            "node_bar_tooltip",
            "verdict_tooltip",
        ),
        *("_row_tooltip", "toolTip"),
    }
)
"""Functions whose result is a tool tip: all that is not the program's own is escaped in it."""


@cache
def nodes() -> list[tuple[str, ast.AST]]:
    paths = [path for floor in ("app/gui", "widgets") for path in sorted((ROOT / floor).rglob("*.py"))]
    trees = [(str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))) for path in paths]
    wanted = ast.Call | ast.ClassDef | ast.Attribute | ast.FunctionDef | ast.Assign
    return [(path, node) for path, tree in trees for node in ast.walk(tree) if isinstance(node, wanted)]


def name_of(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_own(node: ast.AST) -> bool:
    """Tell whether a text is the program's own, or went through what escapes it."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name.lstrip("_").isupper()
        case ast.Call(func=func, args=args) if name_of(func) in ("tr", "trn", "later"):
            return all(isinstance(arg, ast.Constant) for arg in args[:2])
        case ast.Call(func=func):
            return name_of(func) in ESCAPING
        case ast.IfExp(body=body, orelse=other):
            return is_own(body) and is_own(other)
        case ast.BoolOp(values=values):
            return all(map(is_own, values))
        case _:
            return False


def places(wanted: str) -> Iterator[tuple[str, ast.Call]]:
    for path, node in nodes():
        if isinstance(node, ast.Call) and name_of(node.func) == wanted:
            yield path, node


def test_labels_are_plain_or_say_that_they_are_rich() -> None:
    wrong = []
    for path, node in nodes():
        made = isinstance(node, ast.Call) and name_of(node.func) == "QLabel"
        derived = isinstance(node, ast.ClassDef) and any(name_of(base) == "QLabel" for base in node.bases)
        format_changed = isinstance(node, ast.Attribute) and node.attr == "setTextFormat"
        if (made or derived or format_changed) and path not in ("widgets/text_labels.py", "widgets/text_labels.py"):
            wrong.append(f"{path}:{node.lineno}: use PlainLabel, or RichLabel for markup of the program's own")
    assert wrong == []
    assert {path for path, _ in places("RichLabel")} == {*RICH}


def test_what_takes_html_is_used_where_it_was_looked_at() -> None:
    used = {
        path
        for path, node in nodes()
        if isinstance(node, ast.Call | ast.ClassDef)
        for base in ([node.func] if isinstance(node, ast.Call) else node.bases)
        if {name_of(base), name_of(getattr(base, "value", base))} & TAKES_HTML
    }
    assert used <= {*HTML}


@pytest.mark.parametrize(("wanted", "place"), [("setToolTip", -1), ("showText", 1), ("addRow", 0)])
def test_a_text_that_is_not_the_programs_own_is_made_plain_first(wanted: str, place: int) -> None:
    labels = {
        (path, name_of(target))
        for path, node in nodes()
        if isinstance(node, ast.Assign) and "PlainLabel(" in ast.unparse(node.value)
        for targets in node.targets
        for target in (targets.elts if isinstance(targets, ast.Tuple) else [targets])
    }
    wrong = []
    for path, call in places(wanted):
        if wanted == "addRow" and len(call.args) == 1:
            continue
        text = call.args[place]
        if not is_own(text) and (path, name_of(text)) not in labels:
            wrong.append(f"{path}:{call.lineno}: {ast.unparse(text)}")
    assert wrong == []


def test_tool_tips_of_models_are_made_plain() -> None:
    wrong = []
    for path, node in nodes():
        if not isinstance(node, ast.FunctionDef):
            continue
        inside = [*ast.walk(node)]
        told = any(isinstance(each_node, ast.Attribute) and each_node.attr == "ToolTipRole" for each_node in inside)
        if told and not any(
            isinstance(each_node, ast.Call) and name_of(each_node.func) in ESCAPING for each_node in inside
        ):
            wrong.append(f"{path}:{node.lineno}: {node.name}")
    assert wrong == []
