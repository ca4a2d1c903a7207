"""Withdraws and is killed at one of its changes to the disk: `... withdrawing NUMBER COUNTED withdraw STUDY ...`.

A change is what makes, opens for writing, renames or removes a file or a folder. How many there were is written to the
file COUNTED, where the work ends before its NUMBER comes.
"""

import os
import signal
import sys
from pathlib import Path

import greenroom
from project.encryption import container as keys
from tests.builders.cheap_key import cheap

_CHANGES = frozenset({"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.utime", "os.chmod"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def main() -> int:
    """Run the command that the arguments name."""
    last, counted = int(sys.argv[1]), Path(sys.argv[2])
    sys.argv[1:3] = []
    keys._new_kdf_parameters = cheap
    number = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal number
        if event not in _CHANGES and not (event == "open" and _writes(arguments)):
            return
        number += 1
        if number == last:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    try:
        return greenroom.main()
    finally:
        changes, last = number, -1
        counted.write_text(str(changes))


def _writes(arguments: tuple[object, ...]) -> bool:
    path, _, flags = arguments
    return isinstance(flags, int) and bool(flags & _WRITING) and "__pycache__" not in str(path)


if __name__ == "__main__":
    raise SystemExit(main())
