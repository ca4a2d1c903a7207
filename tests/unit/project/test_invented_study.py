"""A whole invented study has what the tasks of the benchmark are made from, in the papers' proportions."""

import json
import statistics
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from project.entities.study_records import ParticipantRole, Verdict
from project.errors import Cancelled
from project.integrity.integrity_check import check_study
from project.queries.chain_rows import all_chains
from project.queries.episode_rows import all_agents, all_episodes
from project.queries.recording_rows import all_recordings, hold_outs
from project.queries.segment_rows import all_segments
from project.queries.transcript_rows import utterances_of
from project.schemes.scheme_file import load_scheme
from project.store.study import Study
from project.synthetic.synthetic_study import fill_whole_study


def values(study: Study, field: str) -> list[object]:
    return [json.loads(row[0]) for row in study.rows("SELECT value FROM segment_value WHERE field = ?", (field,))]


def test_its_size_is_that_of_the_papers(tmp_path: Path) -> None:
    path = tmp_path / "whole.greenroom"
    with Study.create(path) as study:
        made = fill_whole_study(study)
        assert (made.recordings, made.segments, made.chains, made.episodes) == (403, 10353, 347, 40)
        assert len(all_recordings(study)) == 403 + 40
        assert len(all_chains(study)) == 347
        assert len(hold_outs(study)) == 40
        assert made.utterances > 2 * 5900
        attributes = values(study, "attributes")
        counts = Counter(one for found in attributes for one in found)
        assert counts.most_common(1)[0][0] == "conversation"
        assert counts.most_common()[-1][0] == "emotions"
        channels = Counter(values(study, "channel"))
        assert channels["verbal"] > channels["both"] > channels["nonverbal"]
        plausible = [value / 100 for value in values(study, "plausibility")]
        assert abs(statistics.mean(plausible) - 0.863) < 0.03
        assert abs(statistics.pstdev(plausible) - 0.172) < 0.03
        labels = Counter(segment.label for segment in all_segments(study) if segment.scheme == "socialnli")
        assert abs(labels["reality"] / labels.total() - 0.40) < 0.05
    assert check_study(path) == []


def test_annotators_overlap_and_agree_as_often_as_in_the_paper(study: Study) -> None:
    fill_whole_study(study, recordings=60, segments=1540)
    by_home = defaultdict(list)
    for segment in all_segments(study):
        if segment.scheme == "shrec":
            by_home[segment.recording_id].append(segment)
    overlapping = agreeing = 0
    for found in by_home.values():
        for segment in found:
            others = [
                other
                for other in found
                if other.annotator_id != segment.annotator_id
                and other.start_us < segment.end_us
                and other.end_us > segment.start_us
            ]
            overlapping += bool(others)
            agreeing += any(other.label == segment.label for other in others)
    assert abs(overlapping / 1540 - 0.851) < 0.04
    assert abs(agreeing / overlapping - 0.913) < 0.03


def test_what_differs_is_reviewed_and_what_is_alike_is_not(study: Study) -> None:
    fill_whole_study(study, recordings=20, segments=500)
    reviewed = Counter(row[0] for row in study.rows("SELECT decision FROM review"))
    assert reviewed["agree"] > reviewed["disagree"] > 0
    assert reviewed.total() < 500
    assert not study.rows("SELECT 1 FROM review r JOIN segment s ON s.id = segment_id WHERE annotator_id = reviewer_id")


def test_the_person_and_then_the_agent_speak_in_every_moment(study: Study) -> None:
    fill_whole_study(study, recordings=8, segments=200)
    roles = {row[0]: row[1] for row in study.rows("SELECT id, role FROM participant")}
    told = 0
    for home in all_recordings(study):
        said = utterances_of(study, home.id)
        assert all(utterance.end_us <= other.start_us for utterance, other in pairwise(said))
        for segment in all_segments(study):
            if segment.recording_id == home.id and segment.scheme == "shrec" and segment.label != Verdict.NONE:
                inside = [u for u in said if segment.start_us <= u.start_us and u.end_us <= segment.end_us]
                spoke = [roles[u.participant_id or ""] for u in inside]
                assert spoke[:2] == [ParticipantRole.USER, ParticipantRole.ROBOT]
                told += 1
    assert told > 150


def test_every_text_reads_as_a_sentence_and_few_are_alike(study: Study) -> None:
    fill_whole_study(study, recordings=20, segments=500)
    for field in ("rationale", "correction", "statement", "explanation"):
        texts = [str(value) for value in values(study, field)]
        assert all("{" not in text and text.endswith((".", "?", "!")) for text in texts)
        assert len({*texts}) > 0.6 * len(texts)


def test_episodes_are_rated_by_two_people_within_the_scale(study: Study) -> None:
    fill_whole_study(study, recordings=20, segments=100)
    scheme = load_scheme("sotopia-eval")
    assert len(all_episodes(study)) == 2
    for recording, agents in all_agents(study).items():
        rated = [segment for segment in all_segments(study) if segment.recording_id == recording]
        assert len(rated) == 2 * len(agents) == 4
        for segment in rated:
            rows = study.rows("SELECT field, value FROM segment_value WHERE segment_id = ?", (segment.id,))
            filled = {field: json.loads(value) for field, value in rows}
            assert scheme.missing_fields(segment.label, filled) == ()
            assert all(scheme.check_value(field, value) == value for field, value in filled.items())
            assert filled["participant"] in {agent.participant_id for agent in agents}


@pytest.mark.parametrize(("recordings", "segments", "annotators"), [(1, 0, 1), (1, 1, 1), (2, 5, 2), (3, 900, 3)])
def test_any_size(tmp_path: Path, recordings: int, segments: int, annotators: int) -> None:
    path = tmp_path / "small.greenroom"
    with Study.create(path) as study:
        made = fill_whole_study(study, recordings, segments, annotators)
        assert made.segments == segments
    assert check_study(path) == []


def test_the_same_seed_gives_the_same_study(tmp_path: Path) -> None:
    found = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        with Study.create(tmp_path / name) as study:
            fill_whole_study(study, 6, 60, seed=seed)
            tables = ("utterance", "review", "segment_value", "chain_node", "episode_agent")
            found.append([study.rows(f"SELECT * FROM {table}") for table in tables])
    assert found[0] == found[1]
    assert found[0] != found[2]


class Impatient:
    def progress(self, done: int, total: int, text: str = "") -> None:
        pass

    def check_cancelled(self) -> None:
        raise Cancelled


def test_cancelling_leaves_the_study_empty(study: Study) -> None:
    with pytest.raises(Cancelled):
        fill_whole_study(study, 3, 30, progress=Impatient())
    assert all_recordings(study) == []
