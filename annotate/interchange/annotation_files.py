"""Registry of the interchange formats, and reading, planning and applying the import of a file.

The command line and the window share it.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from annotate.interchange import document_import, lossless_format
from annotate.interchange.bounded_files import check_entries, check_lanes, read_head
from annotate.interchange.document import Document, Format, join_documents
from annotate.interchange.document_import import Plan
from annotate.interchange.lane_mapping import ImportMapping
from annotate.interchange.lossless_format import RowsPlan
from project.entities.study_records import Changes
from project.errors import UserError, require_utf8
from project.plugins.plugin_registry import Plugins
from project.schemes.label_keys import WINDOW_KEYS
from project.session.gc_control import collector_paused
from project.session.session import Session
from project.text_format import escape_unprintable

FORMATS = Plugins[Format](
    "format",
    {
        "eaf": "annotate.interchange.formats.elan:EAF",
        "jsonl": "annotate.interchange.lossless_format:JSONL",
        "csv": "annotate.interchange.formats.csv_table:TABLE",
        "textgrid": "annotate.interchange.formats.praat:TEXTGRID",
        "boris": "annotate.interchange.formats.boris_project:BORIS_PROJECT",
        "boris-csv": "annotate.interchange.formats.boris_table:BORIS_TABLE",
        "datavyu": "annotate.interchange.formats.datavyu:DATAVYU",
        "webvtt": "annotate.interchange.formats.captions:WEBVTT",
        "webvtt-segments": "annotate.interchange.formats.captions:WEBVTT_SEGMENTS",
        "srt": "annotate.interchange.formats.captions:SRT",
        "srt-plain": "annotate.interchange.formats.captions:SRT_PLAIN",
        "srt-segments": "annotate.interchange.formats.captions:SRT_SEGMENTS",
    },
)
"""What is read and written. Where a file fits several by its name, the first that recognises its content is meant."""
READ_ONLY_FORMATS = Plugins[Format](
    "format",
    {
        "chat": "annotate.interchange.formats.chat:CHAT",
        "rttm": "annotate.interchange.formats.rttm:RTTM",
        "observer": "annotate.interchange.formats.observer:OBSERVER",
        "interact": "annotate.interchange.formats.interact:INTERACT",
    },
)
"""What is only read; a file fits `FORMATS` before these."""
READ_FORMATS = (*FORMATS, *READ_ONLY_FORMATS)


@cache
def get_format(key: str) -> Format:
    """Return a format that is read."""
    return (READ_ONLY_FORMATS if key in READ_ONLY_FORMATS else FORMATS).make(key)


def importable_file_types() -> dict[tuple[str, ...], list[str]]:
    """Return how the names of files end that can be imported, and which tools write them, such as `ELAN`."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for key in READ_FORMATS:
        file_format = get_format(key)
        tools = kinds.setdefault(file_format.suffixes, [])
        tool = file_format.name.split(" (")[0].split(",")[0]
        if tool not in tools:
            tools.append(tool)
    return kinds


def importable_suffixes() -> tuple[str, ...]:
    """Return how the names of all files end that can be imported, in lower case, such as `.eaf`."""
    return tuple(dict.fromkeys(suffix for endings in importable_file_types() for suffix in endings))


def guess_format(path: Path) -> Format:
    """Return the format of a file, by the end of its name and what it begins with."""
    head = read_head(path)
    formats = [get_format(key) for key in READ_FORMATS]
    named = [file_format for file_format in formats if path.name.lower().endswith(file_format.suffixes)]
    for file_format in named + [further for further in formats if further not in named]:
        if file_format.recognises(head):
            return file_format
    if named:
        raise UserError(
            f"{escape_unprintable(path.name)} is damaged or not in the format {named[0].name}.",
            "Export it again, or choose another file.",
        )
    raise UserError(
        f"The format of {escape_unprintable(path.name)} is unknown.",
        f"Choose a file that ends in one of {', '.join(importable_suffixes())}.",
    )


def read_file(path: Path, key: str | None = None) -> Document:
    """Read a file, in the format that is named or that it seems to be of; the study is not needed for it."""
    require_utf8(path)
    with collector_paused():
        file_format = guess_format(path) if key is None else get_format(key)
        endings = (end for end in file_format.suffixes if path.name.lower().endswith(end))
        name = path.name[: -len(next(endings, path.suffix)) or None] or path.name
        found = replace(file_format.read(path), name=name, source=file_format.key)
    check_lanes(path, len(found.lanes_by_name()))
    check_entries(path, sum(len(lane.entries) for part in found.recordings for lane in part.lanes))
    return found


def read_files(paths: Sequence[Path], key: str | None = None) -> Document:
    """Read several files as one document, as `join_documents` does."""
    documents = [read_file(path, key) for path in paths]
    if len(documents) == 1:
        return documents[0]
    whole = next((path for path, document in zip(paths, documents, strict=True) if document.rows), None)
    if whole is not None:
        raise UserError(f"{escape_unprintable(whole.name)} holds a study, and others came with it.", "Import it alone.")
    return join_documents(documents)


def plan_import(
    session: Session,
    document: Document,
    mapping: ImportMapping,
    places: Sequence[str],
    keys_in_use: Collection[str] = WINDOW_KEYS,
) -> Plan | RowsPlan:
    """Say what importing a document would do; a lossless one needs neither mapping nor places."""
    if document.rows:
        return lossless_format.plan_rows(session, document)
    with collector_paused():
        return document_import.plan_document_import(session, document, mapping, places, keys_in_use)


def apply_import(session: Session, plan: Plan | RowsPlan, name: str, *, keep_rest: bool = False) -> Changes:
    """Write a plan as one step."""
    if isinstance(plan, RowsPlan):
        return lossless_format.apply_rows(session, plan, name, keep_rest=keep_rest)
    with collector_paused():
        return document_import.apply_document_import(session, plan, name, keep_rest=keep_rest)
