"""What a power cut would leave: files that were on the disk when they took their names, and folders afterwards."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_Identity = tuple[int, int]
_Version = tuple[int, int]


class DiskRecord:
    """Notes every fsync and every name that a file is given, from the moment it is made."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.published: list[str] = []
        self._synced: dict[_Identity, _Version] = {}
        self._unsynced_files: list[str] = []
        self._unsynced_folders: dict[_Identity, str] = {}
        patch.setattr(os, "fsync", self._sync)
        for name in ("link", "rename", "replace"):
            patch.setattr(os, name, self._publishing(getattr(os, name)))

    @property
    def lost(self) -> list[str]:
        """The published files that a power cut could empty or take away."""
        return [*self._unsynced_files, *self._unsynced_folders.values()]

    def is_synced(self, path: Path) -> bool:
        """Tell whether all that was written into a file is on the disk."""
        return self._synced.get(_identity(path.stat())) == _version(path.stat())

    def _sync(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        self._synced[_identity(status)] = _version(status)
        self._unsynced_folders.pop(_identity(status), None)

    def _publishing(self, publish: Callable[..., None]) -> Callable[..., None]:
        def noted(source: str | Path, target: str | Path, **more: Any) -> None:
            unfinished, final = Path(source), Path(target)
            if unfinished.is_file():
                self.published.append(final.name)
                if not self.is_synced(unfinished):
                    self._unsynced_files.append(final.name)
                self._unsynced_folders[_identity(final.parent.stat())] = final.name
            publish(source, target, **more)

        return noted


def _identity(status: os.stat_result) -> _Identity:
    return status.st_dev, status.st_ino


def _version(status: os.stat_result) -> _Version:
    return status.st_size, status.st_mtime_ns
