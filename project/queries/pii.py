"""What people decided about places in texts that look like personal information."""

from dataclasses import dataclass
from enum import StrEnum

from project.store import Study

_COLUMNS = "table_name, row_id, field, text, ordinal, recording_id, kind, decision, annotator_id, at"


class PiiVerdict(StrEnum):
    """Whether a place is hidden wherever anything leaves."""

    HIDE = "hide"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class PiiPlace:
    """A stretch of one text of a study. It is found again after edits elsewhere in that text.

    Attributes:
        table: where the text is kept.
        row: id of its row.
        field: the form's field, or the table's column.
        text: what stands there.
        ordinal: how many times the same stands before it in the same text.
    """

    table: str
    row: str
    field: str
    text: str
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class PiiDecision:
    """What a person decided about a place; `recording_id` is None for a text that is about no recording."""

    place: PiiPlace
    recording_id: str | None
    kind: str
    verdict: PiiVerdict
    annotator_id: str
    at: str


def pii_decisions(study: Study) -> dict[PiiPlace, PiiDecision]:
    """Return every decision by its place."""
    found = {}
    for *place, recording_id, kind, verdict, annotator_id, at in study.rows(f"SELECT {_COLUMNS} FROM pii_decision"):
        where = PiiPlace(*place)
        found[where] = PiiDecision(where, recording_id, kind, PiiVerdict(verdict), annotator_id, at)
    return found


def put_pii_decision(study: Study, new: PiiDecision) -> None:
    """Keep a decision in place of one about the same place; inside a step."""
    at = new.place
    study.write(
        f"INSERT INTO pii_decision ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (table_name, row_id, field, text, ordinal) DO UPDATE SET recording_id = excluded.recording_id, "
        "kind = excluded.kind, decision = excluded.decision, annotator_id = excluded.annotator_id, at = excluded.at",
        (
            *(at.table, at.row, at.field, at.text, at.ordinal),
            *(new.recording_id, new.kind, new.verdict.value, new.annotator_id, new.at),
        ),
    )


def delete_pii_decision(study: Study, place: PiiPlace) -> None:
    """Take a decision back; inside a step."""
    study.write(
        "DELETE FROM pii_decision WHERE table_name = ? AND row_id = ? AND field = ? AND text = ? AND ordinal = ?",
        (place.table, place.row, place.field, place.text, place.ordinal),
    )
