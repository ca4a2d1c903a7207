"""Draws with a balance of classes, of all collections alike where that is wished."""

import random
from collections.abc import Mapping, Sequence

from benchmark.items.balance import even_size, largest
from benchmark.items.base import Candidate, Drawn, Pool, Rule
from benchmark.items.negatives import cut
from benchmark.items.order import in_order
from benchmark.items.reasons import LACKING, SMALLER, nothing_to_draw

NEGATIVES = ("both", "annotated", "unmarked")
"""Where negatives come from: what annotators marked as such, then stretches that nobody marked; or one of the two."""
Classes = Mapping[str, Sequence[Candidate]]


def balanced(
    pool: Pool, classes: Classes, shares: Mapping[str, float], rule: Rule, chance: random.Random, negative: str = ""
) -> Drawn:
    """Return a draw in which every class has its share, to within rounding, in a random order.

    Args:
        pool: that the candidates are of; its gaps are cut for the class `negative`.
        classes: label -> its candidates.
        shares: label -> weight.
        rule: the size, whether collections are drawn alike, and under `negatives` one of `NEGATIVES`.
        chance: that decides.
        negative: the class that stretches of the gaps belong to; "" for none.

    Raises:
        UserError: a class is missing altogether, or there is no collection that has them all, or more collections than
            items.
    """
    wanted = {key: weight for key, weight in shares.items() if weight > 0}
    gaps = pool.gaps if negative and rule.more.get("negatives", NEGATIVES[0]) != "annotated" else ()
    kept = {key: in_order(classes.get(key, ())) for key in wanted}
    if negative in kept and rule.more.get("negatives") == "unmarked":
        kept[negative] = []
    for key in wanted:
        if not kept[key] and not (key == negative and gaps):
            raise nothing_to_draw(f"no segment with the label “{key}” to draw", pool)
    strata = [_Stratum(kept, in_order(gaps), wanted, negative)]
    left_out: dict[str, int] = {}
    if rule.stratify:
        strata, lacking = _by_collection(strata[0])
        if lacking:
            left_out[LACKING] = lacking
        if not strata:
            raise nothing_to_draw("no collection that has segments with every label", pool, left_out)
    each = even_size(rule.size, len(strata))
    found = _drawn(strata, each, chance)
    if each and (short := each * len(strata) - len(found)):
        left_out[SMALLER] = short
    chance.shuffle(found)
    return Drawn(tuple(found), left_out)


class _Stratum:
    """What one part of a draw is made from."""

    def __init__(self, classes: Classes, gaps: Sequence[Candidate], shares: Mapping[str, float], negative: str) -> None:
        self.classes, self.gaps, self.shares, self.negative = classes, gaps, shares, negative

    def most(self, size: int) -> int:
        """Return how many items of at most `size` it has room for, if every stretch finds a place."""
        return sum(largest(size, self.shares, self._there(size)).values())

    def draw(self, size: int, chance: random.Random) -> list[Candidate]:
        """Return at most `size` items; fewer where stretches find no place."""
        quotas = largest(size, self.shares, self._there(size))
        found = {
            key: chance.sample(self.classes[key], min(number, len(self.classes[key]))) for key, number in quotas.items()
        }
        short = quotas.get(self.negative, 0) - len(found.get(self.negative, ()))
        if short:
            lengths = [one.end_us - one.start_us for key in found if key != self.negative for one in found[key]]
            found[self.negative] += cut(self.gaps, lengths, short, chance)
            quotas = largest(size, self.shares, {key: len(those) for key, those in found.items()})
        return [one for key, number in quotas.items() for one in found[key][:number]]

    def _there(self, size: int) -> dict[str, int]:
        there = {key: len(those) for key, those in self.classes.items()}
        if self.gaps and self.negative in there:
            there[self.negative] += size or 2 * sum(there.values())
        return there


def _drawn(strata: Sequence[_Stratum], each: int, chance: random.Random) -> list[Candidate]:
    """Return the same number of items of each stratum, as many as the smallest gives."""
    if len(strata) == 1:
        return strata[0].draw(each, chance)
    seed = chance.random()
    size = min(one.most(each) for one in strata)
    while True:
        # Stretches may find less room than was thought: then all are drawn anew, smaller.
        drawn = [one.draw(size, random.Random(f"{seed} {place}")) for place, one in enumerate(strata)]
        smallest = min(len(one) for one in drawn)
        if smallest == size:
            return [one for those in drawn for one in those]
        size = smallest


def _by_collection(whole: _Stratum) -> tuple[list[_Stratum], int]:
    """Return a stratum for each collection that has every class, and how many candidates the others have."""
    homes = sorted({one.collection_id for those in whole.classes.values() for one in those})
    found: list[_Stratum] = []
    lacking = 0
    for home in homes:
        classes = {key: [one for one in those if one.collection_id == home] for key, those in whole.classes.items()}
        gaps = [one for one in whole.gaps if one.collection_id == home]
        if all(those or (key == whole.negative and gaps) for key, those in classes.items()):
            found.append(_Stratum(classes, gaps, whole.shares, whole.negative))
        else:
            lacking += sum(map(len, classes.values()))
    return found, lacking
