"""Reads and writes captions as WebVTT and SRT.

WebVTT has a voice for each caption. SRT has none, so a speaker stands before the text as `Name: ` by custom, and so it
does in many WebVTTs of meetings. Sources: WebVTT (W3C, 2019), section 6; what FFmpeg and pysrt read of SRT.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from annotate.interchange.bounded_files import damaged_file_error, read_text
from annotate.interchange.document import (
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    LaneSubject,
    RecordingPart,
    build_lanes,
    format_clock,
)
from annotate.interchange.value_text import to_text
from project.entities.study_records import POINT_CONTEXT_US
from project.ids import is_id

_LATEST_HOURS = 99_999


@dataclass(frozen=True, slots=True)
class Caption:
    """What is said, when, and by whom; `id` is the utterance's, where the format has a place for it."""

    start_us: int
    end_us: int
    speaker: str
    text: str
    id: str = ""


def collect_captions(document: Document, *, segments: bool) -> tuple[RecordingPart, list[Caption]]:
    """Return the only recording of a document and its captions by time: what is said, or else its segments.

    Blank lines are left out, as they end a caption, and so is what has no words. A segment's caption has its
    annotator as the speaker and says its label and its values; that of a point stays for a second.
    """
    part = document.only_recording("A file of captions")
    found = []
    for lane in part.lanes:
        if lane.is_speech is segments:
            continue
        for entry in lane.entries:
            said = [entry.text, *(f"{name}: {to_text(value)}" for name, value in entry.values.items())]
            text = _drop_empty_lines("\n".join(said) if segments else entry.text)
            if text:
                who = lane.annotator if segments else lane.participant
                row_id = "" if segments else entry.id
                end_us = entry.end_us if entry.end_us > entry.start_us else entry.start_us + POINT_CONTEXT_US
                found.append(Caption(entry.start_us, end_us, " ".join(who.split()), text, row_id))
    return part, sorted(found, key=lambda caption: (caption.start_us, caption.end_us))


def captions_to_lanes(captions: list[Caption]) -> tuple[InterchangeLane, ...]:
    """Return what each speaker says as a lane, in the order in which they begin."""
    lanes: dict[LaneSubject, list[InterchangeEntry]] = {}
    for caption in captions:
        lanes.setdefault(("utterances", "", caption.speaker, "", ""), []).append(
            InterchangeEntry(caption.start_us, caption.end_us, caption.text, id=caption.id)
        )
    return build_lanes(lanes)


def _format_times(caption: Caption, point: str) -> str:
    start, end = (format_clock(time_us, point, _LATEST_HOURS) for time_us in (caption.start_us, caption.end_us))
    return f"{start} --> {end}"


def _drop_empty_lines(text: str) -> str:
    return "\n".join(line for line in re.split(r"[\r\n]+", text) if line.strip())


_CLOCK = r"([-+]?)(?:(\d{1,5}) ?: ?)?(\d{1,3}) ?: ?(\d{1,3})(?: ?[.,] ?(\d*))?"
_TIMES = re.compile(rf"{_CLOCK} ?(?:(?:- ?){{1,3}}|[\u2013\u2014] ?)> ?{_CLOCK}(?!\d| ?:)")
"""Two clocks with an arrow between them; whatever stands behind is left to players."""
_LIKE_TIMES = re.compile(
    r"(?=.*\d).*-->"
    r"|[-+\d:., ]*\d ?: ?\d[\d:., ]*[-\u2013\u2014][- ]*>[-\d:., ]*\d ?: ?\d"
    r"|(?:\d+ ?: ?\d+ ?: ?\d+ ?[.,] ?\d+[ ,;/-]*){1,2}$"
)
"""What nobody says: a long arrow and a number, an arrow between clocks, clocks alone."""
_LINE_END = re.compile(r"\r\n?|\n")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\ufeff]")
_NUMBER_LINE = re.compile(r"[\s\u200b-\u200f\u202a-\u202e\ufeff]*\d+\s*")
UNREADABLE = "a caption whose time cannot be read"
BACKWARDS = "a caption that ends before it starts"
TIMELESS = "a caption without a time"
STRAY = "words that stand in no caption"
_MAX_TIME_LINE = 200
_MIN_ROLLING, _MAX_ROLLING_LINES = 2, 4
_MAX_ROLLING_GAP_US = 100_000
_SPEAKER = re.compile(r"([^\s:][^:\n]{0,39}): (.*)", re.DOTALL)
_MARKUP = re.compile(r"</?(?:b|i|u|s|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}", re.IGNORECASE)
_MIN_CAPTIONS_PER_NAME = 2


def read_times(line: str) -> tuple[int, int] | None:
    """Return when a caption begins and ends, as its line of times says; None where a line says no such thing.

    Blanks around the signs of a time, signs in full width, a fraction of any length or none, and arrows of one or two
    dashes are read, as FFmpeg, pysrt or people write them.
    """
    found = _TIMES.match(_plain_line(line))
    if found is None:
        return None
    start, end = _clock_us(*found.groups()[:5]), _clock_us(*found.groups()[5:])
    return None if start is None or end is None else (start, end)


def is_time_line(line: str) -> bool:
    """Tell whether a line is meant to say when a caption begins and ends, whether or not it can be read."""
    return (">" in line or ":" in line) and _LIKE_TIMES.match(_plain_line(line)) is not None


def _plain_line(line: str) -> str:
    return " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFKC", line[:_MAX_TIME_LINE])).split())


def _clock_us(sign: str, hours: str | None, minutes: str, seconds: str, fraction: str | None) -> int | None:
    if hours is None and fraction is None:
        return None
    whole = (int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds)
    size = whole * 1_000_000 + int((fraction or "")[:3].ljust(3, "0")) * 1000
    return -size if sign == "-" else size


def read_captions(lines: Sequence[str], *, webvtt: bool) -> tuple[list[Caption], Counter[str]]:
    """Return the captions of a file with their text as it stands, and what else is in it -> how often.

    A line of times ends the caption before, whether or not it can be read. Behind an empty line, further words are the
    caption's in SRT, unless they begin with a line that is a number; in WebVTT they stand in no caption.
    """
    places = [place for place, line in enumerate(lines) if is_time_line(line)]
    edges = [*(_begin(lines, place, before + 1, webvtt) for before, place in pairwise([-1, *places])), len(lines)]
    found: list[Caption] = []
    rest = _split_blocks(lines[: edges[0]], "", webvtt)
    unread: Counter[str] = Counter()
    for place, (begin, end) in zip(places, pairwise(edges), strict=True):
        words, *further = _split_blocks(lines[place + 1 : end], lines[place], webvtt)
        rest += further
        times = read_times(lines[place])
        if times is None or times[1] < times[0]:
            unread[UNREADABLE if times is None else BACKWARDS] += 1
        else:
            found.append(Caption(*times, "", "\n".join(words), "" if begin == place else lines[begin].strip()))
    for block in rest:
        if any(line.strip() for line in block):
            unread[TIMELESS if _NUMBER_LINE.fullmatch(block[0]) else STRAY] += 1
    return found, unread


def _begin(lines: Sequence[str], place: int, first: int, webvtt: bool) -> int:
    """Return where the caption of a line of times begins, at its id or number or there; what is before is another's."""
    at = place - 1
    while not webvtt and at >= first and not lines[at].strip():
        at -= 1
    if at < first or not lines[at].strip():
        return place
    apart = at == 0 or (at > first and not lines[at - 1].strip())
    numbered = _NUMBER_LINE.fullmatch(lines[at]) is not None and (apart or at == place - 1)
    return at if (apart if webvtt else numbered) else place


def _split_blocks(lines: Sequence[str], before: str, webvtt: bool) -> list[list[str]]:
    """Return what follows a line and belongs to it, and each block of lines that stands apart from it."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        apart = before == "" if webvtt else not before.strip()
        if apart and (line != "" if webvtt else _NUMBER_LINE.fullmatch(line)):
            blocks.append([])
        blocks[-1].append(line)
        before = line
    return blocks


def drop_repeated_words(captions: list[Caption]) -> list[Caption]:
    """Return rolling captions with each word once, when it comes first; other captions as they are.

    Captions roll where at least half of them, and two, follow at once and begin with the lines that the one before
    ended with, and some of those go on. What comes alone after a break is said again.
    """
    found = captions[:1]
    rolling: list[bool] = []
    for before, caption in pairwise(captions):
        rest = _after_repeated_lines(before.text.split("\n")[-_MAX_ROLLING_LINES:], caption.text)
        at_once = abs(caption.start_us - before.end_us) <= _MAX_ROLLING_GAP_US
        if rest != caption.text and at_once:
            rolling.append(bool(rest))
        if rest or not at_once:
            found.append(replace(caption, text=rest or caption.text))
    rolls = len(rolling) >= max(_MIN_ROLLING, (len(captions) - 1) / 2) and any(rolling)
    return found if rolls else captions


def _after_repeated_lines(old: Sequence[str], text: str) -> str:
    """Return what follows the last of some lines where a text begins with their words; else the text."""
    for first in range(len(old)):
        words = " ".join(old[first:]).split()
        parts = text.split(maxsplit=len(words))
        if parts[: len(words)] == words:
            return "".join(parts[len(words) :])
    return text


def _recognises_srt(head: bytes) -> bool:
    """Tell whether there is a line with two times and an arrow among the first ones."""
    text = head.replace(b"\0", b"").decode("utf-8", "replace")
    return any(read_times(line) is not None for line in text.splitlines()[:40])


def _read_srt(path: Path) -> Document:
    text = read_text(path)
    found, unread = read_captions(_LINE_END.split(text), webvtt=False)
    if text.strip() and not found:
        raise damaged_file_error(path, "none of its captions has a time that makes sense")
    said = [replace(caption, text=_drop_empty_lines(_MARKUP.sub("", caption.text))) for caption in found]
    captions = _split_speakers(drop_repeated_words([caption for caption in said if caption.text]))
    return Document((RecordingPart(path.stem, captions_to_lanes(captions)),), unread=unread)


def _write_srt(document: Document, path: Path, *, segments: bool = False, with_names: bool = True) -> None:
    _, captions = collect_captions(document, segments=segments)
    with path.open("w", encoding="utf-8", errors="replace", newline="\r\n") as file:
        for number, caption in enumerate(captions, start=1):
            text = caption.text.replace("-->", "->")
            if with_names and caption.speaker:
                text = f"{caption.speaker}: {text}"
            file.write(f"{number}\n{_format_times(caption, ',')}\n{text}\n\n")


SRT = Format(
    "srt",
    "SubRip, what is said with names (.srt)",
    (".srt",),
    _recognises_srt,
    _read_srt,
    _write_srt,
    (
        "Only what is said is in it; segments are not.",
        "SRT counts milliseconds: finer times are cut off.",
        "Who speaks stands before the text as “Name: ”, and is understood again where all captions have it, or most of "
        "them with names that come back.",
        "Ids are not kept: what comes back is recognised by who, when and which words.",
        "Empty lines in a text, utterances without words, and marks such as those for italics are left out.",
        "Links to media are left out.",
    ),
)
SRT_PLAIN = replace(
    SRT,
    key="srt-plain",
    name="SubRip, what is said without names (.srt)",
    write=partial(_write_srt, with_names=False),
    losses=(*SRT.losses[:2], "Who speaks is left out.", *SRT.losses[3:]),
)
_FOR_SHOWING = (
    "It is for showing: what comes back is text, spoken by the annotator.",
    "A point stays for a second.",
)
SRT_SEGMENTS = replace(
    SRT,
    key="srt-segments",
    name="SubRip, segments as captions (.srt)",
    write=partial(_write_srt, segments=True),
    losses=(*_FOR_SHOWING, SRT.losses[1], *SRT.losses[3:]),
)
"""The segments as captions, to be shown over the video by any player."""


def _split_speakers(captions: list[Caption]) -> list[Caption]:
    """Take `Name: ` from before the texts, where it is plainly meant as one.

    That is where all captions have it, or at least half of them, with names that come twice or more on average.
    """
    found = [_SPEAKER.fullmatch(caption.text) for caption in captions]
    names = Counter(match[1].strip() for match in found if match is not None)
    named = sum(names.values())
    usual = named * 2 >= len(captions) and named >= _MIN_CAPTIONS_PER_NAME * len(names)
    if not named or not (named == len(captions) or usual):
        return captions
    return [
        caption if match is None else replace(caption, speaker=match[1].strip(), text=match[2])
        for caption, match in zip(captions, found, strict=True)
    ]


_RECORDING_NOTE = "NOTE Recording "
_COMMENT = re.compile(r"NOTE(?:\s|$)|(?:STYLE|REGION)\s*$")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t\n]([^<>]*)>")
_TAG = re.compile(r"</?[^<>]*>")


def _recognises_webvtt(head: bytes) -> bool:
    """Tell whether the first word is WebVTT's."""
    return head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe").startswith(b"WEBVTT")


def _read_webvtt(path: Path) -> Document:
    lines = _LINE_END.split(read_text(path))
    if not lines[0].startswith("WEBVTT"):
        raise damaged_file_error(path, "it is not WebVTT")
    plain = _without_comments(lines)
    cues, unread = read_captions(plain, webvtt=True)
    if unread and not cues:
        raise damaged_file_error(path, "none of its cues has a time that makes sense")
    captions = [caption for cue in cues for caption in _split_voices(cue, path)]
    comments = (line for line, left in zip(lines, plain, strict=True) if line != left)
    notes = (line.removeprefix(_RECORDING_NOTE).strip() for line in comments if line.startswith(_RECORDING_NOTE))
    row_id = next(filter(is_id, notes), "")
    if not row_id and not any(caption.speaker for caption in captions):
        captions = _split_speakers(drop_repeated_words(captions))
    name = lines[0].removeprefix("WEBVTT").strip() if row_id else ""
    return Document((RecordingPart(name or path.stem, captions_to_lanes(captions), id=row_id),), unread=unread)


def _write_webvtt(document: Document, path: Path, *, segments: bool = False) -> None:
    part, captions = collect_captions(document, segments=segments)
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(f"WEBVTT {' '.join(part.name.replace('-->', '->').split())}".rstrip() + "\n")
        if is_id(part.id):
            file.write(f"\n{_RECORDING_NOTE}{part.id}\n")
        for caption in captions:
            row_id = f"{caption.id}\n" if is_id(caption.id) else ""
            voice = f"<v {html.escape(caption.speaker, quote=False)}>" if caption.speaker else ""
            file.write(f"\n{row_id}{_format_times(caption, '.')}\n{voice}{html.escape(caption.text, quote=False)}\n")


WEBVTT = Format(
    "webvtt",
    "WebVTT, what is said (.vtt)",
    (".vtt",),
    _recognises_webvtt,
    _read_webvtt,
    _write_webvtt,
    (
        "Only what is said is in it; segments are not.",
        "WebVTT counts milliseconds: finer times are cut off.",
        "Empty lines in a text, and utterances without words, are left out.",
        "Links to media are left out.",
    ),
)
WEBVTT_SEGMENTS = replace(
    WEBVTT,
    key="webvtt-segments",
    name="WebVTT, segments as captions (.vtt)",
    write=partial(_write_webvtt, segments=True),
    losses=(*_FOR_SHOWING, *WEBVTT.losses[1:]),
)
"""The segments as captions, to be shown over the video by any player."""


def _without_comments(lines: Sequence[str]) -> list[str]:
    """Return the lines, empty where they are of the header, a note, a style or a region; times end each of those."""
    kept: list[str] = []
    inside = True
    for place, line in enumerate(lines):
        if place > 0 and (line == "" or read_times(line) is not None):
            inside = False
        elif lines[place - 1] == "" and _COMMENT.match(line):
            inside = True
        kept.append("" if inside else line)
    return kept


def _split_voices(cue: Caption, path: Path) -> Iterator[Caption]:
    """Yield what each voice in a cue says, without tags; the first has the id, and text before it no speaker."""
    before, *rest = _VOICE.split(cue.text)
    row_id = cue.id
    for who, said in [("", before), *zip(rest[::2], rest[1::2], strict=True)]:
        try:
            name, words = html.unescape(who), _drop_empty_lines(html.unescape(_TAG.sub("", said)))
        except ValueError:
            raise damaged_file_error(path, "a character in it has a number with too many digits") from None
        if words:
            yield replace(cue, speaker=" ".join(name.split()), text=words, id=row_id)
            row_id = ""
