"""Runs every test as another machine, another user or a busy machine would: `python -m tools.test_conditions`.

Each run is of a fresh clone of the last commit. `--list` says which conditions there are, `--write` puts the runs into
the table of a page.
"""

import argparse
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from tools.test_conditions.conditions import CONDITIONS, RunCondition, make_busy
from tools.test_conditions.runs import TestRun, busy_loops, clone_tree, read_runs, run_tests, write_table

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / ".bench" / "conditions.jsonl"


def main() -> int:
    """Run the tests under the named conditions; return 1 if a test failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.test_conditions", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="CONDITION", help="all of them where none is named")
    parser.add_argument("--list", action="store_true", help="say what the conditions are")
    parser.add_argument("--only", nargs="+", default=[], metavar="PATH", help="tests or folders, instead of all")
    parser.add_argument("--busy", action="store_true", help="with two programs beside them that take a processor each")
    parser.add_argument("--together", action="store_true", help="all at once, so that each is beside the others")
    parser.add_argument("--workers", default="2")
    parser.add_argument("--folder", type=Path, help="where clones and outputs go, and stay")
    parser.add_argument("--write", type=Path, help="put the runs of the log into the table of this page")
    given = parser.parse_args()
    if given.list:
        for condition in CONDITIONS.values():
            print(f"{condition.name}: {condition.described}")
        return 0
    unknown = [name for name in given.names if name not in CONDITIONS]
    if unknown:
        parser.error(f"no condition is called {', '.join(unknown)}; there are {', '.join(CONDITIONS)}")
    folder = given.folder or Path(tempfile.mkdtemp(prefix="greenroom-conditions-"))
    chosen = [CONDITIONS[name] for name in given.names or CONDITIONS]
    if given.busy:
        chosen = [make_busy(condition) for condition in chosen]

    def run(condition: RunCondition) -> TestRun:
        done = _run(condition, folder / condition.name.replace(" ", "-"), given.only, given.workers)
        if not given.only:
            LOG.parent.mkdir(exist_ok=True)
            with LOG.open("a") as log:
                log.write(json.dumps(asdict(done)) + "\n")
        return done

    loops = max(condition.busy_loops for condition in chosen)
    with busy_loops(loops), ThreadPoolExecutor(len(chosen) if given.together else 1) as pool:
        runs = list(pool.map(run, chosen))
    if given.write is not None and LOG.exists():
        write_table(read_runs(LOG), given.write)
    return int(any(run.failed or not run.passed for run in runs))


def _run(condition: RunCondition, folder: Path, only: list[str], workers: str) -> TestRun:
    user = None
    if condition.plain_user and os.geteuid() == 0:
        user = pwd.getpwnam("nobody")
    elif not condition.plain_user and os.geteuid() != 0 and condition.needs_root:
        sys.exit(f"{condition.name} runs as root")
    if any(mark in str(folder) for mark in " :"):
        raise SystemExit(f"The loader splits names at spaces and colons: {folder}")
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    folder.parent.chmod(0o755)
    tree = clone_tree(ROOT, folder / "clone")
    print(f"{condition.name}: {condition.described}", flush=True)
    run = run_tests(condition, tree, folder, user, only, workers)
    print(run.described(), flush=True)
    return run


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{error.cmd} ended with {error.returncode}") from None
