"""The lossless format: one JSON object a line, documented in docs/interchange.md."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from app.core.interchange.document import Document, Entry, Lane, MediaLink, RecordingPart
from app.core.interchange.limits import MEGABYTE, check_size, damaged, unreadable
from app.core.interchange.lossless.checks import check_row
from app.core.interchange.lossless.rows import STUDY, Row
from app.core.interchange.unique import unique
from project.errors import UserError
from project.json_text import to_json
from project.names import shown
from project.queries.whole import TABLES
from project.types import Json

LARGEST = 500 * MEGABYTE
LONGEST_LINE = 32 * MEGABYTE
FORMAT = "greenroom-study"
VERSION = 1
_FIRST = f'{{"format": "{FORMAT}", "version": {VERSION}}}'


class Jsonl:
    """Everything that people did in the chosen recordings."""

    key: ClassVar[str] = "jsonl"
    name: ClassVar[str] = "Greenroom lines (.jsonl)"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl",)
    many: ClassVar[bool] = True
    whole: ClassVar[bool] = True
    losses: ClassVar[tuple[str, ...]] = (
        "The media files themselves, face tracks and other results of models, and the history of edits stay behind.",
        "Causal chains, questions, meta information and facts about episodes stay behind; chains have own files.",
    )

    def recognises(self, head: bytes) -> bool:
        """Tell whether the first line names the format."""
        first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]
        return first.lstrip().startswith(b"{") and FORMAT.encode() in first

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        rows: dict[str, list[Row]] = {STUDY: [], **{table: [] for table in TABLES}}
        check_size(path, LARGEST)
        for number, found in _lines(path):
            kind = found.pop("type", None)
            if not isinstance(kind, str) or kind not in rows:
                raise damaged(path, f"“{str(kind)[:40]}” is no type of line", number)
            rows[kind].append(check_row(kind, found, path, number))
        if len(rows[STUDY]) != 1:
            raise damaged(path, "there is not one line about the study")
        held = {table: tuple(found) for table, found in rows.items()}
        return Document(tuple(_parts(held)), rows=held)

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        if not document.rows:
            raise UserError("This format takes a study only, not another program's file.", "Import the file first.")
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write(_FIRST + "\n")
            for table in (STUDY, *TABLES):
                for row in document.rows.get(table, ()):
                    file.write(to_json({"type": table, **row}) + "\n")


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise damaged(path, f"the line is longer than {LONGEST_LINE // MEGABYTE} MB", number)
                if not line.strip():
                    continue
                found = _object(line, path, number)
                if number == 1:
                    _check_first(found, path)
                    continue
                if not line.endswith(b"\n"):
                    raise damaged(path, "it ends in the middle of a line", number)
                yield number, found
            if number == 0:
                raise damaged(path, "it is empty")
    except OSError as error:
        raise unreadable(path, error) from None


def _object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        found = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except UnicodeDecodeError:
        raise damaged(path, "it is not UTF-8", number) from None
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"it is not JSON ({error})", number) from None
    if not isinstance(found, dict):
        raise damaged(path, "the line is no object", number)
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError(f"{text} is too large")
    return found


def _check_first(found: dict[str, Any], path: Path) -> None:
    if found.get("format") != FORMAT:
        raise damaged(path, f"its first line does not name the format “{FORMAT}”", 1)
    if found.get("version") != VERSION:
        raise UserError(
            f"{shown(path.name)} was made by a newer version of Greenroom.", "Update Greenroom, then import it."
        )


def _parts(rows: dict[str, tuple[Row, ...]]) -> Iterator[RecordingPart]:
    """Return the recordings with their segments as lanes, for the preview."""
    names = {row["id"]: str(row["name"]) for row in rows["annotator"]}
    people = {row["id"]: str(row["pseudonym"]) for row in rows["participant"]}
    lanes: dict[Json, dict[tuple[str, str, str], list[Entry]]] = {}
    for row in rows["segment"]:
        key = (names.get(row["annotator_id"], ""), str(row["scheme"]), str(row["track"]))
        lanes.setdefault(row["recording_id"], {}).setdefault(key, []).append(_entry(row, str(row["label"])))
    said: dict[Json, dict[str, list[Entry]]] = {}
    for row in rows["utterance"]:
        who = people.get(row["participant_id"], "")
        said.setdefault(row["recording_id"], {}).setdefault(who, []).append(_entry(row, str(row["text"])))
    for row in rows["recording"]:
        taken: set[str] = set()
        made = [
            Lane(unique(f"{name} {scheme}.{track}", taken), tuple(entries), "segments", name, "", scheme, track)
            for (name, scheme, track), entries in lanes.get(row["id"], {}).items()
        ]
        made += [
            Lane(unique(f"Speech {who}".strip(), taken), tuple(entries), "utterances", participant=who)
            for who, entries in said.get(row["id"], {}).items()
        ]
        media = [MediaLink(str(one["path"])) for one in rows["medium"] if one["recording_id"] == row["id"]]
        duration = row["duration_us"]
        assert isinstance(duration, int)
        yield RecordingPart(str(row["name"]), tuple(made), tuple(media), duration, str(row["id"]))


def _entry(row: Row, text: str) -> Entry:
    start, end = row["start_us"], row["end_us"]
    assert isinstance(start, int)
    assert isinstance(end, int)
    return Entry(start, end, text, id=str(row["id"]))
