"""WebVTT: captions with a voice each; webvtt-py reads and writes the cues, voices and what stands in them are ours."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import webvtt
from webvtt.errors import MalformedCaptionError, MalformedFileError

from app.core.interchange.captions.shared import Caption, captions_of, clock, lanes_of
from app.core.interchange.document import Document, RecordingPart
from app.core.interchange.limits import MEGABYTE, damaged, read_text
from project.ids import is_id

LARGEST = 16 * MEGABYTE
_RECORDING = "Recording "
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t\n]([^<>]*)>")
_TAG = re.compile(r"</?[^<>]*>")


class WebVtt:
    """What is said, with who says it."""

    key: ClassVar[str] = "webvtt"
    name: ClassVar[str] = "WebVTT, what is said (.vtt)"
    suffixes: ClassVar[tuple[str, ...]] = (".vtt",)
    many: ClassVar[bool] = False
    whole: ClassVar[bool] = False
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
        text = read_text(path, LARGEST)
        try:
            found = webvtt.from_string(text)
        except (MalformedFileError, MalformedCaptionError) as error:
            raise damaged(path, "it is not WebVTT" if isinstance(error, MalformedFileError) else str(error)) from None
        lost = text.count("-->") - len(found.captions)
        if lost and not found.captions:
            raise damaged(path, "none of its cues has a time that makes sense")
        captions = []
        remarks = [f"Cues without a time that makes sense are left out: {lost}."] if lost > 0 else []
        for cue in found.captions:
            start, end = (1000 * one.in_milliseconds() for one in (cue.start_time, cue.end_time))
            if end < start:
                remarks.append(f"The cue at {cue.start} ends before it starts, and is left out.")
                continue
            row_id = cue.identifier or ""
            for number, (who, said) in enumerate(_spoken(cue.raw_text, path)):
                captions.append(Caption(start, end, who, said, row_id if number == 0 else ""))
        notes = [note for note in [*found.header_comments, *found.footer_comments] if note.startswith(_RECORDING)]
        row_id = notes[0].removeprefix(_RECORDING).strip() if notes else ""
        name = found.header_text if notes and found.header_text else path.stem
        return Document((RecordingPart(name, lanes_of(captions), id=row_id),), tuple(remarks))

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        part, captions = captions_of(document, segments=self._segments)
        made = webvtt.WebVTT(
            captions=[_cue(one) for one in captions],
            header_comments=[f"{_RECORDING}{part.id}"] if is_id(part.id) else [],
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


def _cue(one: Caption) -> webvtt.Caption:
    text = html.escape(one.text, quote=False)
    voiced = f"<v {html.escape(one.speaker, quote=False)}>{text}" if one.speaker else text
    times = clock(one.start_us, "."), clock(one.end_us, ".")
    return webvtt.Caption(*times, voiced.split("\n"), one.id if is_id(one.id) else None)


def _spoken(text: str, path: Path) -> Iterator[tuple[str, str]]:
    """Yield who speaks and what they say, for each voice in a cue; text before the first has no speaker."""
    before, *rest = _VOICE.split(text)
    for who, said in [("", before), *zip(rest[::2], rest[1::2], strict=True)]:
        try:
            name, words = html.unescape(who), html.unescape(_TAG.sub("", said)).strip("\n")
        except ValueError:
            raise damaged(path, "a character in it has a number with too many digits") from None
        if words.strip():
            yield " ".join(name.split()), words
