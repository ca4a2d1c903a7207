"""BORIS projects: JSON, plain or packed with gzip; observations are read as recordings, format 7.0 is written."""

import gzip
import io
import json
import zlib
from pathlib import Path
from typing import ClassVar

from app.core.interchange.boris.project_reading import read_project
from app.core.interchange.boris.project_writing import project
from app.core.interchange.document import Document
from app.core.interchange.limits import MEGABYTE, damaged, decoded, read_bytes, too_large

LARGEST = 64 * MEGABYTE
_PACKED = b"\x1f\x8b"
_HEAD = 65_536


class Boris:
    """BORIS. Each annotator's work on a recording is an observation, so that BORIS can compare them."""

    key: ClassVar[str] = "boris"
    name: ClassVar[str] = "BORIS project (.boris)"
    suffixes: ClassVar[tuple[str, ...]] = (".boris", ".boris.gz")
    many: ClassVar[bool] = True
    whole: ClassVar[bool] = False
    losses: ClassVar[tuple[str, ...]] = (
        "BORIS counts milliseconds: finer times are cut off.",
        "Ids are not kept: what comes back is recognised by who, when and which label or words.",
        "Of a form, only the newest value of each field is kept; reviews and older versions are left out.",
        "Comments come as one text each, without their time.",
        "Of the media of a recording, the first eight are linked.",
    )

    def recognises(self, head: bytes) -> bool:
        """Tell whether the first bytes are of a JSON object with a key of BORIS's, packed or not."""
        if head.startswith(_PACKED):
            try:
                head = zlib.decompressobj(31).decompress(head, _HEAD)
            except zlib.error:
                return False
        plain = head.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe \r\n\t")
        return plain.startswith(b"{") and any(
            key in plain for key in (b'"observations"', b'"behaviors_conf"', b'"subjects_conf"', b'"time_format"')
        )

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        content = read_bytes(path, LARGEST)
        if content.startswith(_PACKED):
            content = _unpacked(content, path)
        text = decoded(content, path)
        try:
            found = json.loads(text)
        except json.JSONDecodeError as error:
            raise damaged(path, f"it is not JSON ({error.msg})", error.lineno) from None
        except (ValueError, RecursionError):
            raise damaged(path, "it is not JSON that makes sense") from None
        return read_project(found, path)

    def write(self, document: Document, path: Path) -> None:
        """Write a file, packed where its name ends with `.gz`; see `Format`."""
        text = json.dumps(project(document), ensure_ascii=True, indent=1)
        if path.suffix == ".gz":
            path.write_bytes(gzip.compress(text.encode(), mtime=0))
        else:
            path.write_text(text, "utf-8")


def _unpacked(content: bytes, path: Path) -> bytes:
    """Return what is packed, never more than `LARGEST` bytes of it."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            found = packed.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error):
        raise damaged(path, "what is packed in it cannot be read") from None
    if len(found) > LARGEST:
        raise too_large(path, LARGEST)
    return found
