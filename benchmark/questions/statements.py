"""What may stand as an option: the text of a node, or those of several nodes together."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmark.questions.validity import gist, plain
from project.chains import Node

_ENOUGH_ALIKE = 0.75
_ONE_SLIP = 95.0
_STEM = 6
_LITTLE = (
    "a about after again all also an and any are as at be because been before being believe believes but by can could "
    "did do does doing during each feel feeling feels felt for from get gets had has have having he her hers him his "
    "how i if in intend intends into is it its just may me mean means might more most my no nor not of off on once "
    "only or other our out over own she should so some somebody someone such than that the their them then there these "
    "they think thinks this those through to too under up us very want wants was we were what when where which while "
    "who whom why will wish wishes with would you your"
)
_SAY_LITTLE = frozenset(_LITTLE.split())


@dataclass(frozen=True)
class Words:
    """What of a node's text decides whether another one says the same: without names.

    Attributes:
        line: all of it, normalised.
        content: the beginnings of its words that say something; never empty.
    """

    line: str
    content: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Words":
        """Take them from a text without names."""
        words = gist(text).split()
        content = frozenset(one[:_STEM] for one in words if one not in _SAY_LITTLE)
        return cls(" ".join(words), content or frozenset({plain(text)}))

    def says_the_same(self, other: "Words") -> bool:
        """Tell whether one of the two may stand for the other, or follows from it: too alike to be right and wrong."""
        shared = len(self.content & other.content)
        if not shared:
            return False
        if shared >= _ENOUGH_ALIKE * min(len(self.content), len(other.content)):
            return True
        return _alike(self.line, other.line)


def _alike(one: str, other: str) -> bool:
    from rapidfuzz import fuzz

    return fuzz.ratio(one, other, score_cutoff=_ONE_SLIP) > 0


@dataclass(frozen=True)
class Statement:
    """The text of one node, or of several together, as an option could have it.

    Attributes:
        nodes: in the order in which they are told.
        recording_id: that they are in.
        joined_by: what stands between their texts.
    """

    nodes: tuple[Node, ...]
    recording_id: str
    joined_by: str = "; "

    @cached_property
    def text(self) -> str:
        """As an option is written: without a full stop, with a capital."""
        return capital(self.joined_by.join(one_line(one.text) for one in self.nodes))

    @cached_property
    def node_ids(self) -> frozenset[str]:
        """Ids of its nodes."""
        return frozenset(one.id for one in self.nodes)

    @property
    def kind(self) -> str:
        """Kind of its last node."""
        return self.nodes[-1].kind.value

    @cached_property
    def span(self) -> tuple[int, int]:
        """From the start of its first node to the end of its last one, on the recording's axis."""
        return min(one.start_us for one in self.nodes), max(one.end_us for one in self.nodes)

    @property
    def people(self) -> tuple[str, ...]:
        """Ids of the participants of its nodes, in the order of the nodes."""
        return tuple(dict.fromkeys(who for one in self.nodes for who in one.people))


def one_line(text: str) -> str:
    """Return a text on one line, without a full stop at its end."""
    return " ".join(text.split()).removesuffix(".").rstrip()


def capital(text: str) -> str:
    """Return a text with a capital at its start."""
    return text[:1].upper() + text[1:]


class Names:
    """Finds the pseudonyms of a study's people in texts."""

    def __init__(self, names: Iterable[str]) -> None:
        known = sorted({one for one in names if one.strip()}, key=lambda one: (-len(one), one))
        parts = "|".join(map(re.escape, known))
        self._pattern = re.compile(rf"(?<!\w)(?:{parts})(?!\w)") if known else None

    def within(self, text: str) -> list[str]:
        """Return the names in a text, in the order of their first mention."""
        return [] if self._pattern is None else [*dict.fromkeys(self._pattern.findall(text))]

    def without(self, text: str) -> str:
        """Return a text with a space in the place of each name."""
        return text if self._pattern is None else self._pattern.sub(" ", text)

    def changed(self, text: str, into: Sequence[str]) -> str:
        """Return a text told of other people: the first name in it becomes the first of `into`, and so on.

        Where there are more names than `into` has, the others become `somebody`.
        """
        if self._pattern is None:
            return text
        found = self.within(text)
        new = {name: into[at] if at < len(into) else _SOMEBODY for at, name in enumerate(found)}
        return self._pattern.sub(lambda one: new[one.group()], text)


_SOMEBODY = "somebody"
