"""Prints figures of the source tree; ends with 1 if modules import each other, a folder is too full or a rule broken.

Rules are about texts of the window, messages of errors and waits of tests: `make lint` holds what no type can say.
`python -m tools.house errors` lists the messages of errors instead, with their hints.
"""

import ast
import sys
from collections import Counter, defaultdict
from pathlib import Path

from tools.house.error_texts import error_texts
from tools.house.imports import ROOTS, cycles, import_graph, source_files
from tools.house.source_rules import (
    TEST_FOLDERS,
    floating_windows,
    rich_texts,
    shell_commands,
    short_waits,
    silent_errors,
    unguarded_controls,
    untranslated_texts,
)

MAX_ENTRIES = 25
"""How many modules and packages a folder may have."""


def main() -> int:
    """Print the figures of the tree that the tools belong to, and return the exit code."""
    folder = Path(__file__).resolve().parents[2]
    files = source_files(folder)
    texts = {module: path.read_text(encoding="utf-8") for module, path in files.items()}
    trees = {module: ast.parse(text) for module, text in texts.items()}
    if sys.argv[1:] == ["errors"]:
        for message, hint, place in error_texts(trees):
            print(f"{message}\n    {hint}\n    {place}")
        return 0
    modules = [module for module, path in files.items() if path.name != "__init__.py"]
    _print_roots(texts, modules)
    vague = sum(_count_name(tree, "one") for tree in trees.values())
    print(f"`one` as a variable: {vague}")
    repeated = sorted(name for name, count in _class_names(trees).items() if count > 1)
    print(f"class names that occur more than once: {len(repeated)} {' '.join(repeated)}".rstrip())
    full = {name: count for name, count in _entries(files).items() if count > MAX_ENTRIES}
    print(f"folders with more than {MAX_ENTRIES} entries: {len(full)}")
    for name, count in sorted(full.items()):
        print(f"  {name}: {count}")
    circles = cycles(import_graph(trees))
    print(f"import cycles: {len(circles)}")
    for circle in circles:
        print(f"  {len(circle)}: {', '.join(circle)}")
    broken = _broken_rules(trees, source_files(folder, [f"tests/{name}" for name in TEST_FOLDERS]))
    print(f"rules broken: {len(broken)}")
    for line in broken:
        print(f"  {line}")
    return 1 if circles or full or broken else 0


def _broken_rules(trees: dict[str, ast.Module], tests: dict[str, Path]) -> list[str]:
    window = {name: tree for name, tree in trees.items() if name.startswith(("app.gui.", "widgets."))}
    waiting = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in tests.items()}
    return [
        *silent_errors(trees),
        *untranslated_texts(window),
        *rich_texts(window),
        *floating_windows(window),
        *unguarded_controls(window),
        *shell_commands(window),
        *short_waits(waiting),
    ]


def _print_roots(texts: dict[str, str], modules: list[str]) -> None:
    lines, count = Counter[str](), Counter[str]()
    for module, text in texts.items():
        lines[module.partition(".")[0]] += text.count("\n")
    for module in modules:
        count[module.partition(".")[0]] += 1
    total = lines.total()
    print(f"{'root':<10} {'lines':>8} {'share':>6} {'modules':>8}")
    for root in ROOTS:
        print(f"{root:<10} {lines[root]:>8,} {lines[root] / total:>6.1%} {count[root]:>8}")
    print(f"{'all':<10} {total:>8,} {'':>6} {count.total():>8}")


def _count_name(tree: ast.Module, name: str) -> int:
    """Return how often a variable or parameter of that name occurs in a module."""
    return sum(
        (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.arg) and node.arg == name)
        for node in ast.walk(tree)
    )


def _class_names(trees: dict[str, ast.Module]) -> Counter[str]:
    return Counter(node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _entries(files: dict[str, Path]) -> dict[str, int]:
    """Return package -> the number of modules and packages in it."""
    inside: dict[str, set[str]] = defaultdict(set)
    for module in files:
        package, _, name = module.rpartition(".")
        inside[package].add(name)
    return {package: len(names) for package, names in inside.items() if package}


if __name__ == "__main__":
    sys.exit(main())
