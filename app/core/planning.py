"""Who annotates what: equal numbers first, then pairs, then minutes. The same seed gives the same plan."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

_ROUNDS = 40
"""How many exchanges are tried for each recording, for pairs and again for minutes."""


@dataclass(frozen=True, slots=True)
class Part:
    """One recording to be planned; `kept` are annotators who stay with it."""

    id: str
    duration_us: int
    kept: frozenset[str] = frozenset()


def plan(parts: Sequence[Part], annotators: Sequence[str], per_recording: int, seed: int) -> dict[str, frozenset[str]]:
    """Return recording -> its annotators, `per_recording` of them or more where more are kept.

    Where nothing is kept, the numbers of recordings of two annotators differ by one at most. Every two annotators share
    about equally many recordings, and minutes are evened out by exchanging whole groups, which leaves both as they are.
    """
    chance = random.Random(seed)
    order = sorted(parts, key=lambda part: part.id)
    chance.shuffle(order)
    # Those with the least freedom come first, so that the others can make up for them.
    order.sort(key=lambda part: -len(part.kept))
    table = _Table(annotators, per_recording, chance)
    for part in order:
        table.give(part)
    table.even_out_pairs()
    table.even_out_minutes()
    return {part.id: frozenset(table.groups[part.id]) for part in parts}


class _Table:
    def __init__(self, annotators: Sequence[str], per_recording: int, chance: random.Random) -> None:
        self._annotators = [*annotators]
        self._per_recording = per_recording
        self._chance = chance
        self._parts: list[Part] = []
        self.groups: dict[str, set[str]] = {}
        self._counts = dict.fromkeys(annotators, 0)
        self._pairs: dict[frozenset[str], int] = {}

    def give(self, part: Part) -> None:
        """Give a recording to those who have the fewest, and of these to those who met least often."""
        group = set(part.kept)
        while len(group) < self._per_recording:
            free = [one for one in self._annotators if one not in group]
            if not free:
                break
            fewest = min(self._counts[one] for one in free)
            least = [one for one in free if self._counts[one] == fewest]
            self._chance.shuffle(least)
            group.add(min(least, key=lambda one: sum(self._pairs.get(frozenset((one, other)), 0) for other in group)))
        for one in group:
            if one in self._counts:
                self._counts[one] += 1
        for pair in combinations(group, 2):
            self._pairs[frozenset(pair)] = self._pairs.get(frozenset(pair), 0) + 1
        self._parts.append(part)
        self.groups[part.id] = group

    def even_out_pairs(self) -> None:
        """Let two annotators change places between two recordings where fewer then meet too often."""
        for _ in range(_ROUNDS * len(self._parts)):
            first, second = self._two()
            ours, theirs = self.groups[first.id] - first.kept, self.groups[second.id] - second.kept
            give = sorted(ours - self.groups[second.id])
            take = sorted(theirs - self.groups[first.id])
            if not give or not take:
                continue
            one, other = self._chance.choice(give), self._chance.choice(take)
            if self._exchange(first, second, one, other) > 0:
                self._exchange(first, second, other, one)

    def even_out_minutes(self) -> None:
        """Let two recordings change their whole groups where that makes the minutes more even."""
        minutes = dict.fromkeys(self._annotators, 0.0)
        for part in self._parts:
            for one in self.groups[part.id]:
                if one in minutes:
                    minutes[one] += part.duration_us / 6e7
        free = [part for part in self._parts if not part.kept]
        if len(free) < 2:
            return
        for _ in range(_ROUNDS * len(free)):
            first, second = self._chance.sample(free, 2)
            longer = (first.duration_us - second.duration_us) / 6e7
            moved = self.groups[first.id] ^ self.groups[second.id]
            change = {one: -longer if one in self.groups[first.id] else longer for one in moved}
            if sum((minutes[one] + by) ** 2 - minutes[one] ** 2 for one, by in change.items()) < 0:
                for one, by in change.items():
                    minutes[one] += by
                self.groups[first.id], self.groups[second.id] = self.groups[second.id], self.groups[first.id]

    def _two(self) -> tuple[Part, Part]:
        first, second = self._chance.choice(self._parts), self._chance.choice(self._parts)
        return first, second

    def _exchange(self, first: Part, second: Part, one: str, other: str) -> int:
        """Let `one` of the first and `other` of the second change places; returns what that adds to the squares."""
        added = 0
        for part, leaving, coming in ((first, one, other), (second, other, one)):
            group = self.groups[part.id]
            group.remove(leaving)
            for rest in group:
                for pair, by in ((frozenset((leaving, rest)), -1), (frozenset((coming, rest)), 1)):
                    met = self._pairs.get(pair, 0)
                    added += 2 * met * by + 1
                    self._pairs[pair] = met + by
            group.add(coming)
        return added
