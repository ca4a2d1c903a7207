"""Tables of events as BORIS exports them; the aggregated form is written, with BORIS's columns and some of ours.

BORIS gives each independent variable of an observation a column of its own, and so are ours.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from app.core.csv_cells import write_csv
from app.core.interchange.boris.project_writing import observation_ids, seconds
from app.core.interchange.boris.table_reading import SEVERAL, SPEECH, header_in, read_table
from app.core.interchange.boris.values import (
    SEPARATOR,
    Held,
    TrackKey,
    comment_text,
    modifier_text,
    places,
    track_of,
)
from app.core.interchange.document import Document, Entry, Lane, RecordingPart
from app.core.interchange.limits import MEGABYTE, read_text

LARGEST = 64 * MEGABYTE
_ABOUT = (
    "Observation id",
    "Observation date",
    "Description",
    "Observation type",
    "Source",
    "Time offset (s)",
    "Coding duration",
    "Media duration (s)",
    "FPS (frame/s)",
)
_OURS = ("Annotator", "Recording", "Recording id", "Kind", "Scheme", "Track", "Modifier names", "Comment names")
_WHAT = ("Subject", "Observation duration by subject by observation", "Behavior", "Behavioral category")
_WHEN = (
    "Behavior type",
    "Start (s)",
    "Stop (s)",
    "Duration (s)",
    "Media file name",
    "Image index start",
    "Image index stop",
    "Image file path start",
    "Image file path stop",
    "Comment start",
    "Comment stop",
)
_NONE = "NA"


class BorisTable:
    """A table of BORIS's events, for analyses that were written for those."""

    key: ClassVar[str] = "boris-csv"
    name: ClassVar[str] = "BORIS events (.csv)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv")
    many: ClassVar[bool] = True
    whole: ClassVar[bool] = False
    losses: ClassVar[tuple[str, ...]] = (
        "BORIS counts milliseconds: finer times are cut off.",
        "Ids are not kept: what comes back is recognised by who, when and which label or words.",
        "Recordings without any segment or utterance do not appear.",
        "Offsets of media are left out.",
        "Of a form, only the newest value of each field is kept; reviews and older versions are left out.",
        "Comments come as one text each, without their time.",
    )

    def recognises(self, head: bytes) -> bool:
        """Tell whether BORIS's columns are named in the first lines."""
        text = head.replace(b"\0", b"").decode("utf-8", "replace")
        lines = [line for line in text.splitlines() if "behavior" in line.casefold()]
        rows = [[cell.strip(' "') for cell in line.split(sign)] for line in lines[:60] for sign in ",;\t"]
        return any(header_in([row]) == 0 for row in rows)

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        return read_table(read_text(path, LARGEST), path)

    def write(self, document: Document, path: Path) -> None:
        """Write a file, divided by tabs where its name ends with `.tsv`; see `Format`."""
        held = places(document)
        most = max((len(one.modifiers) for one in held.values()), default=0)
        sets = [f"Modifier #{number}" for number in range(1, most + 1)]
        with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
            rows = (row for observation in observation_ids(document) for row in _rows(*observation, held, most))
            write_csv(file, (*_ABOUT, *_OURS, *_WHAT, *sets, *_WHEN), rows, "\t" if path.suffix == ".tsv" else ",")


def _rows(
    name: str, part: RecordingPart, annotator: str, lanes: list[Lane], held: dict[TrackKey, Held], most: int
) -> Iterator[list[str]]:
    media = "|".join(f"player #{number}:{link.path}" for number, link in enumerate(part.media, start=1))
    length = f"{part.duration_us / 1_000_000:.6f}"
    about = [
        name,
        "",
        "",
        "Media file" if media else "Live observation",
        media or _NONE,
        str(part.media[0].offset_us / 1_000_000 if part.media else 0),
        length,
        length if media or part.duration_us else _NONE,
        _NONE,
    ]
    busy: dict[str, int] = {}
    for lane in lanes:
        busy[lane.participant] = busy.get(lane.participant, 0) + sum(e.end_us - e.start_us for e in lane.entries)
    for lane in lanes:
        here = held[track_of(lane)]
        speech = lane.kind == "utterances"
        names = [SEPARATOR.join(f"{one.name}{SEVERAL if one.several else ''}" for one in here.modifiers)]
        names.append(SEPARATOR.join(here.in_comment))
        ours = [annotator, part.name, part.id, "utterance" if speech else "segment", lane.scheme, lane.track, *names]
        category = ".".join(one for one in (lane.scheme, lane.track) if one) or "Not defined"
        for entry in lane.entries:
            behavior = SPEECH if speech else entry.text
            what = [lane.participant, f"{busy[lane.participant] / 1_000_000:.3f}", behavior, category]
            chosen = modifier_text(here, entry.values)
            sets = chosen.split(SEPARATOR) if chosen and not speech else []
            sets += [""] * (most - len(sets))
            yield [*about, *ours, *what, *sets, *_when(entry, part, speech, here)]


def _when(entry: Entry, part: RecordingPart, speech: bool, held: Held) -> list[str]:
    start, end = seconds(entry.start_us), seconds(entry.end_us)
    media = part.media[0].path if part.media else _NONE
    comment = entry.text if speech else comment_text(held, entry.values)
    times = [f"{start:.3f}", f"{end:.3f}", f"{end - start:.3f}"]
    return ["STATE", *times, media, _NONE, _NONE, _NONE, _NONE, comment, ""]
