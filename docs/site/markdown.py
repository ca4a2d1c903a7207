"""Pieces of Markdown that every part writes."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable, Sequence

_ATTRIBUTE = re.compile(r"^    (\w+): (.+?)(?=^    \w+: |\Z)", re.MULTILINE | re.DOTALL)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; a bar or a line break in a cell does not break it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines) + "\n"


def code(text: object) -> str:
    """Return a text as code, or nothing where it is empty."""
    return f"`{text}`" if str(text) else ""


def codes(texts: Iterable[object]) -> str:
    """Return several texts as code."""
    return ", ".join(map(code, texts))


def paragraph(text: str | None) -> str:
    """Return a text of a docstring as one paragraph."""
    return " ".join((text or "").split())


def attributes(of: type) -> dict[str, str]:
    """Return what the docstring of a class says about each of its attributes."""
    _, _, listed = inspect.cleandoc(of.__doc__ or "").partition("Attributes:\n")
    return {name: paragraph(text) for name, text in _ATTRIBUTE.findall(listed + "\n")}


def members(of: type) -> dict[str, str]:
    """Return what is written below each member of an enumeration."""
    (found,) = ast.parse(textwrap.dedent(inspect.getsource(of))).body
    assert isinstance(found, ast.ClassDef)
    told = {}
    for stmt, after in zip(found.body, found.body[1:], strict=False):
        if isinstance(stmt, ast.Assign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            told[ast.unparse(stmt.targets[0])] = paragraph(str(after.value.value))
    return told


def sentence(text: str) -> str:
    """Return a text with a capital at its beginning and a full stop at its end."""
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _cell(content: object) -> str:
    return " ".join(str(content).split()).replace("|", "\\|")
