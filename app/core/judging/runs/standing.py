"""Whether the words of a question still stand: they are scrubbed when it is planned, and may leave much later."""

from collections.abc import Mapping
from typing import cast

from app.core.jobs import Work
from app.core.judging.seeing.words import words_state
from app.core.session import Session
from project.judging import RAW
from project.types import Json

_BARRED: dict[str, Json] = {
    "barred_by": "reviewed",
    "barred": "Other words were reviewed, or named as private, after this question was made.",
}


def standing(session: Session, work: Work, departure: Mapping[str, Json]) -> dict[str, Json]:
    """Return a request that wants to leave, barred where its words were scrubbed by what was decided before.

    Args:
        session: of the study.
        work: the run that it is part of.
        departure: as JSON.
    """
    condition, about = departure.get("condition"), departure.get("segment_id")
    if departure.get("local") is True or condition in ("", RAW) or not departure.get("texts"):
        return dict(departure)
    plans = cast(list[Mapping[str, Json]], work.parameters["plans"])
    made = {one["words_state"] for one in plans if (one["about"], one["condition"]) == (about, condition)}
    now = words_state(session, str(departure.get("recording_id")))
    return dict(departure) if made == {now} else {**departure, **_BARRED}
