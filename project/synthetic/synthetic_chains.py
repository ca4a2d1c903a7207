"""Generates synthetic causal chains, for trying the program without footage and for measuring it."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, pairwise

from project.entities.causal_chains import Chain, ChainNode, Edge, NodeKind
from project.entities.study_records import ConsentUse, ParticipantRole
from project.errors import UserError
from project.progress import Progress, Silent
from project.queries.chain_rows import insert_chain, insert_edges, insert_nodes
from project.store.study import Cell, Study
from project.synthetic.synthetic_phrases import PHRASES, InventedIds

_WORDS = PHRASES["chains"]
RECORDINGS, CHAINS, SUBCHAINS = 316, 347, 1406
NODES: Mapping[NodeKind, int] = {
    NodeKind.EVENT: 997,
    NodeKind.BELIEF: 321,
    NodeKind.INTENT: 361,
    NodeKind.DESIRE: 42,
    NodeKind.EMOTION: 477,
}
_TEXTS = {
    NodeKind.EVENT: ("{} {} {}", ("deeds", "things", "moments")),
    NodeKind.BELIEF: ("believes that {} {}", ("things", "claims")),
    NodeKind.INTENT: ("means to {} {}", ("aims", "things")),
    NodeKind.DESIRE: ("wishes {} {}", ("wishes", "things")),
    NodeKind.EMOTION: ("feels {} {}", ("feelings", "things")),
}
_STEPS = (50, 80, 80, 60, 35, 19, 11, 6, 4, 2)
"""How many of the chains have 1, 2, ... 10 steps: 3.3 on average."""
_PEOPLE = 58
_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class SyntheticChainRecording:
    """A recording that a chain is drawn in: how much of it from its start, and who is in it, with id and pseudonym."""

    id: str
    duration_us: int
    people: tuple[tuple[str, str], ...]


def fill_with_chains(study: Study, seed: int = 0, progress: Progress | None = None, chains: int = CHAINS) -> None:
    """Fill an empty study with invented recordings, people and causal chains; there are no media files.

    The same seed gives the same content and ids; fewer chains are the first of them. It is one transaction outside the
    history.

    Raises:
        Cancelled: the user stopped it; the study is still empty.
    """
    if study.row("SELECT 1 FROM recording UNION ALL SELECT 1 FROM annotator LIMIT 1"):
        raise UserError("This study is not empty.", "Make a new study for synthetic content.")
    progress = progress or Silent()
    make = _ChainGenerator(study, random.Random(seed))
    with study.without_history():
        for done in islice(make.everything(), chains):
            progress.check_cancelled()
            progress.progress(done, chains, "Inventing chains")


def add_chains(
    study: Study, stages: Sequence[SyntheticChainRecording], annotator_id: str, seed: int, chains: int
) -> Iterator[int]:
    """Write chains into recordings that are there, inside a transaction, and yield how many are written.

    Args:
        study: of the recordings.
        stages: where they are drawn, one after the other and again from the first.
        annotator_id: who drew them.
        seed: of everything that is drawn.
        chains: how many, `CHAINS` at most.
    """
    yield from islice(_ChainGenerator(study, random.Random(f"{seed} chains")).chains(annotator_id, stages), chains)


class _ChainGenerator:
    def __init__(self, study: Study, chance: random.Random) -> None:
        self._study = study
        self._chance = chance
        self._ids = InventedIds(chance)
        self._texts = {kind: _texts(kind, chance) for kind in NodeKind}

    def everything(self) -> Iterator[int]:
        """Write it, and yield how many chains are written."""
        annotator = self._ids.new()
        self._study.write("INSERT INTO annotator VALUES (?, ?, ?)", (annotator, "Annotator 1", "person"))
        yield from self.chains(annotator, self._recordings(self._people()))

    def chains(self, annotator: str, stages: Sequence[SyntheticChainRecording]) -> Iterator[int]:
        """Write all chains, and yield how many are written."""
        kinds = [kind for kind, number in NODES.items() for _ in range(number)]
        self._chance.shuffle(kinds)
        left = iter(kinds)
        shapes = self._shapes()
        for done, (levels, home) in enumerate(zip(shapes, islice(cycle(stages), len(shapes)), strict=True)):
            self._chain(annotator, home, levels, left, f"Chain {done + 1}")
            yield done + 1

    def _people(self) -> list[tuple[str, str]]:
        people = [(self._ids.new(), f"P{number:02}") for number in range(1, _PEOPLE + 1)]
        user = ParticipantRole.USER.value
        self._study.write_many(
            "INSERT INTO participant VALUES (?, ?, ?, ?)", [(*person, user, "") for person in people]
        )
        self._study.write_many(
            "INSERT INTO consent VALUES (?, ?, ?)", [(who, use.value, 1) for who, _ in people for use in ConsentUse]
        )
        return people

    def _recordings(self, people: list[tuple[str, str]]) -> list[SyntheticChainRecording]:
        collection = self._ids.new()
        self._study.write("INSERT INTO collection VALUES (?, ?, ?)", (collection, "Invented scenes", ""))
        made = [
            SyntheticChainRecording(
                self._ids.new(),
                self._chance.randrange(60 * _SECOND, 180 * _SECOND),
                tuple(sorted(self._chance.sample(people, self._chance.choice((2, 2, 3))))),
            )
            for _ in range(RECORDINGS)
        ]
        rows: list[tuple[Cell, ...]] = [
            (
                recording.id,
                collection,
                place,
                f"{self._chance.choice(PHRASES['places'])} {place:03}",
                recording.duration_us,
            )
            for place, recording in enumerate(made, 1)
        ]
        self._study.write_many("INSERT INTO recording VALUES (?, ?, ?, ?, ?)", rows)
        there = [(recording.id, who) for recording in made for who, _ in recording.people]
        self._study.write_many("INSERT INTO appearance VALUES (?, ?)", there)
        return made

    def _shapes(self) -> list[list[int]]:
        """Return for each chain how many nodes it has at each level: what lies at one has reasons at the one before."""
        steps = [number for number, times in enumerate(_STEPS, 1) for _ in range(times)]
        self._chance.shuffle(steps)
        shapes = [[1] * (number + 1) for number in steps]
        for _ in range(SUBCHAINS - sum(steps)):
            shape = self._chance.choice(shapes)
            shape[self._chance.randrange(1, len(shape))] += 1
        for _ in range(sum(NODES.values()) - SUBCHAINS - CHAINS):
            self._chance.choice(shapes)[0] += 1
        return shapes

    def _chain(
        self, annotator: str, home: SyntheticChainRecording, levels: list[int], kinds: Iterator[NodeKind], name: str
    ) -> None:
        chain = Chain(self._ids.new(), home.id, annotator, name)
        step = home.duration_us // (sum(levels) + 1)
        nodes: list[list[ChainNode]] = []
        at = 0
        for count in levels:
            nodes.append([])
            for _ in range(count):
                nodes[-1].append(self._node(chain.id, home, next(kinds), at, at + step))
                at += step
        insert_chain(self._study, chain)
        insert_nodes(self._study, [chain_node for level in nodes for chain_node in level])
        insert_edges(self._study, sorted(self._edges(nodes)))

    def _edges(self, nodes: list[list[ChainNode]]) -> set[Edge]:
        """Return edges so that all but the first level has reasons, one at the level before, and no node is alone."""
        found = set()
        for before, level in pairwise(nodes):
            for number, result in enumerate(level):
                reason = before[0] if number == 0 else self._chance.choice(before)
                found.add(Edge(reason.id, result.id))
        used = {edge.reason_id for edge in found}
        later = [chain_node for level in nodes[1:] for chain_node in level]
        return found | {Edge(node.id, self._chance.choice(later).id) for node in nodes[0] if node.id not in used}

    def _node(self, chain: str, home: SyntheticChainRecording, kind: NodeKind, start_us: int, end_us: int) -> ChainNode:
        who, name = self._chance.choice(home.people)
        text = f"{name} {next(self._texts[kind])}"
        return ChainNode(self._ids.new(), chain, kind, text, start_us, end_us, (who,))


def _texts(kind: NodeKind, chance: random.Random) -> Iterator[str]:
    """Return what is told of a node of a kind, without its person; no two are alike."""
    form, names = _TEXTS[kind]
    parts = [_WORDS[name] for name in names]
    number = math.prod(map(len, parts))
    for drawn in chance.sample(range(number), number):
        chosen, rest = [], drawn
        for part in parts:
            rest, place = divmod(rest, len(part))
            chosen.append(part[place])
        yield form.format(*chosen)
