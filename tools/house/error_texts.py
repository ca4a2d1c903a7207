"""Lists every error for users with its hint, sorted by message, so that errors about the same fault are adjacent."""

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class ErrorText(NamedTuple):
    """The texts of an error as in the source, with placeholders in braces, and its module and line."""

    message: str
    hint: str
    place: str


def error_texts(trees: Mapping[str, ast.Module]) -> list[ErrorText]:
    """Return the text of each `UserError`, of its subclasses and of `explain_os_errors`, sorted by message."""
    names = _error_classes(trees)
    return sorted(text for module, tree in trees.items() for text in _texts(module, tree, names))


def _error_classes(trees: Mapping[str, ast.Module]) -> set[str]:
    classes = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    derived = {node.name for node in classes if "UserError" in map(ast.unparse, node.bases)}
    return {"UserError", "explain_os_errors", *derived}


def _texts(module: str, tree: ast.Module, names: set[str]) -> Iterator[ErrorText]:
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in names:
            values = [*call.args, *(keyword.value for keyword in call.keywords)]
            message, *hints = [_as_written(value, constants) for value in values] or [call.func.id]
            yield ErrorText(message, " ".join(hints), f"{module}:{call.lineno}")


def _as_written(text: ast.expr, constants: Mapping[str, ast.expr]) -> str:
    match text:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=values):
            return "".join(_as_written(value, constants) for value in values)
        case ast.FormattedValue(value=value):
            return f"{{{ast.unparse(value)}}}"
        case ast.Name(id=name) if name in constants:
            return _as_written(constants[name], {})
        case _:
            return f"{{{ast.unparse(text)}}}"
