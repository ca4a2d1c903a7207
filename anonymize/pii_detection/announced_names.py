"""Finds names, places and organisations by the words that announce them: “my name is ...”, “vivo en ...”, 我叫…."""

import re
from collections.abc import Iterator, Sequence
from enum import Enum

from anonymize.pii_detection.name_tokens import (
    Token,
    Tokens,
    is_family_name,
    is_given_name,
    is_plain,
    places,
    plain_words,
    small_places,
)
from anonymize.pii_detection.pii_hit import LIKELY, ORGANISATION, PERSON, PLACE, WEAK, PiiSpan
from anonymize.pii_detection.text_patterns import read_part, read_patterns, read_words
from project.text_matching.normalization import capitalized_non_names, function_words, is_common, read_word_list

_MAX_NAME_WORDS = 4
_MIN_NAME_CHARS = 2
_NAME_GAP = re.compile(r"[ \t\u00a0]|[ \t]?-[ \t]?|['\u2019]|\. ")
_PARTICLES = frozenset(
    str.split(
        "de la le les du des von van der den dem zu del los las y da di do dos el al bin ibn ben mc mac ter ten af av "
        "st san sainte saint bad"
    )
)
# Function words that are names where somebody is introduced.
_ALSO_NAMES = frozenset({"will", "may"})


class NameEvidence(Enum):
    """What stands before the words, by the values of `check` in the table of patterns."""

    WEAK = "weak"
    """A greeting, “I'm ...”: capitals or a list have to speak for a name as well."""
    SOME = "some"
    """“speak to ...”, “my son ...”: names that are words count too."""
    STRONG = "strong"
    """“my name is ...”: words that nobody knows count too."""
    ANY = "any"
    """“everybody calls me ...”: any word may be a nickname."""
    TITLED = "titled"
    """“Mrs ...”: with a capital any word counts, without only what is no common word."""
    WRITTEN = "written"
    """“ich heiße ...”: any word counts that is written as names are there."""
    LISTED = "listed"
    """“soy ...”: only a list tells names from other words."""


def find_announced_names(tokens: Tokens) -> Iterator[PiiSpan]:
    """Yield names that words before them announce."""
    for announcement in read_patterns("name"):
        evidence = NameEvidence(announcement.check)
        for _, _, end in announcement.find(tokens.folded):
            index = tokens.index_at(end)
            # A quotation mark may stand before a name.
            if index < len(tokens.all) and tokens.all[index].start <= end + 1:
                name_end = find_name_end(tokens, index, evidence)
                if name_end is not None:
                    start = tokens.all[index].start
                    yield PiiSpan(start, tokens.all[name_end - 1].end, PERSON, announcement.score)


def find_announced_places(tokens: Tokens) -> Iterator[PiiSpan]:
    """Yield towns that words before them announce."""
    for announcement in read_patterns("place"):
        for _, _, end in announcement.find(tokens.folded):
            yield from _find_place(tokens, end, sure=announcement.check == "sure")


def find_name_end(tokens: Tokens, index: int, evidence: NameEvidence) -> int | None:
    """Return the index after the last word of a name that begins at a word; None where none begins there."""
    words = tokens.all
    if index >= len(words) or not _begins_name(words[index], evidence):
        return None
    end = index + 1
    while end < len(words) and end - index < _MAX_NAME_WORDS and _NAME_GAP.fullmatch(tokens.gap_before(end)):
        if _continues_name(words[end]):
            end += 1
        elif (
            words[end].key in _PARTICLES
            and end + 1 < len(words)
            and _NAME_GAP.fullmatch(tokens.gap_before(end + 1))
            and _continues_name(words[end + 1])
        ):
            end += 2
        else:
            break
    return end


def _begins_name(word: Token, evidence: NameEvidence) -> bool:
    key, given = word.key, is_given_name(word.key)
    shown = word.capital and not word.flat
    if len(key) < _MIN_NAME_CHARS:
        return False
    if evidence in (NameEvidence.LISTED, NameEvidence.WRITTEN):
        if is_plain(word):
            return False
        if evidence is NameEvidence.WRITTEN:
            return word.capital or word.flat
        return given or (is_family_name(key) and word.capital)
    if evidence is NameEvidence.TITLED:
        if not word.capital and (key in plain_words() or key[1] == "'"):
            return False
        if not shown and (is_common(key) or key in capitalized_non_names()):
            return False
    strong = evidence in (NameEvidence.STRONG, NameEvidence.TITLED, NameEvidence.ANY)
    if key in function_words() and not (
        key in _ALSO_NAMES and (strong or (evidence is NameEvidence.SOME and word.capital))
    ):
        return False
    if evidence is NameEvidence.ANY:
        return key not in capitalized_non_names()
    if key in capitalized_non_names() and not (given and evidence is not NameEvidence.WEAK):
        return False
    if shown:
        return strong or given or not is_common(key)
    if is_common(key):
        return given and (strong or (evidence is NameEvidence.SOME and word.flat))
    return strong or given or is_family_name(key)


def _continues_name(word: Token) -> bool:
    key = word.key
    if key in function_words() or key in capitalized_non_names() or len(key) < _MIN_NAME_CHARS:
        return False
    # A capital makes a surname of a plain word: Klein, Petit.
    if word.capital and not word.flat:
        return not word.initial
    return not is_plain(word) and not is_common(key) and (is_given_name(key) or is_family_name(key))


_PLACE_JOINS = frozenset(str.split("de la le les du des del los las sur sous en am an der im upon on le-"))
_BEFORE_TOWNS = frozenset(
    str.split("great little high low upper lower north south east west new old long market saint st bad port")
)


def _find_place(tokens: Tokens, place: int, *, sure: bool) -> Iterator[PiiSpan]:
    """Yield the town that begins at a place: of a list, or a word with a capital, or one that nobody knows."""
    at = tokens.index_at(place)
    words = tokens.all
    if at >= len(words) or words[at].start != place:
        return
    for count in range(min(_MAX_NAME_WORDS, len(words) - at), 0, -1):
        part = words[at : at + count]
        if all(tokens.gap_before(at + i) in (" ", "-", "'") for i in range(1, count)) and _is_listed(part):
            yield PiiSpan(place, part[-1].end, PLACE, LIKELY)
            return
    end = at
    while end < len(words) and end - at < _MAX_NAME_WORDS and (end == at or tokens.gap_before(end) in (" ", "-")):
        word, after = words[end], words[end + 1] if end + 1 < len(words) else None
        if end > at and word.key in _PLACE_JOINS and after and tokens.gap_before(end + 1) in (" ", "-"):
            if not (after.capital and not after.flat):
                break
            end += 2
        elif _may_be_place(word, after, first=end == at, sure=sure):
            end += 1
        else:
            break
    if end > at:
        yield PiiSpan(place, words[end - 1].end, PLACE, WEAK)


def _is_listed(words: Sequence[Token]) -> bool:
    name = " ".join(word.key for word in words).replace("-", " ")
    if name not in small_places() and name not in places():
        return False
    return not all(is_plain(word) or is_common(word.key) for word in words) or all(
        word.capital and not word.flat for word in words
    )


def _may_be_place(word: Token, after: Token | None, *, first: bool, sure: bool) -> bool:
    capital = word.capital and not word.flat
    if is_plain(word) or len(word.key) < 3:
        return capital and first and after is not None and after.capital and not is_plain(after)
    if capital:
        return True
    if not word.flat or not sure:
        return False
    if not is_common(word.key):
        return True
    # “great malvern”: a common word before one that nobody knows.
    return first and word.key in _BEFORE_TOWNS and after is not None and not is_common(after.key)


_DETERMINERS = re.compile(
    r"^(?:The|A|An|My|Our|Your|His|Her|Their|This|That|At|In|We|I|And|But|So|She|He|They|It|Is)\s+"
)


def find_organisations(text: str) -> Iterator[PiiSpan]:
    """Yield names of organisations."""
    for organisation in read_patterns("organisation"):
        for match, start, end in organisation.find(text) if organisation.check != "flat" or text.islower() else ():
            if organisation.check == "flat" and not read_words("not_institution").isdisjoint(match["name"].split()):
                continue
            if not organisation.check and (determiner := _DETERMINERS.match(text[start:end])):
                start += determiner.end()
            if organisation.check or len(text[start:end].split()) > 1:
                yield PiiSpan(start, end, ORGANISATION, organisation.score)


_HAN = re.compile(r"[\u4e00-\u9fff]")
_NO_PLACE_SIGNS = "一几某每很个"


def find_chinese_names(text: str) -> Iterator[PiiSpan]:
    """Yield names and places that the words around them announce, where no blanks part the words."""
    if not _HAN.search(text):
        return
    no_name = read_part("no_chinese_name")
    for name in read_patterns("chinese_name"):
        for _, start, end in name.find(text):
            if name.check == "plain":
                if end - start == 3 and text[end - 1] in no_name:
                    end -= 1
                if text[start : start + 2] in read_word_list("chinese_plain_words.txt"):
                    continue
                if end - start < 2 or not set(no_name).isdisjoint(text[start + 1 : end]):
                    continue
            yield PiiSpan(start, end, PERSON, name.score)
    plain_places = read_word_list("chinese_plain_places.txt")
    for town in read_patterns("chinese_place"):
        for _, start, end in town.find(text):
            place = text[start:end]
            if plain_places.isdisjoint((place, place[:2])) and place[0] not in no_name + _NO_PLACE_SIGNS:
                yield PiiSpan(start, end, PLACE, WEAK)
