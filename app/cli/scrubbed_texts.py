"""Scrubbed texts on the command line, for whoever reads them before they leave."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.cli.output import tell
from project.counted import counted
from project.names import shown
from project.timebase import format_time
from project.types import Annotator, Json

if TYPE_CHECKING:
    from app.core.release.texts import ReleasedText


def tell_texts(as_json: bool, found: "Sequence[ReleasedText]", reader: Annotator | None, *, changed: bool) -> None:
    """Print texts before and after scrubbing, and who read them.

    Args:
        as_json: as one object.
        found: all of them.
        reader: who read them as they are now; None where nobody did.
        changed: list only those in which something was changed.
    """
    listed = [one for one in found if one.replacements or not changed]
    lines = []
    for one in listed:
        lines.append(f"Recording {one.recording}, {format_time(one.time_us)}, {one.place}")
        lines += [f"  - {shown(one.before)}"] if one.replacements else []
        lines.append(f"  + {shown(one.after)}")
    state = f"Read by {reader.name}." if reader else "Nobody confirmed them as they are now."
    lines.append(f"{counted(len(found), 'text')}, {sum(bool(t.replacements) for t in found)} changed. {state}")
    rows: list[Json] = [
        {
            "recording": one.recording,
            "time": one.time_us / 1e6,
            "place": one.place,
            "before": one.before,
            "after": one.after,
            "kinds": [each.kind for each in one.replacements],
        }
        for one in listed
    ]
    tell(as_json, {"confirmed_by": reader.name if reader else None, "texts": rows}, "\n".join(lines))
