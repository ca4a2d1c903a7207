"""SubRip (SRT): captions without a place for who speaks, who stands before the text as `Name: ` by custom."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

from app.core.interchange.captions.shared import Caption, captions_of, clock, lanes_of, microseconds
from app.core.interchange.document import Document, RecordingPart
from app.core.interchange.limits import MEGABYTE, damaged, read_text

LARGEST = 16 * MEGABYTE
_TIMES = re.compile(r"\s*(-?[\d:.,]+)\s*-->\s*(-?[\d:.,]+)(?:\s.*)?")
_SPEAKER = re.compile(r"([^\s:][^:\n]{0,39}): (.*)", re.DOTALL)
_MARKUP = re.compile(r"</?(?:b|i|u|s|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}", re.IGNORECASE)
_BEGINS = re.compile(r"\s*-?\d[-\d:.,]*\s*-->")
_COUNTER = re.compile(r"\d+")
_OFTEN = 2


class Srt:
    """What is said, with the speaker's name before it."""

    key: ClassVar[str] = "srt"
    name: ClassVar[str] = "SubRip, what is said with names (.srt)"
    suffixes: ClassVar[tuple[str, ...]] = (".srt",)
    many: ClassVar[bool] = False
    whole: ClassVar[bool] = False
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
    _named: ClassVar[bool] = True

    def recognises(self, head: bytes) -> bool:
        """Tell whether there is a line with two times and an arrow among the first ones."""
        text = head.replace(b"\0", b"").decode("utf-8", "replace")
        return any(_TIMES.fullmatch(line) for line in text.splitlines()[:40])

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        text = read_text(path, LARGEST)
        captions, lost = _captions(text, path)
        if not captions and (lost or text.strip()):
            raise damaged(path, "none of its captions has a time that makes sense")
        remarks = (f"Captions without a time that makes sense are left out: {lost}.",) if lost else ()
        return Document((RecordingPart(path.stem, lanes_of(_with_speakers(captions))),), remarks)

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        _, captions = captions_of(document, segments=self._segments)
        with path.open("w", encoding="utf-8", errors="replace", newline="\r\n") as file:
            for number, one in enumerate(captions, start=1):
                text = one.text.replace("-->", "->")
                if self._named and one.speaker:
                    text = f"{one.speaker}: {text}"
                times = f"{clock(one.start_us, ',')} --> {clock(one.end_us, ',')}"
                file.write(f"{number}\n{times}\n{text}\n\n")


class SrtPlain(Srt):
    """What is said, without names."""

    key: ClassVar[str] = "srt-plain"
    name: ClassVar[str] = "SubRip, what is said without names (.srt)"
    losses: ClassVar[tuple[str, ...]] = (*Srt.losses[:2], "Who speaks is left out.", *Srt.losses[3:])
    _named: ClassVar[bool] = False


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
    begins = [place for place, line in enumerate(lines) if _BEGINS.match(line)]
    for number, line in enumerate(lines[: begins[0] if begins else len(lines)], start=1):
        if line.strip() and not _COUNTER.fullmatch(line.strip()):
            raise damaged(path, f"“{line[:40]}” is no caption", number)
    found: list[Caption] = []
    lost = 0
    for place, following in pairwise([*begins, len(lines) + 1]):
        times = _TIMES.fullmatch(lines[place])
        start, end = (microseconds(one) for one in times.groups()) if times else (None, None)
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


def _with_speakers(captions: list[Caption]) -> list[Caption]:
    """Take `Name: ` from before the texts, where it is plainly meant as one.

    That is where all captions have it, or at least half of them, with names that come twice or more on average.
    """
    found = [_SPEAKER.fullmatch(one.text) for one in captions]
    names = Counter(match[1].strip() for match in found if match is not None)
    named = sum(names.values())
    usual = named * 2 >= len(captions) and named >= _OFTEN * len(names)
    if not named or not (named == len(captions) or usual):
        return captions
    return [
        one if match is None else _replaced(one, speaker=match[1].strip(), text=match[2])
        for one, match in zip(captions, found, strict=True)
    ]


def _replaced(one: Caption, *, text: str, speaker: str = "") -> Caption:
    return Caption(one.start_us, one.end_us, speaker, text)
