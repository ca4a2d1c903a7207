"""Small files that travel with a work and its result, so that machines need not share a cache folder.

Recordings, clips and models do not travel: they lie where every machine reaches them by the same path.
"""

import base64
import tempfile
from collections.abc import Mapping
from pathlib import Path

from media.cache import cache_folder
from project.errors import UserError
from project.types import Json

WITH_WORK: Mapping[str, tuple[str, ...]] = {"anonymize": ("tracks",)}
"""Of a kind of job: parameters that name such files."""
WITH_RESULT: Mapping[str, tuple[str, ...]] = {"faces": ("file",)}
"""The same, of what a result names."""


def packed(values: Mapping[str, Json], names: tuple[str, ...]) -> dict[str, Json]:
    """Return the files that values name, by name of the value, as text.

    Raises:
        OSError: one cannot be read.
    """
    return {one: base64.b64encode(Path(str(values[one])).read_bytes()).decode() for one in names if one in values}


def unpacked(values: Mapping[str, Json], packed_files: Mapping[str, Json]) -> dict[str, Json]:
    """Write files of `packed` into the cache folder of this machine, and return the values with their places.

    Raises:
        UserError: there is no room.
    """
    found = dict(values)
    for name, content in packed_files.items():
        found[name] = str(_written(Path(str(values[name])), base64.b64decode(str(content))))
    return found


def _written(named: Path, content: bytes) -> Path:
    folder = cache_folder() / "faces"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, suffix="".join(named.suffixes[-2:]), delete=False) as file:
            file.write(content)
        return Path(file.name)
    except OSError as error:
        raise UserError(
            f"Nothing can be kept in {folder}: {(error.strerror or str(error)).lower()}.",
            "Make room there, or name a cache folder that can be written to in XDG_CACHE_HOME.",
        ) from None
