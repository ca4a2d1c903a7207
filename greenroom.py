"""Launcher of Greenroom, and the only module that the wheel puts on everybody's path.

The program's own packages have everyday names (`app`, `models`, ...). In a wheel they live in the private
folder `_greenroom/`, which is put first on `sys.path` here, so that they can neither hide nor be hidden by
packages of other authors.
"""

import sys
from pathlib import Path

_here = Path(__file__).resolve().parent
_private = _here / "_greenroom"
ROOT = _private if _private.is_dir() else _here


def main() -> int:
    """Run the command line and return its exit code."""
    if sys.path[:1] != [str(ROOT)]:
        sys.path.insert(0, str(ROOT))
    from app.cli import run

    return run()


if __name__ == "__main__":
    raise SystemExit(main())
