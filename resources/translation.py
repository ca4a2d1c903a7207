"""Translates the window's texts into the reader's language, by GNU gettext.

A translation is `LANGUAGE/LC_MESSAGES/greenroom.mo` in the folder `locale` beside this file, or in the one that
`GREENROOM_LOCALE` names. The language is that of the desktop (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`); where there
is no translation, the English texts of the code are shown.
"""

import gettext
import os
from pathlib import Path

DOMAIN = "greenroom"
FOLDER = Path(os.environ.get("GREENROOM_LOCALE") or Path(__file__).resolve().parent / "locale")

_CATALOGUE = gettext.translation(DOMAIN, FOLDER, fallback=True)


def tr(text: str) -> str:
    """Return a text in the reader's language. It is a literal, with `{name}` where something is put in by `format`."""
    return _CATALOGUE.gettext(text) if text else ""


def trn(text: str, many: str, count: int) -> str:
    """Return what fits a number, in the reader's language; `{count}` stands for the number in both texts."""
    return _CATALOGUE.ngettext(text, many, count).format(count=count)


def later(text: str) -> str:
    """Mark a text for translators that is translated where it is shown: `tr` is called on it there."""
    return text
