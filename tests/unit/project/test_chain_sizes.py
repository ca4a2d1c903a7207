"""How many nodes each chain of a recording has, by one statement."""

from pathlib import Path

from annotate.chains.chain_edits import add_chain, add_node
from project.entities.causal_chains import NodeKind
from project.queries.chain_rows import chain_sizes
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study


def test_chains_without_nodes_and_of_other_recordings(tmp_path: Path) -> None:
    path = tmp_path / "lab.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=2, segments=0)
    with Session.open(path, "Ada") as session:
        first, second = (recording.id for recording in all_recordings(session.study))
        empty, _ = add_chain(session, first)
        full, _ = add_chain(session, first)
        add_chain(session, second)
        for start in (0, 1_000_000):
            add_node(session, full, NodeKind.EVENT, "It happens", start, start + 500_000)
        assert chain_sizes(session.study, first) == {empty: 0, full: 2}
