"""Makes the table of kinds and runs: `python -m tests.faults.table LOG... --write docs/reliability.md`.

A log is what `GREENROOM_FAULT_LOG` names in a run of the tests; a run that is there twice counts once, as it was last.
"""

import argparse
import json
from pathlib import Path

BEGIN, END = "<!-- kills: begin -->", "<!-- kills: end -->"


def table(logs: list[Path]) -> str:
    """Return the table as Markdown."""
    runs: dict[str, dict[str, dict[str, object]]] = {}
    for line in (line for log in logs for line in log.read_text().splitlines()):
        run = json.loads(line)
        runs.setdefault(run["kind"], {})[run["seed"].rpartition("-")[2]] = run
    lines = [
        "| what was under way | runs | killed in the middle | had ended by itself | faults |",
        "|---|--:|--:|--:|--:|",
    ]
    for kind, of_kind in sorted(runs.items()):
        killed, faults = (sum(bool(run[name]) for run in of_kind.values()) for name in ("killed", "fault"))
        lines.append(f"| {kind} | {len(of_kind)} | {killed} | {len(of_kind) - killed} | {faults} |")
    return "\n".join(lines)


def main() -> int:
    """Put the table into a page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", nargs="+", type=Path)
    parser.add_argument("--write", type=Path, required=True)
    given = parser.parse_args()
    before, _, rest = given.write.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    given.write.write_text(f"{before}{BEGIN}\n{table(given.logs)}\n{END}{after}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
