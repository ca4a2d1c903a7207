from collections import Counter
from pathlib import Path

import pytest

from project.entities.study_records import Verdict
from project.errors import Cancelled, UserError
from project.queries.annotator_rows import all_annotators
from project.queries.recording_rows import all_media, all_recordings
from project.queries.segment_rows import all_segments, segment_counts, values_in
from project.schemes.scheme_file import load_scheme
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study


def test_the_paper_s_size_and_proportions(study: Study) -> None:
    fill_study(study)
    recordings = all_recordings(study)
    segments = all_segments(study)
    assert (len(recordings), len(segments), len(all_annotators(study))) == (403, 10353, 2)
    assert all_media(study) == []
    minutes = sum(recording.duration_us for recording in recordings) / 60e6
    assert 3200 < minutes < 4000
    verdicts = Counter(segment.label for segment in segments)
    assert 0.53 < verdicts[Verdict.COMPETENCE] / len(segments) < 0.59
    assert 0.40 < verdicts[Verdict.ERROR] / len(segments) < 0.46
    durations = {recording.id: recording.duration_us for recording in recordings}
    assert all(0 <= s.start_us < s.end_us <= durations[s.recording_id] for s in segments)
    assert sum(n for counts in segment_counts(study).values() for n in counts.values()) == 10353
    scheme = load_scheme()
    attributes = 0
    marked = 0
    for recording in recordings[:40]:
        found = values_in(study, recording.id)
        for segment in (s for s in segments if s.recording_id == recording.id):
            values = {field: value.value for field, value in found.get(segment.id, {}).items()}
            assert scheme.missing_fields(segment.label, values) == ()
            for field, value in values.items():
                assert scheme.check_value(field, value) == value
            if "attributes" in values:
                marked += 1
                attributes += len(values["attributes"])
    assert 2.4 < attributes / marked < 2.8
    assert study.undo_name is None


def test_the_same_seed_gives_the_same_study(tmp_path: Path) -> None:
    found = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        with Study.create(tmp_path / name) as study:
            fill_study(study, recordings=3, segments=50, annotators=3, seed=seed)
            found.append((all_recordings(study), all_segments(study), study.rows("SELECT * FROM segment_value")))
    assert found[0] == found[1]
    assert found[0] != found[2]


@pytest.mark.parametrize(("recordings", "segments"), [(0, 0), (1, 0), (1, 1), (2, 4001)])
def test_any_size(study: Study, recordings: int, segments: int) -> None:
    fill_study(study, recordings=recordings, segments=segments, annotators=1)
    assert len(all_recordings(study)) == recordings
    assert len(all_segments(study)) == segments


def test_only_into_an_empty_study(study: Study) -> None:
    with pytest.raises(UserError, match="no study"):
        fill_study(study, recordings=0, segments=1)
    fill_study(study, recordings=1, segments=1)
    with pytest.raises(UserError, match="not empty"):
        fill_study(study)


class Impatient:
    def progress(self, done: int, total: int, text: str = "") -> None:
        assert 0 < done <= total

    def check_cancelled(self) -> None:
        raise Cancelled


def test_cancelling_leaves_the_study_empty(study: Study) -> None:
    with pytest.raises(Cancelled):
        fill_study(study, progress=Impatient())
    assert all_recordings(study) == []
