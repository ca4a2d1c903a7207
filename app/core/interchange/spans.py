"""Where an entry lies in a recording of the study."""

from collections import Counter

from app.core.commands.segments import SHORTEST_US
from app.core.interchange.document import Entry
from app.core.interchange.mapping import Mapping, Outside
from project.types import Recording

Span = tuple[int, int]


def span_inside(
    entry: Entry, recording: Recording, chosen: Mapping, left_out: Counter[str], remarks: Counter[str]
) -> Span | None:
    """Return an entry's span inside the recording, or None where it is left out; reasons and changes are counted."""
    start, end, last = entry.start_us, entry.end_us, recording.duration_us
    if end - start < SHORTEST_US:
        if not chosen.point_us:
            left_out["it is a point without duration"] += 1
            return None
        remarks[f"points become {chosen.point_us / 1000:g} ms long"] += 1
        end = start + max(chosen.point_us, SHORTEST_US)
        if entry.start_us <= last < end:
            start, end = max(0, last - (end - start)), last
    if end <= 0 or start >= last:
        left_out["it lies outside the recording"] += 1
        return None
    # Formats that count milliseconds may round past the end: that is not worth a word.
    if max(-start, end - last) >= SHORTEST_US:
        if chosen.outside is Outside.LEAVE_OUT:
            left_out["it reaches outside the recording"] += 1
            return None
        remarks["reach outside the recording, and are cut off there"] += 1
    start, end = max(0, start), min(end, last)
    if end - start < SHORTEST_US:
        left_out["less than a millisecond of it lies inside the recording"] += 1
        return None
    return start, end
