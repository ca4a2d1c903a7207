"""Tells whether a text names a person, holds an id of theirs, or repeats a sentence of theirs."""

import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

from project.entities.study_records import Json
from project.erasure.personal_strings import PersonalSearch, is_cjk_name, name_parts
from project.text_matching.normalization import (
    ACCENTS,
    KATAKANA,
    PARTICLES,
    VOWEL_SIGNS,
    WORD_SIGNS,
    function_words,
    is_ambiguous_name,
)
from project.text_matching.spellings import squeeze_letters

NEAR, FAR = 6, 12
"""Words in a row of what somebody said that make a quotation: where it is about their recording, and elsewhere. Shorter
ones are said by everybody."""
_SHORT = 3
"""Signs of a name below which large and small letters count, so that `A` does not find every article."""
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_WORD = re.compile(f"[{WORD_SIGNS}]+")
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
"""Signs that show nothing: hyphens that a line may break at, joiners, marks of direction."""
_ACCENT = re.compile(f"[{ACCENTS}]")
_APOSTROPHE, _HYPHEN = re.compile("[\u2018\u2019\u02bc\u00b4`]"), re.compile("[\u2010\u2011\u2013]")
_UNSPACED_SCRIPTS = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that write words without a space between them, or put endings to a name: Thai, Lao, Tibetan, Burmese,
Khmer, Japanese, Chinese, Korean."""
REDACTION_MARK = "[removed]"
_OTHER_PERSON_MARK = " \u25a1\u25a1\u25a1\u25a1\u25a1 "
"""Stands for the whole name of somebody who stays while a text is searched: too wide a gap for a name around it."""
_REMEMBERED, _LONG = 200_000, 2_000
"""Texts whose answer is remembered, since a study repeats labels and a history texts; how long they may be."""


class IdentifyingTerms:
    """Names, ids and sentences of a person: what must be found in any text.

    A name is found as a whole word or phrase, in any case and spelling of Unicode, with accents or without, and in the
    names of files, between underscores and numbers; in scripts without spaces anywhere; also with the `s` of the
    genitive, where that makes no common word of it. Of a name of several words each word is found too: a common one
    with a capital letter only. What somebody said is found where `quoted` words in a row of it stand. Other spellings,
    and personal strings such as numbers and addresses, are found by `search`.

    The whole name of somebody else, of two words at least, is no name of theirs, though both share a first name.

    Attributes:
        names: the names, as they were given.
        words: the single words of names, folded, that are found in any case.
        common: those that are words of everybody too, or have two letters, folded: they are found with a capital only.
        shared: those that are the whole name of somebody else, squeezed: alone they are not found.
    """

    def __init__(
        self,
        names: Iterable[str] = (),
        ids: Iterable[str] = (),
        said: Iterable[str] = (),
        quoted: int = FAR,
        search: PersonalSearch | None = None,
        others: Iterable[str] = (),
        shared: Collection[str] = (),
    ) -> None:
        whole = {" ".join(text.split()) for text in names}
        self.names = sorted(text for text in whole if text)
        self._ids = [text for text in ids if text]
        plain = {normalize_text(text) for text in self.names}
        exact = {text for text in plain if len(text) < _SHORT}
        self.shared = frozenset(part for name in self.names for part in name_parts(name) if part in shared)
        exact = {text for text in exact if squeeze_letters(text) not in self.shared}
        loose = {
            fold_plain_text(text) for text in plain if len(text) >= _SHORT and squeeze_letters(text) not in self.shared
        }
        parts = {
            part for text in plain for part in _WORD.findall(text) if part != text and _is_identifying_part(part, text)
        }
        parts = {part for part in parts if squeeze_letters(part) not in self.shared}
        everybodys = {part for part in parts if is_ambiguous_name(fold_plain_text(part))}
        short = {part for part in parts - everybodys if len(part) < _SHORT}
        exact |= {
            form
            for part in everybodys | short
            if fold_plain_text(part) not in PARTICLES and not (len(part) < _SHORT and part in everybodys)
            for form in (part.upper(), part.capitalize(), *((part,) if part[0].isupper() else ()))
            if form[0].isupper()
        }
        exact |= {part for part in short if part.upper() == part.lower()}
        self.words = frozenset(
            {fold_plain_text(part) for part in parts - everybodys - short} | {text for text in loose if " " not in text}
        )
        self.common = frozenset(map(fold_plain_text, everybodys | short)) - PARTICLES - function_words()
        loose |= self.words
        self._loose, self._exact = _NamePattern(loose), _NamePattern(exact)
        self.search = search or PersonalSearch()
        self._known: dict[str, bool] = {}
        self._quoted_from = quoted
        self._others = _names_of_others(self.names, others)
        self._said = {row for text in said for row in _word_ngrams(fold_plain_text(normalize_text(text)), quoted)}

    def matches_text(self, text: str) -> bool:
        """Tell whether a text names them, holds an id of theirs, or repeats a sentence of theirs."""
        if len(text) > _LONG:
            return self._matches(text)
        known = self._known.get(text)
        if known is None:
            if len(self._known) > _REMEMBERED:
                self._known.clear()
            known = self._known[text] = self._matches(text)
        return known

    def _matches(self, text: str) -> bool:
        if "\\u" in text:
            decoded = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
            if decoded != text and self.matches_text(decoded.replace("\\", " ")):
                return True
        if any(identifier in text for identifier in self._ids):
            return True
        plain = normalize_text(text)
        if self._has_quote(fold_plain_text(plain)):
            return True
        if self._others is not None:
            plain = self._others.sub(_OTHER_PERSON_MARK, plain)
        if self._exact.matches(plain) or self._loose.matches(fold_plain_text(plain)):
            return True
        return self.search.matches_text(plain)

    def matches_json(self, value: Json) -> bool:
        """Tell whether any text or key in a JSON value matches, also where a list holds it word by word."""
        return any(self.matches_text(text) for text in json_strings(value)) or (
            bool(self.search.numbers) and any(map(self.search.is_number, _json_numbers(value)))
        )

    def matches_json_text(self, text: str) -> bool:
        """Tell whether a JSON text matches; one that cannot be parsed is searched as it is."""
        try:
            return self.matches_json(json.loads(text)) or self.matches_text(text)
        except (ValueError, RecursionError):
            return self.matches_text(text)

    def prune_json(self, value: Json) -> Json:
        """Return a JSON value without the members that match; None where it matches as a whole."""
        match value:
            case str():
                return None if self.matches_text(value) else value
            case list():
                kept = [self.prune_json(item) for item in value]
                return [new for old, new in zip(value, kept, strict=True) if new is not None or old is None]
            case dict():
                found = {key: self.prune_json(member) for key, member in value.items() if not self.matches_text(key)}
                return {key: member for key, member in found.items() if member is not None or value[key] is None}
            case float() | int() if self.search.numbers and self.search.is_number(value):
                return None
            case _:
                return value

    def redact_text(self, text: str) -> str:
        """Return a text without its matches: names are replaced, else lines, else the whole text."""
        for name in self.names:
            flags = 0 if len(name) < _SHORT else re.IGNORECASE
            text = re.sub(_word_pattern(name), REDACTION_MARK, text, flags=flags)
        if not self.matches_text(text):
            return text
        lines = "\n".join(REDACTION_MARK if self.matches_text(line) else line for line in text.split("\n"))
        return REDACTION_MARK if self.matches_text(lines) else lines

    def _has_quote(self, folded: str) -> bool:
        return bool(self._said) and not self._said.isdisjoint(_word_ngrams(folded, self._quoted_from))


def _names_of_others(names: Iterable[str], others: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds whole names of people who stay, so that a first name that two share is not taken there.

    A name that holds a whole one of who withdraws is left out: it may be theirs.
    """
    theirs = [(name, squeeze_letters(name)) for name in names]
    found = set()
    for other in others:
        words, letters = normalize_text(other).split(), squeeze_letters(other)
        holds = any(letters == own or (" " in name and own in letters) for name, own in theirs)
        if len(words) > 1 and not holds:
            found.add(r"[\W_]{1,3}".join(map(re.escape, words)))
    longest_first = "|".join(sorted(found, key=len, reverse=True))
    return re.compile(rf"(?<![^\W_])(?:{longest_first})(?:'?s)?(?![^\W_])", re.IGNORECASE) if found else None


def _is_identifying_part(part: str, name: str) -> bool:
    """Tell whether a word of a name says whose it is; small words between large ones do not."""
    if len(part) < 2 or not part[0].isalpha() or (len(part) < _SHORT and is_cjk_name(part)):
        return False
    return not part[0].islower() or not any(sign.isupper() for sign in name)


def _word_ngrams(folded: str, count: int) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(folded)
    for at in range(len(words) - count + 1):
        yield tuple(words[at : at + count])


def normalize_text(text: str) -> str:
    """Return a text in one spelling of Unicode, without signs that nobody sees."""
    if text.isascii():
        return text.replace("`", "'")
    seen = _remove_invisible(unicodedata.normalize("NFKC", text))
    return _HYPHEN.sub("-", _APOSTROPHE.sub("'", seen))


def _remove_invisible(text: str) -> str:
    return "".join(sign for sign in _INVISIBLE.sub("", text) if unicodedata.category(sign) != "Cf")


def fold_plain_text(text: str) -> str:
    """Return a plain text in small letters without accents, and hiragana for katakana."""
    if text.isascii():
        return text.lower()
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return unicodedata.normalize("NFKC", bare).translate(KATAKANA)


class _NamePattern:
    """Names, found in a text; what has none of them even as a part of a word is passed quickly."""

    def __init__(self, names: Iterable[str]) -> None:
        longest_first = sorted(names, key=len, reverse=True)
        self._parts = re.compile("|".join(map(_spaced_pattern, longest_first))) if longest_first else None
        self._whole = re.compile("|".join(map(_word_pattern, longest_first)))

    def matches(self, text: str) -> bool:
        return self._parts is not None and bool(self._parts.search(text)) and bool(self._whole.search(text))


def _spaced_pattern(word: str) -> str:
    return r"\s+".join(map(re.escape, word.split()))


def _word_pattern(word: str) -> str:
    """Return a pattern that finds a word where it is not a part of a longer one.

    Numbers go on after letters only where the word is long enough to be told by itself: `Anna2`, but not `A2`.
    """
    before, after = (
        ""
        if re.match(f"[{_UNSPACED_SCRIPTS}]", end)
        else rf"[^\W{_digit_pattern(word, end)}_{_UNSPACED_SCRIPTS}]|[{VOWEL_SIGNS}]"
        for end in (word[0], word[-1])
    )
    not_after = f"(?<!{before})" if before else ""
    not_before = f"(?!{after})" if after else ""
    return f"{not_after}{_spaced_pattern(word)}{_genitive_pattern(word)}{not_before}"


def _genitive_pattern(word: str) -> str:
    last = word.split()[-1].lower()
    takes = len(last) > _SHORT and last.isalpha() and not last.endswith("s") and not is_ambiguous_name(f"{last}s")
    return "[sS]?" if takes else ""


def _digit_pattern(word: str, end: str) -> str:
    return r"\d" if end.isalpha() and len(word) >= _SHORT else ""


def json_strings(value: Json) -> Iterator[str]:
    """Yield every text and key of a JSON value; a list of words as one text too."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from json_strings(item)
            firsts = [item[0] if isinstance(item, list) and item else item for item in value]
            if len(value) > 1 and all(isinstance(first, str) for first in firsts):
                yield " ".join(map(str, firsts))
        case dict():
            for key, member in value.items():
                yield key
                yield from json_strings(member)


def _json_numbers(value: Json) -> Iterator[float]:
    match value:
        case bool():
            return
        case int() | float():
            yield value
        case list():
            for item in value:
                yield from _json_numbers(item)
        case dict():
            for member in value.values():
                yield from _json_numbers(member)
