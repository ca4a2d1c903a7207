"""What a question was made from, and whether that still says the same."""

import hashlib
import json
from collections.abc import Sequence

from project.chains import ChainGraph
from project.questions import Question


def made_from(graph: ChainGraph, covers: Sequence[str]) -> str:
    """Return a checksum of what a question covers; "" where it covers nothing, or a node of it is gone.

    Its nodes are in it with kind, text, span and people, and the edges between them. Of a subchain, all reasons of its
    result are, so that one more reason, which the question would not cover, makes another checksum.

    Args:
        graph: the chain.
        covers: as `Question.covers`.
    """
    if not covers or any(one not in graph.by_id for one in covers):
        return ""
    inside = {*covers}
    nodes = [graph.by_id[one] for one in sorted(inside)]
    edges = {(reason, one) for one in inside for reason in graph.reasons[one] if reason in inside}
    first = graph.reasons[covers[0]]
    if not inside.isdisjoint(first):
        edges |= {(reason, covers[0]) for reason in first}
    said = [[one.id, one.kind.value, one.text, one.start_us, one.end_us, [*one.people]] for one in nodes]
    return hashlib.sha256(json.dumps([said, sorted(edges)], ensure_ascii=True).encode()).hexdigest()[:16]


def is_stale(question: Question, graph: ChainGraph | None) -> bool:
    """Tell whether what a question was made from is gone or says something else by now.

    Args:
        question: a question.
        graph: the chain that it was made from, as it is now; None where there is none, or it is not to be seen.
    """
    if not question.made_from:
        return False
    return graph is None or made_from(graph, question.covers) != question.made_from
