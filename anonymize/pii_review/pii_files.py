"""Writes the key of replacements, and reads and writes lists of hits as files for review.

The key tells who and what is behind each replacement and belongs to the keepers of the study alone.
"""

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from anonymize.pii_detection.pii_hit import KINDS
from anonymize.pii_review.review_hits import PlacedHit, find_hits
from project.codec import load
from project.entities.study_records import Json
from project.errors import UserError
from project.files.atomic_files import explain_os_errors, write_atomically
from project.queries.pii_rows import PiiPlace, PiiVerdict
from project.queries.recording_rows import pseudonyms
from project.session.session import Session
from project.text_format import restore_formula, to_csv
from project.text_tables import Column, NumberFormat, TextTable, table

KEY_COLUMNS = ("replacement", "kind", "participant", "texts", "places")


def key_rows(session: Session) -> list[tuple[str, str, str, str, str]]:
    """Return replacement, kind, participant's pseudonym, what it stands for, and in how many places."""
    people = pseudonyms(session.study)
    found: dict[tuple[str, str], list[PlacedHit]] = {}
    for placed_hit in find_hits(session):
        if placed_hit.is_hidden:
            found.setdefault((placed_hit.replacement, placed_hit.kind), []).append(placed_hit)
    rows = []
    for (after, kind), hits in sorted(found.items()):
        who = {people[hit.hit.participant_id] for hit in hits if hit.hit.participant_id in people}
        texts = {hit.hit.text for hit in hits}
        rows.append((after, kind, ", ".join(sorted(who)), " | ".join(sorted(texts)), str(len(hits))))
    return rows


def write_key(session: Session, path: Path) -> int:
    """Write the key as CSV, readable by its owner alone; return the number of its rows."""
    rows = key_rows(session)
    _write_new(path, to_csv(KEY_COLUMNS, rows), "Name another one: an old key is still needed.")
    return len(rows)


def hit_table(found: Iterable[PlacedHit], numbers: Mapping[str, int]) -> TextTable:
    """Return hits as a list for review has them; `numbers` are those of recordings by id."""

    def column(key: str, value: Callable[[PlacedHit], Json]) -> Column[PlacedHit]:
        return Column(key, "", NumberFormat.TEXT, value)

    def seconds(placed_hit: PlacedHit, time_us: int) -> float | None:
        return time_us / 1e6 if placed_hit.recording_id in numbers else None

    return table(
        found,
        (
            column("decision", lambda row: row.verdict.value if row.verdict else None),
            column("kind", lambda row: row.kind),
            column("text", lambda row: row.hit.text),
            column("replacement", lambda row: row.replacement),
            column("recording", lambda row: numbers.get(row.recording_id or "")),
            column("time", lambda row: seconds(row, row.time_us)),
            column("end_time", lambda row: seconds(row, row.end_us)),
            column("context", lambda row: row.text),
            column("table", lambda row: row.place.table),
            column("id", lambda row: row.place.row),
            column("field", lambda row: row.place.field),
            column("ordinal", lambda row: row.place.ordinal),
            column("start", lambda row: row.hit.start),
            column("end", lambda row: row.hit.end),
            column("source", lambda row: row.hit.source),
            column("score", lambda row: round(row.hit.score, 2)),
        ),
    )


def write_hits(path: Path, found: Iterable[PlacedHit], numbers: Mapping[str, int]) -> None:
    """Write hits to a new file: JSON, or CSV to be filled in with a spreadsheet."""
    hits = hit_table(found, numbers)
    text = json.dumps({"hits": hits.json()}, ensure_ascii=False, indent=1) if _is_json(path) else hits.csv()
    _write_new(path, text, "Name another one.")


@dataclass(frozen=True, slots=True)
class ReviewedHit:
    """What a person decided in a list of hits."""

    table: str
    id: str
    field: str
    text: str
    decision: PiiVerdict
    ordinal: int = 0
    kind: str | None = None

    @property
    def place(self) -> PiiPlace:
        """Where it stands."""
        return PiiPlace(self.table, self.id, self.field, self.text, self.ordinal)


def read_decisions(path: Path) -> list[ReviewedHit]:
    """Read what was decided from a file like that of `write_hits`; places without a decision are left aside."""
    is_json = _is_json(path)
    with explain_os_errors(f"{path.name} cannot be read", "Give a list written by `pii find --out`."):
        content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig")
        found = json.loads(text) if is_json else [*csv.DictReader(text.splitlines(keepends=True))]
    except (ValueError, RecursionError, csv.Error):
        raise UserError(f"{path.name} is damaged.", "Give a list written by `pii find --out`.") from None
    rows = found.get("hits") if isinstance(found, dict) else found
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{path.name} contains no list of hits.", "Give a list written by `pii find --out`.")
    if not is_json:
        rows = [{name: restore_formula(cell) for name, cell in row.items() if isinstance(cell, str)} for row in rows]
    decided = []
    for number, row in enumerate(rows, start=1):
        decision = str(row.get("decision") or "").strip().lower()
        if decision:
            filled = {name: value for name, value in row.items() if value not in ("", None)}
            reviewed_hit = load(ReviewedHit, {**filled, "decision": decision}, f"Row {number} of {path.name}")
            if reviewed_hit.kind is not None and reviewed_hit.kind not in KINDS:
                raise UserError(
                    f"Row {number} of {path.name} has an unknown kind: {reviewed_hit.kind}.",
                    f"Choose one of {', '.join(KINDS)}.",
                )
            decided.append(reviewed_hit)
    return decided


def _is_json(path: Path) -> bool:
    if path.suffix.lower() not in (".json", ".csv"):
        raise UserError(f"The file {path.name} is neither JSON nor CSV.", "Choose a file that ends in .json or .csv.")
    return path.suffix.lower() == ".json"


def _write_new(path: Path, text: str, hint: str) -> None:
    taken = UserError(f"{path} already exists.", hint)
    with (
        explain_os_errors(f"{path.name} cannot be written", hint, taken),
        write_atomically(path, replace=False) as file,
    ):
        file.write(text.encode())
