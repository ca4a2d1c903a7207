"""An invented study with causal chains has R3-VQA's numbers, and is a sound file."""

from collections import Counter
from pathlib import Path

from project.entities.causal_chains import ChainGraph
from project.integrity.integrity_check import check_study
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.recording_rows import all_recordings, participants_in
from project.store.study import Study
from project.synthetic.synthetic_chains import CHAINS, NODES, RECORDINGS, SUBCHAINS, fill_with_chains


def graphs(study: Study) -> list[ChainGraph]:
    return read_graphs(study, all_chains(study))


def test_the_numbers_are_those_of_the_paper(study: Study) -> None:
    fill_with_chains(study)
    found = graphs(study)
    assert len(all_recordings(study)) == RECORDINGS == 316
    assert len(found) == CHAINS == 347
    assert Counter(node.kind for chain_graph in found for node in chain_graph.nodes) == Counter(NODES)
    assert sum(len(chain_graph.nodes) for chain_graph in found) == 2198
    assert sum(len(chain_graph.subchains) for chain_graph in found) == SUBCHAINS == 1406
    steps = [chain_graph.longest_path_length for chain_graph in found]
    assert {*steps} == {*range(1, 11)}
    assert 3.25 < sum(steps) / len(steps) < 3.35


def test_every_node_is_part_of_its_chain_and_lies_in_its_recording(study: Study) -> None:
    fill_with_chains(study)
    durations = {recording.id: recording.duration_us for recording in all_recordings(study)}
    assert max(durations.values()) < 180_000_000
    for graph in graphs(study)[:60]:
        people = {who.id for who in participants_in(study, graph.chain.recording_id)}
        for node in graph.nodes:
            assert graph.reasons[node.id] or graph.results[node.id]
            assert 0 <= node.start_us < node.end_us <= durations[graph.chain.recording_id]
            assert {*node.people} <= people


def test_the_same_seed_gives_the_same_study(tmp_path: Path) -> None:
    made = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        with Study.create(tmp_path / f"{name}.greenroom") as study:
            fill_with_chains(study, seed, chains=30)
            made.append([node.text for graph in graphs(study) for node in graph.nodes])
    assert made[0] == made[1] != made[2]


def test_a_study_with_edges_is_a_sound_file(tmp_path: Path) -> None:
    path = tmp_path / "made.greenroom"
    with Study.create(path) as study:
        fill_with_chains(study, chains=30)
    assert check_study(path) == []
    Study.open(path).close()
