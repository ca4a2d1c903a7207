"""Reads lines of a transcript with cues, as whoever is given a file of them would."""

import re

from annotate.transcript.conversation_history import SEEN, CaptionLine, LineCue, LineResponse

_HEAD = re.compile(r"((?:\\.|[^\\\[])+) \[(\d+\.\d\d)-(\d+\.\d\d)\]:(?: (.*))?", re.DOTALL)
_SAID = re.compile(r"((?:\\.|[^\\()])*) (tone|emotion)(?: \(((?:\\.|[^\\()])*)\))?", re.DOTALL)


def read_line(text: str) -> CaptionLine:
    """Read what `write_line` wrote.

    Raises:
        ValueError: it is not a line of this form.
    """
    head = _HEAD.fullmatch(text)
    if head is None:
        raise ValueError(text)
    words: list[str] = []
    cues: list[LineCue] = []
    responses: list[LineResponse] = []
    for piece in _pieces(head[4] or ""):
        if not piece.startswith("["):
            words.append(_plain(piece))
            continue
        who, said = _parted(piece[1:-1], ": ")
        if said is None:
            cues += [_cue_of(item) for group in _split(piece[1:-1], "; ") for item in _split(group, ", ")]
        else:
            responses.append(LineResponse(len(words), _who(who), _plain(said)))
    start, end = (round(float(head[at]) * 100) for at in (2, 3))
    return CaptionLine(_who(head[1]), start, end, tuple(words), tuple(cues), tuple(responses))


def _cue_of(item: str) -> LineCue:
    found = _SAID.fullmatch(item)
    if found is None:
        return LineCue(SEEN, _plain(item))
    return LineCue(found[2], _plain(found[1]), _plain(found[3] or ""))


def _who(name: str) -> str | None:
    return None if name == "?" else _plain(name)


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _pieces(text: str) -> list[str]:
    """Return the words and the brackets of a line's text."""
    return re.findall(r"\[(?:\\.|[^\\\]])*\]|(?:\\.|[^\\\s\[])+", text, re.DOTALL)


def _split(text: str, at: str) -> list[str]:
    parts = []
    rest: str | None = text
    while rest is not None:
        first, rest = _parted(rest, at)
        parts.append(first)
    return parts


def _parted(text: str, at: str) -> tuple[str, str | None]:
    """Return what is before and after the first `at` without a backslash before it; None where there is none."""
    place = 0
    while place < len(text):
        if text[place] == "\\":
            place += 2
        elif text.startswith(at, place):
            return text[:place], text[place + len(at) :]
        else:
            place += 1
    return text, None
