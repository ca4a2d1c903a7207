"""Searches texts for somebody as normalised substrings: the check of an erasure.

It shares no search with what removes, so that it finds what that has missed. A text is taken as words of letters,
digits and vowel signs: NFKC, folded case, without accents, points and signs that show nothing. Each search is linear.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from project.erasure.personal_strings import PHONE, PersonalString, given_names
from project.text_matching.normalization import (
    PARTICLES,
    capitalized_non_names,
    function_words,
    is_ambiguous_name,
    is_common,
)

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u3164\uffa0") | {
    chr(code) for code in range(0xFE00, 0xFE10)
}
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that put no space between words, or endings to a name."""
_HAN = re.compile("[\u3005\u3400-\u4dbf\u4e00-\u9fff]+")
_INSIDE, _AT_AN_END, _ENDING = 4, 3, 3
"""Signs of a name that is looked for inside a longer word, and at its beginning or end; signs that it goes on with."""
_ACROSS = 6
"""Signs of a name that is looked for across words."""
_JOINED = 5
"""Signs of a whole name that is one word surely."""
_SHORT = 2
"""Signs of a word of a name up to which large and small letters count."""
_ANYWHERE, _DIGITS_ANYWHERE = 10, 8
"""Signs of an address, and digits of a number, that are looked for between any others. Of a telephone number, the last
ones are the same with every prefix."""
_QUOTED = 12
"""Words in a row of what somebody said that make a quotation."""
_MASK = "\u25a1"


class _Folding(dict[int, str]):
    """Folds a sign for `str.translate`: letters, digits and their marks stay, what shows nothing goes, else a space."""

    def __init__(self, *, keeps_letters: bool) -> None:
        super().__init__()
        self._keeps_letters = keeps_letters

    def __missing__(self, code: int) -> str:
        sign = unicodedata.normalize("NFKC", chr(code))
        apart = unicodedata.normalize("NFKD", sign.casefold())
        found = unicodedata.normalize("NFC", "".join(map(_fold_sign, apart)))
        if self._keeps_letters and found.strip():
            found = sign
        self[code] = found
        return found


def _fold_sign(sign: str) -> str:
    order, category = unicodedata.combining(sign), unicodedata.category(sign)
    if category in ("Cf", "Me") or sign in _INVISIBLE or order in (1, 7) or 10 <= order <= 36 or order >= 200:
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(sign))
    if "\u30a1" <= sign <= "\u30f6":
        return chr(ord(sign) - 0x60)
    return sign if category[0] in "LNM" else " "


_FOLDED, _WRITTEN = _Folding(keeps_letters=False), _Folding(keeps_letters=True)


def plain_words(text: str) -> list[str]:
    """Return the words of a text, folded."""
    return unicodedata.normalize("NFC", text).translate(_FOLDED).split()


def written_words(text: str) -> list[str]:
    """Return the same words with their large letters and accents."""
    return unicodedata.normalize("NFC", text).translate(_WRITTEN).split()


def split_words(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a text, folded and as they stand."""
    written, words = written_words(text), plain_words(text)
    return words, written if len(written) == len(words) else [*words]


class WordRows:
    """Names of several words, to be found in the words of a text."""

    def __init__(self, names: Iterable[Sequence[str]]) -> None:
        self._by_first: dict[str, list[list[str]]] = {}
        for words in names:
            self._by_first.setdefault(words[0], []).append([*words])

    def spans(self, words: list[str]) -> list[tuple[int, int]]:
        """Return where one of them stands: the first word, and the one behind the last."""
        return [
            (at, at + len(name))
            for at, word in enumerate(words if self._by_first else ())
            for name in self._by_first.get(word, ())
            if words[at : at + len(name)] == name
        ]

    def mask(self, words: list[str], written: list[str]) -> None:
        """Replace each of them by signs that no name has."""
        for start, end in self.spans(words):
            words[start:end] = written[start:end] = [_MASK] * (end - start)


def is_unspaced(word: str) -> bool:
    """Tell whether a word has signs of a script that puts no space between words."""
    return _UNSPACED.search(word) is not None


def count_clusters(word: str) -> int:
    """Return how many signs with their marks a folded word has."""
    return len(word) if word.isascii() else sum(not _is_mark(sign) for sign in word)


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "M"


def holds_word(word: str, part: str) -> bool:
    """Tell whether a folded word, longer than a part of a name, may be a form of it."""
    if is_common(word) or word in capitalized_non_names() or (word in given_names() and not word.startswith(part)):
        return False
    signs = count_clusters(part)
    if signs < 2 or (signs < _AT_AN_END and not _UNSPACED.search(part)):
        return False
    at = word.find(part)
    while at >= 0:
        end = at + len(part)
        if not (end < len(word) and _is_mark(word[end])):
            at_an_end = (at == 0 or end == len(word)) and len(word) - len(part) <= _ENDING
            if signs >= _INSIDE or at_an_end or _UNSPACED.search(part):
                return True
        at = word.find(part, at + 1)
    return False


@dataclass(frozen=True, slots=True)
class PlainMatch:
    """What was found in a text.

    Attributes:
        text: as it stands there; "" for an id or a quotation.
        is_certain: it is theirs; else a person has to say whose it is.
    """

    text: str
    is_certain: bool


@dataclass(frozen=True, slots=True)
class _NameWord:
    """A word of a name; longer words that hold it are looked at where it `goes_on`, a weak one is everybody's too."""

    letters: str
    needs_capital: bool
    is_weak: bool
    goes_on: bool


class PlainSearch:
    """What is looked for of somebody: names, ids, sentences, numbers and addresses.

    Attributes:
        words: letters of their names: of each word, and of each whole name.
        strings: letters of their numbers and addresses.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        ids: Iterable[str] = (),
        said: Iterable[str] = (),
        strings: Iterable[PersonalString] = (),
        others: Iterable[str] = (),
        shared: Collection[str] = (),
    ) -> None:
        names = [*names]
        self._ids = [text for text in ids if text]
        self._parts = {part.letters: part for name in names for part in _name_words(name) if part.letters not in shared}
        wholes = [words for name in names if len(words := plain_words(name)) > 1]
        self._wholes = WordRows(wholes)
        self._joined = {"".join(words) for words in wholes}
        self._masks = WordRows(words for words in map(plain_words, others) if _is_of_others(words, names))
        self.strings = frozenset(filter(None, map(_string_letters, strings)))
        across = {*self._parts, *("".join(words) for words in wholes if not all(map(is_ambiguous_name, words)))}
        self._across = sorted(word for word in across if count_clusters(word) >= _ACROSS and not is_common(word))
        self._said = {row for text in said for row in _rows_of_words(plain_words(text))}
        self._known: dict[str, PlainMatch | None] = {}

    @property
    def words(self) -> frozenset[str]:
        """Letters of their names."""
        return frozenset({*self._parts, *self._joined})

    def find(self, text: str) -> Iterator[PlainMatch]:
        """Yield what of theirs stands in a text."""
        if any(identifier in text for identifier in self._ids):
            yield PlainMatch("", True)
        words, written = split_words(text)
        if self._said and not self._said.isdisjoint(_rows_of_words(words)):
            yield PlainMatch("", True)
        self._masks.mask(words, written)
        for start, end in self._wholes.spans(words):
            name = written[start:end]
            if not all(map(is_ambiguous_name, words[start:end])) or all(word[0].isupper() for word in name):
                yield PlainMatch(" ".join(name), True)
        for shown, word in zip(written, words, strict=True):
            if shown not in self._known:
                self._known[shown] = self._match_word(word, shown)
            if (match := self._known[shown]) is not None:
                yield match
        yield from self._find_across(words, written)

    def _match_word(self, word: str, shown: str) -> PlainMatch | None:
        bare = bare if count_clusters(bare := word.strip("0123456789")) > _SHORT else word
        part = self._parts.get(word) or self._parts.get(bare)
        if part is not None:
            if part.needs_capital and not shown[0].isupper():
                return None if part.is_weak or word in function_words() else PlainMatch(shown, False)
            return PlainMatch(shown, not part.is_weak)
        if word in self._joined or bare in self._joined:
            return PlainMatch(shown, count_clusters(word) >= _JOINED)
        if any(name in word for name in self._joined if _UNSPACED.match(name)):
            return PlainMatch(shown, True)
        for piece in _HAN.findall(word):
            if piece in self._parts:
                return PlainMatch(piece, False)
        for part in self._parts.values():
            if part.goes_on and part.letters in word and holds_word(word, part.letters):
                return PlainMatch(part.letters if _UNSPACED.match(part.letters) else shown, False)
        return None

    def _find_across(self, words: Sequence[str], written: Sequence[str]) -> Iterator[PlainMatch]:
        squeezed = "".join(words)
        wanted = [*((string, True) for string in self.strings), *((name, False) for name in self._across)]
        ends: list[int] = []
        for letters, is_certain in wanted:
            at = squeezed.find(letters)
            while at >= 0:
                ends = ends or [*accumulate(map(len, words))]
                first, last = bisect_right(ends, at), bisect_right(ends, at + len(letters) - 1)
                bound = (0 if first == 0 else ends[first - 1]) == at and at + len(letters) == ends[last]
                if is_certain and (bound or len(letters) >= (_DIGITS_ANYWHERE if letters.isdigit() else _ANYWHERE)):
                    yield PlainMatch(" ".join(written[first : last + 1]), True)
                elif not is_certain and last > first:
                    yield PlainMatch(" ".join(written[first : last + 1]), False)
                at = squeezed.find(letters, at + len(letters))


def _name_words(name: str) -> Iterator[_NameWord]:
    """Yield the words of a name by which somebody is found: small words between large ones do not tell."""
    chunks = name.split()
    capitals = any(sign.isupper() for sign in name)
    for chunk in chunks:
        if len(chunks) > 1 and capitals and chunk[0].islower():
            continue
        words = plain_words(chunk)
        for word in dict.fromkeys((*words, "".join(words))):
            is_whole = len(chunks) == 1 and word == "".join(words)
            signs, is_cased = count_clusters(word), word.upper() != word.lower()
            if not is_whole and (word in PARTICLES or (signs == 1 and is_cased)):
                continue
            is_short, is_common_word = signs <= _SHORT, is_ambiguous_name(word) and not is_whole
            yield _NameWord(
                word,
                needs_capital=is_cased and (is_short or is_common_word),
                is_weak=is_short and not is_whole and (is_common_word or is_unspaced(word)),
                goes_on=not is_common_word and not any(map(str.isdigit, word)),
            )


def core_letters(letters: str) -> str:
    """Return the last digits of a telephone number, which are the same with every prefix."""
    return letters[-_DIGITS_ANYWHERE:] if letters.isdigit() else letters


def _string_letters(string: PersonalString) -> str:
    letters = "".join(plain_words(string.text))
    return core_letters(letters) if string.kind == PHONE else letters


def _is_of_others(words: Sequence[str], names: Iterable[str]) -> bool:
    """Tell whether a name is somebody else's alone: of two words at least, and without a whole one of theirs in it."""
    letters = "".join(words)
    own = (plain_words(name) for name in names)
    return len(words) > 1 and not any(
        letters == "".join(theirs) or (len(theirs) > 1 and "".join(theirs) in letters) for theirs in own
    )


def _rows_of_words(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for at in range(len(words) - _QUOTED + 1):
        yield tuple(words[at : at + _QUOTED])
