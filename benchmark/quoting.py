"""Putting texts of a study into a prompt so that nothing in them can pass for a part of the prompt.

Everything that a person of the study said or wrote stands on lines that begin with `QUOTE`, and no other line does. A
text cannot end its line, and so cannot leave the quotation; what chat templates and media markers are made of is
written with other signs, because tokenizers find them wherever they stand.
"""

import re
import unicodedata
from functools import lru_cache

QUOTE = "| "
EMPTY = "(nothing)"
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_TAGS = re.compile("[\ud800-\udfff\U000e0000-\U000e007f]")
_BRACKETED = re.compile(r"\[(/?[A-Z][A-Z_]*)\]")
_BRACKETS = str.maketrans({"<": "\u2039", ">": "\u203a", "\uff1c": "\u2039", "\uff1e": "\u203a"})


@lru_cache(maxsize=256)
def quoted(text: str) -> str:
    """Return a text as quoted lines, one at least."""
    lines = [harmless(line) for line in text.splitlines()]
    return "\n".join(f"{QUOTE}{line}".rstrip() if not line.strip() else f"{QUOTE}{line}" for line in lines or [EMPTY])


def on_one_line(text: str) -> str:
    """Return a text as a part of one quoted line: its line breaks are blanks."""
    return " ".join(harmless(text).split())


def harmless(text: str) -> str:
    """Return a text, composed (NFC), without signs that are not seen and without what a tokenizer takes for its own.

    Angle brackets become single guillemets, because control tokens (`<|im_end|>`, `</s>`, `<image>`) are written with
    them; `[INST]` and its like get round brackets. What is not seen, and halves of surrogate pairs, are replaced.
    """
    text = unicodedata.normalize("NFC", _TAGS.sub("\ufffd", text)).translate(_BRACKETS)
    return _BRACKETED.sub(r"(\1)", _UNSEEN.sub("\ufffd", text))
