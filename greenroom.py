"""Launcher of Greenroom, and the only module that the wheel puts on everybody's path.

The program's own packages have everyday names (`app`, `models`, ...). In a wheel they live in the private
folder `_greenroom/`, which is put first on `sys.path` here, so that they can neither hide nor be hidden by
packages of other authors.
"""

import resource
import sys
from contextlib import suppress
from pathlib import Path

_here = Path(__file__).resolve().parent
_private = _here / "_greenroom"
ROOT = _private if _private.is_dir() else _here


def main() -> int:
    """Run the command line and return its exit code."""
    _put_first()
    _leave_no_memory()
    from app.cli.main import run

    return run()


def dask_setup(worker: object) -> None:
    """Prepare a worker of Dask that starts with `dask worker --preload greenroom ADDRESS`."""
    _put_first()
    _leave_no_memory()
    from benchmark.cluster.worker_proxy import attach

    attach(worker, Path(__file__).resolve())


def dask_teardown(_worker: object) -> None:
    """Let go of what the worker kept, when it stops."""
    from benchmark.cluster.worker_proxy import detach

    detach()


def _leave_no_memory() -> None:
    """Let no crash, also of processes that this one starts, write memory to the disk: faces and words are in it."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _put_first() -> None:
    if sys.path[:1] != [str(ROOT)]:
        sys.path.insert(0, str(ROOT))


if __name__ == "__main__":
    raise SystemExit(main())
