"""What a `UserError` says: sentences, and what to do next."""

import ast
import re
from collections.abc import Iterator, Mapping

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
