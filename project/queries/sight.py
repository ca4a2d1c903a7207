"""What is out of sight of the person who works in a study (see `project.sight`)."""

from collections.abc import Iterable

from project.store import Study
from project.types import Changes

Lane = tuple[str, str]
"""Ids of a recording and of the annotator whose segments and chains of it are hidden."""


def hidden_lanes(study: Study) -> frozenset[Lane]:
    """Return everything that is hidden while somebody trains."""
    return frozenset((row[0], row[1]) for row in study.rows("SELECT recording_id, annotator_id FROM hidden_lane"))


def hidden_places(study: Study) -> frozenset[str]:
    """Return ids of the recordings of which something is hidden, and of those that are hidden themselves."""
    return frozenset(
        row[0]
        for row in study.rows(
            "SELECT recording_id FROM hidden_lane "
            "UNION SELECT id FROM recording WHERE id NOT IN (SELECT id FROM seen_recording)"
        )
    )


def came_or_went(study: Study, lanes: Iterable[Lane]) -> Changes:
    """Return as changes what of lanes came into sight, or went out of it, with the episodes that go on from one."""
    found: list[tuple[str, str]] = []
    chains = "SELECT id FROM chain WHERE recording_id = ? AND annotator_id = ?"
    for lane in lanes:
        for table, where in (
            ("segment", "recording_id = ? AND annotator_id = ?"),
            ("chain", "recording_id = ? AND annotator_id = ?"),
            ("chain_node", f"chain_id IN ({chains})"),
            ("question", f"chain_id IN ({chains})"),
        ):
            found += [(table, row[0]) for row in study.rows(f"SELECT id FROM {table} WHERE {where}", lane)]
    found += [("recording", row[0]) for row in study.rows("SELECT recording_id FROM episode WHERE source = 'segment'")]
    return Changes.of(found)
