"""What the tasks share whose items bring five options, one of them right."""

import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from benchmark.items.balance import even_sizes
from benchmark.items.base import Candidate, Drawn, Pool, Rule
from benchmark.items.distractors import WRONG, choices
from benchmark.items.order import in_order
from benchmark.items.reasons import nothing_to_draw
from benchmark.metrics.chance import accuracy_by_chance
from benchmark.metrics.classification import accuracy
from benchmark.metrics.names import ACCURACY
from benchmark.suite.base import Metric, Said
from benchmark.suite.said import LABELS, given_values, label_answers, label_truths, metrics
from benchmark.suite.segments import label_of, scheme_of, traits_of
from project.questions import LETTERS
from project.types import Json


class FiveOptions:
    """A task with one right option among five, and accuracy as its figure."""

    key: ClassVar[str]
    name: ClassVar[str]
    paper: ClassVar[str] = "SHREC"
    section: ClassVar[str]
    source: ClassVar[str] = "segments"
    draws: ClassVar[int] = 3
    size: ClassVar[int] = 70
    answer: ClassVar[str] = "one of five options"
    metrics: ClassVar[tuple[Metric, ...]] = metrics(ACCURACY)
    label: ClassVar[str]
    """Of the segments that it is asked about."""
    lacking: ClassVar[str]
    """Why a segment is left out that has no text for the right option."""
    few: ClassVar[str]
    """Why a segment is left out for which there are not four wrong options."""

    @abstractmethod
    def text(self, one: Candidate) -> str:
        """Return what would be an option of a candidate; "" for none."""

    def fits(self, pool: Pool, own: Candidate, other: Candidate) -> bool:  # noqa: ARG002
        """Tell whether another candidate's text may be a wrong option."""
        return True

    def facts(self, one: Candidate) -> Mapping[str, Json]:  # noqa: ARG002
        """Return what is told of the item beside label, footage and words."""
        return {}

    def sample(self, pool: Pool, rule: Rule, chance: random.Random) -> Drawn:
        """Return one draw; a segment for which there are not four wrong options is left out, and counted.

        Raises:
            UserError: no segment has the label, or none of them has such a text, or there are more collections than
                items.
        """
        labelled = [one for one in in_order(pool.candidates) if label_of(one) == self.label]
        if not labelled:
            raise nothing_to_draw(f"no segment with the label “{self.label}” to draw", pool)
        told = [one for one in labelled if self.text(one)]
        left_out = Counter({self.lacking: len(labelled) - len(told)}) if len(told) < len(labelled) else Counter[str]()
        if not told:
            raise nothing_to_draw(f"no segment that “{self.name}” can be asked about", pool, left_out)
        homes = sorted({one.collection_id for one in told}) if rule.stratify else [""]
        strata = {home: [one for one in told if not home or one.collection_id == home] for home in homes}
        wanted = {home: len(those) for home, those in strata.items()}
        if rule.stratify:
            wanted = even_sizes(rule.size, wanted)
        elif rule.size:
            wanted[""] = min(rule.size, wanted[""])
        drawn = {home: self._drawn(pool, those, told, wanted[home], chance, left_out) for home, those in strata.items()}
        most = min(len(those) for those in drawn.values()) if rule.stratify else None
        found = [one for those in drawn.values() for one in those[:most]]
        chance.shuffle(found)
        return Drawn(tuple(found), dict(left_out))

    def _drawn(
        self,
        pool: Pool,
        those: Sequence[Candidate],
        others: Sequence[Candidate],
        number: int,
        chance: random.Random,
        left_out: Counter[str],
    ) -> list[Candidate]:
        found: list[Candidate] = []
        for one in chance.sample(those, len(those)):
            if len(found) == number:
                break
            made = choices(one, self.text, others, chance, lambda other, own=one: self.fits(pool, own, other))  # type: ignore[misc]
            if made is None:
                left_out[self.few] += 1
                continue
            content: dict[str, Json] = {
                "scheme": scheme_of(pool).key,
                "track": pool.track,
                "label": self.label,
                "options": [*made.options],
                "place": made.place,
                "facts": dict(self.facts(one)),
                "homes": [*made.homes],
                "truth": {self.key: {self.key: LETTERS[made.place]}},
                "traits": {**traits_of(one), LABELS: [*LETTERS[: WRONG + 1]]},
            }
            found.append(replace(one, content=content))
        return found

    def score(self, said: Sequence[Said]) -> Mapping[str, float | None]:
        """Return accuracy; None without items."""
        return {ACCURACY: accuracy(label_truths(said, self.key, self.key), label_answers(said, self.key, self.key))}

    def chance(self, said: Sequence[Said]) -> Mapping[str, float]:
        """Return one in five."""
        guessed = accuracy_by_chance(len(said), WRONG + 1)
        return given_values({ACCURACY: guessed.value if guessed else None})
