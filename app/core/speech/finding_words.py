"""What somebody looks for in the words of a transcript."""

import re
from dataclasses import dataclass, field

from project.errors import UserError

_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)|[+*]|\{\d*,\}")
"""What of a pattern opens, closes or repeats; characters that are escaped or in a set are passed over."""


@dataclass(frozen=True, slots=True)
class WordSearch:
    """A text or pattern to look for.

    Attributes:
        text: what to look for; nothing is found where it is empty.
        match_case: whether capital letters matter.
        whole_words: whether letters around a place keep it from being found.
        regex: whether `text` is a regular expression, as Python's module `re` reads it.

    Raises:
        UserError: the regular expression is not one, or may take for ever.
    """

    text: str
    match_case: bool = False
    whole_words: bool = False
    regex: bool = False
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.regex and _endless(self.text):
            raise UserError(
                f"“{self.text}” repeats a group that has a repeat in it, which can take for ever.",
                "Write one of the two repeats out.",
            )
        source = self.text if self.regex else re.escape(self.text)
        if self.whole_words:
            source = rf"(?<!\w)(?:{source})(?!\w)"
        try:
            pattern = re.compile(source, 0 if self.match_case else re.IGNORECASE)
        except re.error as error:
            raise UserError(
                f"“{self.text}” is not a regular expression: {error}.", "Mend it, or look for it as plain text."
            ) from None
        object.__setattr__(self, "_pattern", pattern)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each place in a text; empty ones count as none."""
        if not self.text:
            return []
        return [found.span() for found in self._pattern.finditer(text) if found.group()]

    def replaced(self, text: str, replacement: str) -> tuple[str, int]:
        r"""Return a text with each place replaced, and how many there were.

        In a regular expression's replacement, `\1` stands for its first group.

        Raises:
            UserError: the replacement names a group that the pattern has not.
        """
        made, at, count = [], 0, 0
        for found in self._pattern.finditer(text) if self.text else ():
            if not found.group():
                continue
            made += [text[at : found.start()], self._new(found, replacement)]
            at = found.end()
            count += 1
        return "".join([*made, text[at:]]), count

    def replaced_at(self, text: str, replacement: str, start: int) -> str:
        """Return a text with only the place replaced that begins at a character; as it is where there is none.

        Raises:
            UserError: the replacement names a group that the pattern has not.
        """
        found = next((one for one in self._pattern.finditer(text) if one.group() and one.start() == start), None)
        if found is None:
            return text
        return text[:start] + self._new(found, replacement) + text[found.end() :]

    def _new(self, found: re.Match[str], replacement: str) -> str:
        if not self.regex:
            return replacement
        try:
            return found.expand(replacement)
        except (re.error, IndexError) as error:
            raise UserError(
                f"The replacement does not fit the pattern: {error}.", "Name only groups that it has."
            ) from None


def _endless(pattern: str) -> bool:
    """Return whether a group that repeats has a repeat in it: `re` may try more ways to fit it than anybody awaits."""
    inside, closed_at = [False], -1
    for found in _PART.finditer(pattern):
        part = found.group()
        if part == "(":
            inside.append(False)
        elif part == ")" and len(inside) > 1:
            repeats = inside.pop()
            inside[-1] |= repeats
            closed_at = found.end() if repeats else -1
        elif part[0] in "+*{":
            if found.start() == closed_at:
                return True
            inside[-1] = True
    return False
