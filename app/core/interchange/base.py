"""What every interchange format is."""

from pathlib import Path
from typing import ClassVar, Protocol

from app.core.interchange.document import Document


class Format(Protocol):
    """One file format. It touches no study, opens no file but the one it is given, and follows no link in it.

    Attributes:
        key: on the command line, such as `eaf`.
        name: for people, such as `ELAN (.eaf)`.
        suffixes: of file names, lower case, with the dot; the first one is what a new file gets.
        many: whether one file holds several recordings.
        whole: whether it holds `Document.rows`, the study itself, and is imported without any mapping.
        losses: what the format cannot hold, one line each; shown before an export and listed in the docs.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    many: ClassVar[bool]
    whole: ClassVar[bool]
    losses: ClassVar[tuple[str, ...]]

    def recognises(self, head: bytes) -> bool:
        """Tell whether a file that begins with these bytes (64 KiB at most) looks like one of this format."""

    def read(self, path: Path) -> Document:
        """Read a file.

        Raises:
            UserError: it cannot be read, is not of this format, is damaged, or is larger than the format allows.
        """

    def write(self, document: Document, path: Path) -> None:
        """Write a file to a temporary path that is there and empty; the caller renames it when it is whole.

        Raises:
            UserError: the document does not fit the format.
            OSError: it cannot be written.
        """
