"""How many chains a study has, what they are made of, and how long they are (R3-VQA, section 3.3)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.chains.checks import sound
from benchmark.agreement.published import published_for
from project.chains import ChainGraph, NodeKind

PUBLISHED = "r3vqa-chains"
"""Name of the published figures that stand beside a study's."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One number.

    Attributes:
        key: such as `nodes.event`.
        name: for people.
        value: the study's; None where there is nothing to take it from.
        published: R3-VQA's; None where the paper does not give it.
        source: the place in the paper; "" for none.
    """

    key: str
    name: str
    value: float | None
    published: float | None
    source: str


@dataclass(frozen=True, slots=True)
class ChainStatistics:
    """What chains are made of.

    Attributes:
        recordings: how many have a chain that counts.
        chains: how many count: those with an edge at least that hold together.
        empty: how many have no edges; they are left out of all that follows.
        unsound: how many go round in a circle or have loose edges; they are left out too.
        by_kind: kind -> nodes; every kind is there.
        subchains: of all chains.
        steps: length of a chain in edges on its longest way -> chains.
        reasons: reasons of a subchain -> subchains.
        people: characters of a node -> nodes.
    """

    recordings: int
    chains: int
    empty: int
    unsound: int
    by_kind: Mapping[NodeKind, int]
    subchains: int
    steps: Mapping[int, int]
    reasons: Mapping[int, int]
    people: Mapping[int, int]

    @property
    def nodes(self) -> int:
        """The nodes of all kinds."""
        return sum(self.by_kind.values())

    def figures(self) -> list[Figure]:
        """Return the numbers with R3-VQA's beside them."""
        lengths = [length for length, many in self.steps.items() for _ in range(many)]
        own: dict[str, tuple[str, float | None]] = {
            "recordings": ("Recordings with chains", self.recordings),
            "chains": ("Chains", self.chains),
            "nodes": ("Nodes", self.nodes),
            **{f"nodes.{kind.value}": (f"{kind.value.capitalize()} nodes", self.by_kind[kind]) for kind in NodeKind},
            "subchains": ("Subchains", self.subchains),
            "steps.mean": ("Steps of a chain, mean", _mean(lengths)),
            "steps.least": ("Steps of the shortest chain", min(lengths, default=None)),
            "steps.most": ("Steps of the longest chain", max(lengths, default=None)),
            "reasons.mean": ("Reasons of a subchain, mean", _mean([*Counter(self.reasons).elements()])),
        }
        found = published_for(PUBLISHED)
        assert found is not None
        theirs = {one.figure: one for one in found.figures}
        return [
            Figure(key, name, value, theirs[key].value, theirs[key].source)
            if key in theirs
            else Figure(key, name, value, None, "")
            for key, (name, value) in own.items()
        ]


def statistics(graphs: Sequence[ChainGraph]) -> ChainStatistics:
    """Count chains and what they are made of; empty ones and those that do not hold together are counted apart."""
    whole = [one for one in graphs if one.edges and sound(one)]
    nodes = [node for one in whole for node in one.nodes]
    kinds = Counter(one.kind for one in nodes)
    subchains = [each for one in whole for each in one.subchains]
    return ChainStatistics(
        recordings=len({one.chain.recording_id for one in whole}),
        chains=len(whole),
        empty=sum(not one.edges for one in graphs),
        unsound=sum(bool(one.edges) and not sound(one) for one in graphs),
        by_kind={kind: kinds[kind] for kind in NodeKind},
        subchains=len(subchains),
        steps=_sorted(one.steps for one in whole),
        reasons=_sorted(len(one.reason_ids) for one in subchains),
        people=_sorted(len(one.people) for one in nodes),
    )


def _sorted(numbers: Iterable[int]) -> dict[int, int]:
    return dict(sorted(Counter(numbers).items()))


def _mean(numbers: Sequence[int]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None
