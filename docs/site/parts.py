"""What a page can have filled in, by the name that stands in its mark.

A page asks for what is made from the code by a line `<!-- made from the code: NAME -->`, NAME being one of `PARTS`. On
a plain Git host the line is invisible, and the sentence before it says where the same can be read.
"""

import re
from collections.abc import Callable, Mapping
from importlib import import_module

_PARTS = {
    "commands": "commands:commands",
    "settings": "settings:settings",
    "registries": "registries:registries",
    "rules": "registries:rules",
    "jobs": "registries:jobs",
    "weights": "registries:weights_known",
    "schemes": "schemes:schemes",
    "scheme-keys": "schemes:scheme_keys",
    "formats": "formats:formats",
    "tables": "tables:tables",
    "keys": "keys:keys",
}


def _made(place: str) -> Callable[[], str]:
    module, _, function = place.partition(":")
    return lambda: str(getattr(import_module(f"docs.site.{module}"), function)())


PARTS: Mapping[str, Callable[[], str]] = {name: _made(place) for name, place in _PARTS.items()}
_MARK = re.compile(r"^<!-- made from the code: ([a-z-]+) -->$", re.MULTILINE)


def filled(markdown: str) -> str:
    """Return a page with what it asks for in place of its marks."""
    return _MARK.sub(lambda found: PARTS[found[1]](), markdown)
