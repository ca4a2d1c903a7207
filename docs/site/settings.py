"""What a user chose on a machine."""

import dataclasses

from docs.site.markdown import attributes, code, sentence, table
from project.session.settings import Settings


def settings() -> str:
    """Return a table of the settings file: each key, what is usual, and what it means."""
    told, usual = attributes(Settings), Settings()
    rows = (
        (code(one.name), code(getattr(usual, one.name) or ""), sentence(told[one.name]))
        for one in dataclasses.fields(Settings)
    )
    return table(("Key", "Usually", "Meaning"), rows)
