"""Runs targets from the command line: `python -m tests.fuzz study-rows --cases 10000`."""

import argparse
import sys

from tests.fuzz.registry import TARGETS
from tests.fuzz.running import run


def main() -> int:
    """Run what is asked for and tell what came of it; returns how many kinds of findings there were, 100 at most."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="Only this one; its findings are told with their traces.")
    wanted = parser.parse_args()
    if not wanted.targets:
        print("\n".join(TARGETS))
    first, cases = (0, wanted.cases) if wanted.case is None else (wanted.case, 1)
    kinds = 0
    for name in wanted.targets:
        done = run([(name, first, first + cases)], seed=wanted.seed)[name]
        print(f"{name}: {done.cases} cases in {done.seconds:.0f} s, {done.counts}", flush=True)
        for signature, found in done.kinds.items():
            print(f"  {len(found)} x {signature} (case {found[0].case})", flush=True)
            print(found[0].trace if wanted.case is not None else "", end="")
        kinds += len(done.kinds)
    return min(kinds, 100)


if __name__ == "__main__":
    sys.exit(main())
