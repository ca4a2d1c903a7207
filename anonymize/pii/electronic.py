"""E-mail addresses, links and handles, written and spoken."""

import re
from collections.abc import Iterator

from anonymize.folding import fold
from anonymize.pii.hit import LIKELY, STRONG, Stretch
from anonymize.pii.kinds import LINK, MAIL
from anonymize.telling import TELLING
from project.common_words import function_words, is_common

_TOP = (
    "com|org|net|edu|gov|mil|int|info|biz|name|io|ai|me|tv|app|dev|online|site|shop|blog|example|eu|uk|us|ca|au|"
    "nz|ie|de|at|"
    "ch|fr|be|nl|lu|es|pt|it|gr|se|no|dk|fi|is|pl|cz|sk|hu|ro|bg|hr|si|rs|ua|ru|tr|il|in|pk|cn|jp|kr|tw|hk|sg|my|"
    "id|th|vn|"
    "ph|za|ng|ke|gh|eg|ma|br|ar|mx|cl|co|pe"
)
_WORD = r"[^\W_][\w+-]{0,63}"
_DOT_WORDS = "dot|point|punkt|punto"
_DASH_WORDS = "dash|hyphen|minus|bindestrich|guion|guion medio|tiret|tiret du milieu"
_JOIN = (
    rf"(?:\s+(?:{_DOT_WORDS}|{_DASH_WORDS}|period|plus|underscore|unterstrich|guion bajo|barra baja|"
    r"tiret du bas|tiret bas|underline)\s+|\.)"
)
_DOT = rf"(?:\s+(?:{_DOT_WORDS})\s+|\.)"
_AT = r"(?:att?|@|aet|klammeraffe|arroba|arobase|arrobas|chez)"
_DOMAIN = rf"{_WORD}(?:\s+(?:{_DASH_WORDS})\s+{_WORD}){{0,6}}(?:{_DOT}{_WORD}){{0,6}}{_DOT}(?:{_TOP})(?![^\W_])"
_SPOKEN_MAIL = re.compile(rf"(?<![^\W_]){_WORD}(?:{_JOIN}{_WORD}){{0,8}}\s+{_AT}\s+{_DOMAIN}")
_CHINESE_MAIL = re.compile(
    r"[a-z0-9](?:[a-z0-9._+ -]|下划线|减号|横杠|杠|点){0,60}\s?(?:艾特|圈a|小老鼠)\s?"
    r"[a-z0-9](?:[a-z0-9 -]|点|\.){0,40}(?:点|\.)\s?"
    r"(?:com|cn|net|org|edu|example)(?:\s?(?:点|\.)\s?cn)?"
)
_SPOKEN_LINK = re.compile(
    rf"(?<![^\W_])(?:(?:www|w w w)\s+dot\s+)?(?:{_WORD}\s+)?{_WORD}(?:\s+(?:dash|hyphen)\s+{_WORD}){{0,6}}\s+dot\s+"
    rf"(?:{_WORD}\s+dot\s+)?(?:{_TOP})(?![^\W_])(?:\s+slash\s+{_WORD})*"
)
_HANDLE = re.compile(r"(?<![\w@.])@[^\W_][\w.]{2,}")
_PATHS = {"link": LINK, "path": LINK, "e-mail": MAIL}
_BEFORE = re.compile(rf"({_WORD})\s+$")
_MOST_WORDS_BEFORE = 2
_FAR = 80


def electronic(text: str) -> Iterator[Stretch]:
    """Yield e-mail addresses, links, paths of files and handles."""
    folded = fold(text)
    for kind, pattern in TELLING:
        if kind in _PATHS:
            for hit in pattern.finditer(folded.text):
                yield Stretch(*folded.span(*hit.span()), _PATHS[kind], STRONG)
    for hit in _SPOKEN_MAIL.finditer(folded.text):
        yield Stretch(*folded.span(_with_words_before(folded.text, hit.start()), hit.end()), MAIL, STRONG)
    for hit in _CHINESE_MAIL.finditer(folded.text):
        yield Stretch(*folded.span(*hit.span()), MAIL, STRONG)
    for hit in _SPOKEN_LINK.finditer(folded.text):
        yield Stretch(*folded.span(_without_little_words(hit), hit.end()), LINK, LIKELY)
    for hit in _HANDLE.finditer(folded.text):
        yield Stretch(*folded.span(*hit.span()), LINK, STRONG)


def _with_words_before(text: str, start: int) -> int:
    """Return where a spoken address begins: “jo smith at ...” and “bob 99 at ...” are said without a joining word."""
    after = re.compile(_WORD).match(text, start)
    only_number = after is not None and after[0].isdigit()
    for _ in range(_MOST_WORDS_BEFORE):
        before = _BEFORE.search(text[max(start - _FAR, 0) : start])
        if not before or before[1] in function_words():
            break
        if not only_number and is_common(before[1]):
            break
        start, only_number = max(start - _FAR, 0) + before.start(), False
    return start


def _without_little_words(hit: re.Match[str]) -> int:
    """Return where a spoken link begins: “is agnes dot com” begins with the name."""
    first = re.match(rf"({_WORD})\s+", hit[0])
    return hit.start() + first.end() if first and first[1] in function_words() else hit.start()
