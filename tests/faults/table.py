"""Makes the table of kinds and runs: `python -m tests.faults.table LOG... [--write docs/reliability.md]`.

A log is what `GREENROOM_FAULT_LOG` names in a run of the tests; a run that is there twice counts once, as it was last.
"""

import argparse
import json
from pathlib import Path

BEGIN, END = "<!-- kills: begin -->", "<!-- kills: end -->"


def table(logs: list[Path]) -> str:
    """Return the table as Markdown."""
    runs: dict[str, dict[str, dict[str, bool]]] = {}
    for line in (line for log in logs for line in log.read_text().splitlines()):
        run = json.loads(line)
        runs.setdefault(run["kind"], {})[run["seed"].rpartition("-")[2]] = {
            name: bool(run[name]) for name in ("killed", "cold", "fault")
        }
    lines = [
        "| what was under way | runs | killed in the middle | started cold | faults |",
        "|---|--:|--:|--:|--:|",
    ]
    for kind, of_kind in sorted(runs.items()):
        killed, cold, faults = (sum(run[name] for run in of_kind.values()) for name in ("killed", "cold", "fault"))
        lines.append(f"| {kind} | {len(of_kind)} | {killed} | {cold} | {faults} |")
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
