"""Synthetic studies have what the benchmark is made from, in the papers' proportions, and are sound files."""

import statistics
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from project.entities.study_records import Verdict
from project.errors import Cancelled, UserError
from project.integrity.integrity_check import check_study
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments, values_in
from project.schemes.scheme_file import load_scheme
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains
from project.synthetic.synthetic_segments import fill_study
from project.synthetic.synthetic_study import fill_whole_study
from tests.builders.cancelling import CancelAt


def test_segments_have_the_proportions_of_the_paper_and_complete_forms(study: Study) -> None:
    fill_study(study, recordings=24, segments=600)
    recordings, segments = all_recordings(study), all_segments(study)
    assert (len(recordings), len(segments), len(all_annotators(study))) == (24, 600, 2)
    assert 7 < statistics.mean(recording.duration_us for recording in recordings) / 60e6 < 11
    verdicts = Counter(segment.label for segment in segments)
    assert 0.52 < verdicts[Verdict.COMPETENCE] / len(segments) < 0.60
    assert 0.38 < verdicts[Verdict.ERROR] / len(segments) < 0.47
    durations = {recording.id: recording.duration_us for recording in recordings}
    assert all(0 <= s.start_us < s.end_us <= durations[s.recording_id] for s in segments)
    scheme, attributes = load_scheme(), []
    for recording in recordings:
        found = values_in(study, recording.id)
        for segment in (s for s in segments if s.recording_id == recording.id):
            filled = found.get(segment.id, {})
            assert scheme.missing_fields(segment.label, filled) == ()
            assert all(scheme.check_value(field, value) == value for field, value in filled.items())
            if "attributes" in filled:
                attributes.append(len(filled["attributes"]))
    assert 2.3 < statistics.mean(attributes) < 2.9
    assert study.undo_name is None


@pytest.mark.parametrize(
    "fill",
    [
        lambda study, seed: fill_whole_study(study, 2, 20, 3, seed=seed),
        lambda study, seed: fill_with_chains(study, seed, chains=10),
    ],
    ids=["whole", "chains"],
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


def test_only_an_empty_study_is_filled_and_a_cancelled_one_is_left_empty(study: Study) -> None:
    with pytest.raises(UserError, match="needs a recording"):
        fill_study(study, recordings=0, segments=1)
    for fill in (fill_study, fill_whole_study):
        with pytest.raises(Cancelled):
            fill(study, 3, 30, progress=CancelAt())
        assert all_recordings(study) == []
    fill_study(study, recordings=1, segments=1)
    with pytest.raises(UserError, match="not empty"):
        fill_study(study)
