"""Runs every bench, prints the table and writes it to docs/benchmarks.md: `make bench`."""

import argparse
import importlib
import json
import sys
import traceback
from dataclasses import asdict
from datetime import date
from pathlib import Path

from tools.bench.page import PLOT, draw_peers, page
from tools.bench.record import VersionRecord
from tools.bench.row import Row, table

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / ".bench" / "results.json"
BENCHES = (
    "frame_access",
    "edits",
    "open_study",
    "timeline_paint",
    "window_start",
    "face_speed",
    "face_looks",
    "blur_export",
    "merge",
    "agreement",
    "time_budget",
    "metrics",
    "item_sets",
    "interchange",
    "search",
    "privacy",
    "synthetic",
    "transcript_editor",
    "recognition",
    "speakers",
    "pii",
    "judge_input",
    "judging",
    "questions",
    "llama",
    "window_judging",
    "chain_graph",
    "cluster",
    "benchmark",
    "event_loop",
)
WHEN_NAMED = ("voice", "memory")
"""Those that take more than ten minutes: run when they are named, and shown with the others once they were."""


def main() -> int:
    """Run the benches named on the command line, or all; returns 1 when a figure falls short."""
    parser = argparse.ArgumentParser(prog="make bench")
    known = [*BENCHES, *WHEN_NAMED, []]
    parser.add_argument("names", nargs="*", choices=known, help="which; all but the longest when none is named")
    chosen = parser.parse_args().names or BENCHES
    kept, broken = _kept(), []
    for name in chosen:
        print(f"-- {name}", flush=True)
        try:
            found = importlib.import_module(f"tools.bench.{name}").run()
        except Exception:
            traceback.print_exc()
            found = [Row(name, "failed", ok=False)]
            broken.append(name)
        print(table(found), flush=True)
        kept[name] = found
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps({key: [asdict(row) for row in rows] for key, rows in kept.items()}), "utf-8")
    _write(kept)
    if broken:
        print(f"These raised an error and measured nothing: {', '.join(broken)}", file=sys.stderr)
    return 0 if all(row.ok is not False for name in chosen for row in kept[name]) else 1


def _write(kept: dict[str, list[Row]]) -> None:
    """Put the table into the documentation once every bench has been run."""
    if all(name in kept for name in BENCHES):
        today = date.today().isoformat()
        folder = ROOT / "tools" / "bench" / "records"
        record = VersionRecord.of(kept, today)
        record.write(folder)
        (ROOT / "docs" / "benchmarks.md").write_text(page(record), "utf-8")
        draw_peers(record, ROOT / "docs" / PLOT)


def _kept() -> dict[str, list[Row]]:
    """Return what each bench gave last on this machine, so that one can be repeated alone."""
    try:
        stored = json.loads(RESULTS.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: [Row(**row) for row in rows] for name, rows in stored.items()}


if __name__ == "__main__":
    sys.exit(main())
