"""The longest standstill of the window in each operation on a study of SHREC's size, and during every kind of job.

A standstill is the time between two beats of the window's event loop: nothing is painted and no key is heard in it.
Beside the clock stands what the window's thread computed in it: a busy machine makes the first longer, and not the
second, so the second is what must be reached.

Run with `python -m tools.bench.event_loop`; where the time goes is told by
`python -m tools.bench.event_loop_operations FOLDER --explain`, with the studies that `make_studies` writes.
"""

import statistics
import tempfile
from pathlib import Path

from tools.bench.event_loop_study import make_studies
from tools.bench.measuring import run_script
from tools.bench.row import Row, table

ROUNDS = 3
MUST_REACH_MS = 50.0
PROGRAMS = ("operations", "jobs")


def run() -> list[Row]:
    """Measure every operation and every job in fresh processes."""
    found: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_studies(folder)
        for program in PROGRAMS * ROUNDS:
            for operation, block in _measured(program, folder).items():
                found.setdefault(operation, []).append((block["processor_ms"], block["ms"]))
    return [_row(operation, rounds) for operation, rounds in found.items()]


def _row(operation: str, rounds: list[tuple[float, float]]) -> Row:
    computing, standing = (statistics.median(each_round[place] for each_round in rounds) for place in (0, 1))
    return Row(
        f"longest standstill of the window: {operation}",
        f"{computing:.0f} ms computing, {standing:.0f} ms on the clock",
        target=f"<= {MUST_REACH_MS:.0f} ms computing",
        ok=computing <= MUST_REACH_MS,
    )


def _measured(program: str, folder: Path) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = run_script(folder / "home", "-m", f"tools.bench.event_loop_{program}", folder)
    return found


if __name__ == "__main__":
    print(table(run()))
