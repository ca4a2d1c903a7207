"""Datavyu's spreadsheets (.opf): a ZIP archive of which only `db` and `project` are read, and nothing is unpacked."""

import zipfile
from pathlib import Path
from typing import ClassVar

from app.core.interchange.datavyu.reading import document_of, read_columns
from app.core.interchange.datavyu.writing import db_text
from app.core.interchange.document import Document
from app.core.interchange.limits import MEGABYTE, check_size, damaged, decoded, read_member, unreadable

LARGEST = 64 * MEGABYTE
_LARGEST_PROJECT = MEGABYTE
_DB, _PROJECT = "db", "project"
_YAML = "!project\ndbFile: db\nname: Greenroom\nversion: 5\nviewerSettings: []\n"
_AT_ALL_TIMES = (1980, 1, 1, 0, 0, 0)


class Datavyu:
    """Datavyu. A column holds a lane; its codes are the label, the id and the form fields."""

    key: ClassVar[str] = "datavyu"
    name: ClassVar[str] = "Datavyu (.opf)"
    suffixes: ClassVar[tuple[str, ...]] = (".opf",)
    many: ClassVar[bool] = False
    whole: ClassVar[bool] = False
    losses: ClassVar[tuple[str, ...]] = (
        "Datavyu counts milliseconds: finer times are cut off.",
        "Links to media are left out: add the video in Datavyu.",
        "Empty values are left out, and lines end in one way; Datavyu itself also drops spaces around a value.",
        "Of a form, only the newest value of each field is kept; reviews and older versions are left out.",
        "Comments come as one text each, without their time.",
    )

    def recognises(self, head: bytes) -> bool:
        """Tell whether the first bytes are of a ZIP archive whose first file is one of Datavyu's."""
        size = int.from_bytes(head[26:28], "little")
        return head.startswith(b"PK\x03\x04") and head[30 : 30 + size] in (_DB.encode(), _PROJECT.encode())

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        check_size(path, LARGEST)
        try:
            with zipfile.ZipFile(path) as archive:
                db = read_member(archive, _DB, LARGEST, path)
                named = _PROJECT in archive.namelist()
                project = read_member(archive, _PROJECT, _LARGEST_PROJECT, path) if named else b""
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise damaged(path, f"it is no whole ZIP archive ({error})") from None
        except OSError as error:
            raise unreadable(path, error) from None
        columns, left_out = read_columns(decoded(db, path), path)
        return document_of(columns, left_out, project.decode("utf-8", "replace"), path)

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in ((_PROJECT, _YAML), (_DB, db_text(document))):
                archive.writestr(zipfile.ZipInfo(name, _AT_ALL_TIMES), text.encode("utf-8", "replace"))
