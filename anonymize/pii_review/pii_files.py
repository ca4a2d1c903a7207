"""Writes the key of replacements, and reads and writes lists of hits as files for review.

The key tells who and what is behind each replacement and belongs to the keepers of the study alone.
"""

import csv
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anonymize.pii_detection.pii_hit import KINDS
from anonymize.pii_review.review_hits import PlacedHit, find_hits
from project.errors import UserError
from project.queries.pii_rows import PiiPlace, PiiVerdict
from project.queries.recording_rows import pseudonyms
from project.session.session import Session
from project.text_format import restore_formula, write_csv

KEY_COLUMNS = ("replacement", "kind", "participant", "texts", "places")
_OWNER_ONLY = 0o600


def key_rows(session: Session) -> list[tuple[str, str, str, str, str]]:
    """Return replacement, kind, participant's pseudonym, what it stands for, and in how many places."""
    people = pseudonyms(session.study)
    found: dict[tuple[str, str], tuple[set[str], set[str], list[int]]] = {}
    for hit in find_hits(session):
        if hit.is_hidden:
            who, texts, places = found.setdefault((hit.replacement, hit.kind), (set(), set(), [0]))
            texts.add(hit.hit.text)
            places[0] += 1
            if hit.hit.participant_id in people:
                who.add(people[hit.hit.participant_id or ""])
    return [
        (after, kind, ", ".join(sorted(who)), " | ".join(sorted(texts)), str(places[0]))
        for (after, kind), (who, texts, places) in sorted(found.items())
    ]


def write_key(session: Session, path: Path) -> int:
    """Write the key as CSV, readable by its owner alone; return the number of its rows."""
    rows = key_rows(session)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    except FileExistsError:
        raise UserError(f"There is a file {path} already.", "Name a new one: an old key is still needed.") from None
    except OSError as error:
        raise UserError(f"The key cannot be written to {path}: {error.strerror}.", "Name another folder.") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        write_csv(file, KEY_COLUMNS, rows)
    return len(rows)


REVIEW_COLUMNS = (
    *("decision", "kind", "text", "replacement", "recording", "time", "context"),
    *("table", "id", "field", "ordinal", "source", "score"),
)
_ListRow = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PiiListDecision:
    """What a file says about one place."""

    place: PiiPlace
    verdict: PiiVerdict
    kind: str | None


def write_hits(path: Path, found: Sequence[PlacedHit], numbers: Mapping[str, int]) -> None:
    """Write hits to a new file: JSON, or CSV to be filled in with a spreadsheet.

    Args:
        path: ends in `.json` or `.csv`.
        found: the hits.
        numbers: id of a recording -> its number.
    """
    rows = [placed_hit.as_json(numbers.get(placed_hit.recording_id or "")) for placed_hit in found]
    _check_suffix(path)
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            if path.suffix.lower() == ".json":
                json.dump({"hits": rows}, file, ensure_ascii=False, indent=1)
            else:
                write_csv(file, REVIEW_COLUMNS, [_cells(row) for row in rows])
    except FileExistsError:
        raise UserError(f"There is a file {path} already.", "Name a new one.") from None
    except OSError as error:
        raise UserError(f"The list cannot be written to {path}: {error.strerror}.", "Name another file.") from None


def read_decisions(path: Path) -> list[PiiListDecision]:
    """Read what was decided from a file like that of `write_hits`; places without a decision are left aside."""
    _check_suffix(path)
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The file {path} cannot be read: {error}.", "Give a list as `pii find` writes it.") from None
    rows = _from_json(text, path) if path.suffix.lower() == ".json" else _from_csv(text)
    return [choice for number, row in enumerate(rows, start=1) if (choice := _choice(row, path, number)) is not None]


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in (".json", ".csv"):
        raise UserError(f"The file {path.name} is neither JSON nor CSV.", "Name one that ends in .json or .csv.")


def _cells(row: Mapping[str, object]) -> list[str | int | float | None]:
    where = row["where"]
    assert isinstance(where, dict)
    flat = {**row, **where}
    return [flat[name] if isinstance(flat[name], str | int | float) else "" for name in REVIEW_COLUMNS]


def _from_json(text: str, path: Path) -> Iterable[_ListRow]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise UserError(f"The file {path} is no JSON.", "Give a list as `pii find --json` prints it.") from None
    rows = found.get("hits") if isinstance(found, dict) else found
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"The file {path} has no list of hits.", "Give a list as `pii find --json` prints it.")
    for row in rows:
        where = row.get("where")
        yield {**row, **(where if isinstance(where, dict) else {})}


def _from_csv(text: str) -> Iterator[_ListRow]:
    for row in csv.DictReader(text.splitlines(keepends=True)):
        yield {str(name): restore_formula(value) for name, value in row.items() if isinstance(value, str)}


def _choice(row: _ListRow, path: Path, number: int) -> PiiListDecision | None:
    decision = str(row.get("decision") or "").strip().lower()
    if not decision:
        return None
    verdict = next((pii_verdict for pii_verdict in PiiVerdict if pii_verdict.value == decision), None)
    if verdict is None:
        raise UserError(f"Row {number} of {path.name} says “{decision}”.", "A decision is hide, keep, or empty.")
    kind = str(row.get("kind") or "") or None
    if kind is not None and kind not in KINDS:
        raise UserError(f"Row {number} of {path.name} has no known kind: {kind}.", f"Kinds: {', '.join(KINDS)}.")
    try:
        place = PiiPlace(
            str(row["table"]), str(row["id"]), str(row["field"]), str(row["text"]), int(str(row.get("ordinal") or 0))
        )
    except (KeyError, ValueError):
        raise UserError(
            f"Row {number} of {path.name} does not say where.",
            "It needs table, id, field, text and ordinal, as `pii find` writes them.",
        ) from None
    return PiiListDecision(place, verdict, kind)
