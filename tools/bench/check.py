"""Holds this version against the record of the last one and fails where it is worse: `make bench-check`.

Meant for a scheduled run on a quiet machine, never for a developer's: each bench that looks worse is run twice more,
and only what is worse every time counts.
"""

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence

from tools.bench.record import records
from tools.bench.row import Row, regressions

TRIES = 3


def main() -> int:
    """Run the benches of the newest record, or those named; returns 1 where one has become worse."""
    parser = argparse.ArgumentParser(prog="make bench-check")
    kept = records()
    if not kept:
        print("There is no record yet: run make bench first.", file=sys.stderr)
        return 2
    last = kept[-1]
    parser.add_argument("names", nargs="*", choices=[*last.rows, []], help="which; all when none is named")
    found: list[str] = []
    for name in parser.parse_args().names or last.rows:
        said = again_and_again(importlib.import_module(f"tools.bench.{name}").run, last.rows[name])
        found += said
        print(f"-- {name}: {'worse' if said else 'as good as in ' + last.version}", flush=True)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


def again_and_again(run: Callable[[], Sequence[Row]], before: Sequence[Row]) -> list[str]:
    """Return what is worse than before in each of the tries, as the last one found it."""
    said: dict[str, str] | None = None
    for _ in range(TRIES):
        found = regressions(before, run())
        said = {work: line for work, line in found.items() if said is None or work in said}
        if not said:
            break
    return list((said or {}).values())


if __name__ == "__main__":
    sys.exit(main())
