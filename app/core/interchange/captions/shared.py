"""Captions, which say who speaks or nothing: what WebVTT and SRT have in common."""

import re
from dataclasses import dataclass

from app.core.interchange.document import Document, Entry, Lane, RecordingPart
from app.core.interchange.exporting import SPEECH
from app.core.interchange.value_text import to_text
from project.errors import UserError

_TIME = re.compile(r"(-?)(?:(\d{1,5}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})")
_LATEST_HOURS = 99_999


@dataclass(frozen=True, slots=True)
class Caption:
    """What is said, when, and by whom; `id` is the utterance's, where the format has a place for it."""

    start_us: int
    end_us: int
    speaker: str
    text: str
    id: str = ""


def captions_of(document: Document, *, segments: bool) -> tuple[RecordingPart, list[Caption]]:
    """Return the only recording of a document and its captions by time: what is said, or else its segments.

    Blank lines are left out, as they end a caption, and so is what has no words. A segment's caption has its
    annotator as the speaker and says its label and its values.

    Raises:
        UserError: the document has several recordings.
    """
    if len(document.recordings) != 1:
        raise UserError("A file of captions is about one recording.", "Export one recording to each file.")
    part = document.recordings[0]
    found = []
    for lane in part.lanes:
        if (lane.kind == "utterances") is segments:
            continue
        for entry in lane.entries:
            said = [entry.text, *(f"{name}: {to_text(value)}" for name, value in entry.values.items())]
            text = _lines("\n".join(said) if segments else entry.text)
            if text:
                who = lane.annotator if segments else lane.participant
                row_id = "" if segments else entry.id
                found.append(Caption(entry.start_us, entry.end_us, " ".join(who.split()), text, row_id))
    return part, sorted(found, key=lambda one: (one.start_us, one.end_us))


def lanes_of(captions: list[Caption]) -> tuple[Lane, ...]:
    """Return what each speaker says as a lane, in the order in which they begin."""
    lanes: dict[str, list[Entry]] = {}
    for one in captions:
        lanes.setdefault(one.speaker, []).append(Entry(one.start_us, one.end_us, one.text, id=one.id))
    return tuple(
        Lane(f"{SPEECH} {who}".strip(), tuple(entries), "utterances", participant=who) for who, entries in lanes.items()
    )


def clock(time_us: int, point: str) -> str:
    """Return a time as `hh:mm:ss.mmm`, with this sign as the point.

    Raises:
        UserError: it is before the recording's start, or too late for captions.
    """
    seconds, milliseconds = divmod(time_us // 1000, 1000)
    if not 0 <= seconds < _LATEST_HOURS * 3600:
        raise UserError("Captions hold no such time.", "Export it in another format.")
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{milliseconds:03}"


def microseconds(text: str) -> int | None:
    """Return a time such as `1:02:03.456` or `-02:03,456` in microseconds, or None where it is none."""
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    hours, minutes, seconds = (int(one or 0) for one in found.groups()[1:4])
    whole = (hours * 60 + minutes) * 60 + seconds
    size = whole * 1_000_000 + int(found[5].ljust(3, "0")) * 1000
    return -size if found[1] else size


def _lines(text: str) -> str:
    return "\n".join(line for line in re.split(r"[\r\n]+", text) if line.strip())
