"""What can be worked out again from a file, kept on disk under the file's fingerprint."""

import os
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from project.sealing.memory import CACHE

Arrays = dict[str, NDArray[Any]]


def cache_folder() -> Path:
    """Return the user's own cache folder for this program, which nobody else may look into.

    While a sealed study is open it is one in memory, which the environment names, also to workers. Where it cannot be
    made, it does not exist.
    """
    named = os.environ.get(CACHE, "")
    folder = Path(named) if named else user_cache_path("greenroom", appauthor=False)
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    return folder


def load_arrays(folder: Path | None, name: str) -> Arrays | None:
    """Return what `save_arrays` kept, or None where there is nothing or it cannot be read."""
    if folder is None:
        return None
    try:
        with (folder / f"{name}.npz").open("rb") as file, np.load(file, allow_pickle=False) as kept:
            return {key: kept[key] for key in kept.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def save_arrays(folder: Path | None, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Keep arrays under a name, whole or not at all. A cache that cannot be written is done without."""
    if folder is None:
        return
    temporary = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name}-", suffix=".part", delete=False) as file:
            temporary = Path(file.name)
            np.savez(file, **arrays)  # type: ignore[arg-type]
        temporary.replace(folder / f"{name}.npz")
    except OSError:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
