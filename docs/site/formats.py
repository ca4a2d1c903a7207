"""The formats that annotations are exchanged in."""

from annotate.interchange.annotation_files import FORMATS, get_format
from docs.site.markdown import code, codes, table


def formats() -> str:
    """Return a table of the formats, and for each what it cannot hold."""
    known = {key: get_format(key) for key in FORMATS}
    rows = (
        (code(key), one.name, codes(one.suffixes), "several" if one.many else "one", "yes" if one.whole else "")
        for key, one in known.items()
    )
    parts = [table(("Key", "Format", "Files end in", "Recordings in a file", "Holds the whole study"), rows)]
    for key, one in known.items():
        parts.append(f"### `{key}`: {one.name}\n\nWhat it cannot hold:\n")
        parts.append("\n".join(f"- {loss}" for loss in one.losses) + "\n")
    return "\n".join(parts)
