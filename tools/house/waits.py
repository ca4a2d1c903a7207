"""Limits of waits in tests: a test that fails because a machine is busy tells nothing."""

import ast
from collections.abc import Iterator, Mapping

from tests.builders.waiting import HANG_S

FOLDERS = ("builders", "contract", "e2e", "faults", "qt", "unit")
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
