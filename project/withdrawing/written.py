"""What becomes of the text of a scheme or a prompt that names somebody: it stays one, without what is about them."""

import tomllib
from typing import Any

from project.errors import UserError
from project.schemes.loader import parse_scheme
from project.sharing.stripped_scheme import EXPLAINING, toml_of
from project.withdrawing.wording import Wording
from resources import resource

_FOLDERS = {"scheme_version": "schemes", "prompt_version": "prompts"}
_NAMES = frozenset({"name", "ends"})
_DROPPED = object()


def is_shipped(table: str, key: str, text: str) -> bool:
    """Tell whether a text comes with the program; it is about nobody, also where a pseudonym is one of its words."""
    try:
        return bool(text == resource(_FOLDERS[table], f"{key}.toml").read_text("utf-8"))
    except (FileNotFoundError, UnicodeDecodeError, ValueError):
        return False


def without(wording: Wording, table: str, key: str, text: str) -> str:
    """Return the text of a scheme or a prompt without what names somebody; keys stay, because annotations name them."""
    if is_shipped(table, key, text):
        return text
    if table == "prompt_version":
        return wording.replaced(text)
    try:
        parse_scheme(text, key)
        made = toml_of(_pruned(wording, "", tomllib.loads(text)))
        parse_scheme(made, key)
    except (UserError, tomllib.TOMLDecodeError, RecursionError):
        return wording.replaced(text)
    return made


def _pruned(wording: Wording, key: str, value: Any) -> Any:
    match value:
        case str() if wording.in_text(value):
            return _DROPPED if key in EXPLAINING else wording.replaced(value) if key in _NAMES else value
        case list() if key == "examples":
            return [one for one in value if not wording.in_json(one)]
        case list():
            return [_pruned(wording, key, one) for one in value]
        case dict():
            found = {name: _pruned(wording, name, one) for name, one in value.items()}
            return {name: one for name, one in found.items() if one is not _DROPPED}
        case _:
            return value
