"""Counting chains, beside what R3-VQA counted."""

from annotate.chains.chain_checks import compute_chain_statistics
from project.entities.causal_chains import ChainNode, NodeKind
from tests.unit.annotate.chains.test_checks import make


def test_chains_are_counted_by_kind_and_length() -> None:
    state = ChainNode("C", "chain", NodeKind.EMOTION, "glad", 0, 1, ("p", "q"))
    found = compute_chain_statistics(
        [make("AB BC", C=state), make("AC BC CD"), make(""), make("", more="A"), make("AB BA")]
    )
    assert (found.recordings, found.chains, found.empty, found.unsound) == (1, 2, 2, 1)
    assert found.by_kind == {**dict.fromkeys(NodeKind, 0), NodeKind.EVENT: 6, NodeKind.EMOTION: 1}
    assert (found.nodes, found.subchains) == (7, 4)
    assert (found.steps, found.reasons, found.people) == ({2: 2}, {1: 3, 2: 1}, {0: 6, 2: 1})
    figures = {figure.key: figure for figure in found.figures()}
    assert (figures["steps.mean"].value, figures["steps.mean"].published) == (2, 3.3)
    assert figures["reasons.mean"].value == 5 / 4
    assert figures["reasons.mean"].published is None


def test_no_chains_give_no_means() -> None:
    figures = {figure.key: figure.value for figure in compute_chain_statistics([]).figures()}
    assert figures["chains"] == 0
    assert figures["steps.mean"] is None


def test_the_published_counts_add_up() -> None:
    theirs = {figure.key: figure.published for figure in compute_chain_statistics([]).figures()}
    assert sum(theirs[f"nodes.{kind}"] or 0 for kind in NodeKind) == theirs["nodes"] == 2198
