"""Launcher of Greenroom, its door for Python (`open`), and the only module that the wheel puts on everybody's path.

The program's own packages have everyday names (`app`, `models`, ...). In a wheel they live in the private
folder `_greenroom/`, which is put first on `sys.path` here, so that they can neither hide nor be hidden by
packages of other authors.
"""

import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from annotate.notebook.study_reader import StudyReader

_here = Path(__file__).resolve().parent
_private = _here / "_greenroom"
ROOT = _private if _private.is_dir() else _here


def main() -> int:
    """Run the command line and return its exit code."""
    _put_first()
    _leave_no_memory()
    from app.cli.main import run

    return run()


def open(  # the builtin is not needed here
    path: str | Path,
    *,
    passphrase: str | None = None,
    annotator: str | None = None,
    frames: Literal["pandas", "polars"] = "pandas",
) -> "StudyReader":
    """Open a study for reading, in a notebook or a script.

    The names of the program's packages (`annotate`, `app`, `models`, ...) mean Greenroom's from then on.

    Args:
        path: of the `.greenroom` file.
        passphrase: of an encrypted study.
        annotator: with whose eyes it is seen; by default the name in the settings of this machine.
        frames: the library that tables are returned in.
    """
    _put_first()
    from annotate.notebook.study_reader import open_study

    return open_study(path, passphrase=passphrase, annotator=annotator, frames=frames)


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
