"""Names and places announced by the words around them in German, Spanish and French; places in English too.

Other names are left to a model of names, where one is installed. What words alone suggest gets a low score.
"""

import re
from collections.abc import Iterator, Sequence

from anonymize.pii_detection.name_tokens import (
    Token,
    Tokens,
    is_family_name,
    is_given_name,
    places,
    plain_words,
    small_places,
)
from anonymize.pii_detection.pii_hit import LIKELY, PERSON, PLACE, STRONG, WEAK, PiiSpan
from project.text_matching.normalization import capitalized_non_names, function_words, is_common
from project.text_matching.text_views import fold_same_length

_NAMED = re.compile(
    r"(?<!\w)(?:ich hei(?:ss|\u00df)e|hei(?:ss|\u00df)t|mein(?:e)?\s+(?:vor|nach)?name(?:n)?\s+(?:ist|lautet|war)|"
    r"genannt|namens|"
    r"me llamo|se llama(?:n|ba)?|te llamas|llamad[oa]|mi (?:nombre|apellido)(?: completo)? es|"
    r"je m'appelle|s'appelle(?:nt)?|t'appelles|mon (?:nom|prenom)(?: de famille)? (?:est|c'est)|nomme?e?)\s+"
    r"(?:auch |jetzt |aber |tambien |aussi )?"
)
_TITLED = re.compile(
    r"(?<!\w)(?:frau|herrn?|fraulein|doktor|professor(?:in)?|oma|opa|tante|onkel|"
    r"senora?|senorita|sra?\.|don|dona|doctora?|profesora?|tia|tio|"
    r"madame|mme|monsieur|m\.|mademoiselle|mlle|docteur|maitre|professeur|tonton|tata)\s+"
    r"(?:doktor |doctora? |dr\.? |prof\.? |le docteur )?"
)
_OTHERS = re.compile(
    r"(?<!\w)(?:(?:mein|dein|sein|ihr|unser)(?:e|er|en|em)?\s+(?:tochter|sohn|bruder|schwester|mann|frau|freund(?:in)?|kollegin?|"
    r"kollege|nachbar(?:in)?|mutter|vater|cousine?|nichte|neffe|enkel(?:in)?|hund|katze|chef(?:in)?)|"
    r"(?:mi|tu|su|nuestr[oa])\s+(?:hij[oa]|herman[oa]|marido|mujer|novi[oa]|amig[oa]|colega|compa\u00f1er[oa]|companer[oa]|vecin[oa]|"
    r"madre|padre|prim[oa]|sobrin[oa]|niet[oa]|perr[oa]|gat[oa]|jef[ea])|"
    r"(?:mon|ma|ton|ta|son|sa|notre|votre)\s+(?:fille|fils|frere|s(?:oe|\u0153)ur|mari|femme|ami|amie|copain|copine|collegue|voisine?|"
    r"mere|pere|cousine?|niece|neveu|chien|chat|chef)|"
    r"fragen sie nach|frag(?:t|e)? nach|sprechen mit|pregunt[ea] por|hablar con|demande[zr] (?:a )?|parler a|"
    r"ich bin(?: die| der)?|hier ist|hier spricht|das ist|das war|soy|"
    r"aqui|este es|esta es|moi c'est|c'est|ici|je suis)\s*,?\s+"
)
"""Words before a name that also stand before other words: the next word has to look like a name."""

_ASKED = re.compile(r"(?<!\w)(?:fragen sie nach|frag(?:t|e)? nach|pregunt[ea] por|demande[zr])\s+")
_LIVING = re.compile(
    r"(?<!\w)(?:(?:live|lives|lived|living|born|raised|grew up|stay|stayed|settled|"
    r"based|brought up)(?: \w+)?(?: back)? "
    r"(?:in|near|at|outside)|"
    r"(?:wohn(?:e|en|t|ten|te)|leb(?:e|en|t|te|ten)|geboren|aufgewachsen|gro(?:ss|\u00df) geworden|zuhause|daheim)"
    r"(?: bin ich| wir| ich| er| sie| jetzt| seit \w+)* (?:in|bei|nahe)|"
    r"(?:vivo|vives|vive|vivimos|viven|vivia|naci|nacio|nacid[oa]|me crie|se crio|crie|creci|crecio|resido)(?: \w+)? "
    r"(?:en|cerca de)|"
    r"(?:habit(?:e|es|ent|ons|ais|ait)|vis|vit|vivons|nee?|grandi|installee?s?)(?: \w+)? (?:a|pres de))\s+"
)
_COMING = re.compile(
    r"(?<!\w)(?:(?:i'm|he's|she's|they're|we're|i am|he is|she is|we are|come|comes|came|"
    r"commutes?|drives?|originally|people|"
    r"family|train)? ?from|"
    r"(?:move|moves|moved|moving|went|go|going|relocated)(?: back| over| down| up| out| away)? to|"
    r"(?:komm(?:e|en|t)|stamm(?:e|en|t)|pendelt|pendle|fahrt)(?: \w+){0,3} (?:aus|von)|"
    r"(?:bin|ist|sind)(?: \w+){0,2} aus|"
    r"(?:zieh(?:e|en|t)|gezogen|zuruck|umgezogen) nach|"
    r"(?:soy|somos|eres|es|vengo|viene|originari[oa]) de(?:sde)?|desde|"
    r"(?:mude|mudo|mudamos|vuelto|volvio|ido|traslade|traslado)(?: \w+)? a|"
    r"(?:viens|vient|venons|arrive|originaires?|suis|rentre)(?: \w+){0,3}? de|"
    r"(?:reparti|repartie|retourne|retournee|demenage|parti|partie|revenue?)(?: \w+)? (?:a|pour|vers))\s+"
)
"""Like `_LIVING`, and said of much else: without a capital, a list has to know the town."""
_COMMA_NAME = re.compile(r"[ \t\u00a0]|[ \t]?-[ \t]?|['\u2019]|\. ")
_PARTICLES = frozenset(
    str.split("de la le les du des von van der den dem zu del los las y da di el al bin ben st san sainte saint bad")
)
_PLACE_JOINS = frozenset(str.split("de la le les du des del los las sur sous en am an der im upon on le-"))
_MAX_NAME_WORDS = 4


def find_announced_names(tokens: Tokens) -> Iterator[PiiSpan]:
    """Yield names and places that words around them announce."""
    folded = fold_same_length(tokens.text).replace("\u2019", "'")
    for match in _NAMED.finditer(folded):
        yield from _name(tokens, match.end(), sure=True, score=STRONG)
    for match in _TITLED.finditer(folded):
        yield from _name(tokens, match.end(), sure=True, score=STRONG)
    for match in _ASKED.finditer(folded):
        yield from _name(tokens, match.end(), sure=False, score=LIKELY)
    for match in _OTHERS.finditer(folded):
        yield from _name(tokens, match.end(), sure=False, score=LIKELY)
    for pattern, sure in ((_LIVING, True), (_COMING, False)):
        for match in pattern.finditer(folded):
            yield from _place(tokens, match.end(), sure=sure)


def _name(tokens: Tokens, place: int, *, sure: bool, score: float) -> Iterator[PiiSpan]:
    """Yield the name that begins at a place; `sure` where nothing but a name stands there."""
    at = tokens.index_at(place)
    words = tokens.all
    if at >= len(words) or words[at].start > place + 1 or not _is_name(words[at], sure=sure):
        return
    end = at + 1
    while end < len(words) and end - at < _MAX_NAME_WORDS and _COMMA_NAME.fullmatch(tokens.gap_before(end)):
        word = words[end]
        if word.key in _PARTICLES and end + 1 < len(words) and _COMMA_NAME.fullmatch(tokens.gap_before(end + 1)):
            if not _continues_name(words[end + 1]):
                break
            end += 2
        elif _continues_name(word):
            end += 1
        else:
            break
    yield PiiSpan(words[at].start, words[end - 1].end, PERSON, score)


def _is_name(word: Token, *, sure: bool) -> bool:
    if _is_plain(word) or len(word.key) < 2:
        return False
    if sure:
        return word.capital or word.flat
    return is_given_name(word.key) or (is_family_name(word.key) and word.capital)


def _continues_name(word: Token) -> bool:
    if _is_plain(word) or len(word.key) < 2:
        return False
    if word.capital and not word.flat:
        return True
    return word.flat and (is_given_name(word.key) or is_family_name(word.key))


def _is_plain(word: Token) -> bool:
    """Tell whether a word is one of everybody's in one of these languages, so that it names nobody."""
    key = word.key
    # “n'a”, “l'homme”: what stands before the apostrophe says that it is no name.
    if len(key) > 2 and key[1] == "'" and key[0] in "cdjlmnst" and not word.capital:
        return True
    return key in function_words() or key in capitalized_non_names() or key in plain_words()


def _place(tokens: Tokens, place: int, *, sure: bool) -> Iterator[PiiSpan]:
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
    return not all(_is_plain(word) or is_common(word.key) for word in words) or all(
        word.capital and not word.flat for word in words
    )


def _may_be_place(word: Token, after: Token | None, *, first: bool, sure: bool) -> bool:
    capital = word.capital and not word.flat
    if _is_plain(word) or len(word.key) < 3:
        return capital and first and after is not None and after.capital and not word.flat and not _is_plain(after)
    if capital:
        return True
    if not word.flat or not sure:
        return False
    if not is_common(word.key):
        return True
    # “great malvern”: a common word before one that nobody knows.
    return first and word.key in _BEFORE_TOWNS and after is not None and not is_common(after.key)


_BEFORE_TOWNS = frozenset(
    str.split("great little high low upper lower north south east west new old long market saint st bad port")
)
