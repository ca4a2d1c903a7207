"""Reads TextGrids as Praat does: only free-standing numbers, quoted texts and `<exists>` count, the rest is decoration.

So the long form, with its `xmin = `, and the short one, without, are read alike (Praat manual, "TextGrid file
formats").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.interchange.document import Document, Entry, Lane, RecordingPart
from app.core.interchange.limits import damaged
from app.core.interchange.praat.tier_names import TierName, understood
from app.core.interchange.unique import unique
from project.types import Json

_TOKEN = re.compile(
    r'"([^"]*(?:""[^"]*)*)"|(<exists>|<absent>)|(?<!\S)([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?!\S)|(?:^|(?<=\s))![^\n]*'
)
_LATEST_S = 10_000_000


@dataclass(frozen=True, slots=True)
class _Tier:
    name: str
    entries: tuple[Entry, ...]


class _Tokens:
    """The texts and numbers of a file, one after the other."""

    def __init__(self, text: str, path: Path) -> None:
        self._found = _TOKEN.finditer(text)
        self._text = text
        self._path = path
        self._at = 0

    def text(self) -> str:
        """Return the next token, which must be a quoted text."""
        found = self._next()
        if found[1] is None:
            raise self.damaged("a text in quotes is missing")
        return found[1].replace('""', '"')

    def number(self) -> float:
        """Return the next token, which must be a number."""
        found = self._next()
        if found[3] is None:
            raise self.damaged("a number is missing")
        return float(found[3])

    def time(self) -> int:
        """Return the next token, seconds, as microseconds."""
        seconds = self.number()
        if not -_LATEST_S < seconds < _LATEST_S:
            raise self.damaged("a time is out of range")
        return round(seconds * 1_000_000)

    def count(self) -> int:
        """Return the next token, a whole number."""
        found = self.number()
        # Every item takes some characters, so a larger number is a lie that would only cost time.
        if not found.is_integer() or not 0 <= found <= len(self._text):
            raise self.damaged("a count makes no sense")
        return int(found)

    def flag(self) -> bool:
        """Return the next token, which must be `<exists>` or `<absent>`."""
        found = self._next()
        if found[2] is None:
            raise self.damaged("“<exists>” is missing")
        return found[2] == "<exists>"

    def damaged(self, why: str) -> Exception:
        """Return the error for what stands at the last token."""
        return damaged(self._path, why, self._text.count("\n", 0, self._at) + 1)

    def _next(self) -> re.Match[str]:
        for found in self._found:
            self._at = found.start()
            if not found[0].startswith("!"):
                return found
        raise damaged(self._path, "it ends too early")


def parse_textgrid(text: str, path: Path) -> Document:
    """Return the tiers of a TextGrid as lanes; empty intervals are pauses and left out.

    Raises:
        UserError: the text is no TextGrid, or is damaged.
    """
    tokens = _Tokens(text, path)
    if tokens.text() != "ooTextFile" or tokens.text() != "TextGrid":
        raise damaged(path, "it is no TextGrid in text form")
    start = tokens.time()
    duration = tokens.time() - start
    tiers = [_tier(tokens) for _ in range(tokens.count())] if tokens.flag() else []
    return Document((RecordingPart(path.stem, tuple(_lanes(tiers)), (), max(0, duration)),))


def _tier(tokens: _Tokens) -> _Tier:
    kind, name = tokens.text(), tokens.text()
    tokens.time()
    tokens.time()
    if kind not in ("IntervalTier", "TextTier"):
        raise tokens.damaged(f"“{kind}” is no kind of tier")
    entries: list[Entry] = []
    for _ in range(tokens.count()):
        start = tokens.time()
        end = tokens.time() if kind == "IntervalTier" else start
        text = tokens.text()
        if end < start:
            raise tokens.damaged("an interval ends before it starts")
        if text.strip() or kind == "TextTier":
            entries.append(Entry(start, end, text))
    return _Tier(name, tuple(entries))


def _lanes(tiers: list[_Tier]) -> Iterator[Lane]:
    values: dict[TierName, dict[tuple[int, int], dict[str, Json]]] = {}
    ours: dict[TierName, list[Entry]] = {}
    others: list[_Tier] = []
    for tier in tiers:
        said = understood(tier.name)
        if said is None:
            others.append(tier)
        elif said.field:
            owner = _without_field(said)
            for entry in tier.entries:
                values.setdefault(owner, {}).setdefault((entry.start_us, entry.end_us), {})[said.field] = entry.text
        else:
            ours.setdefault(said, []).extend(tier.entries)
    lanes: dict[TierName, list[Entry]] = {}
    for said, entries in ours.items():
        held = values.pop(said, {})
        lanes.setdefault(_without_row(said), []).extend(
            Entry(one.start_us, one.end_us, one.text, held.get((one.start_us, one.end_us), {})) for one in entries
        )
    taken: set[str] = set()
    for said, entries in lanes.items():
        track = f"{said.scheme}.{said.track}"
        name = f"{said.annotator} {track}" if said.scheme else f"Speech {said.participant}".strip()
        yield Lane(
            unique(name, taken), tuple(entries), said.kind, said.annotator, said.participant, said.scheme, said.track
        )
    for tier in others:
        yield Lane(unique(tier.name or "Tier", taken), tier.entries)


def _without_field(said: TierName) -> TierName:
    return TierName(said.kind, said.annotator, said.participant, said.scheme, said.track, "", said.row)


def _without_row(said: TierName) -> TierName:
    return TierName(said.kind, said.annotator, said.participant, said.scheme, said.track)
