"""Names of tiers that say what a lane is, for formats that have no other place for it.

`Ada | shrec.segments` holds the segments of a track, `Ada | shrec.segments | rationale` the values of one field,
`Speech | P01` what a participant says; ` #2` at the end is the second tier of a lane whose entries overlap.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from app.core.interchange.document import Lane

_BETWEEN = " | "
_SPEECH = "Speech"
_ROW = re.compile(r"(.*?)(?: #(\d{1,4}))?", re.DOTALL)
_TRACK = re.compile(r"([^.|]+)\.([^.|]+)")


@dataclass(frozen=True, slots=True)
class TierName:
    """What a tier's name says; `row` counts from 1, `field` is "" for the tier of the entries themselves."""

    kind: str
    annotator: str = ""
    participant: str = ""
    scheme: str = ""
    track: str = ""
    field: str = ""
    row: int = 1


def written(lane: Lane, row: int = 1, field: str = "") -> str:
    """Return the name of a lane's tier; a lane without a scheme keeps its own name."""
    if lane.kind == "utterances":
        parts = [_SPEECH, *([_safe(lane.participant)] if lane.participant else [])]
    elif lane.scheme and lane.track and lane.annotator:
        parts = [_safe(lane.annotator), f"{_safe(lane.scheme)}.{_safe(lane.track)}"]
    else:
        parts = [_safe(lane.name)]
    name = _BETWEEN.join([*parts, *([_safe(field)] if field else [])])
    return f"{name} #{row}" if row > 1 else name


def understood(name: str) -> TierName | None:
    """Return what a name says, or None where we did not write it."""
    found = _ROW.fullmatch(name)
    assert found is not None
    row = int(found[2] or 1)
    first, *rest = found[1].split(_BETWEEN)
    track = _TRACK.fullmatch(rest[0]) if rest else None
    if track is not None and len(rest) <= 2:
        field = unquote(rest[1]) if len(rest) == 2 else ""
        return TierName("segments", unquote(first), "", unquote(track[1]), unquote(track[2]), field, row)
    if first == _SPEECH and len(rest) <= 1:
        return TierName("utterances", participant=unquote(rest[0]) if rest else "", row=row)
    return None


def _safe(text: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in "|.#%\n\r" else c for c in text)
