"""The labelled sentences, and how what is found in them is held against the truth."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anonymize.pii_detection.pii_hit import KINDS

DEVELOPMENT, HELD_OUT = "development", "held-out"
PUBLIC = ("Pepper", "Misty")
"""The robots of the sentences: a study would list them as words that are not personal."""
_FILE = Path(__file__).with_name("sentences.jsonl")

Span = tuple[int, int, str]
"""Start, end, group of kinds: `names`, `places` or `structured`."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with what is personal in it."""

    number: int
    part: str
    text: str
    spans: tuple[Span, ...]


@dataclass
class Figures:
    """Counts over sentences: found of those that are there, right of those that were found, by group."""

    there: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)
    right: dict[str, int] = field(default_factory=dict)

    def recall(self, group: str) -> float:
        """Return the share of true spans of a group that are found."""
        return self.found.get(group, 0) / self.there[group]

    def precision(self, group: str | None = None) -> float:
        """Return the share of what was found that is right; over all groups where None is named."""
        said = sum(self.said.values()) if group is None else self.said.get(group, 0)
        right = sum(self.right.values()) if group is None else self.right.get(group, 0)
        return right / said if said else 0.0


def listed(name: str) -> list[list[str]]:
    """Return the rows of a table of examples beside the tests of rules."""
    folder = Path(__file__).parents[1] / "unit" / "anonymize" / "pii"
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]


def sentences(part: str | None = None) -> list[Sentence]:
    """Return the sentences of a part, or all."""
    rows = [json.loads(line) for line in _FILE.read_text("utf-8").splitlines()]
    return [
        Sentence(
            row["number"], row["part"], row["text"], tuple((a, b, KINDS[kind].group) for a, b, kind in row["spans"])
        )
        for row in rows
        if part is None or row["part"] == part
    ]


def judged(those: Iterable[Sentence], find: Callable[[str], Sequence[Span]]) -> Figures:
    """Hold what is found in sentences against the truth: spans of one group that overlap are the same."""
    made = Figures()
    for sentence in those:
        hits = find(sentence.text)
        for span in sentence.spans:
            _add(made.there, span[2])
            if any(_same(span, hit) for hit in hits):
                _add(made.found, span[2])
        for hit in hits:
            _add(made.said, hit[2])
            if any(_same(span, hit) for span in sentence.spans):
                _add(made.right, hit[2])
    return made


def _same(row: Span, other: Span) -> bool:
    return row[0] < other[1] and other[0] < row[1] and row[2] == other[2]


def _add(counts: dict[str, int], group: str) -> None:
    counts[group] = counts.get(group, 0) + 1
