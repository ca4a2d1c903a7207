"""Whether a judge understands whole chains and subchains, and not questions one by one (R3-VQA, section 4.2)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from project.chains import ChainGraph
from project.questions import Question, QuestionKind

_CAUSAL = (QuestionKind.WHY, QuestionKind.HOW)
_OF_NODES = (QuestionKind.EVENT, QuestionKind.STATE)


@dataclass(frozen=True, slots=True)
class Covered:
    """The questions of one chain.

    Attributes:
        steps: of the chain: edges on its longest way.
        subchains: id of a result -> D(g_sub): ids of the causal questions of its subchain and of the questions of its
            nodes; only subchains that have any.
    """

    chain_id: str
    recording_id: str
    steps: int
    subchains: Mapping[str, frozenset[str]]

    @property
    def questions(self) -> frozenset[str]:
        """D(g): the questions of all of its subchains."""
        return frozenset().union(*self.subchains.values())


@dataclass(frozen=True, slots=True)
class Consistency:
    """How much of one recording is understood wholly.

    Attributes:
        right: chains or subchains all of whose questions were answered right.
        counted: chains or subchains of which at least one question was answered.
        left_out: those of which none was.
        missing: questions of what is counted that were not answered: each makes what it belongs to wrong.
    """

    right: int = 0
    counted: int = 0
    left_out: int = 0
    missing: int = 0

    def __add__(self, other: "Consistency") -> "Consistency":
        return Consistency(
            self.right + other.right,
            self.counted + other.counted,
            self.left_out + other.left_out,
            self.missing + other.missing,
        )


def covered_by(graph: ChainGraph, questions: Iterable[Question]) -> Covered:
    """Return which questions belong to a chain and to each of its subchains.

    Multi-step, ESI and written questions belong to none, nor do those of a node that is in no subchain.

    Raises:
        graphlib.CycleError: the chain goes round in a circle.
    """
    causal: dict[str, set[str]] = {}
    of_node: dict[str, set[str]] = {}
    for one in questions:
        if one.chain_id == graph.chain.id and one.covers:
            if one.kind in _CAUSAL:
                causal.setdefault(one.covers[0], set()).add(one.id)
            elif one.kind in _OF_NODES:
                of_node.setdefault(one.covers[0], set()).add(one.id)
    found = {
        sub.result_id: frozenset(causal.get(sub.result_id, set()).union(*(of_node.get(n, ()) for n in sub.node_ids)))
        for sub in graph.subchains
    }
    home = graph.chain.recording_id
    return Covered(graph.chain.id, home, graph.steps, {result: ids for result, ids in found.items() if ids})


def of_chain(one: Covered, right: Mapping[str, bool]) -> Consistency:
    """Return whether a chain is understood (equation 1).

    Args:
        one: the chain.
        right: question id -> whether it was answered right; questions that were not answered are not in it.
    """
    return _of([one.questions] if one.subchains else [], right)


def of_subchains(one: Covered, right: Mapping[str, bool]) -> Consistency:
    """Return how many of a chain's subchains are understood (equation 2); `right` is explained at `of_chain`."""
    return _of([*one.subchains.values()], right)


def expected(sizes: Sequence[int], chance: float) -> float:
    """Return the consistency of a judge that answers each question right with a chance, apart from all others.

    That is the mean of `chance` to the power of each number of questions; NaN without any.
    """
    return sum(chance**size for size in sizes) / len(sizes) if sizes else float("nan")


def _of(sets: Sequence[Collection[str]], right: Mapping[str, bool]) -> Consistency:
    found = Consistency()
    for ids in sets:
        answered = [right[one] for one in ids if one in right]
        if answered:
            whole = len(answered) == len(ids) and all(answered)
            found += Consistency(int(whole), 1, 0, len(ids) - len(answered))
        else:
            found += Consistency(left_out=1)
    return found
