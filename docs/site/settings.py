"""What a user chose on a machine."""

import dataclasses

from docs.site.markdown import attributes, code, sentence, table
from project.session.settings import Settings


def settings() -> str:
    """Return a table of the settings file: each key with its default and its meaning."""
    told, usual = attributes(Settings), Settings()
    rows = (
        (code(field.name), code(getattr(usual, field.name) or ""), sentence(told[field.name]))
        for field in dataclasses.fields(Settings)
    )
    return table(("Key", "Usually", "Meaning"), rows)
