"""Reads `resources/personal/patterns.toml`: what personal information looks like in a text, and what announces it."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from anonymize.pii_detection.pii_hit import STRONG
from project.text_matching.normalization import read_word_list
from resources import resource

_PART = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class TextPattern:
    """One pattern of a table.

    Attributes:
        pattern: its group `hit`, where it has one, is what is found.
        kind: key of `KINDS`; "" where the table is of one kind.
        score: 0 to 1, how sure it is.
        check: what else has to hold, as the reader of the table knows it.
        digits: how many digits what is found has at least.
    """

    pattern: re.Pattern[str]
    kind: str = ""
    score: float = STRONG
    check: str = ""
    digits: int = 0

    def find(self, text: str) -> Iterator[tuple[re.Match[str], int, int]]:
        """Yield each match in a text, with where what is found begins and ends."""
        group = self.pattern.groupindex.get("hit", 0)
        for match in self.pattern.finditer(text):
            yield match, *(match.span(group) if match.start(group) >= 0 else match.span())


@cache
def read_patterns(table: str) -> tuple[TextPattern, ...]:
    """Return the patterns of a table, in order."""
    return tuple(
        TextPattern(**{**row, "pattern": re.compile(_insert_parts(row["pattern"]))}) for row in _tables()[table]
    )


@cache
def read_part(name: str) -> str:
    """Return one of the parts that patterns are made of."""
    return _insert_parts(f"{{{name}}}")


@cache
def read_words(part: str) -> frozenset[str]:
    """Return the words of a part that is a plain list of words."""
    return frozenset(read_part(part).split("|"))


@cache
def _tables() -> dict[str, Any]:
    tables = tomllib.loads(resource("personal", "patterns.toml").read_text("utf-8"))
    surnames = sorted(read_word_list("chinese_family_names.txt"))
    tables["parts"]["double_surname"] = "|".join(name for name in surnames if len(name) > 1)
    tables["parts"]["surname"] = "".join(name for name in surnames if len(name) == 1)
    return tables


def _insert_parts(pattern: str) -> str:
    parts = _tables()["parts"]
    pattern = pattern.replace("\n", "")
    while (written := _PART.sub(lambda part: parts[part[1]].replace("\n", ""), pattern)) != pattern:
        pattern = written
    return pattern
