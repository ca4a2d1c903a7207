"""What workers of Dask load in the place of `greenroom` so that they know the slow judge; also their processes."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def dask_setup(worker: object) -> None:
    sys.path.insert(0, str(ROOT))
    from benchmark.cluster.worker_proxy import attach

    attach(worker, Path(__file__))


if __name__ == "__main__":
    sys.path[0] = str(ROOT)
    from app.cli.main import run
    from models.judges.judge_backends import BACKENDS
    from tests.builders.slow_judge import PLACE

    BACKENDS["slow"] = PLACE
    raise SystemExit(run())
