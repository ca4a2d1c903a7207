"""Measures what a GPU is for, where one is there: `make bench-gpu`. Needs no weights and no network."""

import argparse
import sys
from datetime import date
from pathlib import Path

import torch

from tools.bench import gpu_diffusion, gpu_table, gpu_tracking, gpu_whisper
from tools.bench.row import Row, table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and write the table; without a GPU say so and write nothing."""
    parser = argparse.ArgumentParser(prog="make bench-gpu")
    # With tiny networks the benches themselves can be tried on a machine without a GPU; nothing is written then.
    parser.add_argument("--size", choices=gpu_diffusion.SIZES, default="full", help=argparse.SUPPRESS)
    size = parser.parse_args(arguments).size
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and size == "full":
        print("There is no CUDA device here: nothing was measured, and docs/benchmarks.md stays as it is.")
        return 0
    rows: list[Row] = []
    for name, measure in (
        ("diffusion", lambda: gpu_diffusion.rows(gpu_diffusion.SIZES[size], device)),
        ("face tracking", lambda: gpu_tracking.rows(device)),
        ("speech recognition", lambda: gpu_whisper.rows(gpu_whisper.SIZES[size], device)),
    ):
        print(f"-- {name}", flush=True)
        found = measure()
        print(table(found), flush=True)
        rows += found
        if size == "full":  # what there is so far, should the next one fail
            gpu_table.write(rows, _machine(), PAGE)
    return 0 if all(row.ok is not False for row in rows) else 1


def _machine() -> str:
    card = torch.cuda.get_device_properties(0)
    memory = f"{card.total_memory / 1e9:.0f} GB"
    return f"Measured on {date.today().isoformat()}: {card.name}, {memory}, torch {torch.__version__}."


if __name__ == "__main__":
    sys.exit(main())
