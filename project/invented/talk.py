"""What is said in an invented recording: in each moment by the person and the agent, and between the moments."""

import random
from collections.abc import Iterator, Sequence

from project.invented_ids import InventedIds
from project.store import Cell, Study
from project.synthetic import Home, Moment
from project.words_of_scenes import ACTIVITIES, NEUTRAL, REACTIONS, TIMES, TOPICS

_INSERT = "INSERT INTO utterance VALUES (?, ?, ?, ?, ?, ?, '[]', 1, 0)"
_REACTS = 0.45
_LINE_US, _PAUSE_US = 2_200_000, 300_000
_PAIR_US = 2 * (_LINE_US + _PAUSE_US)
_MOST_PAIRS = 2
"""Pairs of turns between two moments at most."""
_SHORTEST_US = 10


class Talk:
    """Writes the transcript of one recording after the other."""

    def __init__(self, study: Study, seed: int) -> None:
        self._study = study
        self._chance = random.Random(f"{seed} talk")
        self._new_id = InventedIds(self._chance).new
        self.lines = 0
        """How many utterances are written."""

    def tell(self, home: Home, moments: Sequence[Moment]) -> None:
        """Write what is said in a recording; no two utterances overlap."""
        rows: list[tuple[Cell, ...]] = []
        for at, moment in enumerate(moments):
            before = moments[at - 1].end_us if at else 0
            first = min(one.start_us for one in moment.marks)
            rows += self._between(home, before, first)
            user, _ = self._chance.choice(home.users)
            rows += self._inside(home, moment, user)
        last = moments[-1].end_us if moments else 0
        rows += self._between(home, last, home.duration_us)
        self._study.write_many(_INSERT, rows)
        self.lines += len(rows)

    def _inside(self, home: Home, moment: Moment, user: str) -> Iterator[tuple[Cell, ...]]:
        """Yield the person's words, the agent's answer and, at times, what the person makes of it, in this order."""
        said, answered = self._words(moment)
        length = moment.end_us - moment.start_us
        if length < _SHORTEST_US:
            return
        cuts = [moment.start_us + length * part // 10 for part in (1, 5, 8, 10)]
        yield self._row(home, user, said, cuts[0], cuts[1])
        yield self._row(home, home.robot[0], answered, cuts[1], cuts[2])
        if self._chance.random() < _REACTS:
            reaction = self._chance.choice(REACTIONS[moment.verdict]).format(**moment.slots)
            yield self._row(home, user, reaction, cuts[2], cuts[3])

    def _words(self, moment: Moment) -> tuple[str, str]:
        if moment.scene is None:
            said, answered = self._chance.choice(NEUTRAL)
        else:
            said, answered = moment.scene.user, moment.scene.agent
        return said.format(**moment.slots), answered.format(**moment.slots)

    def _between(self, home: Home, start_us: int, end_us: int) -> Iterator[tuple[Cell, ...]]:
        chance = self._chance
        at = start_us + _PAUSE_US
        for _ in range(min(_MOST_PAIRS, (end_us - at) // (2 * _PAIR_US))):
            said, answered = chance.choice(NEUTRAL)
            slots = {
                "topic": chance.choice(TOPICS),
                "activity": chance.choice(ACTIVITIES),
                "when": chance.choice(TIMES),
            }
            user, _ = chance.choice(home.users)
            yield self._row(home, user, said.format(**slots), at, at + _LINE_US)
            at += _LINE_US + _PAUSE_US
            yield self._row(home, home.robot[0], answered.format(**slots), at, at + _LINE_US)
            at += _LINE_US + 2 * _PAUSE_US

    def _row(self, home: Home, who: str, text: str, start_us: int, end_us: int) -> tuple[Cell, ...]:
        return self._new_id(), home.id, who, start_us, end_us, text[0].upper() + text[1:]
