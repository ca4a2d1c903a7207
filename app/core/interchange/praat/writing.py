"""Writes TextGrids in the long text form."""

from collections.abc import Iterator, Sequence

from app.core.interchange.document import Document, Entry
from app.core.interchange.praat.tier_names import written
from app.core.interchange.tiling import spread
from app.core.interchange.value_text import to_text
from project.errors import UserError

Interval = tuple[int, int, str]


def textgrid_text(document: Document) -> str:
    """Return one recording as a TextGrid whose tiers have neither gap nor overlap.

    Raises:
        UserError: the document has several recordings, or nothing in it.
    """
    if len(document.recordings) != 1:
        raise UserError("A TextGrid is about one recording.", "Export one recording to each file.")
    part = document.recordings[0]
    tiers: list[tuple[str, Sequence[Interval]]] = []
    for lane in part.lanes:
        for number, row in enumerate(spread(lane.entries), start=1):
            tiers.append((written(lane, number), [(one.start_us, one.end_us, one.text) for one in row]))
            for field in dict.fromkeys(name for entry in row for name in entry.values):
                tiers.append((written(lane, number, field), list(_values(row, field))))
    last = max([part.duration_us, *(end for _, intervals in tiers for _, end, _ in intervals)])
    lines = [
        'File type = "ooTextFile"',
        'Object class = "TextGrid"',
        "",
        "xmin = 0",
        f"xmax = {_seconds(last)}",
        "tiers? <exists>",
        f"size = {len(tiers)}",
        "item []:",
    ]
    for place, (name, intervals) in enumerate(tiers, start=1):
        filled = list(_tiled(intervals, last))
        lines += [
            f"    item [{place}]:",
            '        class = "IntervalTier"',
            f"        name = {_quoted(name)}",
            "        xmin = 0",
            f"        xmax = {_seconds(last)}",
            f"        intervals: size = {len(filled)}",
        ]
        for number, (start, end, text) in enumerate(filled, start=1):
            lines += [
                f"        intervals [{number}]:",
                f"            xmin = {_seconds(start)}",
                f"            xmax = {_seconds(end)}",
                f"            text = {_quoted(text)}",
            ]
    return "\n".join(lines) + "\n"


def _values(row: Sequence[Entry], field: str) -> Iterator[Interval]:
    for entry in row:
        if field in entry.values:
            yield entry.start_us, entry.end_us, to_text(entry.values[field])


def _tiled(intervals: Sequence[Interval], last: int) -> Iterator[Interval]:
    before = 0
    for start, end, text in intervals:
        if start > before:
            yield before, start, ""
        if end > start:
            yield start, end, text
        before = max(before, end)
    if before < last:
        yield before, last, ""


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _seconds(time_us: int) -> str:
    whole, rest = divmod(time_us, 1_000_000)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".")
