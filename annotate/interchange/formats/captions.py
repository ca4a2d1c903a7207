"""Reads and writes captions as WebVTT and SRT.

WebVTT has a voice for each caption. SRT has none, so a speaker stands before the text as `Name: ` by custom.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import webvtt
from webvtt.errors import MalformedCaptionError, MalformedFileError

from annotate.interchange.bounded_files import MEGABYTE, damaged_file_error, read_text
from annotate.interchange.document import Document, InterchangeEntry, InterchangeLane, RecordingPart, to_text
from annotate.interchange.document_export import SPEECH
from project.errors import UserError
from project.ids import is_id

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


def collect_captions(document: Document, *, segments: bool) -> tuple[RecordingPart, list[Caption]]:
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
            text = _drop_empty_lines("\n".join(said) if segments else entry.text)
            if text:
                who = lane.annotator if segments else lane.participant
                row_id = "" if segments else entry.id
                found.append(Caption(entry.start_us, entry.end_us, " ".join(who.split()), text, row_id))
    return part, sorted(found, key=lambda caption: (caption.start_us, caption.end_us))


def captions_to_lanes(captions: list[Caption]) -> tuple[InterchangeLane, ...]:
    """Return what each speaker says as a lane, in the order in which they begin."""
    lanes: dict[str, list[InterchangeEntry]] = {}
    for caption in captions:
        lanes.setdefault(caption.speaker, []).append(
            InterchangeEntry(caption.start_us, caption.end_us, caption.text, id=caption.id)
        )
    return tuple(
        InterchangeLane(f"{SPEECH} {who}".strip(), tuple(entries), "utterances", participant=who)
        for who, entries in lanes.items()
    )


def format_clock(time_us: int, point: str) -> str:
    """Return a time as `hh:mm:ss.mmm`, with this sign as the point.

    Raises:
        UserError: it is before the recording's start, or too late for captions.
    """
    seconds, milliseconds = divmod(time_us // 1000, 1000)
    if not 0 <= seconds < _LATEST_HOURS * 3600:
        raise UserError("Captions hold no such time.", "Export it in another format.")
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{milliseconds:03}"


def parse_clock(text: str) -> int | None:
    """Return a time such as `1:02:03.456` or `-02:03,456` in microseconds, or None where it is none."""
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    hours, minutes, seconds = (int(group or 0) for group in found.groups()[1:4])
    whole = (hours * 60 + minutes) * 60 + seconds
    size = whole * 1_000_000 + int(found[5].ljust(3, "0")) * 1000
    return -size if found[1] else size


def _drop_empty_lines(text: str) -> str:
    return "\n".join(line for line in re.split(r"[\r\n]+", text) if line.strip())


MAX_FILE_BYTES = 16 * MEGABYTE
_TIMES = re.compile(r"\s*(-?[\d:.,]+)\s*-->\s*(-?[\d:.,]+)(?:\s.*)?")
_SPEAKER = re.compile(r"([^\s:][^:\n]{0,39}): (.*)", re.DOTALL)
_MARKUP = re.compile(r"</?(?:b|i|u|s|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}", re.IGNORECASE)
_TIMES_START = re.compile(r"\s*-?\d[-\d:.,]*\s*-->")
_COUNTER = re.compile(r"\d+")
_MIN_CAPTIONS_PER_NAME = 2


class Srt:
    """What is said, with the speaker's name before it."""

    key: ClassVar[str] = "srt"
    name: ClassVar[str] = "SubRip, what is said with names (.srt)"
    suffixes: ClassVar[tuple[str, ...]] = (".srt",)
    holds_several: ClassVar[bool] = False
    lossless: ClassVar[bool] = False
    losses: ClassVar[tuple[str, ...]] = (
        "Only what is said is in it; segments are not.",
        "SRT counts milliseconds: finer times are cut off.",
        "Who speaks stands before the text as “Name: ”, and is understood again where all captions have it, or most of "
        "them with names that come back.",
        "Ids are not kept: what comes back is recognised by who, when and which words.",
        "Empty lines in a text, utterances without words, and marks such as those for italics are left out.",
        "Links to media are left out.",
    )
    _segments: ClassVar[bool] = False
    _with_names: ClassVar[bool] = True

    def recognises(self, head: bytes) -> bool:
        """Tell whether there is a line with two times and an arrow among the first ones."""
        text = head.replace(b"\0", b"").decode("utf-8", "replace")
        return any(_TIMES.fullmatch(line) for line in text.splitlines()[:40])

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        text = read_text(path, MAX_FILE_BYTES)
        captions, lost = _captions(text, path)
        if not captions and (lost or text.strip()):
            raise damaged_file_error(path, "none of its captions has a time that makes sense")
        remarks = (f"Captions without a time that makes sense are left out: {lost}.",) if lost else ()
        return Document((RecordingPart(path.stem, captions_to_lanes(_split_speakers(captions))),), remarks)

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        _, captions = collect_captions(document, segments=self._segments)
        with path.open("w", encoding="utf-8", errors="replace", newline="\r\n") as file:
            for number, caption in enumerate(captions, start=1):
                text = caption.text.replace("-->", "->")
                if self._with_names and caption.speaker:
                    text = f"{caption.speaker}: {text}"
                times = f"{format_clock(caption.start_us, ',')} --> {format_clock(caption.end_us, ',')}"
                file.write(f"{number}\n{times}\n{text}\n\n")


class SrtPlain(Srt):
    """What is said, without names."""

    key: ClassVar[str] = "srt-plain"
    name: ClassVar[str] = "SubRip, what is said without names (.srt)"
    losses: ClassVar[tuple[str, ...]] = (*Srt.losses[:2], "Who speaks is left out.", *Srt.losses[3:])
    _with_names: ClassVar[bool] = False


class SrtSegments(Srt):
    """The segments as captions, to be shown over the video by any player."""

    key: ClassVar[str] = "srt-segments"
    name: ClassVar[str] = "SubRip, segments as captions (.srt)"
    losses: ClassVar[tuple[str, ...]] = (
        "It is for showing: what comes back is text, spoken by the annotator.",
        Srt.losses[1],
        *Srt.losses[3:],
    )
    _segments: ClassVar[bool] = True


def _captions(text: str, path: Path) -> tuple[list[Caption], int]:
    """Return the captions that say something, and how many have no time that makes sense."""
    lines = re.split(r"\r\n?|\n", text)
    begins = [place for place, line in enumerate(lines) if _TIMES_START.match(line)]
    for number, line in enumerate(lines[: begins[0] if begins else len(lines)], start=1):
        if line.strip() and not _COUNTER.fullmatch(line.strip()):
            raise damaged_file_error(path, f"“{line[:40]}” is no caption", number)
    found: list[Caption] = []
    lost = 0
    for place, following in pairwise([*begins, len(lines) + 1]):
        times = _TIMES.fullmatch(lines[place])
        start, end = (parse_clock(group) for group in times.groups()) if times else (None, None)
        if start is None or end is None or end < start:
            lost += 1
            continue
        last = following - 1
        if following <= len(lines) and _COUNTER.fullmatch(lines[last].strip()) and last > place:
            last -= 1
        said = _MARKUP.sub("", "\n".join(lines[place + 1 : last + 1]))
        words = "\n".join(line for line in said.split("\n") if line.strip())
        if words:
            found.append(Caption(start, end, "", words))
    return found, lost


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
        caption if match is None else _rebuild_caption(caption, speaker=match[1].strip(), text=match[2])
        for caption, match in zip(captions, found, strict=True)
    ]


def _rebuild_caption(caption: Caption, *, text: str, speaker: str = "") -> Caption:
    return Caption(caption.start_us, caption.end_us, speaker, text)


_RECORDING_NOTE = "Recording "
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t\n]([^<>]*)>")
_TAG = re.compile(r"</?[^<>]*>")


class WebVtt:
    """What is said, with who says it."""

    key: ClassVar[str] = "webvtt"
    name: ClassVar[str] = "WebVTT, what is said (.vtt)"
    suffixes: ClassVar[tuple[str, ...]] = (".vtt",)
    holds_several: ClassVar[bool] = False
    lossless: ClassVar[bool] = False
    losses: ClassVar[tuple[str, ...]] = (
        "Only what is said is in it; segments are not.",
        "WebVTT counts milliseconds: finer times are cut off.",
        "Empty lines in a text, and utterances without words, are left out.",
        "Links to media are left out.",
    )
    _segments: ClassVar[bool] = False

    def recognises(self, head: bytes) -> bool:
        """Tell whether the first word is WebVTT's."""
        return head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe").startswith(b"WEBVTT")

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        text = read_text(path, MAX_FILE_BYTES)
        try:
            found = webvtt.from_string(text)
        except (MalformedFileError, MalformedCaptionError) as error:
            raise damaged_file_error(
                path, "it is not WebVTT" if isinstance(error, MalformedFileError) else str(error)
            ) from None
        lost = text.count("-->") - len(found.captions)
        if lost and not found.captions:
            raise damaged_file_error(path, "none of its cues has a time that makes sense")
        captions = []
        remarks = [f"Cues without a time that makes sense are left out: {lost}."] if lost > 0 else []
        for cue in found.captions:
            start, end = (1000 * timestamp.in_milliseconds() for timestamp in (cue.start_time, cue.end_time))
            if end < start:
                remarks.append(f"The cue at {cue.start} ends before it starts, and is left out.")
                continue
            row_id = cue.identifier or ""
            for number, (who, said) in enumerate(_split_voices(cue.raw_text, path)):
                captions.append(Caption(start, end, who, said, row_id if number == 0 else ""))
        notes = [note for note in [*found.header_comments, *found.footer_comments] if note.startswith(_RECORDING_NOTE)]
        row_id = notes[0].removeprefix(_RECORDING_NOTE).strip() if notes else ""
        name = found.header_text if notes and found.header_text else path.stem
        return Document((RecordingPart(name, captions_to_lanes(captions), id=row_id),), tuple(remarks))

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        part, captions = collect_captions(document, segments=self._segments)
        made = webvtt.WebVTT(
            captions=[_cue(caption) for caption in captions],
            header_comments=[f"{_RECORDING_NOTE}{part.id}"] if is_id(part.id) else [],
            header_text=" ".join(part.name.replace("-->", "->").split()),
        )
        with path.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            made.write(file)


class WebVttSegments(WebVtt):
    """The segments as captions, to be shown over the video by any player."""

    key: ClassVar[str] = "webvtt-segments"
    name: ClassVar[str] = "WebVTT, segments as captions (.vtt)"
    losses: ClassVar[tuple[str, ...]] = (
        "It is for showing: what comes back is text, spoken by the annotator.",
        *WebVtt.losses[1:],
    )
    _segments: ClassVar[bool] = True


def _cue(caption: Caption) -> webvtt.Caption:
    text = html.escape(caption.text, quote=False)
    voiced = f"<v {html.escape(caption.speaker, quote=False)}>{text}" if caption.speaker else text
    times = format_clock(caption.start_us, "."), format_clock(caption.end_us, ".")
    return webvtt.Caption(*times, voiced.split("\n"), caption.id if is_id(caption.id) else None)


def _split_voices(text: str, path: Path) -> Iterator[tuple[str, str]]:
    """Yield who speaks and what they say, for each voice in a cue; text before the first has no speaker."""
    before, *rest = _VOICE.split(text)
    for who, said in [("", before), *zip(rest[::2], rest[1::2], strict=True)]:
        try:
            name, words = html.unescape(who), html.unescape(_TAG.sub("", said)).strip("\n")
        except ValueError:
            raise damaged_file_error(path, "a character in it has a number with too many digits") from None
        if words.strip():
            yield " ".join(name.split()), words
