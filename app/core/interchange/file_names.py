"""Names of the files that recordings are exported to."""

from project.types import Recording

_LONGEST = 80


def file_name(recording: Recording, width: int = 1) -> str:
    """Return the recording's number and name, without a suffix and with `_` for what a file system may refuse."""
    plain = "".join(c if c.isalnum() or c in " -_." else "_" for c in recording.name).strip(" .")[:_LONGEST]
    return f"{recording.number:0{width}} {plain}".strip()
