"""Finds words and strings that may be the person's but are not certainly theirs: a person has to decide."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import chain, combinations, groupby

from project.erasure.personal_strings import (
    PersonalString,
    given_name_forms,
    given_names,
    is_cjk_name,
    name_parts,
    name_words,
)
from project.erasure.raw_rows import (
    State,
    cell_texts,
    content_tables,
    live_rows,
    past_states,
    text_columns,
)
from project.erasure.row_erasure import KEPT_COLUMNS, is_shipped
from project.erasure.subject_scope import SubjectScope
from project.erasure.subject_terms import IdentifyingTerms, normalize_text
from project.files.sqlcipher import sqlite3
from project.schema.table_declaration import ColumnKind
from project.text_matching.normalization import (
    ACCENTS,
    VOWEL_SIGNS,
    capitalized_non_names,
    function_words,
    is_common,
)
from project.text_matching.spellings import fold_letters, squeeze_letters
from project.text_matching.text_views import fold_with_positions

_WORD = re.compile(rf"(?:[^\W\d_]|[{VOWEL_SIGNS}{ACCENTS}])+")
_VOWELS = "aeiouy"
_SHARED, _LONGER = 3, 3
"""Letters that a word shares with a name at least, and that it goes on with at most."""
_MISSPELLED = 5
"""Letters of a name that may be misspelled."""
_ENDINGS = "ie y i ey o a s z er chen lein ito ita ja ka ик ка ша ня уша юша очка ечка енька"
_PET_ENDINGS = frozenset({"", *map(squeeze_letters, _ENDINGS.split())})
_LEAST_CODE = 4
_SAME_SOUND = 85
"""Percent of letters that a name in two scripts has in common, in Latin letters."""
_MOST_SYLLABLES, _MOST_INITIALS = 6, 6
_LIST_TABLES = frozenset({"private_word", "public_word", "property"})
"""Tables of what is personal or is not: a word that stands there alone is said by nobody."""


class LookAlikeReason(StrEnum):
    """Why a word or string may be the person's."""

    NAME = "name"
    """It looks like a name of theirs."""
    RECORDINGS = "recordings"
    """It stood in their recordings too, and stands in a text that stays."""
    FILE = "file"
    """The name of a file of a recording in which they are not said to be."""
    PARTICIPANT = "participant"
    """The name of another participant."""
    OTHER = "other"
    """The name of an annotator or of a judge."""


_NAMES_OF_OTHERS = (
    ("medium", "path", LookAlikeReason.FILE),
    ("participant", "pseudonym", LookAlikeReason.PARTICIPANT),
    ("annotator", "name", LookAlikeReason.OTHER),
    ("judge", "name", LookAlikeReason.OTHER),
    ("judge", "model", LookAlikeReason.OTHER),
)


@dataclass(frozen=True, slots=True)
class LookAlikeWords:
    """Words as they are spelled -> how often they stand in the study.

    Attributes:
        found: words that were taken for a name, or for one of its words.
        remaining: what stays and looks as if it were theirs: nobody decided that it is not.
        reasons: for each of `remaining`, what makes it look so.
        kept: what somebody decided to keep, and stays.
    """

    found: Mapping[str, int] = field(default_factory=dict)
    remaining: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, LookAlikeReason] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)

    def merged_with(self, other: "LookAlikeWords") -> "LookAlikeWords":
        """Return these words merged with those of another state of the study."""
        more = {word: count for word, count in other.remaining.items() if word not in self.remaining}
        return LookAlikeWords(
            self.found, {**self.remaining, **more}, {**other.reasons, **self.reasons}, {**other.kept, **self.kept}
        )


def matched_words(connection: sqlite3.Connection, wording: IdentifyingTerms) -> Mapping[str, int]:
    """Return the words of a study that are taken for a name of somebody."""
    words = _count_words((text for _, text in _table_texts(connection)), wording.words)
    return {word: count for word, count in words.most_common() if wording.matches_text(word)}


def find_look_alikes(connection: sqlite3.Connection, reach: SubjectScope) -> LookAlikeWords:
    """Return what looks as if it were theirs in a study that they have left, also in its history."""
    texts = study_texts(connection)
    counts: Counter[str] = Counter()
    for (_, text), count in texts.items():
        counts.update({match.text: count for match in reach.search.find(text) if not match.is_certain})
    for word, count in _find_name_look_alikes(texts, reach.terms):
        counts.setdefault(word, count)
    why = dict.fromkeys(counts, LookAlikeReason.NAME)
    for string, count in _find_string_look_alikes(texts, reach):
        if string not in counts:
            counts[string], why[string] = count, LookAlikeReason.RECORDINGS
    for name, reason in names_of_others(connection):
        if reach.terms.matches_text(name):
            counts[name] += 1
            why[name] = reason
    left = {word: count for word, count in counts.most_common() if squeeze_letters(word) not in reach.kept_letters}
    kept = {word: count for word, count in counts.items() if squeeze_letters(word) in reach.kept_letters}
    return LookAlikeWords({}, left, {word: why[word] for word in left}, kept)


def names_of_others(connection: sqlite3.Connection) -> Iterator[tuple[str, LookAlikeReason]]:
    """Yield the names of files, participants, annotators and judges, with the reason for which one may be listed."""
    for table, column, reason in _NAMES_OF_OTHERS:
        yield from ((str(row[column]), reason) for row in live_rows(connection, table))


def study_texts(connection: sqlite3.Connection) -> Counter[tuple[str, str]]:
    """Return table and text -> how often it stands in the tables; 1 where it stands in the history alone."""
    texts = Counter(_table_texts(connection))
    for text in _history_texts(connection):
        texts.setdefault(text, 1)
    return texts


def _find_name_look_alikes(
    texts: Mapping[tuple[str, str], int], wording: IdentifyingTerms
) -> Iterator[tuple[str, int]]:
    yield from _given_names_in_texts(texts, wording)
    own = {word for name in wording.names for word in name_words(name)}
    names = (part for name in wording.names for part in name_parts(name))
    parts = {
        part
        for part in (*names, *map(squeeze_letters, wording.words))
        if _WORD.fullmatch(part) and len(part) >= _SHARED
    }
    firsts = {name_parts(name)[0] for name in wording.names if len(name_parts(name)) > 1}
    initials = _initials(wording.names)
    if not parts and initials is None:
        return
    words: Counter[str] = Counter()
    short: Counter[str] = Counter()
    for (_, text), count in texts.items():
        plain = normalize_text(text)
        words.update(dict.fromkeys(_WORD.findall(plain), count))
        if initials is not None:
            short.update({match[0]: count for match in initials.finditer(plain) if not _is_word(match[0])})
    stems = {_stem(part) for part in parts}
    yield from short.most_common()
    for word, count in words.most_common():
        if word not in short and _looks_alike(word, own, parts, stems, firsts, wording):
            yield word, count


def _given_names_in_texts(texts: Mapping[tuple[str, str], int], wording: IdentifyingTerms) -> Iterator[tuple[str, int]]:
    """Yield given names and surnames that are written without a space: they may be a part of any other word."""
    for called in dict.fromkeys(called for name in wording.names for called in given_name_forms(name)):
        if not wording.matches_text(called) and (
            count := sum(texts[key] for key in texts if called in normalize_text(key[1]))
        ):
            yield called, count
    for pattern in filter(None, map(_romanizations, wording.names)):
        found: Counter[str] = Counter()
        for (_, text), count in texts.items():
            view = fold_with_positions(text)
            found.update({text[slice(*view.original_span(*hit.span()))]: count for hit in pattern.finditer(view.text)})
        yield from found.most_common()


def _is_word(initials: str) -> bool:
    plain = initials.lower()
    return plain.isalpha() and (is_common(plain) or plain in function_words() or plain in capitalized_non_names())


def _initials(names: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds the initials of names, with points or without."""
    found = []
    for name in names:
        letters = [word[0].upper() for word in name_words(name)][:_MOST_INITIALS]
        if len(letters) > 1 and all(letter.isalpha() for letter in letters):
            rests = chain.from_iterable(combinations(letters[1:], count) for count in range(len(letters) - 1, 0, -1))
            for initials in dict.fromkeys((letters[0], *rest) for rest in rests):
                joined = r"\.?[ \-]?".join(map(re.escape, initials))
                found.append(rf"{joined}(?:\.(?!\w))?")
    return re.compile(rf"(?<![\w.])(?:{'|'.join(found)})(?![\w])") if found else None


def _looks_alike(
    word: str,
    own: Collection[str],
    parts: Collection[str],
    stems: Collection[str],
    firsts: Collection[str],
    wording: IdentifyingTerms,
) -> bool:
    from rapidfuzz.distance import DamerauLevenshtein

    folded = squeeze_letters(word)
    if folded in wording.shared:
        return True
    if (word[0].isupper() or not is_common(folded)) and any(_is_transliteration(word, part) for part in own):
        return True
    if folded in parts or is_common(folded) or folded in capitalized_non_names():
        return False
    if any(folded.startswith(stem) and len(folded) - len(stem) <= _LONGER for stem in stems):
        return True
    if any(_is_pet_form(folded, part) for part in parts if part in firsts or part in given_names()):
        return True
    return folded not in given_names() and any(
        len(part) >= _MISSPELLED and DamerauLevenshtein.distance(folded, part, score_cutoff=1) == 1 for part in parts
    )


def _is_pet_form(word: str, name: str) -> bool:
    """Tell whether a word is a short or fond form of a given name: its beginning, with an ending or without."""
    for length in range(_SHARED, min(len(name), 6)):
        start = name[:length]
        if word.startswith(start):
            rest = word[length:]
            if rest in _PET_ENDINGS or (rest[:1] == start[-1] and rest[1:] in _PET_ENDINGS - {""}):
                return True
    return False


def _is_transliteration(word: str, own: str) -> bool:
    """Tell whether a word is a name in another script, or one of another script in another spelling."""
    if (word.isascii() and own.isascii()) or squeeze_letters(word) == squeeze_letters(own):
        return False
    from rapidfuzz import fuzz

    pair = _in_latin(word), _in_latin(own)
    if min(map(len, pair)) < _SHARED:
        return False
    consonants = {_without_vowels(latin) for latin in pair}
    return fuzz.ratio(*pair) >= _SAME_SOUND or (len(consonants) == 1 and len(min(consonants)) >= _SHARED)


@lru_cache(maxsize=1 << 14)
def _in_latin(word: str) -> str:
    from anyascii import anyascii

    return squeeze_letters(anyascii(word))


def _without_vowels(latin: str) -> str:
    return "".join(letter for letter, _ in groupby(latin[:1] + re.sub("[aeiouyh]", "", latin[1:])))


def _romanizations(name: str) -> re.Pattern[str] | None:
    """Return what finds a name of Chinese signs, kana or Korean syllables in Latin letters: Li Na, Li-na, Na Li."""
    signs = squeeze_letters(name)
    if not is_cjk_name(signs) or not 2 <= len(signs) <= _MOST_SYLLABLES:
        return None
    syllables = [_in_latin(sign) for sign in unicodedata.normalize("NFC", signs)]
    joined = {r"[\s'-]?".join((*syllables[at:], *syllables[:at])) for at in range(min(3, len(syllables)))}
    return re.compile(rf"(?<![a-z])(?:{'|'.join(sorted(joined))})(?![a-z])")


def _find_string_look_alikes(texts: Mapping[tuple[str, str], int], reach: SubjectScope) -> Iterator[tuple[str, int]]:
    """Yield personal strings of their recordings that still stand in a text, beside lists of such words."""
    named: dict[str, PersonalString] = {}
    for string in reach.strings:
        letters = squeeze_letters(string.text)
        if len(letters) >= (_LEAST_CODE if letters.isdigit() else _SHARED) and not _is_theirs(reach, string):
            named.setdefault(letters, string)
    searches = {string.text: IdentifyingTerms(strings=[string]) for string in named.values()}
    every = IdentifyingTerms(strings=named.values())
    counts: Counter[str] = Counter()
    for (table, text), count in texts.items():
        if table in _LIST_TABLES or not every.matches_text(text):
            continue
        for shown, search in searches.items():
            if search.matches_text(text):
                counts[shown] += count
    yield from counts.most_common()


def _is_theirs(reach: SubjectScope, string: PersonalString) -> bool:
    return string.is_exact or (string.text.isalpha() and reach.terms.matches_text(string.text))


def _stem(word: str) -> str:
    return word[:-1] if len(word) > _SHARED and word[-1] in _VOWELS else word


def _count_words(texts: Iterable[str], wanted: Iterable[str]) -> Counter[str]:
    """Return the words of some texts that begin with one of those that are wanted."""
    beginning = "|".join(map(re.escape, sorted(wanted)))
    if not beginning:
        return Counter()
    there = re.compile(rf"(?<![^\W\d_])(?:{beginning})")
    found: Counter[str] = Counter()
    for text in texts:
        plain = normalize_text(text)
        if there.search(fold_letters(plain)):
            found.update(word for word in _WORD.findall(plain) if there.match(fold_letters(word)))
    return found


def _table_texts(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    return _state_texts(
        (table, row) for table in content_tables() if _text_columns(table) for row in live_rows(connection, table)
    )


def _history_texts(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    yield from (("journal_step", row[0]) for row in connection.execute("SELECT name FROM journal_step"))
    yield from _state_texts(past_states(connection, content_tables()))


def _state_texts(states: Iterable[State]) -> Iterator[tuple[str, str]]:
    """Yield table and text of some rows; what comes with the program is left out."""
    columns = {table: _text_columns(table) for table in content_tables()}
    for table, row in states:
        if table in ("scheme_version", "prompt_version") and is_shipped(table, row["key"], row["text"]):
            continue
        for name, kind in columns[table].items():
            if isinstance(row[name], str):
                yield from ((table, text) for text in cell_texts(row[name], kind))


def _text_columns(table: str) -> dict[str, ColumnKind]:
    """Return the columns of a table whose texts are looked at; words repeat their text."""
    left_out = (*KEPT_COLUMNS.get(table, ()), *(("words",) if table in ("utterance", "heard") else ()))
    return {name: kind for name, kind in text_columns(table).items() if name not in left_out}
