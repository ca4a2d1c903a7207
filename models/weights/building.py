"""Makes the file of an edition of what was fetched for it."""

import importlib
from collections.abc import Sequence
from typing import cast

from models.weights.editions import Edition


def build(edition: Edition, contents: Sequence[bytes]) -> bytes:
    """Return the bytes of an edition's file, made of those of its parts in their order."""
    module, function = edition.build.split(":")
    return cast(bytes, getattr(importlib.import_module(module), function)(*contents))
