"""The import graph of the program's own modules, including imports for type checkers and in functions."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOTS = ("resources", "project", "media", "models", "annotate", "anonymize", "benchmark", "widgets", "app")

Graph = Mapping[str, frozenset[str]]
"""Dotted module -> the modules that it imports."""


def source_files(folder: Path, roots: Iterable[str] = ROOTS) -> dict[str, Path]:
    """Return dotted module -> file, for every root."""
    files = {}
    for root in roots:
        for path in sorted((folder / root).rglob("*.py")):
            dotted = ".".join(path.relative_to(folder).with_suffix("").parts)
            files[dotted.removesuffix(".__init__")] = path
    return files


def import_graph(trees: Mapping[str, ast.Module]) -> Graph:
    """Return the modules that each module imports; `from package import name` counts as the module `name`, if any."""
    return {
        module: frozenset(name for name in _imported(tree, trees) if name != module) for module, tree in trees.items()
    }


def cycles(graph: Graph) -> list[list[str]]:
    """Return the strongly connected groups of two or more modules, the largest first (Tarjan, 1972)."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(module: str) -> None:
        numbers[module] = lowest[module] = len(numbers)
        stack.append(module)
        for imported in sorted(graph[module]):
            if imported not in numbers:
                visit(imported)
            if imported in stack:
                lowest[module] = min(lowest[module], lowest[imported])
        if lowest[module] == numbers[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                groups.append(sorted(stack[at:]))
            del stack[at:]

    for module in sorted(graph):
        if module not in numbers:
            visit(module)
    return sorted(groups, key=len, reverse=True)


def _imported(tree: ast.Module, modules: Mapping[str, object]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules:
                    yield inner
                elif node.module in modules:
                    yield node.module
