"""In what state a chain is: what was said about it in another state was said about another chain."""

import hashlib
import json

from project.chains import ChainGraph


def state_of(graph: ChainGraph) -> str:
    """Return a checksum over everything that a chain says; its name is not part of it."""
    nodes = [[one.id, one.kind.value, one.text, one.start_us, one.end_us, [*one.people]] for one in graph.nodes]
    edges = sorted([one.reason_id, one.result_id] for one in graph.edges)
    said = json.dumps([sorted(nodes, key=lambda one: str(one[0])), edges], ensure_ascii=True)
    return hashlib.sha256(said.encode()).hexdigest()[:16]
