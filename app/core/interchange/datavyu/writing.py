"""Writes `db` of a Datavyu file, version 4: a column a lane, and one that says which lane each of them is."""

import re
from collections.abc import Iterator, Sequence

from app.core.interchange.datavyu.reading import ABOUT, ID, LABEL, MARKS
from app.core.interchange.document import Document, Entry, Lane, RecordingPart
from app.core.interchange.unique import unique
from app.core.interchange.value_text import to_text
from project.errors import UserError

_MEANT = re.compile(r"[\\()\n,|-]")
_BREAKS = re.compile(r"\r\n?")
_NOT_KEPT = re.compile("[\x00\x01]")
_LATEST_US = 100 * 3600 * 1_000_000


def db_text(document: Document) -> str:
    """Return the columns of one recording.

    Raises:
        UserError: the document has several recordings, or one of a hundred hours or more.
    """
    if len(document.recordings) != 1:
        raise UserError("A Datavyu file is about one recording.", "Export one recording to each file.")
    part = document.recordings[0]
    return "\n".join(["#4", *_lines(part)]) + "\n"


def _lines(part: RecordingPart) -> Iterator[str]:
    taken = {MARKS}
    columns = [(unique_column(lane, taken), lane) for lane in part.lanes]
    yield _header(MARKS, ABOUT)
    yield _cell(0, 0, ["", part.name, "", "", "", "", part.id, ""])
    fields = [list(dict.fromkeys(name for entry in lane.entries for name in entry.values)) for lane in part.lanes]
    for (name, lane), named in zip(columns, fields, strict=True):
        listed = "|".join(re.sub(r"[\\|]", r"\\\g<0>", one) for one in named)
        said = [name, lane.name, lane.kind, lane.annotator, lane.participant, lane.scheme, lane.track, listed]
        yield _cell(0, 0, said)
    for (name, lane), named in zip(columns, fields, strict=True):
        codes: set[str] = set()
        yield _header(name, [unique(_word(one), codes) for one in (LABEL, ID, *named)])
        for entry in sorted(lane.entries, key=lambda one: (one.start_us, one.end_us)):
            yield _cell(entry.start_us, entry.end_us, _values(entry, named))


def unique_column(lane: Lane, taken: set[str]) -> str:
    """Return a name that Datavyu allows: letters, digits and underscores, beginning with a letter."""
    base = name = _word(lane.name)
    number = 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name)
    return name


def _word(text: str) -> str:
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return plain if plain[:1].isalpha() else f"c_{plain}".rstrip("_")


def _header(name: str, codes: Sequence[str]) -> str:
    return f"{name} (MATRIX,true,)-" + ",".join(f"{code}|NOMINAL" for code in codes)


def _values(entry: Entry, fields: Sequence[str]) -> list[str]:
    held = [to_text(entry.values[name]) if name in entry.values else "" for name in fields]
    return [entry.text, entry.id, *held]


def _cell(start_us: int, end_us: int, values: Sequence[str]) -> str:
    return f"{_time(start_us)},{_time(end_us)},({','.join(_safe(one) for one in values)})"


def _time(time_us: int) -> str:
    if not 0 <= time_us < _LATEST_US:
        raise UserError("Datavyu holds less than a hundred hours.", "Export it in another format.")
    seconds, milliseconds = divmod(time_us // 1000, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}:{milliseconds:03}"


def _safe(text: str) -> str:
    return _MEANT.sub(r"\\\g<0>", _BREAKS.sub("\n", _NOT_KEPT.sub("", text)))
