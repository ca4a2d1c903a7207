"""Runs targets from the command line: `python -m tests.fuzz study-rows --cases 10000`."""

import argparse
import json
import sys
from pathlib import Path

from tests.fuzz.registry import TARGETS
from tests.fuzz.running import Finding, run
from tests.fuzz.table import note


def main() -> int:
    """Run what is asked for; returns how many kinds of findings there were, 100 at most."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="Only this one.")
    parser.add_argument("--log", type=Path, help="A file to which findings are added, a JSON line each.")
    parser.add_argument("--seeds", type=Path, help="A folder that keeps what the cases begin with.")
    parser.add_argument("--table", type=Path, help="The page whose table is brought up to date.")
    parser.add_argument("--reasons", action="store_true", help="Say why files were refused.")
    wanted = parser.parse_args()
    if not wanted.targets:
        print("\n".join(TARGETS))
        return 0
    return min(sum(_run(name, wanted) for name in wanted.targets), 100)


def _run(name: str, wanted: argparse.Namespace) -> int:
    """Run a target, tell what came of it, and return how many kinds of findings there were."""
    shown: set[str] = set()

    def told(finding: Finding) -> None:
        if finding.signature not in shown or wanted.case is not None:
            shown.add(finding.signature)
            print(f"  {finding.target} {finding.case}: {finding.signature}", flush=True)
            if wanted.case is not None:
                print(finding.trace)
        if wanted.log:
            with wanted.log.open("a") as log:
                log.write(json.dumps({key: getattr(finding, key) for key in finding.__slots__}) + "\n")

    first, cases = (0, wanted.cases) if wanted.case is None else (wanted.case, 1)
    done = run([(name, first, first + cases)], seed=wanted.seed, seeds=wanted.seeds, told=told)[name]
    counts = f"{done.refused} refused, {done.ended} ended by the library, {len(done.findings)} findings"
    print(f"{name}: {done.cases} cases in {done.seconds:.0f} s, {counts} of {len(done.kinds)} kinds", flush=True)
    if wanted.table:
        note(wanted.table, {name: done.counts})
    if wanted.reasons:
        for why, count in done.reasons.most_common(12):
            print(f"  refused {count} x {why}", flush=True)
    for signature, found in sorted(done.kinds.items(), key=lambda pair: -len(pair[1])):
        print(f"  {len(found)} x {signature} (case {found[0].case})", flush=True)
    return len(done.kinds)


if __name__ == "__main__":
    sys.exit(main())
