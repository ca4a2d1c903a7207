"""The paths of a chain that multi-step questions ask about."""

from project.chains import ChainGraph, ordered

MOST_PATHS = 45
"""Of one chain: as many as a single line of ten steps has, which is the longest chain of R3-VQA (section 3.3)."""
LEAST_EDGES = 2


def paths_of(graph: ChainGraph, most: int = MOST_PATHS) -> list[tuple[str, ...]]:
    """Return paths over two or more subchains, the longest first, then by time.

    There is one for each pair of nodes of which one leads to the other over two or more edges: the longest path between
    them; of equally long ones, the one whose last reason is the earliest, and so on back to its start. Each edge of a
    path lies in another subchain, that of its result. A single line of n nodes has (n - 1)(n - 2) / 2 of them.

    Args:
        graph: the chain.
        most: at most so many.

    Returns:
        Ids of the nodes from the start to the end, three or more.

    Raises:
        graphlib.CycleError: the chain goes round in a circle.
    """
    best: dict[str, dict[str, tuple[str, ...]]] = {}
    for end in ordered(graph.reasons):
        reached: dict[str, tuple[str, ...]] = {}
        for reason in graph.reasons.get(end, ()):
            for start, path in {**best[reason], reason: (reason,)}.items():
                if len(path) + 1 > len(reached.get(start, ())):
                    reached[start] = (*path, end)
        best[end] = reached
    place = {one.id: at for at, one in enumerate(graph.nodes)}
    found = [path for reached in best.values() for path in reached.values() if len(path) > LEAST_EDGES]
    return sorted(found, key=lambda path: (-len(path), place[path[0]], place[path[-1]]))[:most]
