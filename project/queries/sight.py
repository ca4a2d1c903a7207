"""What is out of sight of the person who works in a study (see `project.sight`)."""

from collections.abc import Iterable

from project.store import Study
from project.types import Changes

Lane = tuple[str, str]
"""Ids of a recording and of the annotator whose segments of it are hidden."""


def hidden_lanes(study: Study) -> frozenset[Lane]:
    """Return everything that is hidden while somebody trains."""
    return frozenset((row[0], row[1]) for row in study.rows("SELECT recording_id, annotator_id FROM hidden_lane"))


def came_or_went(study: Study, lanes: Iterable[Lane]) -> Changes:
    """Return as changes the segments of lanes that came into sight, or went out of it."""
    found = [
        row[0]
        for lane in lanes
        for row in study.rows("SELECT id FROM segment WHERE recording_id = ? AND annotator_id = ?", lane)
    ]
    return Changes.of([("segment", one) for one in found])
