"""Rules about the source that no type can say: texts of the window, messages of errors, limits of waits in tests.

The window's own texts go through gettext, and those of others are never taken for HTML. Qt guesses: a label, a tip or
a message box renders a text that looks like HTML, and reads the files that pictures in it name. So each kind of place
has one way for texts that are not literals of the program. A test that fails because a machine is busy tells nothing,
so a wait gives up only where a hang is left.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from string import Formatter

from tests.builders.waiting import HANG_S

_RICH_LABELS = {
    "app.gui.export.export_dialog": "names of methods, which the program ships",
    "app.gui.chains.chains_page": "keys, of the program's own texts",
    "app.gui.review.review_items": "values, each escaped",
    "app.gui.settings.schemes_window": "what a study has of a scheme, each escaped",
    "app.gui.transcript.transcript_page": "keys, of the program's own texts",
}
"""Who shows rich text in a label, and of what."""
_HTML = {
    "app.gui.study.dialogs": "questions of the program's own",
    "app.gui.faces.faces_page": "a question of the program's own",
    "app.gui.window.menu_handlers": "about the program",
    "widgets.graph.graph_canvas": "widgets.graph.graph_model escapes",
    "app.gui.annotate.conversation": "turns, each escaped",
    "app.gui.help.help_pages": "pages of the documentation, which the program ships",
    "widgets.text_labels": "the plain label, the plain tip and the rich label",
    "widgets.inspector.scheme_browser": "escapes by itself",
    "widgets.form.checklists": "the tip that it has",
    "widgets.timeline.timeline_view": "what describes segments, nodes and verdicts escapes",
}
"""Who uses what takes HTML by itself, and why it is plain or escaped there."""
_TAKES_HTML = frozenset(
    {
        *("QLabel", "QMessageBox", "QProgressDialog", "QErrorMessage", "QTextBrowser", "QWhatsThis", "QInputDialog"),
        *("QSplashScreen", "QStaticText", "QGraphicsTextItem", "QTextDocument", "setHtml", "insertHtml", "appendHtml"),
        *("setMarkdown", "setWhatsThis", "setTabToolTip", "setTabWhatsThis"),
    }
)
"""Qt's names that show rich text, or guess."""
_TEXT_ARGUMENTS = {"setToolTip": -1, "showText": 1, "addRow": 0}
"""Functions that guess about one of their arguments -> which."""
_ESCAPING = frozenset(
    {
        *("plain_tip", "definition_tooltip", "utterance_tooltip", "node_tooltip", "node_bar_tooltip"),
        *("verdict_tooltip", "_row_tooltip", "toolTip"),
    }
)
"""Functions whose result is a tool tip: all that is not the program's own is escaped in it."""
_MARKS = {"tr", "trn", "later"}
_LOGGED = {"debug", "info", "warning", "error", "exception", "basicConfig"}
_BUGS = {"AssertionError", "KeyError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError"}
_SAYS_NOTHING = re.compile(r"(value|get|format_time|.*\d)$")
"""Names of places in a text from which a translator cannot tell which of several is meant."""
_WORDS = re.compile(r"[A-Za-z]{2,}[,.:]? [A-Za-z“(]{1,}")
_NO_WORDS = re.compile(
    r"""(color|font(-\w+)?|margin|padding(-\w+)?|border(-\w+)?|background|width|text-\w+)\s*:  # rules of a style sheet
    | <(span|p|div|td|qt|img)\b[^>]*$ | Helvetica                              # tags of rich text, and fonts
    | ^(((Ctrl|Alt|Shift)\+)*(Up|Down|Left|Right|PgUp|PgDown|Del|Backspace)(,?\ |$))+$ | \[dict\[  # keys, types
    | ^(bottom|top)\ (left|right)$ | ^back\ hatch$ | ^not\ (asked|sent)$       # names that only the program reads
    | ^node\ text\ $ | ^cues\ accept$                                       # words of a command""",
    re.VERBOSE,
)
"""What only looks like words for a reader."""


def untranslated_texts(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each text of the window that goes past gettext, or that translators cannot find or understand."""
    for module, tree in trees.items():
        for line, text in _unmarked(tree):
            if _WORDS.search(re.sub(r"<[^<>]*>", " ", text)) and not _NO_WORDS.search(text):
                yield f"{module}:{line}: write tr(…) around {text!r}"
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and _called(call) in _MARKS and not _is_clear(call):
                yield f"{module}:{call.lineno}: a translator cannot work with {ast.unparse(call)[:80]}"


def rich_texts(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each place of the window where a text of somebody else could be rendered."""
    for module, tree in trees.items():
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)]
        labels = {name for node in nodes if isinstance(node, ast.Assign) for name in _plain_labels(node)}
        for node in nodes:
            told = _rich(node, labels)
            if told == "rich label" and module not in _RICH_LABELS and module != "widgets.text_labels":
                yield f"{module}:{node.lineno}: a RichLabel; use PlainLabel, or add it to the list of rich labels"
            elif told == "label" and module != "widgets.text_labels":
                yield f"{module}:{node.lineno}: use PlainLabel, or RichLabel for markup of the program's own"
            elif told == "html" and module not in _HTML:
                yield f"{module}:{node.lineno}: takes HTML; use what is plain"
            elif told == "text":
                yield f"{module}:{node.lineno}: make it plain first (plain_tip): {ast.unparse(node)[:80]}"


_SHELL_COMMAND = re.compile(r"\bgreenroom [a-z]")


def shell_commands(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each text of the window that names a command: people in the window are told where to click."""
    for module, tree in trees.items():
        for line, text in _literals(tree):
            if _SHELL_COMMAND.search(text):
                yield f"{module}:{line}: name the entry of the menu: {text[:80]!r}"


def _literals(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and words of each literal that is no docstring."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.lineno, child.value
        yield from _literals(child)


def floating_windows(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each window that belongs to no other: window managers keep a dialog alone in front of its owner."""
    for module, tree in trees.items():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            made = _called(call) in {"setParent", "__init__", "setWindowFlags"}
            if made and any(ast.unparse(node).endswith("WindowType.Window") for node in ast.walk(call)):
                yield f"{module}:{call.lineno}: make it with attach (widgets/dialogs/dialog_windows.py)"


_GUARDED = frozenset({"QComboBox", "QSlider", "QSpinBox", "QDoubleSpinBox", "QDateEdit", "QTimeEdit"})


def unguarded_controls(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each control that the wheel changes while a page is scrolled over it."""
    for module, tree in trees.items():
        for node in (node for node in ast.walk(tree) if isinstance(node, ast.Call | ast.ClassDef)):
            bases = [*map(_name, node.bases)] if isinstance(node, ast.ClassDef) else []
            if _called(node) in _GUARDED or (_GUARDED & {*bases} and "WheelWhenFocused" not in bases):
                yield f"{module}:{node.lineno}: take the control of widgets/form/wheel_guard.py or input_fields.py"


def _called(node: ast.AST) -> str:
    return _name(node.func) if isinstance(node, ast.Call) else ""


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _unmarked(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and words of each literal that no mark is around."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.arg | ast.Compare | ast.Subscript) or _called(child) in _MARKS | _LOGGED | _BUGS:
            continue
        if isinstance(child, ast.AnnAssign):
            yield from _unmarked(ast.List([child.value] if child.value else []))
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.lineno, child.value
        yield from _unmarked(child)


def _is_clear(call: ast.Call) -> bool:
    """Tell whether what is marked is a literal, and each place in it that is filled in has a name that says what."""
    literals = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if any(isinstance(arg, ast.JoinedStr) for arg in call.args) or (_called(call) == "trn" and len(literals) != 2):
        return False
    for literal in literals:
        names = {name for _, name, _, _ in Formatter().parse(literal) if name is not None}
        vague = len(names) > 1 and any(_SAYS_NOTHING.match(name) for name in names)
        if vague or not all(name.isidentifier() for name in names):
            return False
    return True


def _plain_labels(assigned: ast.Assign) -> Iterator[str]:
    """Yield the names that are given to plain labels."""
    if "PlainLabel(" in ast.unparse(assigned.value):
        for target in assigned.targets:
            yield from map(_name, target.elts if isinstance(target, ast.Tuple) else [target])


def _rich(node: ast.AST, labels: set[str]) -> str:
    """Tell what is wrong with a node, if anything; `labels` are names of plain labels."""
    called, bases = _called(node), node.bases if isinstance(node, ast.ClassDef) else []
    if called == "RichLabel":
        return "rich label"
    if "QLabel" in {called, *map(_name, bases)} or (isinstance(node, ast.Attribute) and node.attr == "setTextFormat"):
        return "label"
    made = [node.func] if isinstance(node, ast.Call) else bases
    if any({_name(part), _name(getattr(part, "value", part))} & _TAKES_HTML for part in made):
        return "html"
    if isinstance(node, ast.Call) and called in _TEXT_ARGUMENTS and not (called == "addRow" and len(node.args) == 1):
        text = node.args[_TEXT_ARGUMENTS[called]]
        return "" if _is_own(text) or _name(text) in labels else "text"
    if isinstance(node, ast.FunctionDef):
        inside = [*ast.walk(node)]
        tells = any(isinstance(part, ast.Attribute) and part.attr == "ToolTipRole" for part in inside)
        return "text" if tells and not any(_called(part) in _ESCAPING for part in inside) else ""
    return ""


def _is_own(node: ast.AST) -> bool:
    """Tell whether a text is the program's own, or went through what escapes it."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name.lstrip("_").isupper()
        case ast.Call(func=func, args=args) if _name(func) in _MARKS:
            return all(isinstance(arg, ast.Constant) for arg in args[:2])
        case ast.Call(func=func):
            return _name(func) in _ESCAPING
        case ast.IfExp(body=body, orelse=other):
            return _is_own(body) and _is_own(other)
        case ast.BoolOp(values=values):
            return all(map(_is_own, values))
        case _:
            return False


_ENDS = (".", "!", "?", ": ")
_COMMAND = re.compile(r": (greenroom|pip|sudo|--).*$")
"""A hint may end in a command to type."""


def silent_errors(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each place where a `UserError` has no hint, or a text that is no sentence."""
    for module, tree in trees.items():
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "UserError":
                continue
            starred = any(isinstance(argument, ast.Starred) for argument in call.args)
            if len(call.args) + len(call.keywords) < 2 and not starred:
                yield f"{module}:{call.lineno}: say in a hint what to do next"
            for argument in call.args:
                end = _last_piece(argument)
                if end is not None and not end.endswith(_ENDS) and not _COMMAND.search(end):
                    yield f"{module}:{argument.lineno}: end with a full stop: …{end[-40:]}"


def _last_piece(text: ast.expr) -> str | None:
    """Return the literal in which a text ends; None where it ends in something that is filled in."""
    last = text.values[-1] if isinstance(text, ast.JoinedStr) else text
    return last.value if isinstance(last, ast.Constant) and isinstance(last.value, str) else None


TEST_FOLDERS = ("builders", "contract", "e2e", "faults", "qt", "unit")
"""Where tests wait; those of the fuzzer measure."""
_REFUSED_S = 1.0
"""Limits of connections that are refused at once, and pauses, are not longer."""
_QT_WAITS = {"waitActive", "waitCallback", "waitExposed", "waitSignal", "waitSignals", "waitUntil"}
_WAITS = {"wait", "join", "result", "ended_within", "wait_until_begun"}


def short_waits(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield each place that gives up earlier."""
    for module, tree in trees.items():
        for line, seconds in _limits(tree):
            if _REFUSED_S < seconds < HANG_S:
                yield f"{module}:{line}: {seconds:g} s; take the limit of tests/builders/waiting.py"


def _limits(tree: ast.AST) -> Iterator[tuple[int, float]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        # A pause is no limit.
        if name == "wait" and ast.unparse(node.func).endswith("qtbot.wait"):
            continue
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        given = named.get("timeout") or (node.args[0] if name in _WAITS and len(node.args) == 1 else None)
        if name == "timeout" and isinstance(node.func, ast.Attribute) and node.args:
            given = node.args[0]
        if isinstance(given, ast.Constant) and isinstance(given.value, int | float):
            yield node.lineno, given.value / (1000 if name in _QT_WAITS else 1)
