"""The table of docs/reliability.md that says how many cases of each target were tried, and what came of them.

`python -m tests.fuzz.table LOG --write docs/reliability.md` makes its rows of the file that `GREENROOM_FUZZ_LOG` named
while the tests ran; a target that was run in parts has a line for each.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from tests.fuzz.running import Counts

_BEGIN, _END = "<!-- fuzz: begin -->", "<!-- fuzz: end -->"
_HEAD = ("| target | cases | refused in one line | ended by the library, alone | findings |", "|---|--:|--:|--:|--:|")


def note(page: Path, found: Mapping[str, Counts]) -> None:
    """Put what came of runs in the place of what was known of their targets."""
    before, _, rest = page.read_text("utf-8").partition(_BEGIN)
    table, _, after = rest.partition(_END)
    rows = {line.split("|")[1].strip(): line for line in table.strip().split("\n")[len(_HEAD) :] if line.strip()}
    for target, counts in found.items():
        rows[f"`{target}`"] = f"| `{target}` | " + " | ".join(f"{count:,}" for count in counts) + " |"
    made = "\n".join((*_HEAD, *(rows[row] for row in sorted(rows))))
    page.write_text(f"{before}{_BEGIN}\n{made}\n{_END}{after}", "utf-8")


def gathered(log: Path) -> dict[str, Counts]:
    """Return what came of each target in all its parts."""
    found: dict[str, Counts] = {}
    for line in log.read_text("utf-8").splitlines():
        part = json.loads(line)
        so_far = found.get(part["target"], Counts(0, 0, 0, 0))
        found[part["target"]] = Counts(*map(sum, zip(so_far, part["counts"], strict=True)))
    return found


def main() -> int:
    """Put what a log holds into the table of a page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path)
    parser.add_argument("--write", type=Path, required=True)
    given = parser.parse_args()
    note(given.write, gathered(given.log))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
