"""The folders that the program writes to, told by what they are for and never by where they are."""

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from app.core.settings import log_path
from models import weights

_ERROR = re.compile(r"(?:[A-Za-z_]\w*\.)*([A-Z]\w*(?:Error|Exception))(?::|$)")
"""The last line of a traceback."""
_KINDS = 5
LITTLE = 2_000_000_000
"""Free bytes below which a rendering or a fetched model may not fit."""


@dataclass(frozen=True, slots=True)
class Place:
    """One folder.

    Attributes:
        variable: what moves it elsewhere.
        writable: whether a file can be made there, or in the nearest folder above that exists.
        free: bytes; 0 where that is not known.
    """

    what: str
    variable: str
    writable: bool
    free: int


def places() -> list[Place]:
    """Return what the program needs room for."""
    return [
        _look(what, variable, folder)
        for what, (variable, folder) in {
            "settings": ("XDG_CONFIG_HOME", platformdirs.user_config_path("greenroom")),
            "models": ("GREENROOM_MODELS", weights.folder()),
            "cache": ("XDG_CACHE_HOME", platformdirs.user_cache_path("greenroom")),
            "layout and log": ("XDG_STATE_HOME", platformdirs.user_state_path("greenroom")),
            "temporary files": ("TMPDIR", Path(tempfile.gettempdir())),
        }.items()
    ]


def bugs() -> Mapping[str, int]:
    """Return the kinds of unexpected errors in the log with how often each is there: their texts may hold names."""
    try:
        lines = log_path().read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    kinds = (kind[1] for line in lines if (kind := _ERROR.match(line)))
    return dict(Counter(kinds).most_common(_KINDS))


def _look(what: str, variable: str, folder: Path) -> Place:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        free = 0
    return Place(what, variable, _takes_files(folder), free)


def _takes_files(folder: Path) -> bool:
    try:
        handle, name = tempfile.mkstemp(dir=folder, prefix=".greenroom-")
    except OSError:
        return False
    os.close(handle)
    Path(name).unlink()
    return True
