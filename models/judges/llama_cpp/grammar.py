"""A JSON schema as a grammar of llama.cpp. Only the process that holds the model calls this: it needs the library."""

import json
import math
import re
from collections.abc import Mapping

from project.types import Json

_MOST_NUMBERS = 1001
"""Whole numbers between two bounds are listed one by one up to so many: grammars know no bounds."""
_SHORT = 100
"""Characters up to which the library's own rule of a text does. From some 1,800 on llama.cpp refuses it."""
_PIECE = 50
"""Characters of a longer text that are counted as one."""
_MANY = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONE = ("items", "additionalProperties", "not")
_NAMED = ("properties", "$defs", "definitions")


def grammar_of(schema: Mapping[str, Json], longest: int) -> str:
    """Return the grammar of the texts that fit a schema, in GBNF.

    Whole numbers keep their bounds and every text ends, which the library's own translation does not see to.

    Args:
        schema: of an object.
        longest: characters that no text in it may exceed, whatever its `maxLength`.

    Raises:
        Exception: of the library, which does not say of what kind, where it does not understand the schema.
    """
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    lengths: set[int] = set()
    rules = str(json_schema_to_gbnf(json.dumps(_bounded(dict(schema), longest, lengths))))
    for char in sorted(set(re.findall(r"\((char\d*) \(", rules))):
        # The longest first: the rule of a shorter one is part of it.
        for length in sorted(lengths, reverse=True):
            if length > _SHORT:
                rules = rules.replace(_nested(char, length), _by_pieces(char, length))
        rules += f"\nPIECE-{char} ::= {' '.join([char] * _PIECE)}\nTAIL-{char} ::= {_nested(char, _PIECE - 1)}"
    return rules


def _by_pieces(char: str, length: int) -> str:
    """Return what stands for up to so many characters: whole pieces, and less than one."""
    pieces, rest = divmod(length, _PIECE)
    rule = _nested(char, rest) if rest else '""'
    for _ in range(pieces):
        rule = f"(PIECE-{char} {rule} | TAIL-{char})"
    return rule


def _nested(char: str, length: int) -> str:
    """Return what the library writes for up to so many characters."""
    return f"({char} " * (length - 1) + f"({char}" + ")?" * length


def _bounded(schema: Json, longest: int, lengths: set[int]) -> Json:
    """Return a schema in which bounds are lists and texts have an end; `lengths` gets what the texts may grow by."""
    if not isinstance(schema, dict):
        return schema
    found = dict(schema)
    for key in _NAMED:
        if isinstance(named := found.get(key), dict):
            found[key] = {name: _bounded(one, longest, lengths) for name, one in named.items()}
    for key in _MANY:
        if isinstance(many := found.get(key), list):
            found[key] = [_bounded(one, longest, lengths) for one in many]
    for key in _ONE:
        if key in found:
            found[key] = _bounded(found[key], longest, lengths)
    if "enum" in found or "const" in found:
        return found
    if found.get("type") == "integer" and (listed := _listed(found)):
        return {"enum": [*listed]}
    if found.get("type") == "string" and "pattern" not in found and "format" not in found:
        stated = found.get("maxLength")
        most = min(stated, longest) if isinstance(stated, int) else longest
        wanted = found.get("minLength")
        least = min(wanted, most) if isinstance(wanted, int) else 0
        found |= {"maxLength": most, "minLength": least}
        lengths.add(most - least)
    return found


def _listed(schema: Mapping[str, Json]) -> range | None:
    """Return the whole numbers within the bounds of a schema; None where it has not two, or they are far apart."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    lows = [math.ceil(low)] if isinstance(low, (int, float)) else []
    lows += [math.floor(above) + 1] if isinstance(above, (int, float)) else []
    highs = [math.floor(high)] if isinstance(high, (int, float)) else []
    highs += [math.ceil(below) - 1] if isinstance(below, (int, float)) else []
    if not lows or not highs or not 0 <= min(highs) - max(lows) < _MOST_NUMBERS:
        return None
    return range(max(lows), min(highs) + 1)
