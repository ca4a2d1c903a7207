"""Praat's TextGrid: the long and the short text form are read, in UTF-8 or UTF-16; the long one is written in UTF-8."""

from pathlib import Path
from typing import ClassVar

from app.core.interchange.document import Document
from app.core.interchange.limits import MEGABYTE, read_text
from app.core.interchange.praat.reading import parse_textgrid
from app.core.interchange.praat.writing import textgrid_text

LARGEST = 64 * MEGABYTE


class TextGrid:
    """Praat. Each form field is a tier of its own beside the tier of the segments, with the same boundaries."""

    key: ClassVar[str] = "textgrid"
    name: ClassVar[str] = "Praat TextGrid"
    suffixes: ClassVar[tuple[str, ...]] = (".textgrid",)
    many: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    losses: ClassVar[tuple[str, ...]] = (
        "The ids of segments are not kept: what comes back is recognised by who, when and which label.",
        "Empty utterances and empty values are left out, as an empty interval is a pause.",
        "Links to media are left out.",
        "Of a form, only the newest value of each field is kept; reviews and older versions are left out.",
        "Comments come as one text each, without their time.",
    )

    def recognises(self, head: bytes) -> bool:
        """Tell whether a TextGrid's header is among the first bytes."""
        plain = head.replace(b"\0", b"")[:400]
        return b"ooTextFile" in plain and b"TextGrid" in plain

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        return parse_textgrid(read_text(path, LARGEST), path)

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        path.write_text(textgrid_text(document), "utf-8", errors="replace", newline="\n")
