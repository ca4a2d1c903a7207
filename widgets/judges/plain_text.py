"""Text of a model as it can be shown: every character for itself, none that acts."""

import unicodedata

from resources.translation import tr

SHOWN = 20_000
"""Characters of one text that are laid out at once; more than that would hold the window up."""

_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_JOINERS = frozenset("\u200c\u200d\ufe0f")
"""Parts of ordinary writing: Persian, Indic scripts, joined emoji."""


def plainly(text: str, limit: int = SHOWN) -> str:
    """Return text without characters that do something: those that turn the direction, hide or ring are written out.

    What is longer than `limit` is cut, and ends with a line that says so.
    """
    said = text[:limit]
    if not said.isprintable():
        said = "".join(_shown(one) for one in said.replace("\r\n", "\n").replace("\u2028", "\n"))
    rest = len(text) - limit
    return tr("{said}\n… and {rest:,} more characters").format(said=said, rest=rest) if rest > 0 else said


def _shown(one: str) -> str:
    if one in "\n\t" or one in _JOINERS or unicodedata.category(one) not in _ACTING:
        return one
    return f"⟨U+{ord(one):04X}⟩"
