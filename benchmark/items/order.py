"""An order of candidates that depends on nothing but themselves."""

from collections.abc import Iterable

from benchmark.items.base import Candidate


def place_of(one: Candidate) -> tuple[str, int, int, str, str]:
    """Return what a candidate is sorted by: recording, time, and what it was made from."""
    return one.recording_id, one.start_us, one.end_us, one.about, one.made_from


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates sorted, so that the same seed draws the same ones however they were read."""
    return sorted(candidates, key=place_of)
