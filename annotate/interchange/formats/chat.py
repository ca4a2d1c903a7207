"""Reads CHAT, the transcripts of CLAN and TalkBank.

Source: "Tools for Analyzing Talk, part 1: The CHAT Transcription Format" (MacWhinney, 2021), chapters 5, 7 and 10.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from annotate.interchange.bounded_files import check_entries, damaged_file_error, read_text
from annotate.interchange.document import (
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    unique_name,
)

_BULLET = re.compile(r'\x15(?:%\w+:"[^"]*"_)?(\d{1,9})_(\d{1,9})-?\x15')
"""Where an utterance is in the media: from and to which millisecond."""
_ANY_BULLET = re.compile("\x15[^\x15]*\x15")


def _join_lines(text: str) -> Iterator[str]:
    """Yield the lines of a file, each with those that go on with it."""
    line = ""
    for further in text.splitlines():
        if further.startswith("\t"):
            line += " " + further.strip()
            continue
        if line:
            yield line
        line = further.rstrip()
    if line:
        yield line


def _read(path: Path) -> Document:
    """Return what each participant says as a lane, and each dependent tier of theirs as a lane within it."""
    lanes: dict[tuple[str, str], list[InterchangeEntry]] = {}
    media: tuple[MediaLink, ...] = ()
    unread: Counter[str] = Counter()
    begun = False
    speaker, span = "", None
    for count, line in enumerate(_join_lines(read_text(path))):
        name, _, content = line.partition(":")
        content = content.strip()
        begun |= line.startswith(("@Begin", "@UTF8"))
        if name == "@Media":
            media = (MediaLink(content.split(",")[0].strip().strip('"')),)
        elif name.startswith("*"):
            speaker = name[1:].strip()
            times = [int(time) * 1000 for found in _BULLET.findall(content) for time in found]
            span = (min(times), max(times)) if times else None
            if span is None:
                unread["an utterance without a time: link it to the media in CLAN"] += 1
            else:
                text = " ".join(_ANY_BULLET.sub(" ", content).split())
                lanes.setdefault((speaker, ""), []).append(InterchangeEntry(*span, text))
        elif name.startswith("%") and content:
            if span is None:
                unread["a line about an utterance without a time"] += 1
            else:
                text = " ".join(_ANY_BULLET.sub(" ", content).split())
                lanes.setdefault((speaker, name[1:]), []).append(InterchangeEntry(*span, text))
        check_entries(path, count)
    if not begun:
        raise damaged_file_error(path, "it does not begin as a transcript of CHAT")
    taken: set[str] = set()
    made = (
        InterchangeLane(
            unique_name(f"%{tier} {who}" if tier else who, taken),
            tuple(entries),
            "segments" if tier else "utterances",
            participant=who,
            tier=f"%{tier}" if tier else "",
            parent=who if tier else "",
        )
        for (who, tier), entries in lanes.items()
    )
    return Document((RecordingPart(path.stem, tuple(made), media, on_media_time=True),), unread=unread)


def _recognises(head: bytes) -> bool:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"@UTF8", b"@Begin"))


CHAT = Format("chat", "CHAT, of CLAN (.cha)", (".cha",), _recognises, _read)
"""CHAT. Utterances are as they are written, with the signs of CHAT."""
