"""Whether a question can be asked at all: every maker and every import passes through here."""

import re
import unicodedata
from functools import lru_cache

from benchmark.questions.base import OPTIONS, Draft
from project.errors import UserError
from project.names import require_text

LONGEST_TEXT = 1_000
LONGEST_OPTION = 600
LONGEST_EXPLANATION = 4_000
_ARTICLES = frozenset({"a", "an", "the"})
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_ACCENTS = ("\u0300", "\u036f")
_WORD = re.compile(r"[^\W_]+")
_SHORTEST_STEM = 3
_REMEMBERED = 1 << 14


def why_not(draft: Draft, options: int = OPTIONS) -> str:
    """Return why a question cannot be used, in one sentence; "" where it can.

    Args:
        draft: what was made.
        options: that it must have, the right one included.
    """
    texts = [draft.answer, *(one.text for one in draft.wrong)]
    if reason := _unfit("question", draft.text, LONGEST_TEXT):
        return reason
    for text in texts:
        if reason := _unfit("option", text, LONGEST_OPTION):
            return reason
    if len(draft.explanation) > LONGEST_EXPLANATION:
        return f"The explanation is longer than {LONGEST_EXPLANATION:,} characters."
    if len(texts) != options:
        return f"It has {len(texts)} options, and needs {options}."
    right, *wrong = map(plain, texts)
    if right in wrong:
        return "The answer is among the wrong options."
    if len({*wrong}) < len(wrong):
        return "Two wrong options are the same."
    right, *wrong = map(gist, texts)
    if right in wrong:
        return "A wrong option says what the answer says."
    if len({*wrong}) < len(wrong):
        return "Two wrong options say the same."
    return ""


@lru_cache(_REMEMBERED)
def plain(text: str) -> str:
    """Return a text without what does not make another option of it: case, accents, marks, spaces, what is not seen.

    Texts of marks alone, such as `?` or a picture, stay apart from each other.
    """
    if text.isascii() and text.isprintable():
        seen = letters = text.lower()
    else:
        folded = " ".join(unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold()).split())
        seen = "".join(sign for sign in folded if unicodedata.category(sign) not in _UNSEEN)
        letters = "".join(sign for sign in seen if not _ACCENTS[0] <= sign <= _ACCENTS[1])
    words = " ".join(_WORD.findall(letters.replace("'", "").replace("\u2019", "")))
    # Accents that stood on spaces have an order of their own once they stand together.
    return unicodedata.normalize("NFKD", words or "".join(seen.split()))


@lru_cache(_REMEMBERED)
def gist(text: str) -> str:
    """Return the words of a text without articles and the `s` at the end of English words, in their order.

    Two texts with one gist say the same. Texts that say the same in other words have two: that is for people and judges
    to see. Order, names, numbers and negations are kept, because they change what is said.
    """
    words = plain(text).split()
    return " ".join(_stem(one) for one in words if one not in _ARTICLES) or " ".join(words)


def _stem(word: str) -> str:
    if word.endswith("s") and not word.endswith("ss") and len(word) > _SHORTEST_STEM:
        return word[:-1]
    return word


def _unfit(what: str, text: str, longest: int) -> str:
    try:
        require_text(text)
    except UserError:
        return f"The {what} holds what is no text."
    if not any(map(str.isalnum, text)) and not plain(text):
        return f"The {what} is empty."
    if len(text) > longest:
        return f"The {what} is longer than {longest:,} characters."
    return ""
