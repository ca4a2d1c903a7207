"""What is personal of a withdrawing participant: numbers, addresses and days, and the words of a name."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from project.text_matching.normalization import (
    ACCENTS,
    PARTICLES,
    VOWEL_SIGNS,
    is_common,
    read_word_list,
)
from project.text_matching.spellings import (
    Day,
    alternative_readings,
    find_dates,
    fold_letters,
    squeeze_letters,
)

PERSON = "person"
BIRTH, DATE, PHONE, MAIL, ADDRESS, LINK = "date-of-birth", "date", "phone", "e-mail", "address", "link"
ACCOUNT, LICENCE, IDENTITY = "account", "licence", "id"
_STRUCTURED = frozenset({BIRTH, PHONE, MAIL, ADDRESS, LINK, ACCOUNT, LICENCE, IDENTITY})
"""Kinds of which two that are alike mean the same; two people may have one name, or live in one town."""

LEAST_WORD, LEAST_DIGITS, _LEAST_CODE = 3, 7, 8
_CORE = 8
"""Last digits of a telephone number that are the same with every prefix."""
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
        return sum(map(str.isdigit, letters)) >= LEAST_DIGITS or len(letters) >= _LEAST_CODE


def _is_somebodys(link: str) -> bool:
    """Tell whether a link is a handle or leads to a page: the name of a host alone is everybody's."""
    bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", link.strip().lower())
    return "@" in bare or len(bare.partition("/")[2]) >= LEAST_WORD


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


def string_letters(string: PersonalString) -> Iterator[str]:
    """Yield the letters and digits by which a personal string is found."""
    for reading in dict.fromkeys(alternative_readings(string.text)):
        yield from (letters for letters in _code_forms(string.kind, reading) if len(letters) >= LEAST_WORD)


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
        case "phone" if len(digits) >= LEAST_DIGITS:
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
