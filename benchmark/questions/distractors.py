"""Wrong options from the other nodes of a study: near enough to be plausible, and never true as well."""

import itertools
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmark.questions.similarity import Floats, Similarity
from benchmark.questions.statements import Names, Statement, Words, capital
from benchmark.questions.validity import gist
from project.questions import WrongOption

TOO_ALIKE = 0.8
"""Cosine from which a text counts as the answer in other words."""
_LENGTH = 0.5
"""What one unit of the logarithm of a text's length weighs against a cosine."""
_FIRST_LOOK = 48
_ROWS_AT_ONCE = 256
_NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Asked:
    """What wrong options are wanted for.

    Attributes:
        answer: the right option.
        true: ids of nodes that are true as well, or may be: nothing that says the same is offered.
        barred: ids of nodes that no wrong option may have, whatever it says.
        busy: nothing of the answer's own recording that overlaps this span is offered, on the recording's axis.
        people: pseudonyms in its recording, in the order in which they take the places of others.
        alike: what the best wrong options have in common with the answer; all others come after them.
        of_somebody: it is asked what those of the answer do, think or feel, so that an option that names somebody else
            could be told to be wrong by that alone.
    """

    answer: Statement
    true: Collection[str]
    barred: Collection[str]
    busy: tuple[int, int]
    people: Sequence[str]
    alike: str
    of_somebody: bool = False


@dataclass
class Pool:
    """Statements of one sort, of which each may be a wrong option for another one.

    Attributes:
        alike: of each statement, to be compared with `Asked.alike`.
        words: node id -> what its text says.
        names: of the study's people.
        similarity: that was fitted to the study's texts.
        reach: recording id -> where its texts may go; what may not go wherever the question may is not used.
        seed: of the order of texts that are equally near.
    """

    statements: Sequence[Statement]
    alike: Sequence[str]
    words: Mapping[str, Words]
    names: Names
    similarity: Similarity
    reach: Mapping[str, frozenset[str]] = field(default_factory=dict)
    seed: int = 0

    def choose(self, asked: Sequence[Asked], count: int) -> Iterator[tuple[WrongOption, ...]]:
        """Yield for each its wrong options: `count`, or fewer where no more would do.

        One is near the answer. The others are near that one, or near the answer where chance says so, once in
        `count` + 1 times: were they always near the answer, it would be the option that is most like all the others,
        and could be told without knowing the question. For the same reason, all are about as long as the answer.
        """
        there = self.similarity.vectors([self.names.without(one.text) for one in self.statements])
        places = {one.text: at for at, one in enumerate(self.statements)}
        labels = np.array([*self.alike], dtype=str)
        lengths = np.log([1 + len(one.text) for one in self.statements], dtype=np.float32)
        ties = np.array([random.Random(f"{self.seed} {at}").random() for at in range(len(labels))], np.float32)
        for first in range(0, len(asked), _ROWS_AT_ONCE):
            part = asked[first : first + _ROWS_AT_ONCE]
            known = [places.get(one.answer.text) for one in part]
            if None in known:
                here = self.similarity.vectors([self.names.without(one.answer.text) for one in part])
            else:
                here = there[known]
            near = self.similarity.between(here, there)
            rank = [
                row + 1e-5 * ties + (labels == one.alike) - _LENGTH * np.abs(lengths - np.log(1 + len(one.answer.text)))
                for one, row in zip(part, near, strict=True)
            ]
            nearest = [self._walk(one, row, by, 1) for one, row, by in zip(part, near, rank, strict=True)]
            chance = [random.Random(f"{self.seed} {one.answer.text}").randrange(count + 1) for one in part]
            moved = [at for at, found in enumerate(nearest) if found and chance[at]]
            if moved:
                others = self.similarity.between(there[[nearest[at][0][0] for at in moved]], there)
                for at, row in zip(moved, others, strict=True):
                    rank[at] += row - near[at]
            for one, row, by, found in zip(part, near, rank, nearest, strict=True):
                yield tuple(option for _, option in self._walk(one, row, by, count, [at for at, _ in found]))

    def _walk(
        self, asked: Asked, near: Floats, rank: Floats, count: int, first: Sequence[int] = ()
    ) -> list[tuple[int, WrongOption]]:
        """Return positions and options: `first`, and after it what has the highest ranks, as far as it will do."""
        true = [self.words[one] for one in {*asked.true, *asked.answer.node_ids}]
        taken = {gist(asked.answer.text)}
        taken_words: list[Words] = []
        found: list[tuple[int, WrongOption]] = []
        for at in itertools.chain(first, _from_highest(rank)):
            if len(found) == count:
                break
            if near[at] >= TOO_ALIKE:
                continue
            one = self.statements[at]
            if not self._may_stand(asked, one):
                continue
            words = [self.words[node.id] for node in one.nodes]
            if any(mine.says_the_same(other) for mine in words for other in (*true, *taken_words)):
                continue
            text = self._told_of(asked, one)
            if not gist(text) or gist(text) in taken:
                continue
            taken.add(gist(text))
            taken_words += words
            found.append((at, WrongOption(text, None, one.nodes[-1].id)))
        return found

    def _may_stand(self, asked: Asked, one: Statement) -> bool:
        if not one.node_ids.isdisjoint(asked.barred) or not one.node_ids.isdisjoint(asked.answer.node_ids):
            return False
        home = asked.answer.recording_id
        if not self.reach.get(one.recording_id, _NOBODY) >= self.reach.get(home, _NOBODY):
            return False
        start_us, end_us = one.span
        return one.recording_id != home or end_us <= asked.busy[0] or asked.busy[1] <= start_us

    def _told_of(self, asked: Asked, one: Statement) -> str:
        """Return the text of a statement, told of the people of the question's recording, of whom it asks first."""
        asked_of = asked.answer.people if asked.of_somebody else ()
        if one.recording_id == asked.answer.recording_id and (not asked_of or not {*one.people}.isdisjoint(asked_of)):
            return one.text
        first = self.names.within(asked.answer.text)
        return capital(self.names.changed(one.text, [*dict.fromkeys([*first, *asked.people])]))


def _from_highest(rank: Floats) -> Iterator[int]:
    """Yield positions by falling rank; sorts all of them only where the first ones do not suffice."""
    if len(rank) > 2 * _FIRST_LOOK:
        first = np.argpartition(-rank, _FIRST_LOOK)[:_FIRST_LOOK]
        yield from (int(at) for at in first[np.argsort(-rank[first])])
        rest = np.argsort(-rank)[_FIRST_LOOK:]
        yield from (int(at) for at in rest)
    else:
        yield from (int(at) for at in np.argsort(-rank))
