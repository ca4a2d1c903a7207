"""What is still to be done about a segment, as its scheme sees it."""

from collections.abc import Mapping, Sequence

from project.schemes.scheme import Extent, Scheme
from project.types import Json, Segment, Utterance


def problems_of(
    scheme: Scheme,
    segment: Segment,
    values: Mapping[str, Json],
    duration_us: int,
    utterances: Sequence[Utterance] = (),
) -> tuple[str, ...]:
    """Say what is missing or out of place about a segment, a short line each; none where it is complete.

    Args:
        scheme: the newest version of the segment's scheme.
        segment: the segment.
        values: what is filled in, by field.
        duration_us: of its recording.
        utterances: of its recording, in any order; empty where there is no transcript.
    """
    track = scheme.lane(segment.track)
    found = [f"{scheme.field(key).name} is missing." for key in dict.fromkeys(_missing(scheme, segment, values))]
    if not track.labels:
        found.append(f"Its track “{segment.track}” is no longer in the scheme.")
    elif track.label(segment.label) is None:
        found.append(f"Its label “{segment.label}” is no longer in the scheme.")
    if track.extent is Extent.RECORDING and (segment.start_us, segment.end_us) != (0, duration_us):
        found.append("It does not cover the whole recording.")
    if track.inside == "utterance":
        if not utterances:
            found.append("It belongs inside an utterance, and the recording has no transcript.")
        elif not any(one.start_us <= segment.start_us and segment.end_us <= one.end_us for one in utterances):
            found.append("It does not lie inside one utterance.")
    return tuple(found)


def _missing(scheme: Scheme, segment: Segment, values: Mapping[str, Json]) -> tuple[str, ...]:
    return scheme.missing(segment.label, scheme.placed(segment.track, values), segment.track)


def inside_utterance(start_us: int, end_us: int, utterances: Sequence[Utterance]) -> tuple[int, int] | None:
    """Return a span cut to the utterance that it shares most time with, or None where it touches none."""
    best = max(utterances, key=lambda one: min(end_us, one.end_us) - max(start_us, one.start_us), default=None)
    if best is None or min(end_us, best.end_us) <= max(start_us, best.start_us):
        return None
    return max(start_us, best.start_us), min(end_us, best.end_us)
