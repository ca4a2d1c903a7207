"""A recording is done when nothing is empty that its segments need."""

from pathlib import Path

import pytest

from annotate.segments.segment_edits import set_field
from annotate.team.assignments import mark_done
from project.errors import UserError
from project.queries.annotator_rows import is_completed
from tests.builders.marked_study import WALK, mark, open_study, person


def test_a_recording_with_empty_needed_fields_is_not_done_and_says_what_is_missing(tmp_path: Path) -> None:
    filled = {"attributes": ["emotions"], "channel": "verbal", "rationale": "Too early."}
    with open_study(tmp_path) as session:
        mark(session, "Ada", 1, 2, "competence", **filled)
        first = mark(session, "Ada", 12, 14, "error", **filled)
        mark(session, "Ada", 20, 21, "competence")
        mark(session, "Bo", 3, 4, "error")
        with pytest.raises(UserError, match=r"at 0:00:12\.000, Correction is missing\. 1 further segment lacks"):
            mark_done(session, WALK)
        set_field(session, first, "correction", "Wait.")
        with pytest.raises(UserError, match=r"at 0:00:20\.000, Attributes, Channel, Rationale is missing\.") as refused:
            mark_done(session, WALK)
        assert "further" not in refused.value.message
        session.annotator_name = "Cy"
        mark_done(session, WALK)
        assert is_completed(session.study, WALK, person(session, "Cy").id), "who marked nothing is done"
