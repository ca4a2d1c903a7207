"""Makes the table of kinds and runs: `python -m tests.faults.table LOG... [--write docs/reliability.md]`.

A log is what `GREENROOM_FAULT_LOG` names in a run of the tests; a run that is there twice counts once, as it was last.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

ORDER = (
    "editing",
    "editing-on-network",
    "merging",
    "tracking",
    "transcribing",
    "rendering",
    "judging",
    "migrating",
    "withdrawing",
    "recovering",
    "scrubbing",
    "sealing",
)
BEGIN, END = "<!-- kills: begin -->", "<!-- kills: end -->"


def table(logs: list[Path]) -> str:
    """Return the table as Markdown."""
    runs: dict[str, dict[str, dict[str, object]]] = defaultdict(dict)
    for log in logs:
        for line in log.read_text().splitlines():
            run = json.loads(line)
            runs[run["kind"]][run["seed"].rpartition("-")[2]] = run
    lines = [
        "| what was under way | runs | killed in the middle | had ended by itself | started cold | faults |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for kind in sorted(runs, key=lambda text: (ORDER.index(text) if text in ORDER else len(ORDER), text)):
        of_kind = runs[kind].values()
        killed, cold = sum(bool(entry["killed"]) for entry in of_kind), sum(bool(entry["cold"]) for entry in of_kind)
        faults = sum(bool(entry["fault"]) for entry in of_kind)
        lines.append(f"| {kind} | {len(of_kind)} | {killed} | {len(of_kind) - killed} | {cold} | {faults} |")
    return "\n".join(lines)


def main() -> int:
    """Print the table, or put it into a page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    made = table(given.logs)
    print(made)
    if given.write is not None:
        before, _, rest = given.write.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        given.write.write_text(f"{before}{BEGIN}\n{made}\n{END}{after}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
