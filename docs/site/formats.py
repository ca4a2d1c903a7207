"""The formats that annotations are exchanged in."""

from annotate.interchange.annotation_files import FORMATS, READ_ONLY_FORMATS, get_format
from docs.site.markdown import code, codes, table


def formats() -> str:
    """Return a table of the formats, and a list for each of what it cannot hold."""
    known = {key: get_format(key) for key in FORMATS}
    rows = (
        (
            code(key),
            file_format.name,
            codes(file_format.suffixes),
            "several" if file_format.holds_several else "one",
            "yes" if file_format.lossless else "",
        )
        for key, file_format in known.items()
    )
    only_read = ", ".join(f"`{key}` ({get_format(key).name})" for key in READ_ONLY_FORMATS)
    parts = [table(("Key", "Format", "Files end in", "Recordings in a file", "Holds the whole study"), rows)]
    parts.append(f"Only read: {only_read}.\n")
    for key, file_format in known.items():
        parts.append(f"### `{key}`: {file_format.name}\n\nWhat it cannot hold:\n")
        parts.append("\n".join(f"- {loss}" for loss in file_format.losses) + "\n")
    return "\n".join(parts)
