"""Chains that are drawn in a line of a test."""

from collections.abc import Mapping, Sequence

from benchmark.questions.question_templates import RecordingContext, RuleQuestionGenerator
from project.entities.causal_chains import Chain, ChainGraph, ChainNode, Edge, NodeKind

SECOND = 1_000_000


def drawn(
    texts: Mapping[str, str] | Sequence[str],
    edges: str = "",
    *,
    chain: str = "c",
    recording: str = "r",
    kinds: Mapping[str, NodeKind] | None = None,
    people: Mapping[str, Sequence[str]] | None = None,
    spans: Mapping[str, tuple[float, float]] | None = None,
) -> ChainGraph:
    """Return a chain; nodes lie two seconds apart, in order, and last one.

    Args:
        texts: node -> text, or the texts of nodes `c0`, `c1`, ... of a chain `c`.
        edges: such as `a>b b>c`.
        chain: its id.
        recording: its recording.
        kinds: of nodes that are no events.
        people: of nodes.
        spans: of nodes that lie elsewhere, in seconds.
    """
    named = texts if isinstance(texts, Mapping) else {f"{chain}{at}": text for at, text in enumerate(texts)}
    nodes = []
    for at, (node, text) in enumerate(named.items()):
        start, end = (spans or {}).get(node, (2.0 * at, 2.0 * at + 1))
        kind = (kinds or {}).get(node, NodeKind.EVENT)
        who = tuple((people or {}).get(node, ()))
        nodes.append(ChainNode(node, chain, kind, text, round(start * SECOND), round(end * SECOND), who))
    nodes.sort(key=lambda chain_node: (chain_node.start_us, chain_node.id))
    pairs = [part.split(">") for part in edges.split()]
    return ChainGraph(Chain(chain, recording, "ada", chain), tuple(nodes), tuple(Edge(a, b) for a, b in pairs))


def rules(
    graphs: Sequence[ChainGraph], names: Mapping[str, Mapping[str, str]] | None = None, seed: int = 0
) -> RuleQuestionGenerator:
    """Return what makes questions of chains; `names` says recording -> participant -> pseudonym."""
    scenes = {
        home: RecordingContext(
            {graph.chain.id: 0 for graph in graphs if graph.chain.recording_id == home},
            dict((names or {}).get(home, {})),
        )
        for home in {graph.chain.recording_id for graph in graphs}
    }
    known = {name for people in (names or {}).values() for name in people.values()}
    return RuleQuestionGenerator(graphs, graphs, scenes, known, seed)
