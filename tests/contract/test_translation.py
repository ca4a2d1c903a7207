"""Every text of the window can be translated: none is written past gettext, and each can be found by its tools."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.extract import extract_from_dir

ROOT = Path(__file__).resolve().parents[2]
SAYS_NOTHING = re.compile(r"(value|get|format_time|.*\d)$")
"""Names of places in a text from which a translator cannot tell which of several is meant."""
MARKS = {"tr", "trn", "later"}
LOGGED = {"debug", "info", "warning", "error", "exception", "basicConfig"}
BUGS = {"AssertionError", "KeyError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError"}
WORDS = re.compile(r"[A-Za-z]{2,}[,.:]? [A-Za-z“(]{1,}")
NO_WORDS = re.compile(
    r"""(color|font(-\w+)?|margin|padding(-\w+)?|border(-\w+)?|background|width|text-\w+)\s*:  # rules of a style sheet
    | <(span|p|div|td|qt|img)\b[^>]*$ | Helvetica                              # tags of rich text, and fonts
    | ^((Ctrl|Alt|Shift)\+)*(Up|Left|PgUp),\ | \[dict\[                        # keys, types
    | ^(bottom|top)\ (left|right)$ | ^back\ hatch$ | ^not\ (asked|sent)$       # names that only the program reads
    | ^node\ text\ $""",
    re.VERBOSE,
)
"""What only looks like words for a reader."""


def _sources() -> list[Path]:
    return sorted([*(ROOT / "widgets").rglob("*.py"), *(ROOT / "app" / "gui").rglob("*.py")])


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _texts(node: ast.AST, passed: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the line and words of each literal that no mark is around."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.arg | ast.Compare | ast.Subscript) or _called(child) in MARKS | LOGGED | BUGS:
            continue
        if isinstance(child, ast.AnnAssign):
            yield from _texts(ast.Module([child.value] if child.value else [], []))
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.lineno, child.value
        yield from _texts(child)


@pytest.mark.parametrize("path", _sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_words_of_the_window_pass_by_gettext(path: Path) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} {text!r}"
        for line, text in _texts(ast.parse(path.read_text("utf-8")))
        if WORDS.search(re.sub(r"<[^<>]*>", " ", text)) and not NO_WORDS.search(text)
    ]
    assert not found, "write tr(...) around: " + "; ".join(found)


def test_the_tools_of_translators_find_every_text() -> None:
    """What is passed to a mark is a literal, and each place in it that is filled in has a name."""
    for path in _sources():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if _called(node) not in MARKS or not isinstance(node, ast.Call):
                continue
            literals = [arg for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
            if _called(node) == "trn":
                assert len(literals) == 2, f"{path}:{node.lineno}"
            for literal in literals:
                names = [name for _, name, _, _ in Formatter().parse(str(literal.value)) if name is not None]
                assert all(name.isidentifier() for name in names), f"{path}:{literal.lineno} {literal.value!r}"
                vague = len(set(names)) > 1 and any(SAYS_NOTHING.match(name) for name in names)
                assert not vague, f"{path}:{literal.lineno} {literal.value!r}"
            assert not any(isinstance(arg, ast.JoinedStr) for arg in node.args), f"{path}:{node.lineno}: no f-strings"

    found = {
        message if isinstance(message, str) else message[0]
        for *_, message, _, _ in extract_from_dir(
            str(ROOT / "widgets" / "graph"), [("**.py", "python")], keywords={"tr": None, "trn": (1, 2), "later": None}
        )
    }
    assert {"{count} node", "A node cannot be a reason for itself."} <= found
