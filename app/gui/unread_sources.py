"""Keeps PySide from reading the source of every module that is imported, in whichever library."""

from importlib import import_module

import PySide6.QtCore  # noqa: F401  `shibokensupport` is there once this was imported.


def leave_sources_unread() -> None:
    """Tell PySide that no module uses its other spellings (`from __feature__ import snake_case`), as none here does.

    By itself it reads the source of each module to see that, and keeps it: 870 files, a sixth of the time that the
    window's modules take to be imported, 17 MB. A PySide that looks for it in another way goes on doing so.
    """
    names = vars(import_module("shibokensupport.feature"))
    if "_mod_uses_pyside" in names:
        names["_mod_uses_pyside"] = lambda _module: False
