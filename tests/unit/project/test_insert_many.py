"""Many rows added at once leave the same history as rows added one by one."""

from pathlib import Path

import pytest

from project.entities.study_records import Segment, Verdict
from project.ids import new_id
from project.integrity.integrity_check import check_study
from project.queries.segment_rows import all_segments, insert_segment
from project.store.study import Study
from tests.builders.small_study import Small


def logged(study: Study) -> list[tuple[object, ...]]:
    return study.rows(
        "SELECT table_name, row_id, operation, before, after FROM journal_change "
        "WHERE step_id = (SELECT max(id) FROM journal_step) ORDER BY row_id"
    )


def test_the_history_is_the_same_and_undo_takes_them_away(small: Small) -> None:
    study = small.study
    made = [
        Segment(new_id(), small.recording.id, small.annotator.id, Verdict.ERROR, n * 1000, n * 1000 + 500)
        for n in range(50)
    ]
    with study.step("One by one"):
        for segment in made:
            insert_segment(study, segment)
    expected = logged(study)
    study.undo()
    rows = [(s.id, s.recording_id, s.annotator_id, s.scheme, s.track, s.label, s.start_us, s.end_us) for s in made]
    with study.step("At once") as step:
        study.insert_many("segment", rows, [segment.id for segment in made])
    assert step.changes.ids("segment") == {segment.id for segment in made}
    assert logged(study) == expected
    extra = Segment(new_id(), small.recording.id, small.annotator.id, Verdict.ERROR, 0, 500)
    with study.step("And one more"):
        insert_segment(study, extra)
    assert len(logged(study)) == 1
    study.undo()
    study.undo()
    assert all_segments(study) == []
    study.redo()
    assert len(all_segments(study)) == 50
    study.close()
    assert check_study(study.path) == []


def test_a_step_that_fails_leaves_the_triggers_as_they_were(small: Small, tmp_path: Path) -> None:
    study, bad = small.study, [("x",) * 8]
    with pytest.raises(Exception, match="cannot store"), study.step("Bad"):
        study.insert_many("segment", bad, ["x"])
    segment = small.add()
    assert [row[1] for row in logged(study)] == [segment.id]
    with pytest.raises(RuntimeError, match="inside"):
        study.insert_many("segment", bad, ["x"])
