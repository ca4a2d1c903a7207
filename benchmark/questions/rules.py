"""Questions by rules alone: no model is needed (R3-VQA, section 3.1, with templates in the place of a model)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchmark.questions.base import BETWEEN, OPTIONS, START, Draft, Wanted, wanted_from
from benchmark.questions.distractors import Asked, Pool
from benchmark.questions.similarity import Similarity
from benchmark.questions.statements import Names, Statement, Words
from benchmark.questions.templates import Telling, worded
from benchmark.questions.validity import plain, why_not
from project.chains import ChainGraph, Node
from project.questions import QuestionKind

TOO_FEW = "Fewer than four other texts of the study would do as wrong options."
BLANK = "A node that it covers has no text yet."
_THEN = ", then "


@dataclass(frozen=True, slots=True)
class Scene:
    """What has to be known of a recording.

    Attributes:
        zero_us: where what is shown with a question begins, by chain, on the recording's axis.
        people: participant id -> pseudonym, of those who take part.
        reach: where its texts may go, as any keys: a question has wrong options only from recordings whose texts may
            go wherever its own may.
    """

    zero_us: Mapping[str, int]
    people: Mapping[str, str]
    reach: frozenset[str] = frozenset()


@dataclass
class Rules:
    """Makes drafts of the chains of a study.

    Attributes:
        chains: whose nodes may become wrong options.
        known: every chain there is, with other versions of the same: what these say of a moment may be true as well.
        scenes: recording id -> what has to be known of it.
        names: pseudonyms of everybody in the study.
    """

    chains: Sequence[ChainGraph]
    known: Sequence[ChainGraph]
    scenes: Mapping[str, Scene]
    names: Collection[str]
    seed: int = 0
    _nodes: dict[str, list[Node]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._finder = Names(self.names)
        everything = {one.chain.id: one for one in (*self.known, *self.chains)}
        self._words: dict[str, Words] = {}
        for graph in everything.values():
            self._nodes.setdefault(graph.chain.recording_id, []).extend(graph.nodes)
            self._words |= {one.id: Words.of(self._finder.without(one.text)) for one in graph.nodes}
        texts = [self._finder.without(one.text) for nodes in self._nodes.values() for one in nodes]
        self._similarity = Similarity(texts)
        self._reach = {recording: one.reach for recording, one in self.scenes.items()}

    def drafts(self, wanted: Sequence[tuple[ChainGraph, Wanted]]) -> Iterator[tuple[ChainGraph, Wanted, Draft | str]]:
        """Yield for each what was made, or why nothing could be, in one sentence; by kind and aspect."""
        sorts: dict[tuple[QuestionKind, str], list[tuple[ChainGraph, Wanted]]] = {}
        for graph, one in wanted:
            sorts.setdefault((one.kind, one.aspect), []).append((graph, one))
        for (kind, aspect), asked in sorts.items():
            pool = self._pool(kind, aspect)
            for (graph, one), wrong in zip(
                asked, pool.choose([self._asked(graph, one) for graph, one in asked], OPTIONS - 1), strict=True
            ):
                answer, about = _parts(graph, one)
                text = worded(one, answer, about, self._telling(graph, answer), f"{self.seed} {one.part}")
                draft = Draft(one.kind, one.aspect, one.covers, text, answer.text, wrong)
                blank = any(not plain(graph.by_id[node].text) for node in one.covers)
                reason = BLANK if blank else TOO_FEW if len(wrong) < OPTIONS - 1 else why_not(draft)
                yield graph, one, reason or draft

    def _pool(self, kind: QuestionKind, aspect: str) -> Pool:
        found = {
            answer.node_ids: answer
            for graph in self.chains
            for one in wanted_from(graph, (kind,))
            if one.aspect == aspect
            for answer in (_parts(graph, one)[0],)
            if all(plain(node.text) for node in answer.nodes)
        }
        statements = [*found.values()]
        labels = [_likeness(kind, one) for one in statements]
        return Pool(statements, labels, self._words, self._finder, self._similarity, self._reach, self.seed)

    def _asked(self, graph: ChainGraph, wanted: Wanted) -> Asked:
        answer, about = _parts(graph, wanted)
        home = graph.chain.recording_id
        # What hangs together in a chain is partly true wherever it is asked why, or what comes of it.
        chain: Collection[str] = () if wanted.kind in _OF_ONE_NODE else [one.id for one in graph.nodes]
        spans = [answer.span, *(one.span for one in about)]
        busy = min(start for start, _ in spans), max(end for _, end in spans)
        there = [one.id for one in self._nodes[home] if one.start_us < busy[1] and busy[0] < one.end_us]
        people, alike = self._people(graph, answer), _likeness(wanted.kind, answer)
        return Asked(answer, {*there, *chain}, chain, busy, people, alike, wanted.kind in _OF_ONE_NODE)

    def _telling(self, graph: ChainGraph, answer: Statement) -> Telling:
        scene = self.scenes[graph.chain.recording_id]
        who = [scene.people[one] for one in answer.people if scene.people.get(one)]
        return Telling(scene.zero_us[graph.chain.id], who)

    def _people(self, graph: ChainGraph, answer: Statement) -> list[str]:
        people = self.scenes[graph.chain.recording_id].people
        first = [people[one] for one in answer.people if one in people]
        return [*dict.fromkeys([*first, *people.values()])]


_OF_ONE_NODE = (QuestionKind.EVENT, QuestionKind.STATE)


def _likeness(kind: QuestionKind, one: Statement) -> str:
    """Return what a wrong option should share with the answer: how many parts it has, and of which kind it is."""
    return str(len(one.nodes)) if kind is QuestionKind.WHY or len(one.nodes) > 1 else one.kind


def _parts(graph: ChainGraph, wanted: Wanted) -> tuple[Statement, tuple[Statement, ...]]:
    """Return the right option, and what is told in the question."""

    def of(*nodes: str, joined_by: str = "; ") -> Statement:
        return Statement(tuple(graph.by_id[one] for one in nodes), graph.chain.recording_id, joined_by)

    first, *rest = wanted.covers
    match wanted.kind:
        case QuestionKind.WHY:
            return of(*rest), (of(first),)
        case QuestionKind.HOW:
            return of(first), (of(*rest),)
        case QuestionKind.STEPS:
            ends = of(first), of(rest[-1])
            if wanted.aspect == BETWEEN:
                return of(*rest[:-1], joined_by=_THEN), ends
            return ends[0 if wanted.aspect == START else 1], ends
    return of(first), ()
