"""Runs the tests nearest to what was changed, for under a minute: `python -m tools.fast_tests [--since COMMIT]`.

A test file is near that was changed itself, or that imports a changed module directly or through few others.
"""

import argparse
import subprocess
import sys
import time
from collections import deque
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest
from grimp import ImportGraph, build_graph

from tools.house.imports import ROOTS

ROOT = Path(__file__).resolve().parents[1]
_FARTHEST = 3
"""Imports between a test and what it sees; through more, nearly every test sees nearly every module."""


class Deadline:
    """Ends a run of tests after some seconds."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._session: pytest.Session | None = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Keep the session, which is what can be stopped."""
        self._session = session

    def pytest_runtest_logreport(self) -> None:
        """Stop where time is up; what runs ends."""
        if self._session is not None and time.monotonic() > self._ends:
            self._session.shouldstop = "time is up; `make test` runs the rest"


def changed_files(since: str) -> list[str]:
    """Return the files that differ from a commit, also those that are new."""
    named = _git("diff", "--name-only", since) + _git("ls-files", "--others", "--exclude-standard")
    return sorted({name for name in named if (ROOT / name).exists()})


def near_tests(changed: Collection[str], graph: ImportGraph) -> list[str]:
    """Return test files by how near they are to changed files, the nearest first."""
    distances = _distances(graph.modules.intersection(map(_module_name, changed)), graph)
    tests = [module for module in distances if module.rpartition(".")[2].startswith("test_")]
    tests.sort(key=lambda module: (distances[module], len(graph.find_modules_directly_imported_by(module))))
    return [f"{module.replace('.', '/')}.py" for module in tests]


def _distances(changed: Iterable[str], graph: ImportGraph) -> dict[str, int]:
    distances = dict.fromkeys(changed, 0)
    waiting = deque(distances)
    while waiting:
        module = waiting.popleft()
        if distances[module] == _FARTHEST:
            continue
        for importer in graph.find_modules_that_directly_import(module):
            if importer not in distances:
                distances[importer] = distances[module] + 1
                waiting.append(importer)
    return distances


def _module_name(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def main() -> int:
    """Run them; return the exit code of pytest."""
    parser = argparse.ArgumentParser(prog="python -m tools.fast_tests", description=__doc__)
    parser.add_argument("--since", metavar="COMMIT", help="the last commit, or the one before it where nothing changed")
    parser.add_argument("--seconds", type=float, default=45)
    given = parser.parse_args()
    changed = changed_files(given.since or "HEAD") or changed_files("HEAD~1")
    graph = build_graph(*ROOTS, "tests", cache_dir=str(ROOT / ".import_linter_cache"))
    tests = near_tests(changed, graph)
    if not tests:
        print("No test imports what was changed.")
        return 0
    options = ["-q", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider"]
    return pytest.main([*options, *tests], plugins=[Deadline(given.seconds)])


if __name__ == "__main__":
    sys.exit(main())
