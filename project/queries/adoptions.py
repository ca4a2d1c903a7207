"""That people took over words of judges into their own forms."""

from project.judging import Adoption
from project.store import Study


def insert_adoption(study: Study, new: Adoption) -> None:
    """Store that somebody took a judge's words over; inside a step."""
    study.write(
        "INSERT INTO adoption VALUES (?, ?, ?, ?, ?, ?)",
        (new.id, new.segment_id, new.annotator_id, new.field, new.judgment_id, new.at),
    )


def adoptions(study: Study, segment_id: str | None = None) -> list[Adoption]:
    """Return what was taken over, by time; of one segment where it is given."""
    rows = study.rows(
        "SELECT id, segment_id, annotator_id, field, judgment_id, at FROM adoption "
        "WHERE segment_id = coalesce(?, segment_id) ORDER BY at, id",
        (segment_id,),
    )
    return [Adoption(*row) for row in rows]
