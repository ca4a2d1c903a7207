"""Which rows of a study the lossless format takes: everything people did in the chosen recordings."""

from collections.abc import Callable, Sequence

from app.core.schemes import in_use
from app.core.session import Session
from project.queries.whole import TABLES, all_rows
from project.types import Json

Row = dict[str, Json]
STUDY = "study"
"""The one row about the study as a whole: its name, and the keys of the schemes in use, the default first."""


def whole_rows(
    session: Session, recordings: Sequence[str], annotators: Sequence[str] | None = None
) -> dict[str, tuple[Row, ...]]:
    """Return table -> rows about these recordings, of these annotators where they are given.

    What others say about a segment (reviews, comments) comes with it. A participant is left out who appears only in
    recordings that are not among these, and a collection that has none of them.
    """
    study = session.study
    found: dict[str, list[Row]] = {table: all_rows(study, table, seen=True) for table in TABLES}
    chosen = set(recordings)

    def keep(table: str, fits: Callable[[Row], bool]) -> list[Row]:
        found[table] = [row for row in found[table] if fits(row)]
        return found[table]

    elsewhere = {row["participant_id"] for row in found["appearance"] if row["recording_id"] not in chosen}
    elsewhere |= {row["participant_id"] for row in found["utterance"] if row["recording_id"] not in chosen}
    keep("recording", lambda row: row["id"] in chosen)
    homes = {row["collection_id"] for row in found["recording"]}
    keep("collection", lambda row: row["id"] in homes)
    for table in ("medium", "appearance", "utterance"):
        keep(table, lambda row: row["recording_id"] in chosen)
    for table in ("segment", "assignment", "completion"):
        keep(
            table,
            lambda row: row["recording_id"] in chosen and (annotators is None or row["annotator_id"] in annotators),
        )
    marked = {row["id"] for row in found["segment"]}
    for table in ("segment_value", "review", "comment"):
        keep(table, lambda row: row["segment_id"] in marked)
    here = {row["participant_id"] for table in ("appearance", "utterance") for row in found[table]}
    here |= {row["value"] for row in found["segment_value"] if isinstance(row["value"], str)}
    keep("participant", lambda row: row["id"] in here or row["id"] not in elsewhere)
    people = {row["id"] for row in found["participant"]}
    keep("consent", lambda row: row["participant_id"] in people)
    if annotators is not None:
        authors = {row["annotator_id"] for table in ("segment", "comment", "assignment") for row in found[table]}
        authors |= {row["annotator_id"] for row in found["completion"]}
        authors |= {row["reviewer_id"] for row in found["review"]}
        keep("annotator", lambda row: row["id"] in authors)
    about: Row = {"name": study.get_property("name", ""), "schemes": [*in_use(study)]}
    return {STUDY: (about,), **{table: tuple(rows) for table, rows in found.items()}}
