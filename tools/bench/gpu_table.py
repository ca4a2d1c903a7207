"""The part of docs/benchmarks.md that was measured on a GPU, kept in a file of its own beside the benches."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tools.bench.row import Row, table

MEASURED = Path(__file__).with_name("gpu_measured.json")
HEADING = "## On a GPU"
NOT_YET = (
    "Not measured yet: no machine with a CUDA device was at hand. `make bench-gpu` measures and writes this part; it "
    "downloads nothing, the networks have random weights and the size of Stable Diffusion 1.5."
)


def section() -> str:
    """Return the heading and the table, or that there is none yet."""
    try:
        kept = json.loads(MEASURED.read_text("utf-8"))
        rows = [Row(**row) for row in kept["rows"]]
        return f"\n{HEADING}\n\nWritten by `make bench-gpu`. {kept['machine']}\n\n{table(rows)}\n"
    except (OSError, ValueError, KeyError, TypeError):
        return f"\n{HEADING}\n\n{NOT_YET}\n"


def write(rows: Sequence[Row], machine: str, page: Path) -> None:
    """Keep the rows, and put them at the end of a page in place of what was there.

    Args:
        rows: what was measured.
        machine: one sentence on where and when.
        page: docs/benchmarks.md.
    """
    MEASURED.write_text(
        json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=1) + "\n", "utf-8"
    )
    before = page.read_text("utf-8").split(f"\n{HEADING}")[0]
    page.write_text(before + section(), "utf-8")
