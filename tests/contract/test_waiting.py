"""No test fails because a machine is busy: what it waits for has a limit that only a hang reaches."""

import ast
from collections.abc import Iterator

from tests.builders.waiting import HANG_S
from tests.contract.documentation import ROOT

QT_WAITS = {"waitActive", "waitCallback", "waitExposed", "waitSignal", "waitSignals", "waitUntil"}
WAITS = {"wait", "join", "result", "ended_within", "wait_until_begun"}
REFUSED = 1.0
"""Limits of connections that are refused at once, and pauses, are not longer."""
BELOW = ("unit", "qt", "e2e", "contract", "faults", "fakes")


def limits(tree: ast.AST) -> Iterator[tuple[int, float]]:
    """Yield the line and the seconds of every limit that is a number."""
    for node in ast.walk(tree):
        # A pause is no limit.
        if not isinstance(node, ast.Call) or ast.unparse(node.func).endswith("qtbot.wait"):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        named = {keyword.arg: keyword.value for keyword in node.keywords}
        given = named.get("timeout") or (node.args[0] if name in WAITS and len(node.args) == 1 else None)
        if name == "timeout" and isinstance(node.func, ast.Attribute) and node.args:
            given = node.args[0]
        if isinstance(given, ast.Constant) and isinstance(given.value, int | float):
            yield node.lineno, given.value / (1000 if name in QT_WAITS else 1)


def test_limits_are_those_of_a_hang() -> None:
    short = []
    for folder in BELOW:
        for path in sorted((ROOT / "tests" / folder).rglob("*.py")):
            for line, seconds in limits(ast.parse(path.read_text("utf-8"))):
                if REFUSED < seconds < HANG_S:
                    short.append(f"{path.relative_to(ROOT)}:{line}: {seconds:g} s; take tests/builders/waiting.py's")
    assert short == []


def test_a_short_limit_is_noticed() -> None:
    source = "qtbot.waitUntil(done, timeout=20_000)\nevent.wait(30)\nsubprocess.run(x, timeout=60)\nthread.join(HANG_S)"
    assert [*limits(ast.parse(source))] == [(1, 20), (2, 30), (3, 60)]
