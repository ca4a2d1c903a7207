"""What every interchange format is."""

from pathlib import Path
from typing import ClassVar, Protocol

from app.core.interchange.document import Document


class Format(Protocol):
    """One file format. It touches no study and opens no file but the one it is given.

    Attributes:
        key: on the command line, such as `eaf`.
        name: for people, such as `ELAN (.eaf)`.
        suffixes: of file names, lower case, with the dot.
        many: whether one file holds several recordings.
        losses: what the format cannot hold, one line each; shown before an export and listed in the docs.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]
    many: ClassVar[bool]
    losses: ClassVar[tuple[str, ...]]

    def read(self, path: Path) -> Document:
        """Read a file.

        Raises:
            UserError: it cannot be read, is not of this format, is damaged, or is larger than the format allows.
        """

    def write(self, document: Document, path: Path) -> None:
        """Write a file under a temporary name, then rename it.

        Raises:
            UserError: it cannot be written, or the document does not fit the format.
        """
