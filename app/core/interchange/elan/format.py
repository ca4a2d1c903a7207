"""ELAN's annotation files (EAF): versions 2.7 to 3.0 are read, 3.0 is written."""

from pathlib import Path
from typing import ClassVar

from app.core.interchange.document import Document
from app.core.interchange.elan.reading import read_eaf
from app.core.interchange.elan.writing import eaf_text


class Eaf:
    """ELAN. Each form field is a tier of its own under the tier of the segments."""

    key: ClassVar[str] = "eaf"
    name: ClassVar[str] = "ELAN (.eaf)"
    suffixes: ClassVar[tuple[str, ...]] = (".eaf",)
    many: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    losses: ClassVar[tuple[str, ...]] = (
        "ELAN counts milliseconds: once it has saved the file, finer times are cut off.",
        "Of a form, only the newest value of each field is kept; reviews and older versions are left out.",
        "Comments come as one text each, without their time.",
        "Control characters in texts become a replacement character.",
    )

    def recognises(self, head: bytes) -> bool:
        """Tell whether the root of an EAF is among the first bytes."""
        return b"<ANNOTATION_DOCUMENT" in head.replace(b"\0", b"")

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        return read_eaf(path)

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        path.write_text(eaf_text(document), "utf-8", newline="\n")
