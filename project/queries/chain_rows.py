"""Queries on causal chains. Reads show only what the current viewer may see; writes happen inside steps."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from project.entities.causal_chains import Chain, ChainGraph, ChainNode, ChainReview, Edge
from project.queries.row_mapper import RowMapper
from project.store.column_values import to_json
from project.store.study import Study
from project.store.visibility import VISIBLE_CHAINS

CHAINS = RowMapper(Chain, "chain", view=VISIBLE_CHAINS)
NODES = RowMapper(ChainNode, "chain_node", noun="A node of a chain ({id})")
EDGES = RowMapper(Edge, "chain_edge")
CHAIN_REVIEWS = RowMapper(ChainReview, "chain_review", noun="A review of a chain")

_KNOWN_PARTICIPANT = "participant_id IN (SELECT id FROM participant)"


find_chain = CHAINS.find
chains_of = CHAINS.query("WHERE recording_id = ? ORDER BY id")
all_chains = CHAINS.query("ORDER BY id")


def read_graph(study: Study, chain: Chain) -> ChainGraph:
    """Return a chain with its nodes and edges."""
    return read_graphs(study, [chain])[0]


def read_graphs(study: Study, chains: Sequence[Chain]) -> list[ChainGraph]:
    """Return chains with their nodes and edges; all of a study's are read by a few statements."""
    if len(chains) == 1:
        where, given = "= ?", [chains[0].id]
    else:
        where, given = f"IN (SELECT id FROM {VISIBLE_CHAINS})", []
    nodes_there = f"SELECT id FROM chain_node WHERE chain_id {where}"
    people: dict[str, list[str]] = defaultdict(list)
    for node_id, who in study.rows(
        f"SELECT node_id, participant_id FROM chain_person WHERE node_id IN ({nodes_there}) AND {_KNOWN_PARTICIPANT} "
        "ORDER BY participant_id",
        given,
    ):
        people[node_id].append(who)
    nodes: dict[str, list[ChainNode]] = defaultdict(list)
    home: dict[str, str] = {}
    for node in NODES.select(study, f"WHERE chain_id {where} ORDER BY start_us, id", *given):
        nodes[node.chain_id].append(replace(node, people=tuple(people.get(node.id, ()))))
        home[node.id] = node.chain_id
    edges: dict[str, list[Edge]] = defaultdict(list)
    for reason, result in study.rows(
        f"SELECT reason_id, result_id FROM chain_edge WHERE result_id IN ({nodes_there}) ORDER BY result_id, reason_id",
        given,
    ):
        edges[home[result]].append(Edge(reason, result))
    return [ChainGraph(chain, tuple(nodes[chain.id]), tuple(edges[chain.id])) for chain in chains]


def chain_sizes(study: Study, recording_id: str) -> dict[str, int]:
    """Return the id of each chain of a recording -> how many nodes it has."""
    return dict(
        study.rows(
            f"SELECT c.id, count(n.id) FROM {VISIBLE_CHAINS} c LEFT JOIN chain_node n ON n.chain_id = c.id "
            "WHERE c.recording_id = ? GROUP BY c.id",
            (recording_id,),
        )
    )


def find_node(study: Study, node_id: str) -> ChainNode | None:
    """Return one node, or None where none of that id is to be seen."""
    node = NODES.first(study, f"WHERE id = ? AND chain_id IN (SELECT id FROM {VISIBLE_CHAINS})", node_id)
    if node is None:
        return None
    people = study.rows(
        f"SELECT participant_id FROM chain_person WHERE node_id = ? AND {_KNOWN_PARTICIPANT} ORDER BY participant_id",
        (node_id,),
    )
    return replace(node, people=tuple(person[0] for person in people))


def recordings_of_nodes(study: Study, node_ids: Iterable[str]) -> dict[str, str]:
    """Return node -> id of the recording that it is of, also where it is not to be seen; without what is gone."""
    return dict(
        study.rows(
            "SELECT n.id, c.recording_id FROM chain_node n JOIN chain c ON c.id = n.chain_id "
            "WHERE n.id IN (SELECT value FROM json_each(?))",
            (to_json([*node_ids]),),
        )
    )


insert_chain = CHAINS.insert


def rename_chain(study: Study, chain_id: str, name: str) -> None:
    """Give a chain another name; inside a step."""
    study.write("UPDATE chain SET name = ? WHERE id = ?", (name, chain_id))


delete_chain = CHAINS.delete_tree


def insert_nodes(study: Study, new: Sequence[ChainNode]) -> None:
    """Add nodes with their people; inside a step."""
    NODES.insert_all(study, new)
    study.write_many(
        "INSERT INTO chain_person VALUES (?, ?)",
        [(chain_node.id, who) for chain_node in new for who in chain_node.people],
    )


def update_node(study: Study, new: ChainNode) -> None:
    """Replace the node of the same id, with its people; inside a step."""
    NODES.update(study, new)
    found = study.rows("SELECT participant_id FROM chain_person WHERE node_id = ?", (new.id,))
    before = {row[0] for row in found}
    for who in sorted(before - {*new.people}):
        study.write("DELETE FROM chain_person WHERE node_id = ? AND participant_id = ?", (new.id, who))
    study.write_many(
        "INSERT INTO chain_person VALUES (?, ?)", [(new.id, who) for who in sorted({*new.people} - before)]
    )


delete_nodes = NODES.delete_tree
insert_edges = EDGES.insert_all


def delete_edges(study: Study, edges: Iterable[Edge]) -> None:
    """Remove edges; inside a step."""
    for edge in edges:
        EDGES.delete(study, edge.result_id, edge.reason_id)


chain_reviews = CHAIN_REVIEWS.query(
    "WHERE chain_id = ? AND reviewer_id IN (SELECT id FROM annotator) ORDER BY at, reviewer_id"
)
set_chain_review = CHAIN_REVIEWS.upsert
delete_chain_review = CHAIN_REVIEWS.delete
