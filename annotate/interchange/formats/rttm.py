"""Reads RTTM, the output of programs that tell who speaks when.

Source: "Rich Transcription Time Marked" (NIST, RT-09 evaluation plan, appendix A): a line has type, file, channel,
onset, duration, orthography, subtype, speaker, confidence and, in newer files, a lookahead time.
"""

from collections import Counter
from pathlib import Path

from annotate.interchange.bounded_files import check_entries, damaged_file_error, read_text
from annotate.interchange.document import (
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    RecordingPart,
    parse_seconds,
)

_TYPES = frozenset(
    (
        *("SPEAKER", "LEXEME", "NON-LEX", "NON-SPEECH", "SEGMENT", "NOSCORE", "NO_RT_METADATA"),
        *("SU", "EDIT", "FILLER", "IP", "CB", "A/P"),
    )
)
_WITHOUT_TIME = "SPKR-INFO"
_NOTHING = ("<NA>", "")
_MIN_CELLS = 8


def _read(path: Path) -> Document:
    """Return a recording for each file and channel, and a lane for each type and speaker.

    An entry says its orthography, else its subtype, else its type in small letters.
    """
    parts: dict[str, dict[tuple[str, str], list[InterchangeEntry]]] = {}
    unread: Counter[str] = Counter()
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        cells = line.split()
        if not cells or cells[0].startswith(";") or cells[0] == _WITHOUT_TIME:
            continue
        if len(cells) < _MIN_CELLS or cells[0] not in _TYPES:
            raise damaged_file_error(path, "it is no line of RTTM", number)
        kind, file, channel, onset, duration, text, subtype, speaker = cells[:_MIN_CELLS]
        start, length = parse_seconds(onset), parse_seconds("0" if duration in _NOTHING else duration)
        if start is None or length is None or length < 0:
            unread["a line without times that make sense"] += 1
            continue
        said = next((found for found in (text, subtype) if found not in _NOTHING), kind.lower())
        name = file if channel in ("1", *_NOTHING) else f"{file} {channel}"
        who = "" if speaker in _NOTHING else speaker
        entry = InterchangeEntry(start, start + length, said)
        parts.setdefault(name, {}).setdefault((kind, who), []).append(entry)
        check_entries(path, number)
    if not parts and not unread:
        raise damaged_file_error(path, "it has no line of RTTM")
    made = (
        RecordingPart(
            name,
            tuple(
                InterchangeLane(f"{kind} {who}".strip(), tuple(entries), participant=who, tier=kind)
                for (kind, who), entries in lanes.items()
            ),
        )
        for name, lanes in parts.items()
    )
    return Document(tuple(made), unread=unread)


def _recognises(head: bytes) -> bool:
    lines = (line.split() for line in head.decode("utf-8", "replace").splitlines())
    first = next((cells for cells in lines if cells and not cells[0].startswith(";")), [])
    return len(first) >= _MIN_CELLS and first[0] in {*_TYPES, _WITHOUT_TIME}


RTTM = Format("rttm", "RTTM, who speaks when (.rttm)", (".rttm",), _recognises, _read)
"""RTTM. A turn is a segment about its speaker, as its words are not known."""
