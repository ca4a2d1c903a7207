"""The table of docs/reliability.md that says how many cases of each kind of target were tried, and what came of them.

`python -m tests.fuzz.table LOG --write docs/reliability.md` makes it of the file that `GREENROOM_FUZZ_LOG` named while
the tests ran. A target that was run in parts has a line for each there; `import-eaf` and `import-csv` are one row.
"""

import argparse
import json
from pathlib import Path

from tests.fuzz.running import Counts

_BEGIN, _END = "<!-- fuzz: begin -->", "<!-- fuzz: end -->"
_HEAD = (
    "| targets | cases | refused in one line | ended by the library, alone | findings |",
    "|---|--:|--:|--:|--:|",
)


def table(log: Path) -> str:
    """Return the table as Markdown."""
    targets: dict[str, set[str]] = {}
    counts: dict[str, Counts] = {}
    for line in log.read_text("utf-8").splitlines():
        part = json.loads(line)
        kind = part["target"].partition("-")[0]
        targets.setdefault(kind, set()).add(part["target"])
        counts[kind] = Counts(*map(sum, zip(counts.get(kind, Counts(0, 0, 0, 0)), part["counts"], strict=True)))
    rows = []
    for kind in sorted(counts):
        several = f" ({len(targets[kind])})" if len(targets[kind]) > 1 else ""
        rows.append(f"| `{kind}`{several} | " + " | ".join(f"{count:,}" for count in counts[kind]) + " |")
    return "\n".join((*_HEAD, *rows))


def main() -> int:
    """Put what a log holds into the table of a page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("log", type=Path)
    parser.add_argument("--write", type=Path, required=True)
    given = parser.parse_args()
    before, _, rest = given.write.read_text("utf-8").partition(_BEGIN)
    _, _, after = rest.partition(_END)
    given.write.write_text(f"{before}{_BEGIN}\n{table(given.log)}\n{_END}{after}", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
