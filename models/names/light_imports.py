"""Imports of packages that would bring much with them that is not needed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_HEAVY = ("torch", "transformers", "stanza", "gliner", "cupy", "tensorflow", "mxnet")


@contextmanager
def without_heavy_packages() -> Iterator[None]:
    """Let what is installed for other work look as if it were not, while spaCy or Presidio is imported.

    They import torch and transformers where these are there, which takes ten seconds.
    """
    hidden = [name for name in _HEAVY if name not in sys.modules]
    blocked: dict[str, Any] = dict.fromkeys(hidden)
    sys.modules.update(blocked)
    try:
        yield
    finally:
        for name in hidden:
            if sys.modules.get(name) is None:
                sys.modules.pop(name, None)
