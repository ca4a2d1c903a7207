"""Makes the table of targets and cases: `python -m tests.fuzz.table LOG --write docs/reliability.md`.

The log is what `GREENROOM_FUZZ_LOG` names in a run of the tests; a target that was run in parts has a line for each.
"""

import argparse
import json
from pathlib import Path

_BEGIN, _END = "<!-- fuzz: begin -->", "<!-- fuzz: end -->"


def table(log: Path) -> str:
    """Return the table as Markdown."""
    found: dict[str, list[int]] = {}
    for line in log.read_text("utf-8").splitlines():
        part = json.loads(line)
        found[part["target"]] = [*map(sum, zip(found.get(part["target"], (0, 0, 0)), part["counts"], strict=True))]
    lines = ["| target | cases | refused in one line | findings |", "|---|--:|--:|--:|"]
    lines += [
        f"| `{target}` | " + " | ".join(f"{count:,}" for count in found[target]) + " |" for target in sorted(found)
    ]
    return "\n".join(lines)


def main() -> int:
    """Put the table into a page."""
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
