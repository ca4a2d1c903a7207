"""Searches texts for personal strings of a withdrawing participant, in any spelling.

Names are found run together, as initial and surname, spelled letter by letter and broken by separators; numbers and
addresses with other separators, spoken, and as parts of an address; a day in every usual format.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum, auto
from functools import cached_property, lru_cache
from itertools import pairwise, permutations

from project.text_matching.normalization import (
    ACCENTS,
    PARTICLES,
    VOWEL_SIGNS,
    function_words,
    is_accent,
    is_ambiguous_name,
    is_common,
    read_word_list,
)
from project.text_matching.spellings import (
    Day,
    SqueezedText,
    alternative_readings,
    find_dates,
    fold_letters,
    squeeze,
    squeeze_letters,
    transliterate,
)

PERSON, PLACE, ORGANISATION = "person", "place", "organisation"
BIRTH, DATE, PHONE, MAIL, ADDRESS, LINK = "date-of-birth", "date", "phone", "e-mail", "address", "link"
ACCOUNT, LICENCE, IDENTITY, WORD = "account", "licence", "id", "word"
_STRUCTURED = frozenset({BIRTH, PHONE, MAIL, ADDRESS, LINK, ACCOUNT, LICENCE, IDENTITY})
"""Kinds of which two that are alike mean the same; two people may have one name, or live in one town."""

_LEAST_WORD, _LEAST_DIGITS, _LEAST_CODE = 3, 7, 8
_CORE = 8
"""Last digits of a telephone number that are the same with every prefix."""
_LEAST_JOINED = 5
"""Letters of a name whose words are found run together; of a shorter one, each word has to have a capital."""
_UNBOUND = 10
"""Letters of a needle that is found inside longer words too."""
_WIDEST = 4
"""Signs between two letters of one needle."""
_PIECES = 6
"""Letters of a name that is found in pieces, as where a line is broken."""
_MOST_PARTS = 6
_OFFICE_WORDS = "info contact kontakt mail email office hello admin support team service webmaster study studie lab"
_OFFICES = frozenset(_OFFICE_WORDS.split())


@dataclass(frozen=True, slots=True)
class PersonalString:
    """A personal string found in the recordings of a person.

    Attributes:
        kind: as the finder of personal information calls it.
        text: as it stood there.
        theirs: it stood in a text that goes; else in what others said or wrote about their recordings.
    """

    kind: str
    text: str
    theirs: bool = True

    @property
    def is_exact(self) -> bool:
        """Whether it is removed wherever it stands; of all else, a person has to say whose it is."""
        if not self.theirs or self.kind not in _STRUCTURED:
            return False
        if self.kind == BIRTH:
            return any(find_dates(reading) for reading in alternative_readings(self.text))
        if self.kind == LINK and not _is_somebodys(self.text):
            return False
        if self.kind == MAIL and squeeze_letters(self.text.split("@")[0]) in _OFFICES:
            return False
        letters = squeeze_letters(self.text)
        return sum(map(str.isdigit, letters)) >= _LEAST_DIGITS or len(letters) >= _LEAST_CODE


def _is_somebodys(link: str) -> bool:
    """Tell whether a link is a handle or leads to a page: the name of a host alone is everybody's."""
    bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", link.strip().lower())
    return "@" in bare or len(bare.partition("/")[2]) >= _LEAST_WORD


class NeedleMatchMode(StrEnum):
    """How the letters of a needle must be delimited in a text."""

    SPELLED = auto()
    """One word: letter by letter, in pieces, inside camel case, or beside signs of an address."""
    JOINED = auto()
    """Words in a row with or without separators."""
    INITIAL = auto()
    """An initial and a word, run together or joined by a sign."""
    CJK = auto()
    """A name in a script without spaces: anywhere, with blanks and other separators between its signs."""
    CODE = auto()
    """Letters and digits, whatever separates them."""


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for in the letters of a text.

    Attributes:
        word_starts: where its words begin: after how many letters.
        is_common: its words are words of everybody too.
    """

    letters: str
    mode: NeedleMatchMode
    word_starts: tuple[int, ...] = ()
    is_common: bool = False


class PersonalSearch:
    """Finds names and personal strings in texts, however they are spelled."""

    def __init__(
        self, names: Iterable[str] = (), strings: Iterable[PersonalString] = (), shared: Collection[str] = ()
    ) -> None:
        """Get ready.

        Args:
            names: by which somebody is known.
            strings: numbers, addresses and days of theirs.
            shared: words, squeezed, that are the whole name of somebody else: alone they are not looked for.
        """
        self.names = tuple(dict.fromkeys(" ".join(name.split()) for name in names))
        self.strings = tuple(dict.fromkeys(strings))
        needles = [
            needle
            for name in self.names
            for needle in _name_needles(name)
            if not (needle.mode is NeedleMatchMode.SPELLED and needle.letters in shared)
        ]
        self.days: frozenset[Day] = frozenset(day for string in self.strings for day in personal_dates(string))
        needles += [needle for string in self.strings for needle in _string_needles(string)]
        self._heads: dict[str, list[Needle]] = {}
        for needle in dict.fromkeys(needles):
            self._heads.setdefault(needle.letters[:_LEAST_WORD], []).append(needle)
        self._short = frozenset(head for head in self._heads if len(head) < _LEAST_WORD)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numbers among the needles, which JSON may hold as such."""
        needles = (needle for group in self._heads.values() for needle in group)
        return frozenset(
            needle.letters for needle in needles if needle.letters.isdigit() and len(needle.letters) >= _LEAST_DIGITS
        )

    def is_number(self, number: float) -> bool:
        """Tell whether a number is one of them, with a prefix or without."""
        digits = str(number)
        return len(digits) >= _LEAST_DIGITS and any(digits[-length:] in self.numbers for length in self._lengths)

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        return tuple({len(number) for number in self.numbers})

    def __bool__(self) -> bool:
        return bool(self._heads or self.days)

    def matches_text(self, text: str) -> bool:
        """Tell whether one of them stands in a text, in any spelling."""
        if not self or len(text) < _LEAST_WORD:
            return False
        return any(self._matches_reading(reading) for reading in alternative_readings(text))

    def _matches_reading(self, text: str) -> bool:
        found = squeeze(text)
        letters = found.letters
        # Of hundreds of needles, only those are looked for whose first letters stand in the text.
        heads = self._heads.keys() & {letters[at : at + _LEAST_WORD] for at in range(len(letters) - _LEAST_WORD + 1)}
        heads |= {head for head in self._short if head in letters}
        for head in heads:
            for needle in self._heads[head]:
                if needle.letters in letters and needle_occurs(needle, found):
                    return True
        return bool(self.days) and not self.days.isdisjoint(find_dates(text))


def needle_occurs(needle: Needle, text: SqueezedText) -> bool:
    """Tell whether the letters of a needle stand in a text as they have to."""
    at = text.letters.find(needle.letters)
    while at >= 0:
        if _matches_at(needle, text, at, at + len(needle.letters)):
            return True
        at = text.letters.find(needle.letters, at + 1)
    return False


def _matches_at(needle: Needle, text: SqueezedText, start: int, end: int) -> bool:
    gaps = text.gaps(start, end)
    if any(len(gap) > _WIDEST for _, gap in gaps):
        return False
    if needle.mode is NeedleMatchMode.CJK:
        # Of two signs, the second often begins a word of its own.
        return len(needle.letters) > _MIN_CJK_CHARS or not any(gap.isspace() for _, gap in gaps)
    first, last = text.plain_span(start, end)
    left, right = _starts_word(text.plain, first), _ends_word(text.plain, last)
    match needle.mode:
        case NeedleMatchMode.CODE:
            bound = left and right
            return bound or (len(needle.letters) >= _UNBOUND or _is_core_number(needle.letters))
        case NeedleMatchMode.JOINED:
            if needle.is_common and not _tells(needle, text, start, gaps):
                return False
            if len(needle.letters) < _LEAST_JOINED and not gaps:
                return all(text.plain[text.places[start + at]].isupper() for at in needle.word_starts)
            return (left and right) or len(needle.letters) >= _UNBOUND
        case NeedleMatchMode.INITIAL:
            joint = needle.word_starts[1]
            if not (left and right) or any(at != joint for at, _ in gaps):
                return False
            if not needle.is_common:
                return True
            written = bool(gaps) and not any(gap.isspace() or " " in gap for _, gap in gaps)
            return written or (not gaps and (not is_common(needle.letters) or _is_in_address(text.plain, first, last)))
        case _:
            return left and right and _is_spelled(needle, text, (first, last), gaps)


def _is_core_number(letters: str) -> bool:
    return letters.isdigit() and len(letters) >= _CORE


def _tells(needle: Needle, text: SqueezedText, start: int, gaps: list[tuple[int, str]]) -> bool:
    """Tell whether words that are everybody's are a name here: with capitals, or with no blank between them."""
    if not any(" " in gap for _, gap in gaps):
        return True
    return all(text.plain[text.places[start + at]].isupper() for at in needle.word_starts)


def _is_spelled(needle: Needle, text: SqueezedText, span: tuple[int, int], gaps: list[tuple[int, str]]) -> bool:
    letters, plain = needle.letters, text.plain
    if not gaps:
        if needle.is_common and not _is_in_address(plain, *span):
            return plain[span[0]].isupper() and _is_camel(plain, *span)
        return True
    cuts = [0, *(at for at, _ in gaps), len(letters)]
    pieces = [letters[a:b] for a, b in pairwise(cuts)]
    single = sum(len(piece) == 1 for piece in pieces)
    if max(map(len, pieces)) <= 2 and single >= 2 and len(pieces) > len(letters) / 2:
        return True
    if len(pieces) == 2 and pieces[0].isalpha() and pieces[1].isdigit():
        # "P 01" is a pseudonym, "a 12" is not.
        return not gaps[0][1].isspace() or plain[span[0]].isupper()
    if len(letters) < _PIECES or len(pieces) > 3 or min(map(len, pieces)) < 2:
        return False
    return not all(is_common(piece) for piece in pieces) or not any(gap.isspace() for _, gap in gaps)


_VOWEL_SIGN = re.compile(f"[{VOWEL_SIGNS}]")


def _is_in_word(sign: str) -> bool:
    return sign.isalnum() or _VOWEL_SIGN.match(sign) is not None


def _starts_word(plain: str, at: int) -> bool:
    if at == 0 or not _is_in_word(plain[at - 1]):
        return True
    before, here = plain[at - 1], plain[at]
    return (before.islower() and here.isupper()) or before.isdigit() != here.isdigit()


def _ends_word(plain: str, at: int) -> bool:
    while at < len(plain) and is_accent(plain[at]):
        at += 1
    if at >= len(plain) or not _is_in_word(plain[at]):
        return True
    before, here = plain[at - 1], plain[at]
    if (before.islower() and here.isupper()) or before.isdigit() != here.isdigit():
        return True
    return here in "sS" and before.isalpha() and (at + 1 >= len(plain) or not _is_in_word(plain[at + 1]))


def _is_camel(plain: str, first: int, last: int) -> bool:
    return (first > 0 and plain[first - 1].islower()) or (last < len(plain) and plain[last].isupper())


def _is_in_address(plain: str, first: int, last: int) -> bool:
    """Tell whether a word stands in an address or beside the sign of a handle."""
    return plain[first - 1 : first] in ("@", "#") or plain[last : last + 1] == "@"


_CJK = re.compile("[\u3005\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
"""Chinese signs, kana and Korean syllables: no blank divides a name of two to four from what follows."""
_KANA = re.compile("[\u3041-\u30ff]")
_MIN_CJK_CHARS = 2


def is_cjk_name(name: str) -> bool:
    """Tell whether a name is written in Chinese signs, kana or Korean syllables."""
    return _CJK.fullmatch(name) is not None


def given_name_forms(name: str) -> list[str]:
    """Return what somebody is called by with a name of Chinese signs, kana or Korean syllables: 小明 of 王小明.

    One sign alone is left out: it stands in too many words.
    """
    words = unicodedata.normalize("NFC", name).split()
    if not words or not all(map(is_cjk_name, words)):
        return []
    if len(words) == 1 and not _KANA.search(name):
        cut = len(name) // 2 if len(name) > 3 else 1
        words = [words[0][:cut], words[0][cut:]]
    return [word for word in words if len(word) >= _MIN_CJK_CHARS]


def name_parts(name: str) -> list[str]:
    """Return the words of a name that tell whose it is, folded."""
    parts = dict.fromkeys(map(squeeze_letters, name_words(name)))
    return [part for part in parts if part and part not in PARTICLES][:_MOST_PARTS]


_LETTERS = rf"(?:[^\W_]|[{VOWEL_SIGNS}{ACCENTS}])+"
_NAME_WORD = re.compile(rf"{_LETTERS}(?:['\u2019\u02bc]{_LETTERS})*")


def name_words(name: str) -> list[str]:
    """Return the words of a name that tell whose it is; small words between large ones do not."""
    capitals = any(sign.isupper() for sign in name)
    return [word for word in _NAME_WORD.findall(name) if word[0].isalpha() and not (capitals and word[0].islower())]


def _name_needles(name: str) -> Iterator[Needle]:
    for spelled in dict.fromkeys((name, transliterate(name) if not name.isascii() else name)):
        yield from _spelling_needles(spelled, name)


def _spelling_needles(spelled: str, name: str) -> Iterator[Needle]:
    parts = name_parts(spelled if any(map(str.isupper, spelled)) or spelled == name else spelled.title())
    whole = squeeze_letters(spelled)
    if is_cjk_name(signs := unicodedata.normalize("NFC", whole)):
        if len(signs) >= _MIN_CJK_CHARS:
            yield Needle(whole, NeedleMatchMode.CJK)
        return
    if len(whole) >= _LEAST_WORD and (len(parts) != 1 or parts[0] != whole):
        words = [squeeze_letters(word) for word in re.split(r"[\W_]+", spelled)]
        yield Needle(whole, NeedleMatchMode.JOINED, _word_starts(words), all(map(is_ambiguous_name, words)))
    if len(parts) <= 1 and len(whole) >= _LEAST_WORD:
        yield Needle(whole, NeedleMatchMode.SPELLED, (0,), is_ambiguous_name(whole))
        return
    for part in parts:
        if len(part) >= _LEAST_WORD and part not in function_words():
            yield Needle(part, NeedleMatchMode.SPELLED, (0,), is_ambiguous_name(part))
    for first, second in permutations(parts, 2):
        if min(len(first), len(second)) >= 2:
            both = is_ambiguous_name(first) and is_ambiguous_name(second)
            yield Needle(first + second, NeedleMatchMode.JOINED, (0, len(first)), both)
        if len(second) >= _LEAST_WORD:
            common = is_ambiguous_name(second)
            yield Needle(first[0] + second, NeedleMatchMode.INITIAL, (0, 1), common)
            yield Needle(second + first[0], NeedleMatchMode.INITIAL, (0, len(second)), common)
    if len(parts) > 2:
        yield Needle("".join(parts), NeedleMatchMode.JOINED, _word_starts(parts), all(map(is_ambiguous_name, parts)))
        if len(parts[-1]) >= _LEAST_WORD:
            initials = "".join(part[0] for part in parts[:-1])
            common = is_ambiguous_name(parts[-1])
            yield Needle(initials + parts[-1], NeedleMatchMode.INITIAL, (0, len(initials)), common)


def _word_starts(words: list[str]) -> tuple[int, ...]:
    found, at = [], 0
    for word in words:
        if word:
            found.append(at)
        at += len(word)
    return tuple(found)


def _string_needles(string: PersonalString) -> Iterator[Needle]:
    for reading in dict.fromkeys(alternative_readings(string.text)):
        for letters in _code_forms(string.kind, reading):
            if len(letters) >= _LEAST_WORD:
                yield Needle(letters, NeedleMatchMode.CODE)


def personal_dates(string: PersonalString) -> set[Day]:
    """Return the days that a personal date names."""
    if string.kind not in (BIRTH, DATE):
        return set()
    return {day for reading in alternative_readings(string.text) for day in find_dates(reading)}


_STREETS = (
    *(("avenue", "ave"), ("street", "st"), ("road", "rd"), ("lane", "ln"), ("drive", "dr"), ("square", "sq")),
    *(("strasse", "str"), ("platz", "pl"), ("boulevard", "blvd"), ("place", "pl"), ("court", "ct")),
)


_STREETS_BEFORE = frozenset(
    str.split(
        "calle c avenida avda av plaza plz pza paseo carrer camino ronda rambla travesia glorieta "
        "rue avenue boulevard bd place chemin quai impasse allee route cours "
        "via viale corso piazza piazzale largo vicolo strada rua praca travessa ulica ul "
        "de del la las los el du des le les di della dei do da dos das"
    )
)
"""Words for street that stand before its name, and what joins them to it."""


def _code_forms(kind: str, text: str) -> Iterator[str]:
    letters = squeeze_letters(text)
    digits = "".join(filter(str.isdigit, letters))
    match kind:
        case "phone" if len(digits) >= _LEAST_DIGITS:
            yield digits[-_CORE:] if len(digits) > _CORE else digits.lstrip("0") or digits
        case "e-mail":
            yield letters
            local = fold_letters(text).split("@")[0].split("+")[0].strip()
            short = squeeze_letters(local)
            if "@" in text and len(short) >= 5 and short not in _OFFICES and not is_common(short):
                yield short
        case "link":
            bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", fold_letters(text).strip())
            yield squeeze_letters(bare)
            handle = squeeze_letters(bare.rstrip("/").rsplit("/", 1)[-1])
            if len(handle) >= 5 and "." not in bare.rsplit("/", 1)[-1] and not is_common(handle):
                yield handle
        case "address":
            yield letters
            yield from _address_forms(text)
        case "date-of-birth" | "date" if find_dates(text):
            return
        case _:
            yield letters


def _address_forms(text: str) -> Iterator[str]:
    """Yield street and number in both orders, with the word for street written out and short."""
    for part in re.split(r"[,;\n]", fold_letters(text)):
        words = re.findall(r"[^\W_]+", part)
        numbers = [word for word in words if word[0].isdigit()]
        names = [word for word in words if not word[0].isdigit()]
        street = "".join(names)
        if not numbers or len(street) < 4:
            continue
        forms = {street}
        # “Mayor 12” is told as “calle Mayor 12”.
        bare = [*names]
        while len(bare) > 1 and bare[0] in _STREETS_BEFORE:
            bare = bare[1:]
        if len("".join(bare)) >= 4:
            forms.add("".join(bare))
        for whole, short in _STREETS:
            for old, new in ((whole, short), (short, whole)):
                if street.endswith(old) and len(street) > len(old) + 2:
                    forms.add(street.removesuffix(old) + new)
        for form in forms:
            yield numbers[0] + form
            yield form + numbers[0]


_CONTACT = (
    (MAIL, re.compile(r"[\w.+-]+\s?(?:@|\(at\)|\[at\])\s?[\w-]+(?:\.[\w-]+)+")),
    (LINK, re.compile(r"(?<![\w@.])@[\w.]{4,}|https?://\S{4,}|www\.\S{4,}")),
    (PHONE, re.compile(r"(?<![\w.])\+?\(?\d(?:[ ()/.\-]{0,2}\d){6,14}(?![\w])")),
)


def find_contacts(text: str) -> Iterator[PersonalString]:
    """Yield addresses of mail, handles, links and long numbers of a text: what needs no finder to be personal."""
    for reading in alternative_readings(text):
        for kind, pattern in _CONTACT:
            for match in pattern.finditer(reading):
                yield PersonalString(kind, match[0].strip(" .,;"))


@lru_cache(maxsize=1)
def given_names() -> frozenset[str]:
    """Return given names of many origins, folded."""
    return read_word_list("given_names.txt")
