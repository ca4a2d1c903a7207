"""Whether one node may become a reason for another, in words for who draws."""

from collections.abc import Mapping, Sequence

from project.chains import ChainGraph
from resources.translation import tr


def why_not(graph: ChainGraph, reason_id: str, result_id: str) -> str:
    """Return why an edge cannot be drawn; "" where it can."""
    if reason_id == result_id:
        return tr("A node cannot be a reason for itself.")
    if result_id in graph.results.get(reason_id, ()):
        return tr("This edge is there already.")
    if result_id in upstream(graph.reasons, reason_id):
        return tr("That would go round in a circle: it is a reason for this one already.")
    return ""


def caution(graph: ChainGraph, reason_id: str, result_id: str) -> str:
    """Return what to look at before drawing an edge that can be drawn; "" for nothing."""
    late = graph.by_id[reason_id].start_us > graph.by_id[result_id].start_us
    return tr("The reason starts after its result: check the times.") if late else ""


def upstream(reasons: Mapping[str, Sequence[str]], node_id: str) -> set[str]:
    """Return everything that leads to a node."""
    found: set[str] = set()
    ahead = [node_id]
    while ahead:
        new = [one for one in reasons.get(ahead.pop(), ()) if one not in found]
        found.update(new)
        ahead += new
    return found
