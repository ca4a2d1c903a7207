"""A stretch of a text that looks like personal information."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

CERTAIN = 1.0
STRONG = 0.85
LIKELY = 0.7
WEAK = 0.5


@dataclass(frozen=True, slots=True)
class Hit:
    """A stretch of a text that looks like personal information.

    Attributes:
        start: first character.
        end: after the last character.
        kind: key of `KINDS`.
        text: what stands there.
        score: 0 to 1, how sure the rule is that found it.
        source: what found it: `study`, `rules`, `lists`, `presidio` or the key of a model.
        participant_id: whose name it is, where it is a participant's.
        word: of the study, that this is a form of; "" where it is none.
    """

    start: int
    end: int
    kind: str
    text: str
    score: float
    source: str
    participant_id: str | None = None
    word: str = ""


@dataclass(frozen=True, slots=True)
class Stretch:
    """What a rule found in a text: a hit without its words."""

    start: int
    end: int
    kind: str
    score: float
    source: str = "rules"
    participant_id: str | None = None
    word: str = ""


def settled(text: str, found: Iterable[Stretch]) -> list[Hit]:
    """Return hits in order of place, without overlaps and without blanks at their ends.

    The surest wins; of those alike, the longest. What touches a surer one is joined to it, so that nothing that any
    rule found stays outside.
    """
    kept: list[Stretch] = []
    for one in sorted(found, key=lambda s: (-s.score, s.start - s.end, s.start)):
        start, end = _trimmed(text, one.start, one.end)
        if start >= end:
            continue
        new = replace(one, start=start, end=end)
        at = next((i for i, other in enumerate(kept) if other.start < end and start < other.end), None)
        if at is None:
            kept.append(new)
        else:
            kept[at] = _joined(kept[at], new)
    return [
        Hit(s.start, s.end, s.kind, text[s.start : s.end], s.score, s.source, s.participant_id, s.word)
        for s in _apart(kept)
    ]


def _apart(kept: list[Stretch]) -> Iterator[Stretch]:
    """Yield stretches by place; joining may have made neighbours overlap."""
    last: Stretch | None = None
    for one in sorted(kept, key=lambda s: (s.start, -s.end)):
        if last is not None and one.start < last.end:
            last = _joined(*sorted((last, one), key=lambda s: -s.score))
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _joined(surer: Stretch, other: Stretch) -> Stretch:
    start, end = min(surer.start, other.start), max(surer.end, other.end)
    whose = surer if surer.word or surer.participant_id else other
    return replace(surer, start=start, end=end, participant_id=whose.participant_id, word=whose.word)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    start, end = max(start, 0), min(end, len(text))
    while start < end and text[start].isspace():
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in ",;:!?"):
        end -= 1
    return start, end
