"""The vocoder WORLD, from the extension that the package pyworld carries.

The package itself imports pkg_resources, which setuptools dropped; its extension needs numpy alone.
"""

import importlib.util
from functools import cache
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

_EXTENSION = "pyworld.pyworld"


@cache
def world() -> Any:
    """Load the extension.

    Raises:
        ImportError: pyworld is not installed.
    """
    package = importlib.util.find_spec("pyworld")
    places = package.submodule_search_locations if package is not None else None
    found = PathFinder.find_spec(_EXTENSION, places) if places else None
    if found is None or found.loader is None:
        raise ImportError("pyworld is not installed", name=_EXTENSION)
    made: ModuleType = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made
