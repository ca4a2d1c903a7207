"""A disk that fails on demand: a small library that is loaded before all others (`shim.c` says what it can do)."""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

_SOURCE = Path(__file__).with_name("shim.c")


@cache
def shim() -> Path | None:
    """Return the library, compiled once; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    # The loader takes a space or a colon in a name for the end of it.
    places = (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm")
    place = next(place for place in places if not set(place) & set(" :") and os.access(place, os.W_OK))
    made = Path(tempfile.mkdtemp(prefix="faults-", dir=place)) / "shim.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(made), str(_SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return made


class Disk:
    """What happens to the files of one folder, as the environment of a process says it."""

    def __init__(self, folder: Path, count: Path) -> None:
        self._folder, self._count = folder.resolve(), count

    def environment(self, fault: str = "") -> dict[str, str]:
        """Return what a process needs to meet a fault, such as `kill:7`; without one, changes are only counted."""
        self._count.write_bytes(bytes(8))
        return {
            "GREENROOM_SHIM_FOLDER": str(self._folder) + os.sep,
            "GREENROOM_SHIM_COUNT": str(self._count),
            "GREENROOM_SHIM": fault,
        }

    @property
    def changes(self) -> int:
        """How many changes the newest process made."""
        return int.from_bytes(self._count.read_bytes(), "little")
