"""Synthetic studies have what the benchmark is made from, in the papers' proportions, and are sound files."""

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from project.entities.causal_chains import ChainGraph
from project.entities.study_records import ParticipantRole, Verdict
from project.errors import Cancelled, UserError
from project.integrity.integrity_check import check_study
from project.queries.annotator_rows import all_annotators
from project.queries.chain_rows import all_chains, read_graphs
from project.queries.episode_rows import all_agents, all_episodes
from project.queries.recording_rows import all_recordings, hold_outs, participants_in
from project.queries.segment_rows import all_segments, values_in
from project.queries.transcript_rows import utterances_of
from project.schemes.scheme_file import load_scheme
from project.store.study import Study
from project.synthetic.synthetic_chains import NODES, SUBCHAINS, fill_with_chains
from project.synthetic.synthetic_segments import fill_study
from project.synthetic.synthetic_study import fill_whole_study
from tests.builders.cancelling import CancelAt


def values(study: Study, field: str) -> list[Any]:
    return [json.loads(row[0]) for row in study.rows("SELECT value FROM segment_value WHERE field = ?", (field,))]


def test_segments_have_the_proportions_of_the_paper_and_complete_forms(study: Study) -> None:
    fill_study(study, recordings=100, segments=2500)
    recordings, segments = all_recordings(study), all_segments(study)
    assert (len(recordings), len(segments), len(all_annotators(study))) == (100, 2500, 2)
    assert 3200 / 403 < statistics.mean(recording.duration_us for recording in recordings) / 60e6 < 4000 / 403
    verdicts = Counter(segment.label for segment in segments)
    assert 0.53 < verdicts[Verdict.COMPETENCE] / len(segments) < 0.59
    assert 0.40 < verdicts[Verdict.ERROR] / len(segments) < 0.46
    durations = {recording.id: recording.duration_us for recording in recordings}
    assert all(0 <= s.start_us < s.end_us <= durations[s.recording_id] for s in segments)
    scheme, attributes = load_scheme(), []
    for recording in recordings[:40]:
        found = values_in(study, recording.id)
        for segment in (s for s in segments if s.recording_id == recording.id):
            filled = found.get(segment.id, {})
            assert scheme.missing_fields(segment.label, filled) == ()
            assert all(scheme.check_value(field, value) == value for field, value in filled.items())
            if "attributes" in filled:
                attributes.append(len(filled["attributes"]))
    assert 2.4 < statistics.mean(attributes) < 2.8
    assert study.undo_name is None


@pytest.mark.soak
def test_a_whole_study_has_the_sizes_and_the_proportions_of_the_papers(study: Study) -> None:
    made = fill_whole_study(study)
    assert (made.recordings, made.segments, made.chains, made.episodes) == (403, 10353, 347, 40)
    assert len(all_recordings(study)) == 403 + 40
    assert len(all_chains(study)) == 347
    assert len(hold_outs(study)) == 40
    assert made.utterances > 2 * 5900
    counts = Counter(attribute for found in values(study, "attributes") for attribute in found)
    assert counts.most_common(1)[0][0] == "conversation"
    assert counts.most_common()[-1][0] == "emotions"
    channels = Counter(values(study, "channel"))
    assert channels["verbal"] > channels["both"] > channels["nonverbal"]
    plausible = [value / 100 for value in values(study, "plausibility")]
    assert abs(statistics.mean(plausible) - 0.863) < 0.03
    assert abs(statistics.pstdev(plausible) - 0.172) < 0.03
    by_recording = defaultdict(list)
    for segment in all_segments(study):
        if segment.scheme == "shrec":
            by_recording[segment.recording_id].append(segment)
    overlapping = agreeing = 0
    for found in by_recording.values():
        for segment in found:
            others = [
                other.label
                for other in found
                if other.annotator_id != segment.annotator_id
                and min(other.end_us, segment.end_us) > max(other.start_us, segment.start_us)
            ]
            overlapping += bool(others)
            agreeing += segment.label in others
    assert abs(overlapping / 10353 - 0.851) < 0.04
    assert abs(agreeing / overlapping - 0.913) < 0.03
    labels = Counter(segment.label for segment in all_segments(study) if segment.scheme == "socialnli")
    assert abs(labels["reality"] / labels.total() - 0.40) < 0.05
    assert check_study(study.path) == []


def test_people_speak_and_are_rated_and_what_differs_is_reviewed(study: Study) -> None:
    fill_whole_study(study, recordings=20, segments=500)
    reviewed = Counter(row[0] for row in study.rows("SELECT decision FROM review"))
    assert reviewed["agree"] > reviewed["disagree"] > 0
    assert reviewed.total() < 500
    assert not study.rows("SELECT 1 FROM review r JOIN segment s ON s.id = segment_id WHERE annotator_id = reviewer_id")
    for field in ("rationale", "correction", "statement", "explanation"):
        texts = [str(value) for value in values(study, field)]
        assert all("{" not in text and text.endswith((".", "?", "!")) for text in texts)
        assert len({*texts}) > 0.6 * len(texts)
    roles = {row[0]: row[1] for row in study.rows("SELECT id, role FROM participant")}
    segments, told = all_segments(study), 0
    for recording in all_recordings(study):
        said = utterances_of(study, recording.id)
        assert all(utterance.end_us <= other.start_us for utterance, other in pairwise(said))
        for segment in segments:
            if segment.recording_id == recording.id and segment.scheme == "shrec" and segment.label != Verdict.NONE:
                inside = [u for u in said if segment.start_us <= u.start_us and u.end_us <= segment.end_us]
                spoke = [roles[u.participant_id or ""] for u in inside]
                assert spoke[:2] == [ParticipantRole.USER, ParticipantRole.ROBOT]
                told += 1
    assert told > 150
    scheme = load_scheme("sotopia-eval")
    assert len(all_episodes(study)) == 2
    for recording_id, agents in all_agents(study).items():
        rated = [segment for segment in segments if segment.recording_id == recording_id]
        assert len(rated) == 2 * len(agents) == 4
        for segment in rated:
            rows = study.rows("SELECT field, value FROM segment_value WHERE segment_id = ?", (segment.id,))
            filled = {field: json.loads(value) for field, value in rows}
            assert scheme.missing_fields(segment.label, filled) == ()
            assert all(scheme.check_value(field, value) == value for field, value in filled.items())
            assert filled["participant"] in {agent.participant_id for agent in agents}


def graphs(study: Study) -> list[ChainGraph]:
    return read_graphs(study, all_chains(study))


def test_chains_have_the_numbers_of_the_paper_and_lie_in_their_recordings(study: Study) -> None:
    fill_with_chains(study)
    found = graphs(study)
    assert (len(all_recordings(study)), len(found)) == (316, 347)
    assert Counter(node.kind for graph in found for node in graph.nodes) == Counter(NODES)
    assert sum(len(graph.nodes) for graph in found) == 2198
    assert sum(len(graph.subchains) for graph in found) == SUBCHAINS == 1406
    steps = [graph.longest_path_length for graph in found]
    assert {*steps} == {*range(1, 11)}
    assert 3.25 < statistics.mean(steps) < 3.35
    durations = {recording.id: recording.duration_us for recording in all_recordings(study)}
    assert max(durations.values()) < 180_000_000
    for graph in found[:60]:
        people = {participant.id for participant in participants_in(study, graph.chain.recording_id)}
        for node in graph.nodes:
            assert graph.reasons[node.id] or graph.results[node.id]
            assert 0 <= node.start_us < node.end_us <= durations[graph.chain.recording_id]
            assert {*node.people} <= people


@pytest.mark.parametrize(
    "fill",
    [
        lambda study, seed: fill_study(study, 3, 50, 3, seed=seed),
        lambda study, seed: fill_whole_study(study, 6, 60, seed=seed),
        lambda study, seed: fill_with_chains(study, seed, chains=30),
    ],
    ids=["segments", "whole", "chains"],
)
def test_the_same_seed_gives_the_same_sound_study(tmp_path: Path, fill: Callable[[Study, int], object]) -> None:
    found = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        with Study.create(tmp_path / name) as study:
            fill(study, seed)
            tables = ("recording", "segment", "segment_value", "utterance", "review", "chain_node", "episode_agent")
            found.append([study.rows(f"SELECT * FROM {table}") for table in tables])
        assert check_study(study.path) == []
    assert found[0] == found[1]
    assert found[0] != found[2]


@pytest.mark.parametrize(("recordings", "segments", "annotators"), [(1, 0, 1), (1, 1, 1), (2, 2001, 3)])
def test_a_study_has_any_size(tmp_path: Path, recordings: int, segments: int, annotators: int) -> None:
    with Study.create(tmp_path / "segments") as study:
        fill_study(study, recordings=recordings, segments=segments, annotators=annotators)
        assert (len(all_recordings(study)), len(all_segments(study))) == (recordings, segments)
    with Study.create(tmp_path / "whole") as study:
        assert fill_whole_study(study, recordings, segments // 4, annotators).segments == segments // 4
    assert check_study(study.path) == []


def test_only_an_empty_study_is_filled_and_a_cancelled_one_is_left_empty(study: Study) -> None:
    with pytest.raises(UserError, match="no study"):
        fill_study(study, recordings=0, segments=1)
    for fill in (fill_study, fill_whole_study):
        with pytest.raises(Cancelled):
            fill(study, 3, 30, progress=CancelAt())
        assert all_recordings(study) == []
    fill_study(study, recordings=1, segments=1)
    with pytest.raises(UserError, match="not empty"):
        fill_study(study)
