"""What was measured for a version, kept with the sources, so that the next one can be held against it."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

from project.version import __version__
from tools.bench.row import Row

FOLDER = Path(__file__).resolve().parent / "records"
PACKAGES = (
    "PySide6-Essentials",
    "av",
    "numpy",
    "opencv-python",
    "onnxruntime",
    "mediapipe",
    "faster-whisper",
    "llama-cpp-python",
    "scipy",
    "distributed",
)
"""Those whose version a figure may depend on."""


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """All figures of a version.

    Attributes:
        version: of the program.
        date: when it was written, ISO.
        machine: processor, cores, system and Python.
        packages: name -> version.
        rows: by bench.
    """

    version: str
    date: str
    machine: str
    packages: Mapping[str, str]
    rows: Mapping[str, Sequence[Row]]

    @classmethod
    def of(cls, rows: Mapping[str, Sequence[Row]], date: str) -> Self:
        """Return the record of this version on this machine."""
        return cls(__version__, date, machine(), packages(), rows)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read one that was kept."""
        stored: dict[str, Any] = json.loads(path.read_text("utf-8"))
        rows = {name: [Row(**row) for row in found] for name, found in stored.pop("rows").items()}
        return cls(**stored, rows=rows)

    def write(self, folder: Path = FOLDER) -> None:
        """Keep it, in place of what was measured for the same version before."""
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        (folder / f"{self.version}.json").write_text(text + "\n", "utf-8")


def records(folder: Path = FOLDER) -> list[VersionRecord]:
    """Return what was kept, the oldest version first."""
    found = [VersionRecord.read(path) for path in folder.glob("*.json")]
    return sorted(found, key=lambda record: [int(part) for part in record.version.split(".")])


def machine() -> str:
    """Return processor, cores, system and Python."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor()
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{name}, {os.cpu_count()} cores, {system}"


def packages() -> dict[str, str]:
    """Return the versions of what figures may depend on, where it is installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
