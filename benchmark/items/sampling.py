"""Draws items with class balance and, if asked, equally from each collection; cuts negatives from unmarked spans."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from benchmark.items.candidates import (
    MISSING_LABEL,
    REDUCED_DRAW,
    CandidatePool,
    ItemCandidate,
    ItemDraw,
    ItemSamplingRule,
    no_items_error,
    sort_candidates,
)
from project.codec import load
from project.entities.study_records import Json
from project.errors import UserError, unknown_choice


def quotas(size: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Return how many of `size` items each class gets, by largest remainder; each is less than one off its exact share.

    Args:
        size: items in all.
        shares: class -> weight, 0 or more; they need not add up to 1. Of equal remainders the first class wins.

    Raises:
        ValueError: no class has a weight.
    """
    weights = {key: Fraction(str(weight)) for key, weight in shares.items()}
    total = sum(weights.values())
    if total <= 0:
        raise ValueError("no class has a share")
    exact = {key: size * weight / total for key, weight in weights.items()}
    found = {key: int(value) for key, value in exact.items()}
    left = sorted(exact, key=lambda key: found[key] - exact[key])
    for key in left[: size - sum(found.values())]:
        found[key] += 1
    return found


def largest_quotas(size: int, shares: Mapping[str, float], there: Mapping[str, int]) -> dict[str, int]:
    """Return the quotas of the largest draw of at most `size` items for which every class has enough.

    If a class is too small, the whole draw becomes smaller, so that the balance is kept.

    Args:
        size: items in all; 0 for as many as possible.
        shares: class -> weight.
        there: class -> how many are available.
    """
    most = min(size, sum(there.values())) if size else sum(there.values())
    for total in range(most, 0, -1):
        found = quotas(total, shares)
        if all(number <= there.get(key, 0) for key, number in found.items()):
            return found
    return dict.fromkeys(shares, 0)


def items_per_collection(size: int, collections: int) -> int:
    """Return how many items each collection gives at most, of `size` in all; 0 for as many as possible."""
    if size and size < collections:
        raise UserError(
            f"A draw of {size:,} items cannot take the same number from each of {collections:,} collections.",
            f"Give a size of at least {collections:,}, or a draw without equal collections.",
        )
    return size // collections


def collection_sizes(size: int, there: Mapping[str, int]) -> dict[str, int]:
    """Return how many items each collection gives, the same number each; a `size` of 0 is as many as possible."""
    if not there:
        return {}
    each = min(there.values())
    return dict.fromkeys(there, min(each, items_per_collection(size, len(there)) or each))


def strata_sizes(candidates: Sequence[ItemCandidate], rule: ItemSamplingRule) -> list[tuple[list[ItemCandidate], int]]:
    """Return strata with how many items each gives: collections with the same number if the rule says so, else all."""
    if not rule.stratify:
        return [([*candidates], min(rule.size or len(candidates), len(candidates)))]
    homes: dict[str, list[ItemCandidate]] = {}
    for candidate in candidates:
        homes.setdefault(candidate.collection_id, []).append(candidate)
    sizes = collection_sizes(rule.size, {home: len(those) for home, those in homes.items()})
    return [(homes[home], sizes[home]) for home in sorted(homes)]


def cut_negatives(
    gaps: Sequence[ItemCandidate], lengths: Sequence[int], number: int, chance: random.Random
) -> list[ItemCandidate]:
    """Cut spans out of gaps, each as long as one of `lengths`; no two overlap.

    Every position in every gap that is long enough is equally likely.

    Args:
        gaps: unmarked spans, in a fixed order; no two overlap.
        lengths: of marked segments, in microseconds, to draw lengths from.
        number: how many; fewer are returned if there is not enough room.
        chance: the random generator.
    """
    free = [*gaps]
    found: list[ItemCandidate] = []
    wanted = sorted((chance.choice(lengths) for _ in range(number)), reverse=True) if lengths else []
    # The longest first, because short spans still fit into the rest.
    for length in wanted:
        free_starts = [max(0, candidate.end_us - candidate.start_us - length + 1) for candidate in free]
        if not any(free_starts):
            continue
        gap_index = chance.choices(range(len(free)), free_starts)[0]
        gap = free[gap_index]
        start = gap.start_us + chance.randrange(free_starts[gap_index])
        found.append(replace(gap, start_us=start, end_us=start + length))
        free[gap_index : gap_index + 1] = [
            candidate
            for candidate in (replace(gap, end_us=start), replace(gap, start_us=start + length))
            if candidate.end_us > candidate.start_us
        ]
    chance.shuffle(found)
    return found


NEGATIVES = ("both", "annotated", "unmarked")
"""Sources of negatives: annotated ones and then unmarked spans, or one of the two."""
Classes = Mapping[str, Sequence[ItemCandidate]]


def draw_balanced(
    pool: CandidatePool,
    classes: Classes,
    shares: Mapping[str, float],
    rule: ItemSamplingRule,
    chance: random.Random,
    negative: str = "",
) -> ItemDraw:
    """Return a draw in which every class has its share, to within rounding, in a random order.

    Args:
        pool: of the candidates; its gaps are cut for the class `negative`.
        classes: label -> its candidates.
        shares: label -> weight.
        rule: the size, whether to stratify, and under `negatives` one of `NEGATIVES`.
        chance: the random generator.
        negative: the class of spans cut from gaps; "" for none.
    """
    wanted = {key: weight for key, weight in shares.items() if weight > 0}
    gaps = pool.gaps if negative and rule.more.get("negatives", NEGATIVES[0]) != "annotated" else ()
    kept = {key: sort_candidates(classes.get(key, ())) for key in wanted}
    if negative in kept and rule.more.get("negatives") == "unmarked":
        kept[negative] = []
    for key in wanted:
        if not kept[key] and not (key == negative and gaps):
            raise no_items_error(f"no segment with the label “{key}” to draw", pool)
    strata = [_Stratum(kept, sort_candidates(gaps), wanted, negative)]
    left_out: dict[str, int] = {}
    if rule.stratify:
        strata, lacking = _split_by_collection(strata[0])
        if lacking:
            left_out[MISSING_LABEL] = lacking
        if not strata:
            raise no_items_error("no collection that has segments with every label", pool, left_out)
    each = items_per_collection(rule.size, len(strata))
    found = _draw_strata(strata, each, chance)
    if each and (short := each * len(strata) - len(found)):
        left_out[REDUCED_DRAW] = short
    chance.shuffle(found)
    return ItemDraw(tuple(found), left_out)


class _Stratum:
    """The candidates of one stratum of a draw."""

    def __init__(
        self, classes: Classes, gaps: Sequence[ItemCandidate], shares: Mapping[str, float], negative: str
    ) -> None:
        self.classes, self.gaps, self.shares, self.negative = classes, gaps, shares, negative

    def capacity(self, size: int) -> int:
        """Return how many items of at most `size` it gives, if every span fits into a gap."""
        return sum(largest_quotas(size, self.shares, self._available_counts(size)).values())

    def draw(self, size: int, chance: random.Random) -> list[ItemCandidate]:
        """Return at most `size` items; fewer if spans do not fit into gaps."""
        quotas = largest_quotas(size, self.shares, self._available_counts(size))
        found = {
            key: chance.sample(self.classes[key], min(number, len(self.classes[key]))) for key, number in quotas.items()
        }
        short = quotas.get(self.negative, 0) - len(found.get(self.negative, ()))
        if short:
            lengths = [
                candidate.end_us - candidate.start_us
                for key in found
                if key != self.negative
                for candidate in found[key]
            ]
            found[self.negative] += cut_negatives(self.gaps, lengths, short, chance)
            quotas = largest_quotas(size, self.shares, {key: len(those) for key, those in found.items()})
        return [candidate for key, number in quotas.items() for candidate in found[key][:number]]

    def _available_counts(self, size: int) -> dict[str, int]:
        there = {key: len(those) for key, those in self.classes.items()}
        if self.gaps and self.negative in there:
            there[self.negative] += size or 2 * sum(there.values())
        return there


def _draw_strata(strata: Sequence[_Stratum], each: int, chance: random.Random) -> list[ItemCandidate]:
    """Return the same number of items from each stratum, as many as the smallest gives."""
    if len(strata) == 1:
        return strata[0].draw(each, chance)
    seed = chance.random()
    size = min(stratum.capacity(each) for stratum in strata)
    while True:
        # If spans find less room than expected, all strata are drawn again with a smaller size.
        drawn = [stratum.draw(size, random.Random(f"{seed} {place}")) for place, stratum in enumerate(strata)]
        smallest = min(len(items) for items in drawn)
        if smallest == size:
            return [candidate for those in drawn for candidate in those]
        size = smallest


def _split_by_collection(whole: _Stratum) -> tuple[list[_Stratum], int]:
    """Return a stratum for each collection that has every class, and how many candidates the others have."""
    homes = sorted({candidate.collection_id for those in whole.classes.values() for candidate in those})
    found: list[_Stratum] = []
    lacking = 0
    for home in homes:
        classes = {
            key: [candidate for candidate in those if candidate.collection_id == home]
            for key, those in whole.classes.items()
        }
        gaps = [gap for gap in whole.gaps if gap.collection_id == home]
        if all(those or (key == whole.negative and gaps) for key, those in classes.items()):
            found.append(_Stratum(classes, gaps, whole.shares, whole.negative))
        else:
            lacking += sum(map(len, classes.values()))
    return found, lacking


DISAGREED, REVIEWED, UNREVIEWED, HELD_OUT = "disagreed", "reviewed", "unreviewed", "hold-out"
INCLUDE_LABELS: Mapping[str, str] = {
    DISAGREED: "what people disagree about",
    REVIEWED: "what one person marked and others agree with",
    UNREVIEWED: "what one person marked and nobody reviewed",
    HELD_OUT: "recordings that are held out",
}
"""What is left out unless it is included explicitly."""


ONE_ANNOTATOR, MAJORITY, UNION, INTERSECTION, ADJUDICATED = (
    "annotator",
    "majority",
    "union",
    "intersection",
    "adjudicated",
)
TRUTHS: Mapping[str, str] = {
    ONE_ANNOTATOR: "what one annotator chose",
    MAJORITY: "what most annotators chose",
    UNION: "what any annotator chose",
    INTERSECTION: "what all annotators chose",
    ADJUDICATED: "the adjudicated lane",
}
"""What counts as true where annotators agree on the label of a moment and chose other attributes."""


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """Options of an item set beside its task, seed, draws and size.

    Attributes:
        include: keys of `INCLUDE_LABELS`.
        stratify: whether each collection gives the same number of items.
        scheme: key of the scheme of segments; "" for the study's default one.
        track: of the scheme; "" for its first.
        shares: label -> weight of the classes, for `multiple` also of `yes` and `no`; {} for the task's own.
        negatives: one of `benchmark.items.sampling.NEGATIVES`.
        conditions: methods of which every recording must have a rendering.
        willing: only recordings in which everybody consented to be seen by models.
        truth: what counts as true about segments, a key of `TRUTHS`.
    """

    include: tuple[str, ...] = ()
    stratify: bool = False
    scheme: str = ""
    track: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    negatives: str = NEGATIVES[0]
    conditions: tuple[str, ...] = ()
    willing: bool = False
    truth: str = ONE_ANNOTATOR

    def require_known(self) -> None:
        for key in self.include:
            if key not in INCLUDE_LABELS:
                raise unknown_choice("group to include", key, INCLUDE_LABELS)
        if self.negatives not in NEGATIVES:
            raise unknown_choice("kind of negatives", self.negatives, NEGATIVES)
        if self.truth not in TRUTHS:
            raise unknown_choice("kind of truth", self.truth, TRUTHS)
        if any(weight < 0 for weight in self.shares.values()):
            raise UserError("A weight cannot be negative.", "Give weights from 0.")


def read_sampling_options(found: Mapping[str, Json]) -> SamplingOptions:
    """Read the options in the rule of an item set."""
    try:
        options = load(SamplingOptions, found, "The rule")
        options.require_known()
    except UserError:
        raise UserError("The rule of an item set is damaged.", "Make another set.") from None
    return options
