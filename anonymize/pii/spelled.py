"""Names spelled letter by letter."""

import re
from collections.abc import Iterator

from anonymize.pii.hit import LIKELY, STRONG, Stretch
from anonymize.pii.kinds import PERSON
from anonymize.pii.lexicon import is_family, is_given
from project.common_words import is_common, no_names
from project.number_words import Written

_LETTERS = re.compile(r"(?<![^\W_])[A-Za-z]{3,}(?![^\W_])")
_ABOUT_NAMES = re.compile(r"\b(?:sur)?name|\bspell|\bspelt|\bcalled|\bunder\b|\bthat's\b|\bit's\b|\bwith an?\b")
_NEAR = 80


def spelled(text: str, out: Written) -> Iterator[Stretch]:
    """Yield words that are spelled in a text; `out` is the text written out."""
    for hit in _LETTERS.finditer(out.text):
        start, end = out.span(*hit.span())
        if end - start < 2 * len(hit[0]) - 1:
            continue
        key = hit[0].lower()
        known = is_given(key) or is_family(key)
        if key in no_names() or (is_common(key) and not known):
            continue
        if known or _ABOUT_NAMES.search(text[max(0, start - _NEAR) : end + _NEAR].lower()):
            yield Stretch(start, end, PERSON, STRONG if known else LIKELY)
