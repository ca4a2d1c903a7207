"""The list of mutations, and which tests may notice each: by a record of which lines each test ran."""

import ast
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[2]
COVERAGE = ROOT / ".bench" / "mutations" / "coverage"
REPORT = COVERAGE.with_name("tests.xml")
_OUTSIDE = ("tests/e2e/", "tests/faults/", "tests/contract/")
"""Tests that run the program in processes of their own, where nothing is recorded, or look at all of it."""
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\"}
_CHUNK_TESTS, _CHUNK_S = 400, 60.0
_MAX_TESTS = 3 * _CHUNK_TESTS


@dataclass(frozen=True, slots=True)
class Mutation:
    """A slip in one place that breaks what users rely on.

    Attributes:
        path: of the file, from the root of the tree.
        old: stands in the file once.
        new: stands there instead.
        guarantee: holds no longer.
    """

    path: str
    old: str
    new: str
    guarantee: str

    def apply(self, text: str) -> str:
        """Return the text of the file with the mutation.

        Raises:
            ValueError: `old` does not stand in it once.
        """
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.path}: “{self.old}” stands there {count} times. Take another part of the line.")
        return text.replace(self.old, self.new)

    def covered_lines(self, text: str) -> set[int]:
        """Return the lines of the statement that a mutation is in; those of all functions for what runs at import."""
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self.old, self.new, strict=False)))
        line = text.count("\n", 0, text.index(self.old) + alike) + 1
        statement: set[int] = set()
        bodies: set[int] = set()
        # Outer nodes come before inner ones: the last statement around the line is the innermost.
        for node in ast.walk(ast.parse(text)) if self.path.endswith(".py") else ():
            if not isinstance(node, ast.stmt | ast.ExceptHandler):
                continue
            body, end = getattr(node, "body", None), node.end_lineno or node.lineno
            if node.lineno <= line <= end:
                statement = {line, *range(node.lineno, body[0].lineno if body else end + 1)}
            if body and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                bodies |= {*range(body[0].lineno, end + 1)}
        return statement if line in bodies else bodies


def read_mutations() -> list[Mutation]:
    """Return the mutations of the list."""
    with Path(__file__).with_name("mutations.tsv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]
    return [Mutation(*(re.sub(r"\\([nt\\])", lambda found: _ESCAPES[found[1]], cell) for cell in row)) for row in rows]


class LineRecord:
    """Which tests ran which lines; tests that failed or were skipped are not in it.

    Attributes:
        seconds: how long each test took, by its node id.
    """

    def __init__(self) -> None:
        """Read the record.

        Raises:
            FileNotFoundError: there is none.
        """
        cases = ElementTree.parse(REPORT).iter("testcase")
        self.seconds = {_node_id(case): float(case.get("time", 0)) for case in cases if not len(case)}
        self._lines = CoverageData(str(COVERAGE))
        self._lines.read()

    def tests_of(self, mutation: Mutation) -> list[str]:
        """Return the tests that ran a mutation's line, the closest first."""
        lines = mutation.covered_lines((ROOT / mutation.path).read_text("utf-8"))
        contexts = self._lines.contexts_by_lineno(mutation.path)
        ran = {context.rpartition("|")[0] for line in lines for context in contexts.get(line, ())}
        return self._in_order(ran & self.seconds.keys(), mutation.path)

    def tests_beyond(self, mutation: Mutation) -> list[str]:
        """Return the tests in files that import or name a mutation's file, and those of the whole program."""
        path = Path(mutation.path)
        package, module = ".".join(path.parts[:-1]), ".".join(path.with_suffix("").parts)
        named = [*map(re.escape, (module, path.name, f'"{path.stem}"'))]
        mention = re.compile("|".join([*named, rf"from {re.escape(package)} import [\w\s,(]*\b{path.stem}\b"]))
        files = {test.partition("::")[0] for test in [*self.seconds]}
        near = {file for file in files if file.startswith(_OUTSIDE) or mention.search((ROOT / file).read_text("utf-8"))}
        return self._in_order((test for test in [*self.seconds] if test.partition("::")[0] in near), mutation.path)

    def _in_order(self, tests: Iterable[str], path: str) -> list[str]:
        """Return the closest tests, the quickest first; then a spread of the others, each file in turn."""
        ranked = sorted(tests, key=lambda test: (-_closeness(test, path), self.seconds.get(test, 0.0), test))
        turns, places = Counter[str](), {}
        for test in ranked[_CHUNK_TESTS:]:
            file = test.partition("::")[0]
            places[test], turns[file] = turns[file], turns[file] + 1
        return [*ranked[:_CHUNK_TESTS], *sorted(places, key=places.__getitem__)][:_MAX_TESTS]

    def chunks(self, tests: Sequence[str]) -> Iterator[tuple[list[str], float]]:
        """Yield tests in portions that take about a minute, and how many seconds each portion takes."""
        chunk: list[str] = []
        chunk_s = 0.0
        for test in tests:
            test_s = self.seconds.get(test, 0.0)
            if chunk and (len(chunk) == _CHUNK_TESTS or chunk_s + test_s > _CHUNK_S):
                yield chunk, chunk_s
                chunk, chunk_s = [], 0.0
            chunk.append(test)
            chunk_s += test_s
        if chunk:
            yield chunk, chunk_s


def _node_id(case: ElementTree.Element) -> str:
    """Return the node id of a case of pytest's report, in which the path of its file has dots."""
    parts = case.get("classname", "").split(".")
    end = next(
        (end for end in range(len(parts)) if (ROOT / "/".join(parts[: end + 1])).with_suffix(".py").is_file()), 0
    )
    return "::".join(["/".join(parts[: end + 1]) + ".py", *parts[end + 1 :], case.get("name", "")])


def _closeness(test: str, path: str) -> int:
    """Return how many folders a test has in common with a module; more for a test of the module's name."""
    file, module = Path(test.partition("::")[0]), Path(path)
    return len({*file.parts[2:-1]} & {*module.parts[:-1]}) + 10 * (file.stem == f"test_{module.stem}")
