"""Puts mutations into copies of the tree, one at a time, and says which tests notice them.

`check` names the mutations of the list that no longer apply. `record` runs all tests once and keeps which lines each of
them ran. `run` tries each mutation on the tests that ran its line, then on those that name its file or start programs.
"""

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.mutations.mutation_list import COVERAGE, REPORT, ROOT, LineRecord, Mutation, read_mutations

_PYTEST = (".venv/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider")
_PASSED = (0, 5)
"""Exit codes of pytest: all passed, or there was none to run."""
_KILLED = (-9, 137)
"""Exit codes of `timeout`: what it started was killed."""
_FAILED = re.compile(r"^(?:FAILED |ERROR |ERROR: not found: /.*?/tree/)(tests/.*?)(?: - .*)?$", re.MULTILINE)
_TIMEOUT, _CRASH = "timeout", "crash"
_LIMIT_S = 300.0
"""Tests that take longer than this, and four times as long as recorded, hang."""


@dataclass(frozen=True, slots=True)
class MutationTrial:
    """What came of a mutation: the test that killed it, a timeout or a crash, or "" where it survived so many tests."""

    mutation: Mutation
    killed_by: str
    tests: int
    seconds: float


class TreeCopy:
    """A copy of the tree, with links to the environment and to the shared footage.

    Attributes:
        output: what pytest printed last.
    """

    def __init__(self, folder: Path) -> None:
        self._tree, self._names, self.output = folder / "tree", folder / "tests.txt", folder / "output.txt"
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0"):
            if name and (ROOT / name).is_file():
                (self._tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self._tree / name)
        for link in (".venv", "../shared"):
            if (ROOT / link).exists():
                (self._tree / link).symlink_to((ROOT / link).resolve())

    @contextmanager
    def mutated(self, mutation: Mutation) -> Iterator[None]:
        """Let the copy have a mutation while the block runs."""
        path = self._tree / mutation.path
        text = path.read_text("utf-8")
        path.write_text(mutation.apply(text), "utf-8")
        try:
            yield
        finally:
            path.write_text(text, "utf-8")

    def first_failure(self, tests: Sequence[str], limit_s: float) -> str:
        """Run tests in one process up to the first that fails; returns it, a timeout or a crash, or "" for none."""
        self._names.write_text("\n".join(tests), "utf-8")
        # It also kills what the tests started.
        command = ["timeout", "-s", "KILL", f"{limit_s:.0f}", *_PYTEST, "-x", "-n", "0", f"@{self._names}"]
        with self.output.open("wb") as file:
            environment = _environment(self._tree)
            run = subprocess.run(command, cwd=self._tree, env=environment, stdout=file, stderr=file, check=False)
        if run.returncode in _KILLED:
            return _TIMEOUT
        found = _FAILED.search(self.output.read_text("utf-8", "replace"))
        return "" if run.returncode in _PASSED else found[1] if found else _CRASH


def _environment(tree: Path) -> dict[str, str]:
    """Return the environment of tests: modules come from the tree, and what Python compiles is kept."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {"OMP_NUM_THREADS": "1", **kept, "PYTHONPATH": str(tree)}


def try_mutation(copy: TreeCopy, mutation: Mutation, record: LineRecord) -> MutationTrial:
    """Try a mutation until a test notices it: one that fails with the mutation and passes without it."""
    began, tried = time.monotonic(), set[str]()
    for select in (record.tests_of, record.tests_beyond):
        for chunk, chunk_s in record.chunks([test for test in select(mutation) if test not in tried]):
            tried |= {*chunk}
            limit_s = max(_LIMIT_S, 4 * chunk_s)
            while left := [test for test in chunk if test in record.seconds]:
                with copy.mutated(mutation):
                    failure = copy.first_failure(left, limit_s)
                if not failure:
                    break
                suspects = [test for test in left if test.startswith(failure)] or left
                without = copy.first_failure(suspects, limit_s)
                if not without:
                    return MutationTrial(mutation, failure, len(tried), time.monotonic() - began)
                if without == _CRASH:
                    raise SystemExit(f"Without a mutation pytest fails too:\n{copy.output.read_text('utf-8')[-1000:]}")
                if without == _TIMEOUT:
                    break
                for test in [test for test in suspects if test.startswith(without)] or suspects:
                    print(f"Left out from now on, because it fails without a mutation: {test}", flush=True)
                    record.seconds.pop(test, None)
    return MutationTrial(mutation, "", len(tried), time.monotonic() - began)


def record_tests(paths: Sequence[str]) -> int:
    """Run all tests, or some, and keep which lines each of them ran; returns pytest's exit code."""
    COVERAGE.parent.mkdir(parents=True, exist_ok=True)
    options = ["-n", "2", "--dist", "loadfile", "--cov", "--cov-context=test", "--cov-report=", f"--junitxml={REPORT}"]
    environment = {**_environment(ROOT), "COVERAGE_FILE": str(COVERAGE)}
    return subprocess.run([*_PYTEST, *options, *paths], cwd=ROOT, env=environment, check=False).returncode


def run_mutations(mutations: Sequence[Mutation], jobs: int) -> list[MutationTrial]:
    """Try mutations, several at once, and print what comes of each."""
    try:
        record = LineRecord()
    except FileNotFoundError:
        raise SystemExit("It is not known which tests run which lines. Run: python -m tools.mutations record") from None
    waiting, trials = iter(mutations), list[MutationTrial]()

    def work(folder: Path) -> None:
        copy = TreeCopy(folder)
        for mutation in waiting:
            trial = try_mutation(copy, mutation, record)
            trials.append(trial)
            outcome = f"killed by {trial.killed_by}" if trial.killed_by else f"SURVIVED {trial.tests} tests"
            told = f"{len(trials)}/{len(mutations)}  {mutation.path}: {mutation.guarantee}: {outcome}"
            print(f"{told} in {trial.seconds:.0f} s", flush=True)

    temporary = tempfile.TemporaryDirectory(prefix="greenroom-mutations-", ignore_cleanup_errors=True)
    with temporary as folder, ThreadPoolExecutor(jobs) as pool:
        try:
            list(pool.map(work, [Path(folder, str(number)) for number in range(jobs)]))
        finally:
            # Where it is stopped, no other mutation is begun.
            deque(waiting, 0)
    return sorted(trials, key=lambda trial: mutations.index(trial.mutation))


def print_table(trials: Sequence[MutationTrial]) -> None:
    """Print how many mutations of each root were killed, and which survived."""
    count = Counter(trial.mutation.path.partition("/")[0] for trial in trials)
    killed = Counter(trial.mutation.path.partition("/")[0] for trial in trials if trial.killed_by)
    print(f"\n{'root':<10} {'mutations':>9} {'killed':>6}")
    for root in sorted(count):
        print(f"{root:<10} {count[root]:>9} {killed[root]:>6}")
    print(f"{'all':<10} {count.total():>9} {killed.total():>6}")
    for trial in trials:
        if not trial.killed_by:
            print(f"survived: {trial.mutation.path}: {trial.mutation.guarantee}")


def write_table(trials: Sequence[MutationTrial], path: Path) -> None:
    """Write what came of each mutation as tab-separated values."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(["path", "old", "new", "guarantee", "killed_by", "tests", "seconds"])
        for trial in trials:
            mutation = trial.mutation
            place = [mutation.path, mutation.old, mutation.new, mutation.guarantee]
            table.writerow([*place, trial.killed_by or "survived", trial.tests, round(trial.seconds, 1)])


def main() -> int:
    """Do what the command line asks for, and return the exit code: 1 if a mutation survived or does not apply."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutations", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="name the mutations that no longer apply")
    recording = commands.add_parser("record", help="run the tests, and keep which lines each of them ran")
    recording.add_argument("paths", nargs="*", metavar="PATH", help="tests or folders, instead of all")
    running = commands.add_parser("run", help="try the mutations")
    running.add_argument("--only", default="", metavar="TEXT", help="only those with this in their path or guarantee")
    running.add_argument("--jobs", type=int, default=2, help="how many are tried at once")
    running.add_argument("--write", type=Path, metavar="FILE", help="write a table of what came of each")
    given = parser.parse_args()
    if given.command == "record":
        return record_tests(given.paths)
    mutations, misplaced = read_mutations(), []
    for mutation in mutations:
        try:
            mutation.apply((ROOT / mutation.path).read_text("utf-8"))
        except (OSError, ValueError) as error:
            misplaced.append(str(error))
    if misplaced or given.command == "check":
        print("\n".join(misplaced) or f"All {len(mutations)} mutations apply.")
        return int(bool(misplaced))
    wanted = [mutation for mutation in mutations if given.only in f"{mutation.path} {mutation.guarantee}"]
    trials = run_mutations(wanted, given.jobs)
    print_table(trials)
    if given.write is not None:
        write_table(trials, given.write)
    return int(not all(trial.killed_by for trial in trials))


if __name__ == "__main__":
    sys.exit(main())
