"""How well what somebody types fits the name of a command."""

from project.folding import folded

_WHOLE, _WORD, _INSIDE, _LETTERS = 100.0, 60.0, 35.0, 15.0
_GROUP = 0.5
"""What stands in the group counts half as much as what stands in the name."""


def fit(typed: str, name: str, group: str = "") -> float | None:
    """Return how well each word that is typed is found in a name or its group; None where one is in neither.

    The start of the name is best, then the start of a word, then letters inside a word, then letters in this order,
    such as `msm` for `Make segment from marks`: the more of them begin a word, the better. Capitals and accents make no
    difference. Of two names that fit alike, the shorter one fits better.
    """
    there, beside = folded(name), folded(group)
    total = 0.0
    for part in folded(typed).split():
        own, other = _part(part, there), _part(part, beside) * _GROUP
        best = max(own, other)
        if best <= 0:
            return None
        total += best
    return total - min(len(there), 99) / 100


def _part(part: str, text: str) -> float:
    if text.startswith(part):
        return _WHOLE
    at = text.find(part)
    while at > 0:
        if not text[at - 1].isalnum():
            return _WORD
        at = text.find(part, at + 1)
    return _INSIDE if part in text else _in_order(part, text)


def _in_order(part: str, text: str) -> float:
    """Return more, the more of the letters begin a word; the first one has to."""
    at, begins = -1, 0
    for letter in part:
        found = _next(letter, text, at + 1, begin_only=at < 0)
        if found < 0:
            return 0.0
        begins += _begins(text, found)
        at = found
    return _LETTERS * begins / len(part)


def _next(letter: str, text: str, first: int, *, begin_only: bool) -> int:
    """Return where a letter begins a word, else where it stands next; -1 for nowhere."""
    starts = (at for at in range(first, len(text)) if text[at] == letter and _begins(text, at))
    return next(starts, -1 if begin_only else text.find(letter, first))


def _begins(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()
