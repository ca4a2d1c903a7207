"""What encrypted studies are tested with."""

from pathlib import Path

PASSPHRASE = "correct horse"


SECRET = "Zacharias Quibbletree"
"""What a thief of the disk must not find."""


def found_on(folder: Path, text: str = SECRET) -> list[str]:
    """Name the files under a folder that hold a text."""
    needle = text.encode()
    return [
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()
    ]
